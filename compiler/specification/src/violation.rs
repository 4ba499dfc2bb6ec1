//! The kinds of violations. A model carries one as a number, so that no reader searches its text.

/// A kind of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Violation {
    /// An assertion of a layer does not hold.
    Assertion,
    /// Code that a layer declares unreachable is reached.
    Unreachable,
    /// A loop meets its bound.
    LoopBound,
    /// An invariant of a layer does not hold between steps.
    Invariant,
    /// An event reaches a layer that does not accept it.
    NotAccepted,
    /// An event has no handler, or a frame has no shape.
    NoReaction,
    /// A message is used twice or lost.
    Linearity,
    /// A step takes more memory than its bound, or something is longer than its bound.
    Space,
    /// A function of the host is missing.
    MissingFunction,
    /// A claim of the stack, of which the emitted C does not report the kind: an assertion, `unreachable`, or the
    /// bound of a loop.
    Claim,
    /// The emitted C has undefined behaviour, or a step does not end.
    Undefined,
    /// An output that a specification above does not allow.
    NotAllowed,
    /// An event for which the network below has no input.
    NotTaken,
    /// A call that the specification allows is not accepted at once.
    Refused,
    /// A call that no specification allows is accepted.
    Misuse,
    /// A goal is not met infinitely often.
    Goal,
    /// Something is still on the way, or a timer armed, later than stated.
    Late,
}

impl Violation {
    /// Every kind, in the order of the declaration.
    pub const ALL: [Violation; 17] = [
        Violation::Assertion,
        Violation::Unreachable,
        Violation::LoopBound,
        Violation::Invariant,
        Violation::NotAccepted,
        Violation::NoReaction,
        Violation::Linearity,
        Violation::Space,
        Violation::MissingFunction,
        Violation::Claim,
        Violation::Undefined,
        Violation::NotAllowed,
        Violation::NotTaken,
        Violation::Refused,
        Violation::Misuse,
        Violation::Goal,
        Violation::Late,
    ];

    /// Its number in a model, from 1.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The violation of a number.
    pub fn of_number(number: u32) -> Option<Violation> {
        Violation::ALL.into_iter().find(|violation| violation.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_have_unique_numbers() {
        assert!(Violation::ALL.iter().enumerate().all(|(at, v)| v.number() as usize == at + 1));
        assert!(Violation::ALL.into_iter().all(|v| Violation::of_number(v.number()) == Some(v)));
        assert_eq!((Violation::of_number(0), Violation::of_number(99)), (None, None));
    }
}
