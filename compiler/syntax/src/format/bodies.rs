//! Layout of parts with their own lines: items, members, statements, the parts of long lists; and the comments between.

use super::align::column_of;
use super::lines::{Column, INDENT, WIDTH};
use super::Printer;
use crate::parser::Role;
use crate::token::TokenKind;

impl Printer<'_> {
    /// Lays out the whole file, with its comments.
    pub fn file(&mut self) {
        self.body(0, self.source.len(), 0);
        self.comments(self.source.len(), 0, self.source.len() == 0);
    }

    /// Statements, members or items, one per line.
    pub fn body(&mut self, from: usize, to: usize, indent: usize) {
        let mut at = from;
        while at < to {
            let end = self.end_of_entry(at, to);
            if !(at > from && self.second_event(at, end)) {
                self.start_line(at, indent, at == from);
                self.entry(at, end, indent);
            }
            at = end;
        }
    }

    /// The token after a statement, member or item.
    fn end_of_entry(&self, from: usize, to: usize) -> usize {
        let source = self.source;
        for token in source.top(from, to) {
            let close = source.close_of(token);
            let next_is_else = close + 1 < to && source.word(close + 1) == "else";
            let ends = match source.role(token) {
                Role::Block | Role::Fields if source.opens(token) => !next_is_else,
                _ => source.kind(token) == TokenKind::Semicolon || source.role(close) == Role::Last,
            };
            if ends {
                return close + 1;
            }
        }
        to
    }

    fn entry(&mut self, from: usize, to: usize, indent: usize) {
        if !self.put_flat(from, to, 0) {
            return self.sequence(from, to, indent, 0);
        }
        let source = self.source;
        let arrow = source.top(from, to).find(|&token| source.kind(token) == TokenKind::FatArrow);
        let body =
            source.groups(from, to).filter(|&open| matches!(source.role(open), Role::Block | Role::Fields)).last();
        let handler =
            body.is_some() && source.kind(from) == TokenKind::Name && source.kind(from + 1) == TokenKind::Name;
        let port_handler = handler && matches!(source.kind(from + 2), TokenKind::OpenParen | TokenKind::Bar);
        let (column, token) = match (arrow, column_of(source.word(from)), body) {
            (Some(arrow), _, _) => (Column::Arm, arrow),
            (_, Some(column), Some(body)) => (column, body),
            (_, None, Some(body)) if port_handler => (Column::Handler, body),
            _ => return,
        };
        let before = source.flat(from, token, WIDTH).map_or(0, |text| text.len() + 1);
        self.lines.current.column = Some((column, before));
    }

    /// Keeps the down and the up event of an interface on one line if the author wrote them so.
    fn second_event(&mut self, from: usize, to: usize) -> bool {
        let source = self.source;
        let events = source.role(from - 1) == Role::Last && source.kind(from - 1) == TokenKind::CloseParen;
        if !events
            || !source.same_line(from - 1, from)
            || self.comment_waits(from)
            || self.lines.current.column.is_some()
        {
            return false;
        }
        let used = self.lines.current.width() + INDENT;
        let Some(text) = WIDTH.checked_sub(used).and_then(|columns| source.flat(from, to, columns)) else {
            return false;
        };
        self.lines.put("    ");
        self.lines.current.column = Some((Column::Event, self.lines.current.text.len()));
        self.lines.put(&text);
        true
    }

    /// The parts of a list, one per line, each with a comma.
    pub fn list(&mut self, open: usize, close: usize, indent: usize) {
        let source = self.source;
        let fields = source.role(open) == Role::Fields;
        let mut at = open + 1;
        while at < close {
            let comma = source.top(at, close).find(|&token| source.kind(token) == TokenKind::Comma).unwrap_or(close);
            self.start_line(at, indent + INDENT, at == open + 1);
            if self.put_flat(at, comma, 1) {
                let colon = source.top(at, comma).find(|&token| source.kind(token) == TokenKind::Colon);
                if let Some(colon) = colon.filter(|_| fields) {
                    let before = source.flat(at, colon + 1, WIDTH).map_or(0, |text| text.len() + 1);
                    self.lines.current.column = Some((Column::Type, before));
                }
            } else {
                self.sequence(at, comma, indent + INDENT, 1);
            }
            self.lines.put(",");
            at = comma + 1;
        }
    }
}

// ---- lines and comments

impl Printer<'_> {
    /// Whether a comment precedes this token.
    pub fn comment_waits(&self, token: usize) -> bool {
        self.source.lexed.comments.get(self.next_comment).is_some_and(|comment| comment.before <= token)
    }

    /// Begins a line for the first token of a part; empty lines before it are kept, except at the beginning.
    fn start_line(&mut self, token: usize, indent: usize, first: bool) {
        let printed = self.comments(token, indent, first);
        let empty = self.source.gap_before(token) && (!first || printed);
        self.lines.next(indent, empty);
    }

    /// Begins a line for the closing bracket of a body.
    pub fn close_line(&mut self, token: usize, indent: usize) {
        self.comments(token, indent + INDENT, false);
        self.lines.next(indent, false);
    }

    /// Begins a line within a statement.
    pub fn break_line(&mut self, token: usize, indent: usize) {
        self.comments(token, indent, true);
        self.lines.next(indent, false);
    }

    /// Prints the comments before a token: at the end of the line, or on their own lines. Returns whether there are
    /// any.
    fn comments(&mut self, token: usize, indent: usize, first: bool) -> bool {
        let mut own_line = false;
        while self.comment_waits(token) {
            let comment = self.next_comment;
            self.next_comment += 1;
            let text = self.source.comment(comment);
            let current = &mut self.lines.current;
            if self.source.trails(comment) && !own_line && current.comment.is_none() && !current.text.is_empty() {
                current.comment = Some(text.into());
                continue;
            }
            let empty = self.source.gap_before_comment(comment) && (own_line || !first);
            self.lines.next(indent, empty);
            self.lines.put(text);
            own_line = true;
        }
        own_line
    }
}
