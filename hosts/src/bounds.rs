//! The bounds of the runs.

use crate::message::HEAD;

/// What can happen in a run, how often, and which runs are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum length of the exhaustive runs, in choices.
    pub choices: usize,
    /// So many random runs are made after them.
    pub runs: u64,
    /// The choices of a random run.
    pub length: usize,
    /// The seed of cookies, incarnations and layers: of the runs of `choices`, and of the first random run. Each later
    /// random run has the next one.
    pub seed: u64,
    /// In a run: how often a host loses its state and starts again.
    pub crashes: u8,
    /// In a run: how often it starts again with another stack.
    pub others: u8,
    /// In a run: how often a host continues at another address.
    pub moves: u8,
    /// In a run: how often time passes at one host only.
    pub lags: u8,
    /// In a run: how many datagrams arrive from an address of neither host.
    pub strangers: u8,
    /// How often one datagram arrives before the network works.
    pub copies: u8,
    /// How many of the latest datagrams may arrive next.
    pub recent: usize,
    /// 1: a server asks every peer to prove its address before it keeps anything of it.
    pub proofs: u8,
    /// Connections that the client has at once, each with its own identity.
    pub connections: u8,
    /// Messages of a connection, of the client and of the server.
    pub send: [u8; 2],
    /// The lengths of messages in bytes; those of a connection have them in turn.
    pub size: Vec<usize>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            choices: 3,
            runs: 2000,
            length: 24,
            seed: 1,
            crashes: 2,
            others: 1,
            moves: 1,
            lags: 2,
            strangers: 1,
            copies: 2,
            recent: 5,
            proofs: 0,
            connections: 2,
            send: [3, 1],
            size: vec![HEAD, 2000],
        }
    }
}

/// The longest message of a run.
const LONGEST: u64 = 1 << 20;

impl Bounds {
    /// The names of the bounds, as the command line and documents have them.
    pub const NAMES: [&str; 15] = [
        "choices",
        "runs",
        "length",
        "seed",
        "crashes",
        "others",
        "moves",
        "lags",
        "strangers",
        "copies",
        "recent",
        "proofs",
        "connections",
        "send",
        "size",
    ];

    /// Sets the bound of this name.
    ///
    /// # Errors
    /// Which values it can have. A name that is none of [`Bounds::NAMES`] is an error, too.
    pub fn set(&mut self, name: &str, values: &[u64]) -> Result<(), String> {
        match name {
            "choices" => self.choices = one(name, values, 0..=12)? as usize,
            "runs" => self.runs = one(name, values, 0..=u64::MAX)?,
            "length" => self.length = one(name, values, 1..=1000)? as usize,
            "seed" => self.seed = one(name, values, 0..=u64::MAX / 2)?,
            "crashes" => self.crashes = one(name, values, 0..=100)? as u8,
            "others" => self.others = one(name, values, 0..=100)? as u8,
            "moves" => self.moves = one(name, values, 0..=100)? as u8,
            "lags" => self.lags = one(name, values, 0..=100)? as u8,
            "strangers" => self.strangers = one(name, values, 0..=100)? as u8,
            "copies" => self.copies = one(name, values, 1..=100)? as u8,
            "recent" => self.recent = one(name, values, 1..=1000)? as usize,
            "proofs" => self.proofs = one(name, values, 0..=1)? as u8,
            "connections" => self.connections = one(name, values, 1..=4)? as u8,
            "send" => {
                let [a, b] = values else { return Err(format!("`{name}` has two values, one for each host: 3,1")) };
                self.send = [one(name, &[*a], 0..=100)? as u8, one(name, &[*b], 0..=100)? as u8];
            }
            "size" => {
                let lengths = values.iter().map(|value| one(name, &[*value], HEAD as u64..=LONGEST));
                self.size = lengths.map(|length| length.map(|length| length as usize)).collect::<Result<_, _>>()?;
            }
            _ => return Err(format!("there is no bound `{name}`")),
        }
        Ok(())
    }
}

fn one(name: &str, values: &[u64], range: std::ops::RangeInclusive<u64>) -> Result<u64, String> {
    match values {
        [value] if range.contains(value) => Ok(*value),
        [_] if *range.end() > u64::MAX / 4 => Err(format!("`{name}` is too large")),
        [_] => Err(format!("`{name}` is a number from {} to {}", range.start(), range.end())),
        _ => Err(format!("`{name}` has one value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_can_be_set_by_its_name() {
        for name in Bounds::NAMES {
            let mut bounds = Bounds::default();
            let values: &[u64] = if name == "send" { &[7, 7] } else { &[7] };
            let values = match name {
                "connections" => &[4],
                "proofs" => &[1],
                _ => values,
            };
            bounds.set(name, values).unwrap();
            assert_ne!(bounds, Bounds::default(), "{name}");
        }
        assert!(Bounds::default().set("crash", &[1]).is_err());
        assert!(Bounds::default().set("choices", &[13]).is_err());
        assert!(Bounds::default().set("size", &[5]).is_err());
        assert!(Bounds::default().set("send", &[1]).is_err());
    }
}
