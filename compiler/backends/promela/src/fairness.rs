//! Goals as a formula of linear time, for SPIN: in fair runs each is met again and again, or excused.
//!
//! Fairness is **weak**: a move that stays possible is made. (The explorer asks less of a layer: that from each state moves lead to the
//! goal, which is what it comes to if also a move that is possible again and again is made again and again. So a goal without an
//! excuse that SPIN finds to hold does; with one SPIN asks less, for a formula of linear time cannot say that the goal can be met.)
//! A random number that a move draws makes it several moves. From some time on, which SPIN chooses, there are no faults, and one goal
//! is watched (`goal`).
//!
//! A formula that names each of some fifty moves has a Büchi automaton that is too large. So the model says whose `turn` it is to be
//! made: the turn goes on when the move was just `taken` or is not possible, over as many moves as that is so for at once, and is 0
//! when it has come round. A run is fair if that happens again and again, which is the formula. A run in which the goal is met
//! ends (`opened` becomes 3): the same run, watched from later on, is another.

use nacre_stack::*;

use crate::between::World;
use crate::ways::Way;
use crate::writer::Writer;
use crate::DRAWS;

/// Turns are numbers of 16 bits with a sign.
const TURNS: usize = 32_000;

/// The moves that fairness speaks of, numbered from 1, and the goals.
pub struct Fair {
    /// Of each move of an end, then of the network: the condition that it is possible between steps.
    possible: Vec<String>,
    later: usize,
    timers: usize,
    /// Timers of one end.
    per_end: usize,
    network: usize,
    /// Moves that differ by what is drawn.
    rolls: usize,
    /// Names of goals, and the condition that they are met or excused.
    goals: Vec<(String, String)>,
}

impl Fair {
    pub const VARIABLES: &'static str = "byte goal; /* the goal that is watched, from 1 */
short turn; /* of the moves that have to be made; 0: all have been */
short taken; /* the move of this step; 0 between steps */
#define fair (opened == 2 && goal > 0 && turn == 0 && taken == 0)\n";

    pub fn of_way(&self, at: usize) -> String {
        (at + 1).to_string()
    }

    pub fn of_later(&self) -> String {
        format!("{} + me", self.later)
    }

    /// Of a timer of the end at hand.
    pub fn of_timer(&self, place: usize) -> String {
        format!("{} + me * {}", self.timers + place, self.per_end)
    }

    pub fn of_network(&self, place: usize) -> String {
        (self.network + place).to_string()
    }

    /// A move that fairness does not speak of.
    pub fn none(&self) -> String {
        (self.possible.len() + 1).to_string()
    }

    /// The process that begins to watch a goal, and the formula.
    pub fn watch(&self) -> String {
        let mut text =
            String::from("/* From some time on nothing fails any more, and one goal is watched. */\nactive proctype watch() {\nend:\n    if\n");
        for (at, (name, met)) in self.goals.iter().enumerate() {
            text += &format!(
                "    :: d_step {{ (opened == 2 && !({met})) -> printf(\"step: goal {name}\\n\"); goal = {} }}\n",
                at + 1
            );
        }
        text + "    fi;\nend_watch:\n    false\n}\n\nltl every_goal_is_met { <> [] !fair }\n"
    }
}

