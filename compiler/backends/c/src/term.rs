//! A C expression: its text and its precedence.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// How an expression is composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A name: of a local, a temporary, a parameter.
    Name,
    /// A constant.
    Number,
    /// What a pointer of this name points to.
    Pointee,
    /// Operands with an operator that binds less than a call: in parentheses within another expression.
    Operation,
    /// Anything else: binds as strongly as a call.
    Other,
}

/// An expression. As text it can be an operand of any operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    form: Form,
    /// The name of the pointer; an operation without parentheses.
    bare: String,
    text: String,
}

impl Term {
    fn plain(form: Form, text: String) -> Term {
        Term { form, bare: text.clone(), text }
    }

    /// A name.
    pub fn name(name: impl Into<String>) -> Term {
        Term::plain(Form::Name, name.into())
    }

    /// A constant.
    pub fn number(text: impl Into<String>) -> Term {
        Term::plain(Form::Number, text.into())
    }

    /// What a pointer of this name points to.
    pub fn pointee(name: impl Into<String>) -> Term {
        let bare = name.into();
        Term { form: Form::Pointee, text: format!("(*{bare})"), bare }
    }

    /// Operands with an operator.
    pub fn operation(bare: impl Into<String>) -> Term {
        let bare = bare.into();
        Term { form: Form::Operation, text: format!("({bare})"), bare }
    }

    /// Whether it may be repeated: it costs nothing, and no statement changes it unless it assigns to that name.
    pub fn is_simple(&self) -> bool {
        matches!(self.form, Form::Name | Form::Number)
    }

    /// Whether it is a name.
    pub fn is_name(&self) -> bool {
        self.form == Form::Name
    }

    /// The text where nothing else is around it: a condition, an argument, the right side of an assignment.
    pub fn alone(&self) -> String {
        match self.form {
            Form::Pointee => format!("*{}", self.bare),
            _ => self.bare.clone(),
        }
    }

    /// Its address.
    pub fn address(&self) -> String {
        match self.form {
            Form::Pointee => self.bare.clone(),
            _ => format!("&{}", self.text),
        }
    }

    /// A member of it.
    pub fn member(&self, name: &str) -> Term {
        match self.form {
            Form::Pointee => format!("{}->{name}", self.bare).into(),
            _ => format!("{}.{name}", self.text).into(),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Deref for Term {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for Term {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Borrow<str> for Term {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl From<String> for Term {
    fn from(text: String) -> Term {
        Term::plain(Form::Other, text)
    }
}

impl From<&str> for Term {
    fn from(text: &str) -> Term {
        Term::from(text.to_string())
    }
}

impl From<Term> for String {
    fn from(term: Term) -> String {
        term.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_operands_in_parentheses_and_conditions_without() {
        let both = Term::operation("a && b");
        assert_eq!((both.to_string().as_str(), both.alone().as_str()), ("(a && b)", "a && b"));
        assert!(!both.is_simple());
    }

    #[test]
    fn place_behind_a_reference_is_reached_through_it() {
        let entry = Term::pointee("entry");
        assert_eq!((entry.to_string().as_str(), entry.alone().as_str()), ("(*entry)", "*entry"));
        assert_eq!((entry.address().as_str(), &*entry.member("bytes")), ("entry", "entry->bytes"));
        let name = Term::name("m");
        assert_eq!((name.address().as_str(), &*name.member("bytes")), ("&m", "m.bytes"));
    }
}
