//! Roles: what events are at the boundaries of a stack, and givens to the host. `as ROLE` states one; events of
//! well-known names have theirs without.

use nacre_diagnostics::Span;
use nacre_stack::{Direction, EventRole, GivenRole, Parameter, Scope, Type};
use nacre_syntax::ast;

use crate::checker::Checker;
use nacre_diagnostics::nearest;

const EVENTS: &[(&str, EventRole)] = &[
    ("plain", EventRole::Plain),
    ("opening", EventRole::Opening),
    ("sending", EventRole::Sending),
    ("delivery", EventRole::Delivery),
    ("room", EventRole::Room),
];

const GIVENS: &[(&str, GivenRole)] = &[
    ("peer", GivenRole::Peer),
    ("cookie", GivenRole::Cookie),
    ("identity", GivenRole::Identity),
    ("peer_identity", GivenRole::PeerIdentity),
    ("incarnation", GivenRole::Incarnation),
    ("sealing_key", GivenRole::SealingKey),
    ("opening_key", GivenRole::OpeningKey),
    ("peer_cookie", GivenRole::PeerCookie),
    ("peer_key", GivenRole::PeerKey),
    ("signing_key", GivenRole::SigningKey),
    ("binding", GivenRole::Binding),
    ("unconfirmed", GivenRole::Unconfirmed),
];

impl Checker<'_> {
    /// The role of an event: the stated one, or that of its name in the language.
    pub(crate) fn event_role(
        &mut self,
        declared: &ast::EventDeclaration,
        direction: Direction,
        parameters: &[Parameter],
        message: bool,
    ) -> EventRole {
        let usual = EventRole::of(&declared.name.name, direction, parameters.len(), message);
        let Some(word) = &declared.role else { return usual };
        let Some(role) = self.known_role(EVENTS, word, "an event") else { return usual };
        let (fits, must) = match role {
            EventRole::Plain => (true, ""),
            EventRole::Opening => {
                (direction == Direction::Up && parameters.is_empty(), "goes up and has no parameters")
            }
            EventRole::Sending => (direction == Direction::Down && message, "goes down and carries a message"),
            EventRole::Delivery => (direction == Direction::Up && message, "goes up and carries a message"),
            EventRole::Room => {
                let number = matches!(parameters, [only] if only.ty == Type::UInt(32));
                (direction == Direction::Up && number, "goes up and has one parameter, a `u32`")
            }
            // The language has no word for it yet.
            EventRole::Moved => (false, "is not built"),
        };
        if !fits {
            self.unfit_role(word, &declared.name.name, &format!("an event `as {}` {must}", word.name), declared.span);
            return usual;
        }
        role
    }

    /// The role of a given, if it states one.
    pub(crate) fn given_role(&mut self, field: &ast::Field, ty: &Type, scope: Scope) -> Option<GivenRole> {
        let word = field.role.as_ref()?;
        if scope != Scope::Given {
            self.misplaced_role(word);
            return None;
        }
        let role = self.known_role(GIVENS, word, "a given")?;
        let must = match role {
            GivenRole::Peer => "is an `addr`",
            GivenRole::SealingKey | GivenRole::OpeningKey | GivenRole::SigningKey => {
                "is a `secret` of type `bytes<32>`"
            }
            GivenRole::Binding => "is a `bytes<32>`",
            GivenRole::PeerCookie => "is a `u24`",
            GivenRole::PeerKey => "is a `u32`",
            GivenRole::Unconfirmed => "is a `bool`",
            _ => "is an unsigned number",
        };
        let fits = role.fits(ty, field.secret);
        if !fits {
            self.unfit_role(word, &field.name.name, &format!("a given `as {}` {must}", word.name), field.span);
        }
        fits.then_some(role)
    }

    /// Reports a role of a value that is not a given.
    pub(crate) fn misplaced_role(&mut self, word: &ast::Ident) {
        let words = "only events of interfaces and `given` values have roles";
        self.error("T0171", words, word.span, "a role here", "remove `as` and the role");
    }

    fn known_role<T: Copy>(&mut self, roles: &[(&str, T)], word: &ast::Ident, of: &str) -> Option<T> {
        if let Some((_, role)) = roles.iter().find(|(known, _)| *known == word.name) {
            return Some(*role);
        }
        let known: Vec<&str> = roles.iter().map(|(name, _)| *name).collect();
        let help = match nearest(&word.name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")),
        };
        self.error("T0170", format!("`{}` is not a role of {of}", word.name), word.span, "not known", &help);
        None
    }

    fn unfit_role(&mut self, word: &ast::Ident, name: &str, must: &str, declared: Span) {
        let words = format!("`{name}` cannot have the role `{}`", word.name);
        let found =
            nacre_diagnostics::Diagnostic::error("T0172", words).at(word.span, must).also(declared, "declared here");
        self.found.push(found);
    }
}
