//! Spaces between two tokens of a line, and whether tokens may share a line.

use super::source::Source;
use crate::parser::Role;
use crate::token::TokenKind::*;

impl Source<'_> {
    /// The tokens on one line, if they fit the columns and may share a line.
    pub fn flat(&self, from: usize, to: usize, columns: usize) -> Option<String> {
        if self.has_comment(from, to) {
            return None;
        }
        let mut line = String::new();
        let mut before = None;
        for token in from..to {
            if self.is_spare_comma(token) {
                continue;
            }
            if self.must_break(token, to) {
                return None;
            }
            if before.is_some_and(|before| self.space_between(before, token)) {
                line.push(' ');
            }
            line += self.word(token);
            before = Some(token);
            // Counted in bytes: only string literals have non-ASCII characters, and they are counted below.
            if line.len() > columns && line.chars().count() > columns {
                return None;
            }
        }
        Some(line)
    }

    /// Whether the comma after the last part of a list is omitted: it is printed only if the parts have their own
    /// lines.
    pub fn is_spare_comma(&self, token: usize) -> bool {
        let closed =
            |next| matches!(self.kind(next), CloseParen | CloseBracket | CloseBrace) || self.is_angle_close(next);
        self.kind(token) == Comma && token + 1 < self.len() && closed(token + 1)
    }

    fn is_angle_close(&self, token: usize) -> bool {
        self.kind(token) == Greater && self.role(token) == Role::Angle
    }

    /// Whether a line must end inside the brackets that this token opens.
    fn must_break(&self, token: usize, to: usize) -> bool {
        match self.role(token) {
            Role::Block if self.opens(token) => {
                let empty = self.close_of(token) == token + 1;
                let last = if empty { token } else { to.max(self.close_of(token) + 1) - 1 };
                !self.same_line(token, last)
            }
            Role::Fields if self.opens(token) => self.close_of(token) > token + 1 && !self.same_line(token, token + 1),
            _ => self.kind(token) == CBody && self.word(token).contains('\n'),
        }
    }

    /// Whether a space separates two consecutive tokens of a line.
    pub fn space_between(&self, left: usize, right: usize) -> bool {
        let (before, after) = (self.kind(left), self.kind(right));
        let (role_before, role_after) = (self.role(left), self.role(right));
        if before == OpenBrace && after == CloseBrace {
            return role_before == Role::Block;
        }
        let closes_up = matches!(after, CloseParen | CloseBracket | Comma | Semicolon | Question | Colon | Dot)
            || matches!(role_after, Role::Angle | Role::Call | Role::Index);
        let opens_up = matches!(before, OpenParen | OpenBracket | Dot) || role_before == Role::Prefix;
        let opens_angle = before == Less && role_before == Role::Angle;
        if opens_up || opens_angle || closes_up {
            return false;
        }
        match (before, after) {
            (Comma, _) => true,
            (_, DotDot) => role_after == Role::Range,
            (DotDot, _) => role_before == Role::Range,
            // The two halves of `>>`.
            (Greater, Greater) => !matches!(role_before, Role::Operator(_)) || matches!(role_after, Role::Operator(_)),
            _ => true,
        }
    }
}
