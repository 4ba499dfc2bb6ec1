//! Types of automata while they are inferred.

/// A type of which parts may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// Not known yet.
    Var(usize),
    Bool,
    Nat,
    Rank,
    Msg,
    Tuple(Vec<Ty>),
    Per(Box<Ty>),
    Seq(Box<Ty>),
    Bag(Box<Ty>),
    Set(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
}

/// Types without arguments.
pub(super) fn plain(name: &str) -> Option<Ty> {
    let sized = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    Some(match name {
        "bool" => Ty::Bool,
        "nat" | "duration" | "instant" => Ty::Nat,
        "rank" | "addr" | "endpoint" => Ty::Rank,
        "msg" => Ty::Msg,
        "members" => Ty::Set(Box::new(Ty::Rank)),
        _ if sized("u") || sized("i") || sized("seq") => Ty::Nat,
        _ => return None,
    })
}
