//! The length of a message as far as this endpoint determines it: by calls and by the bytes that its layers make.
//!
//! Bytes that the peer sent count as none. A frame that is too long because a layer joins those breaks `Rule::Long`;
//! a frame that is too long because of what calls stored is excluded by a shorter call.

pub(crate) use nacre_analysis::lengths::LONGEST;

/// Upper limits of a message's length, by origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    /// Of a message with bytes of a call whose length no layer states; none: it contains no such bytes.
    pub called: Option<u32>,
    /// Of any other message.
    other: u32,
}

impl Length {
    /// The length of bytes from the peer.
    pub const NONE: Length = Length { called: None, other: 0 };

    /// The message of a call whose length no layer states.
    pub fn of_call(max: u32) -> Length {
        Length { called: Some(max.min(LONGEST)), other: 0 }
    }

    /// Bytes of a limited length.
    pub fn limited(max: u32) -> Length {
        Length { called: None, other: max.min(LONGEST) }
    }

    /// Limits that hold for both messages.
    pub fn either(self, other: Length) -> Length {
        Length { called: self.called.max(other.called), other: self.other.max(other.other) }
    }

    /// The same message with this limit of its length.
    pub fn at_most(self, max: u32) -> Length {
        self.each(|length| length.min(max))
    }

    /// The same message with `more` added to its length.
    pub fn grown(self, more: impl Fn(u32) -> u32) -> Length {
        self.each(|length| length.saturating_add(more(length)).min(LONGEST))
    }

    /// The two messages joined.
    pub fn followed_by(self, last: Length) -> Length {
        let sum = |a: u32, b: u32| a.saturating_add(b).min(LONGEST);
        let first_called = self.called.map(|length| sum(length, last.most()));
        let last_called = last.called.map(|length| sum(self.most(), length));
        Length { called: first_called.max(last_called), other: sum(self.other, last.other) }
    }

    /// Up to `count` such messages joined.
    pub fn times(self, count: u32) -> Length {
        let times = |length: u32, count: u32| length.saturating_mul(count).min(LONGEST);
        let Some(others) = count.checked_sub(1) else { return Length::NONE };
        let called = self.called.map(|length| length.saturating_add(times(self.most(), others)).min(LONGEST));
        Length { called, other: times(self.other, count) }
    }

    /// No limit, where this one exceeds the one before.
    pub fn widened(self, before: Length) -> Length {
        let unlimited = self.called.filter(|_| self.called > before.called).map(|_| LONGEST);
        let other = if self.other > before.other { LONGEST } else { self.other };
        Length { called: unlimited.or(self.called), other }
    }

    fn most(self) -> u32 {
        self.called.unwrap_or(0).max(self.other)
    }

    fn each(self, change: impl Fn(u32) -> u32) -> Length {
        Length { called: self.called.map(&change), other: change(self.other) }
    }
}
