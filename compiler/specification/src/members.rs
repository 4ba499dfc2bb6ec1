//! The members of a world: numbers from 0, with the letters of the alphabet as names.

/// The most members of a world.
pub const MOST_MEMBERS: usize = 8;

/// The names of members.
const NAMES: [&str; MOST_MEMBERS] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Returns the name of a member.
pub fn name(member: usize) -> &'static str {
    NAMES.get(member).copied().unwrap_or("?")
}

/// The number of members of a world: at least two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members(u8);

impl Members {
    /// The members of one connection.
    pub const TWO: Members = Members(2);

    /// A number of members; none: a world cannot have as many, or as few.
    pub fn new(count: usize) -> Option<Members> {
        (2..=MOST_MEMBERS).contains(&count).then_some(Members(count as u8))
    }

    /// How many they are.
    pub fn count(self) -> usize {
        usize::from(self.0)
    }

    /// Whether they are the two of one connection.
    pub fn is_pair(self) -> bool {
        self == Members::TWO
    }

    /// All members.
    pub fn all(self) -> std::ops::Range<usize> {
        0..self.count()
    }

    /// The names of all members.
    pub fn names(self) -> &'static [&'static str] {
        &NAMES[..self.count()]
    }

    /// All members but one.
    pub fn others(self, member: usize) -> impl Iterator<Item = usize> {
        self.all().filter(move |other| *other != member)
    }

    /// How many directed pairs of members there are.
    pub fn directed_pairs(self) -> usize {
        self.count() * (self.count() - 1)
    }

    /// The number of a directed pair of different members, below [`Members::directed_pairs`]; of two members, that of
    /// the first.
    pub fn directed(self, from: usize, to: usize) -> usize {
        from * (self.count() - 1) + to - usize::from(to > from)
    }

    /// One value for each member, as text: `2 at a, 0 at b`.
    pub fn at_each<T: std::fmt::Display>(self, values: &[T]) -> String {
        let each = values.iter().zip(self.names()).map(|(value, name)| format!("{value} at {name}"));
        each.collect::<Vec<_>>().join(", ")
    }
}

impl From<Members> for u64 {
    fn from(members: Members) -> u64 {
        u64::from(members.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Members;

    #[test]
    fn directed_pairs_are_numbered_without_gaps() {
        for count in 2..=4 {
            let members = Members::new(count).unwrap();
            let pairs = members.all().flat_map(|from| members.others(from).map(move |to| members.directed(from, to)));
            let mut numbers: Vec<usize> = pairs.collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..members.directed_pairs()).collect::<Vec<_>>());
        }
        assert_eq!(Members::new(1), None);
        assert_eq!(Members::new(9), None);
    }
}
