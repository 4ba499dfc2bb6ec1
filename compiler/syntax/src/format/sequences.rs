//! Layout of tokens that share a line if they fit: statements, heads, expressions; and the lists within them.

use super::lines::{INDENT, WIDTH};
use super::source::Source;
use super::Printer;
use crate::parser::Role;
use crate::token::TokenKind;

/// The most columns that may follow the closing bracket of a list on its line.
const SHORT: usize = 40;

impl Printer<'_> {
    /// Prints tokens that continue the current line, leaving `behind` columns for the text after them.
    pub fn sequence(&mut self, from: usize, to: usize, indent: usize, behind: usize) {
        if from >= to {
            return;
        }
        if self.put_flat(from, to, behind) {
            return;
        }
        let c_body = self.source.top(from, to).find(|&token| self.source.kind(token) == TokenKind::CBody);
        if let Some(body) = c_body.filter(|&body| body > from) {
            self.sequence(from, body, indent, 0);
            self.tokens(body, to, indent, behind);
        } else if self.source.groups(from, to).any(|open| is_body(self.source, open)) {
            self.heads_and_bodies(from, to, indent, behind);
        } else if let Some(list) = self.list_at_end(from, to, behind) {
            self.tokens(from, list, indent, WIDTH);
            self.group(list, indent, true);
            self.tokens(self.source.close_of(list) + 1, to, indent, behind);
        } else if let Some(loosest) = self.source.loosest(from, to) {
            self.operands(from, to, loosest, indent, behind);
        } else {
            self.tokens(from, to, indent, behind);
        }
    }

    /// Prints tokens on the current line, if they fit.
    pub fn put_flat(&mut self, from: usize, to: usize, behind: usize) -> bool {
        if self.comment_waits(from) {
            return false;
        }
        let space = self.space_before(from);
        let used = self.lines.current.width() + usize::from(space) + behind;
        let Some(text) = WIDTH.checked_sub(used).and_then(|columns| self.source.flat(from, to, columns)) else {
            return false;
        };
        if space {
            self.lines.put(" ");
        }
        self.lines.put(&text);
        true
    }

    fn space_before(&self, token: usize) -> bool {
        !self.lines.current.text.is_empty() && token > 0 && {
            let before = if self.source.is_spare_comma(token - 1) && token > 1 { token - 2 } else { token - 1 };
            self.source.space_between(before, token)
        }
    }

    /// `if a { ... } else { ... }`: each head on one line if it fits, each body on its own lines.
    fn heads_and_bodies(&mut self, from: usize, to: usize, indent: usize, behind: usize) {
        let source = self.source;
        let mut start = from;
        for body in source.groups(from, to).filter(|&open| is_body(source, open)) {
            self.sequence(start, body, indent, 2);
            self.group(body, indent, true);
            start = source.close_of(body) + 1;
            // An `else` behind a comment begins a line.
            if start < to && self.comment_waits(start) {
                self.break_line(start, indent);
            }
        }
        self.sequence(start, to, indent, behind);
    }

    /// The last list of these tokens, if all before it fits on the line and only the list should be broken.
    fn list_at_end(&self, from: usize, to: usize, behind: usize) -> Option<usize> {
        let source = self.source;
        let list = source.groups(from, to).filter(|&open| source.is_list(open)).last()?;
        let rest = source.flat(source.close_of(list) + 1, to, SHORT)?;
        let literal = source.role(list) == Role::Literal;
        if source.loosest(from, to).is_some() && !(literal && rest.len() <= 2) {
            return None;
        }
        let used = self.lines.current.width() + 1 + behind.min(SHORT);
        source.flat(from, list, WIDTH.checked_sub(used + 1)?)?;
        Some(list)
    }

    /// Breaks the line before each of the loosest operators.
    fn operands(&mut self, from: usize, to: usize, loosest: u8, indent: usize, behind: usize) {
        let source = self.source;
        let breaks: Vec<usize> = source
            .top(from, to)
            .filter(|&token| token > from && source.role(token) == Role::Operator(loosest))
            .collect();
        let mut start = from;
        for (nth, &end) in breaks.iter().chain([&to]).enumerate() {
            let indent = if nth == 0 { indent } else { indent + INDENT };
            if nth > 0 {
                self.break_line(start, indent);
            }
            self.operand(start, end, indent, if end == to { behind } else { 0 });
            start = end;
        }
    }

    /// An operator and its right operand, which may contain tighter operators.
    fn operand(&mut self, from: usize, to: usize, indent: usize, behind: usize) {
        let first_is_operator = matches!(self.source.role(from), Role::Operator(_)) && from + 1 < to;
        if first_is_operator && !self.put_flat(from, to, behind) {
            self.token(from, indent);
            self.sequence(from + 1, to, indent, behind);
        } else if !first_is_operator {
            self.sequence(from, to, indent, behind);
        }
    }

    /// Prints tokens in sequence, breaking the brackets that do not fit.
    fn tokens(&mut self, from: usize, to: usize, indent: usize, behind: usize) {
        let source = self.source;
        let mut at = from;
        while at < to {
            let end = source.close_of(at) + 1;
            if !source.opens(at) {
                self.token(at, indent);
            } else if !self.put_flat(at, end, if end == to { behind.min(WIDTH / 2) } else { 2 }) {
                self.group(at, indent, true);
            }
            if end < to && source.kind(at) == TokenKind::Comma {
                let next = source
                    .top(end, to)
                    .find(|&token| source.kind(token) == TokenKind::Comma)
                    .map_or(to, |comma| comma + 1);
                if source.flat(end, next, WIDTH.saturating_sub(self.lines.current.width() + 2)).is_none() {
                    self.break_line(end, indent + INDENT);
                }
            }
            at = end;
        }
    }

    /// Prints one token, after the comments before it.
    fn token(&mut self, token: usize, indent: usize) {
        if self.source.is_spare_comma(token) {
            return;
        }
        if self.comment_waits(token) {
            self.break_line(token, indent + INDENT);
        }
        if self.space_before(token) {
            self.lines.put(" ");
        }
        self.lines.put(self.source.word(token));
    }

    /// Prints brackets and their content over several lines.
    fn group(&mut self, open: usize, indent: usize, may_hug: bool) {
        let close = self.source.close_of(open);
        self.token(open, indent);
        match self.source.role(open) {
            Role::Block => self.body(open + 1, close, indent + INDENT),
            _ if self.source.is_list(open) => {
                // Fields get their own lines if the author broke the line after the brace.
                let may_hug = may_hug && self.source.role(open) != Role::Fields;
                let hugged = may_hug.then(|| self.last_literal(open)).flatten();
                match hugged {
                    Some(literal) => {
                        self.tokens(open + 1, literal, indent, WIDTH);
                        self.group(literal, indent, false);
                        return self.token(close, indent);
                    }
                    None => self.list(open, close, indent),
                }
            }
            _ => {
                self.sequence(open + 1, close, indent, 2);
                return self.token(close, indent);
            }
        }
        if close == open + 1 && !self.comment_waits(close) {
            return self.token(close, indent);
        }
        self.close_line(close, indent);
        self.lines.put(self.source.word(close));
    }

    /// `f(x, m + Header { ... })`: the literal at the end, if all before it fits on the line.
    fn last_literal(&self, open: usize) -> Option<usize> {
        let source = self.source;
        let close = source.close_of(open);
        let end = if source.is_spare_comma(close - 1) { close - 1 } else { close };
        let literal = source.groups(open + 1, end).last()?;
        let fits = source.role(literal) == Role::Literal
            && source.close_of(literal) + 1 == end
            && source.close_of(literal) > literal + 1;
        let used = self.lines.current.width() + 3;
        let before = source.flat(open + 1, literal, WIDTH.checked_sub(used)?);
        let commented = source.has_comment(source.close_of(literal), close + 1);
        (fits && before.is_some() && !commented).then_some(literal)
    }
}