impl Writer<'_> {
    pub fn fair(&mut self, world: &World, ways: &[Way]) -> Result<Fair, String> {
        let mut possible = vec![];
        for way in ways {
            let free = if self.has_later() { "MY.later_n == 0 && " } else { "" };
            let when = if way.broken { "false".into() } else { format!("{free}({})", way.when) };
            possible.push(of_end(&when, way.end));
        }
        let later = possible.len() + 1;
        if self.has_later() {
            possible.extend((0..2).map(|end| format!("ends[{end}].later_n > 0")));
        }
        let timers = possible.len() + 1;
        for end in 0..2 {
            let free = if self.has_later() { format!("ends[{end}].later_n == 0 && ") } else { String::new() };
            let name = |at: usize| &self.stack.timers[at].name;
            let any_time = |at: &usize| !world.last.iter().any(|(last, _)| last == name(*at));
            for at in (0..self.stack.timers.len()).filter(any_time).collect::<Vec<_>>() {
                let armed = self.timer_places(at);
                possible.extend(armed.into_iter().map(|armed| format!("{free}({})", of_end(&armed.when, end))));
            }
        }
        let per_end = (possible.len() + 1 - timers) / 2;
        let network = possible.len() + 1;
        possible.extend(world.silent()?.into_iter().map(|s| if s.fault { "false".into() } else { s.when }));
        let rolls = if self.draws { 1 << DRAWS } else { 1 };
        if possible.len() * rolls >= TURNS {
            return Err(format!("goals where {} moves must have their turn", possible.len() * rolls));
        }
        let goals = self.goals(world, ways)?;
        Ok(Fair { possible, later, timers, per_end, network, rolls, goals })
    }

    /// As the explorer's, in its order and with its names.
    fn goals(&mut self, world: &World, ways: &[Way]) -> Result<Vec<(String, String)>, String> {
        let written = |bytes: &[u8]| world.written(bytes);
        let mut judged = vec![];
        for judge in world.judges(&written) {
            judged.extend(judge.goals()?);
        }
        let ended: String = judged.iter().map(|(_, [_, excused])| format!(" || ({excused})")).collect();
        let taken = world.calls.iter().enumerate().map(|(at, call)| {
            let mine = || {
                ways.iter().filter_map(|w| w.call.as_ref().filter(|(c, _)| *c == at).map(|(_, allowed)| (w, allowed)))
            };
            let any = |texts: Vec<String>| {
                format!("({})", texts.into_iter().chain(["false".into()]).collect::<Vec<_>>().join(" || "))
            };
            let done = any(mine().filter(|(w, _)| !w.broken).map(|(w, _)| of_end(&w.when, w.end)).collect());
            let allowed = any(mine().map(|(w, allowed)| of_end(allowed, w.end)).collect());
            let left = format!("used[{}] == {}", 2 * call.kind + call.end, call.number);
            format!("(!({left}) || {done} || (!{allowed} && (false{ended})))")
        });
        let taken: Vec<String> = taken.chain(["true".into()]).collect();
        let name = "what the application still has to call is taken".to_string();
        let mut goals = vec![(name, taken.join(" && "))];
        goals.extend(judged.into_iter().map(|(name, [holds, excused])| (name, format!("({holds}) || ({excused})"))));
        for end in 0..2 {
            for at in 0..self.stack.layers.len() {
                let layer = &self.stack.layers[at];
                self.frame.layer = Some(LayerId(at as u32));
                for goal in &layer.goals {
                    let mut holds = String::new();
                    let lines = self.written(|w| holds = w.value(&goal.holds));
                    if !lines.is_empty() {
                        return Err(format!("the goal `{}` of `{}`", goal.name, layer.name));
                    }
                    let name = format!("{} of {} at {}", goal.name, layer.name, ["a", "b"][end]);
                    goals.push((name, format!("({}){ended}", of_end(&holds, end))));
                }
            }
        }
        self.frame.layer = None;
        Ok(goals)
    }

    /// At the end of a step: whose turn it is next. `rolls`: the step is one of an end, which draws.
    pub fn turn(&mut self, fair: &Fair, rolls: bool) {
        let met: Vec<String> =
            fair.goals.iter().enumerate().map(|(at, (_, met))| format!("goal == {} && ({met})", at + 1)).collect();
        self.open_text("if");
        self.line(":: goal == 0");
        self.line(format!(":: {} -> opened = 3", met.join(" || ")));
        self.open_text(":: else ->");
        self.line("turn = (turn == 0 -> 1 : turn);");
        self.open_text("do");
        for (at, possible) in fair.possible.iter().enumerate().filter(|(_, p)| *p != "false") {
            let of_end = at + 1 < fair.network;
            let roll = if rolls && of_end && fair.rolls > 1 {
                format!(" && roll == (turn - 1) % {}", fair.rolls)
            } else {
                String::new()
            };
            let move_ = format!("(turn - 1) / {} == {at}", fair.rolls);
            self.line(format!(":: {move_} && !(taken == {}{roll}) && ({possible}) -> break", at + 1));
        }
        self.line(format!(
            ":: else -> turn++; if :: turn > {} -> turn = 0; break :: else fi",
            fair.possible.len() * fair.rolls
        ));
        self.close("od");
        self.depth -= 1;
        self.close("fi;");
        self.line("taken = 0;");
    }
}

/// A condition of the end at hand as one of this end.
pub fn of_end(text: &str, end: usize) -> String {
    let mut found = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        found += &match word.as_str() {
            "me" => end.to_string(),
            "MY" => format!("ends[{end}]"),
            "GIVEN" => format!("givens[{end}]"),
            other => other.to_string(),
        };
        word.clear();
        if c != '\0' {
            found.push(c);
        }
    }
    found
}
