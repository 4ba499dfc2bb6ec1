//! Types from text.

use super::read::{Reader, Result};
use crate::*;

impl Reader {
    /// Reads a type.
    pub fn ty(&mut self) -> Result<Type> {
        let word = self.word()?;
        Ok(match word.as_str() {
            "bool" => Type::Bool,
            "addr" => Type::Addr,
            "duration" => Type::Duration,
            "instant" => Type::Instant,
            "timer" => Type::Timer,
            "msg" => Type::Msg,
            "view" => Type::View,
            "range" | "enum" | "struct" | "tuple" | "option" | "bits" | "bytes" | "text" | "array" | "ring"
            | "list" | "window" | "pool" | "map" => {
                self.sign('(')?;
                let ty = self.nested(|r| r.type_of(&word))?;
                self.sign(')')?;
                ty
            }
            word => {
                let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
                let (kind, bits) = word.split_at(digits);
                match (kind, bits.parse()) {
                    ("u", Ok(bits)) => Type::UInt(bits),
                    ("i", Ok(bits)) => Type::Int(bits),
                    ("seq", Ok(bits)) => Type::Seq(bits),
                    _ => return self.fail(format!("`{word}` is not a type")),
                }
            }
        })
    }

    fn type_of(&mut self, word: &str) -> Result<Type> {
        Ok(match word {
            "range" => {
                let low = self.number()?;
                self.sign(',')?;
                Type::Range(low, self.number()?)
            }
            "enum" => Type::Enum(EnumId(self.named(|n| &n.enums)?)),
            "struct" => Type::Struct(StructId(self.named(|n| &n.structs)?)),
            "tuple" => Type::Tuple(self.list_until(')', Reader::ty)?),
            "option" => Type::Option(Box::new(self.ty()?)),
            "bits" => Type::Bits(self.small()?),
            "bytes" => Type::Bytes(self.small()?),
            "text" => Type::Text(self.small()?),
            "window" => {
                let entry = Box::new(self.ty()?);
                let capacity = self.after_comma()?;
                Type::Window(entry, capacity, self.after_comma()? as u8)
            }
            "map" => {
                let key = Box::new(self.ty()?);
                self.sign(',')?;
                let value = Box::new(self.ty()?);
                Type::Map(key, value, self.after_comma()?)
            }
            word => {
                let entry = Box::new(self.ty()?);
                let n = self.after_comma()?;
                match word {
                    "array" => Type::Array(entry, n),
                    "ring" => Type::Ring(entry, n),
                    "list" => Type::List(entry, n),
                    _ => Type::Pool(entry, n),
                }
            }
        })
    }

    /// Reads a comma and a number of 32 bits.
    pub fn after_comma(&mut self) -> Result<u32> {
        self.sign(',')?;
        self.small()
    }
}