/// Braces whose content gets its own lines unless everything fits on one.
fn is_body(source: &Source, open: usize) -> bool {
    matches!(source.role(open), Role::Block | Role::Fields)
}

impl Source<'_> {
    /// The tokens outside of brackets; of a bracket, the opening one.
    pub fn top(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = from;
        std::iter::from_fn(move || {
            let at = next;
            next = self.close_of(at.min(self.len())) + 1;
            (at < to).then_some(at)
        })
    }

    /// The outermost brackets.
    pub fn groups(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        self.top(from, to).filter(|&token| self.opens(token))
    }

    /// The loosest operator before which the line may be broken.
    fn loosest(&self, from: usize, to: usize) -> Option<u8> {
        let strength = |token| match self.role(token) {
            Role::Operator(strength) if token > from => Some(strength),
            _ => None,
        };
        self.top(from, to).filter_map(strength).min()
    }

    /// Whether brackets hold parts separated by commas, which may get their own lines.
    fn is_list(&self, open: usize) -> bool {
        let close = self.close_of(open);
        if close <= open + 1 {
            return false;
        }
        match self.role(open) {
            Role::Fields | Role::Literal | Role::Call | Role::Angle => true,
            Role::Index | Role::Block | Role::Value => false,
            _ => self.top(open + 1, close).any(|token| self.kind(token) == TokenKind::Comma),
        }
    }
}
