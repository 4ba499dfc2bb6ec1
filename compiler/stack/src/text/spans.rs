//! Spans from text.

use nacre_diagnostics::SourceId;

use super::lexer::TokenKind;
use super::read::{Reader, Result};
use crate::Span;

impl Reader {
    /// `span FILE START END` of a declaration, if it follows.
    pub fn span(&mut self) -> Result<Span> {
        if !self.is_word("span") {
            return Ok(Span::default());
        }
        let (file, start) = (self.small()?, self.small()?);
        Ok(Span { file: SourceId(file), start, end: self.small()? })
    }

    /// A span follows; after the same sign, a cell has a name.
    fn at_mark(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| &token.kind);
        self.at_sign('@') && matches!(next, Some(TokenKind::Number(_)))
    }

    /// `@file:start..end`, if it follows.
    pub fn mark(&mut self) -> Result<Span> {
        if !self.at_mark() {
            return Ok(Span::default());
        }
        self.sign('@')?;
        let file = SourceId(self.small()?);
        self.sign(':')?;
        let start = self.small()?;
        self.sign('.')?;
        self.sign('.')?;
        Ok(Span { file, start, end: self.small()? })
    }
}
