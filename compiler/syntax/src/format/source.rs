//! The tokens to be laid out, with the facts that the layout needs.

use crate::lexer::{Lexed, Token};
use crate::parser::Role;
use crate::token::TokenKind;

/// A source as tokens with their roles.
pub(super) struct Source<'a> {
    text: &'a str,
    pub lexed: Lexed,
    roles: Vec<Role>,
    /// For each opening bracket, the token that closes it; for other tokens, themselves.
    closes: Vec<usize>,
    /// The lines on which each token begins and ends.
    lines: Vec<(u32, u32)>,
    comment_lines: Vec<u32>,
}

impl<'a> Source<'a> {
    /// Pairs the brackets, and finds the lines of tokens and comments; `roles` has one entry for each token.
    pub fn new(text: &'a str, lexed: Lexed, roles: Vec<Role>) -> Self {
        let mut counter = LineCounter { text: text.as_bytes(), at: 0, line: 0 };
        let lines =
            lexed.tokens.iter().map(|token| (counter.line_of(token.start), counter.line_of(token.end))).collect();
        let mut counter = LineCounter { text: text.as_bytes(), at: 0, line: 0 };
        let comment_lines = lexed.comments.iter().map(|comment| counter.line_of(comment.start)).collect();
        let closes = closes(&lexed.tokens, &roles);
        Source { text, lexed, roles, closes, lines, comment_lines }
    }

    /// The number of tokens, without the end token.
    pub fn len(&self) -> usize {
        self.lexed.tokens.len() - 1
    }

    /// Returns the lexical class of a token, given by its index, as are the tokens below.
    pub fn kind(&self, token: usize) -> TokenKind {
        self.lexed.tokens[token].kind
    }

    /// Returns what the parser found a token to be.
    pub fn role(&self, token: usize) -> Role {
        self.roles[token]
    }

    /// Returns the text of a token.
    pub fn word(&self, token: usize) -> &'a str {
        let Token { start, end, .. } = self.lexed.tokens[token];
        &self.text[start as usize..end as usize]
    }

    /// Returns the text of a comment, with its delimiters.
    pub fn comment(&self, comment: usize) -> &'a str {
        let place = self.lexed.comments[comment];
        &self.text[place.start as usize..place.end as usize]
    }

    /// Returns the closing bracket of an opening one; any other token itself.
    pub fn close_of(&self, token: usize) -> usize {
        self.closes[token]
    }

    /// Returns whether a token is an opening bracket.
    pub fn opens(&self, token: usize) -> bool {
        self.closes[token] != token
    }

    /// Whether the first token ends on the line on which the second one begins.
    pub fn same_line(&self, first: usize, second: usize) -> bool {
        self.lines[first].1 == self.lines[second].0
    }

    /// Whether there is a comment between these tokens.
    pub fn has_comment(&self, from: usize, to: usize) -> bool {
        let comments = &self.lexed.comments;
        let first = comments.partition_point(|comment| comment.before <= from);
        comments.get(first).is_some_and(|comment| comment.before < to)
    }

    /// Whether a comment follows a token on its line.
    pub fn trails(&self, comment: usize) -> bool {
        let before = self.lexed.comments[comment].before;
        before > 0 && self.lines[before - 1].1 == self.comment_lines[comment]
    }

    /// Whether the author left an empty line before a comment.
    pub fn gap_before_comment(&self, comment: usize) -> bool {
        let before = self.lexed.comments[comment].before;
        let above = if before == 0 { None } else { Some(self.lines[before - 1].1) };
        let other = comment.checked_sub(1).filter(|&other| self.lexed.comments[other].before == before);
        let above = other.map(|other| self.comment_lines[other]).or(above);
        above.is_some_and(|above| self.comment_lines[comment] > above + 1)
    }

    /// Whether the author left an empty line before a token, or between it and the comment before it.
    pub fn gap_before(&self, token: usize) -> bool {
        let comments = &self.lexed.comments;
        let last = comments.partition_point(|comment| comment.before <= token).checked_sub(1);
        let comment = last.filter(|&last| comments[last].before == token).map(|last| self.comment_lines[last]);
        let above = comment.or_else(|| token.checked_sub(1).map(|before| self.lines[before].1));
        above.is_some_and(|above| self.lines[token].0 > above + 1)
    }
}

/// Counts lines up to positions in increasing order.
struct LineCounter<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
}

impl LineCounter<'_> {
    fn line_of(&mut self, place: u32) -> u32 {
        let place = place as usize;
        if place > self.at {
            self.line += self.text[self.at..place].iter().filter(|&&byte| byte == b'\n').count() as u32;
            self.at = place;
        }
        self.line
    }
}

fn closes(tokens: &[Token], roles: &[Role]) -> Vec<usize> {
    let mut closes: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => open.push(at),
            TokenKind::Less if roles[at] == Role::Angle => open.push(at),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                closes[open.pop().unwrap_or(at)] = at
            }
            TokenKind::Greater if roles[at] == Role::Angle => closes[open.pop().unwrap_or(at)] = at,
            _ => {}
        }
    }
    closes
}
