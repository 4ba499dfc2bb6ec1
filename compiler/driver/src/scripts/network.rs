//! `network loss 5%, delay 2 ms, seed 7;`

use nacre_syntax::ast::{NetworkSetting, NetworkValue};

use super::Script;

/// The kind of a setting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Percentage,
    Time,
    Number,
}

/// A setting of the network between the endpoints of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// How many frames are lost.
    Loss,
    /// How many frames arrive twice.
    Duplicate,
    /// How many frames overtake others.
    Reorder,
    /// How many frames are damaged.
    Corrupt,
    /// How long a frame takes.
    Delay,
    /// How much longer it can take.
    Jitter,
    /// The length of the longest frame in bytes; longer ones are lost.
    Mtu,
    /// The rate of the link that the first endpoints share, and of the one that the second ones share, in kbit/s.
    Rate,
    /// The bytes that such a link holds; what exceeds that is lost.
    Queue,
    /// The seed of the network's random numbers.
    Seed,
}

const CONDITIONS: [(Condition, &str, Wants); 10] = [
    (Condition::Loss, "loss", Wants::Percentage),
    (Condition::Duplicate, "duplicate", Wants::Percentage),
    (Condition::Reorder, "reorder", Wants::Percentage),
    (Condition::Corrupt, "corrupt", Wants::Percentage),
    (Condition::Delay, "delay", Wants::Time),
    (Condition::Jitter, "jitter", Wants::Time),
    (Condition::Mtu, "mtu", Wants::Number),
    (Condition::Rate, "rate", Wants::Number),
    (Condition::Queue, "queue", Wants::Number),
    (Condition::Seed, "seed", Wants::Number),
];

impl Condition {
    /// Returns the condition of this name.
    pub fn named(name: &str) -> Option<Condition> {
        CONDITIONS.iter().find(|(_, known, _)| *known == name).map(|(condition, ..)| *condition)
    }
}

impl Script<'_> {
    /// Checks a setting of the network: its name, and the kind of its value.
    pub(super) fn setting(&mut self, setting: &NetworkSetting) {
        let name = &setting.name;
        let Some((_, _, wants)) = CONDITIONS.iter().find(|(_, known, _)| *known == name.name) else {
            let known = CONDITIONS.map(|(_, known, _)| known);
            return self.unknown(format!("the network has no setting `{}`", name.name), name, &known);
        };
        match (&setting.value, wants) {
            (NetworkValue::Percent(percent), Wants::Percentage) => {
                if !(0.0..=100.0).contains(percent) {
                    let message = format!("`{}` is more than 100%", name.name);
                    self.unfit(&message, name.span, "here", "write 0% to 100%");
                }
            }
            (NetworkValue::Expr(value), Wants::Time) => self.time(value, &format!("{} 5 ms", name.name)),
            (NetworkValue::Expr(value), Wants::Number) => {
                self.kind(value);
            }
            (_, Wants::Percentage) => {
                let help = format!("write `{} 5%`", name.name);
                self.unfit(&format!("`{}` is a percentage", name.name), name.span, "without `%`", &help);
            }
            (NetworkValue::Percent(_), _) => {
                let message = format!("`{}` is not a percentage", name.name);
                let example = if *wants == Wants::Time { "5 ms" } else { "7" };
                self.unfit(&message, name.span, "here", &format!("write `{} {example}`", name.name));
            }
        }
    }
}
