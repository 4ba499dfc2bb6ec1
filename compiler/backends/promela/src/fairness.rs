//! Goals as an LTL formula for SPIN: in fair runs, each goal is met or excused infinitely often.
//!
//! Fairness is **weak**: a move that stays enabled is made. (The explorer requires less of a layer: that moves lead to
//! the goal from each state. This is equivalent under strong fairness, where a move that is enabled infinitely often is
//! made infinitely often. So a goal without an excuse that holds for SPIN also holds for the explorer. With an excuse,
//! SPIN requires less, because an LTL formula cannot state that the goal can be met.) A move that draws a random number
//! counts as several moves. From a time that SPIN chooses, there are no faults, and one goal is watched (`goal`).
//!
//! A formula that names each of some fifty moves has a Büchi automaton that is too large. So the model has a variable
//! `turn`, the number of the next move to be made. It advances over all consecutive moves that were just `taken` or are
//! not enabled, and is 0 after the last one. A run is fair if this happens infinitely often, which is the formula. A
//! run in which the goal is met ends (`opened` becomes 3): the same run, watched from a later time, is a different one.

use nacre_stack::*;

use crate::environment::Move;
use crate::report::GOAL;
use crate::term::Term;
use crate::world::World;
use crate::writer::Writer;
use crate::DRAWS;

/// Turns are signed numbers of 16 bits.
const TURNS: usize = 32_000;

/// The moves to which fairness applies, numbered from 1, and the goals.
pub struct Fair {
    /// For each move of an endpoint, then of the network: the condition that it is enabled between steps.
    possible: Vec<Term>,
    later: usize,
    timers: usize,
    /// The number of timers of one endpoint.
    per_end: usize,
    network: usize,
    /// The number of moves that differ only in the random numbers drawn.
    rolls: usize,
    /// The name of each goal, and the condition that it is met or excused.
    goals: Vec<(String, Term)>,
}

impl Fair {
    /// The declarations that every model with goals has.
    pub const VARIABLES: &'static str = "byte goal; /* the goal that is watched, from 1 */
short turn; /* of the moves that have to be made; 0: all have been */
short taken; /* the move of this step; 0 between steps */
#define fair (opened == 2 && goal > 0 && turn == 0 && taken == 0)\n";

    /// Returns the number of a move of the environment, given its index.
    pub fn of_transition(&self, at: usize) -> String {
        (at + 1).to_string()
    }

    /// Returns the number of the move that runs a `later` event of endpoint `me`.
    pub fn of_later(&self) -> String {
        format!("{} + me", self.later)
    }

    /// Returns the number of the move that fires a timer of the current endpoint.
    pub fn of_timer(&self, place: usize) -> String {
        format!("{} + me * {}", self.timers + place, self.per_end)
    }

    /// Returns the number of a silent move of the network, given its index.
    pub fn of_network(&self, place: usize) -> String {
        (self.network + place).to_string()
    }

    /// Returns the number of a move to which fairness does not apply.
    pub fn none(&self) -> String {
        (self.possible.len() + 1).to_string()
    }

    /// Returns the process that begins to watch a goal, and the formula.
    pub fn watch(&self) -> String {
        let mut text = String::from(
            "/* From some time on nothing fails any more, and one goal is watched. */\nactive proctype \
                watch() {\nend:\n    if\n",
        );
        for (at, (name, met)) in self.goals.iter().enumerate() {
            text += &format!(
                "    :: d_step {{ (opened == 2 && !({met})) -> printf(\"{GOAL}{name}\\n\"); goal = {} }}\n",
                at + 1
            );
        }
        text + "    fi;\nend_watch:\n    false\n}\n\nltl every_goal_is_met { <> [] !fair }\n"
    }
}

impl Writer<'_> {
    /// Numbers the moves that fairness requires and states when each is enabled. An error names a construct without a
    /// formula.
    pub fn fair(&mut self, world: &World, moves: &[Move]) -> Result<Fair, String> {
        let mut possible = vec![];
        for chosen in moves {
            let never = chosen.broken || chosen.fault;
            possible.push(if never { Term::FALSE } else { self.is_free(chosen.end).and(chosen.when.clone()) });
        }
        let later = possible.len() + 1;
        if self.has_later {
            possible.extend((0..2).map(|end| self.is_free(end).negated()));
        }
        let timers = possible.len() + 1;
        for end in 0..2 {
            let free = self.is_free(end);
            let name = |at: usize| &self.stack.timers[at].name;
            let any_time = |at: &usize| !world.last.iter().any(|(last, _)| last == name(*at));
            for at in (0..self.stack.timers.len()).filter(any_time).collect::<Vec<_>>() {
                let armed = self.at_end(end, |w| w.timer_places(at)).into_iter();
                possible.extend(armed.map(|armed| free.clone().and(Term::Atom(format!("({})", armed.when)))));
            }
        }
        let per_end = (possible.len() + 1 - timers) / 2;
        let network = possible.len() + 1;
        possible.extend(world.silent()?.into_iter().map(|s| if s.fault { Term::FALSE } else { s.when }));
        let rolls = if self.draws { 1 << DRAWS } else { 1 };
        if possible.len() * rolls >= TURNS {
            return Err(format!("goals where {} moves must have their turn", possible.len() * rolls));
        }
        let goals = self.goals(world, moves)?;
        Ok(Fair { possible, later, timers, per_end, network, rolls, goals })
    }

    /// Returns the goals with the names and in the order of the explorer.
    fn goals(&mut self, world: &World, moves: &[Move]) -> Result<Vec<(String, Term)>, String> {
        let written = |bytes: &[u8]| world.written(bytes);
        let mut judged = vec![];
        for monitor in world.monitors(&written) {
            judged.extend(monitor.goals()?);
        }
        let ended = Term::any(judged.iter().map(|(_, [_, excused])| excused.clone()));
        let given_up = match judged.is_empty() {
            true => Term::FALSE,
            false => Term::all(judged.iter().map(|(_, [_, excused])| excused.clone())),
        };
        let taken = world.calls.iter().enumerate().map(|(at, call)| {
            let mine = || {
                moves.iter().filter_map(|w| w.call.as_ref().filter(|(c, _)| *c == at).map(|(_, allowed)| (w, allowed)))
            };
            let done = Term::any(mine().filter(|(w, _)| !w.broken).map(|(w, _)| w.when.clone()));
            let allowed = Term::any(mine().map(|(_, allowed)| allowed.clone()));
            let left = Term::Atom(world.used_of_call(call)).equals(Term::number(call.number));
            left.negated().or(done).or(allowed.negated().and(ended.clone()))
        });
        let name = "all calls of the application are accepted".to_string();
        let mut goals = vec![(name, Term::all(taken))];
        goals.extend(judged.into_iter().map(|(name, [holds, excused])| (name, holds.or(excused))));
        for end in 0..2 {
            let layers = self.at_end(end, |w| w.goals_of_layers(end))?;
            goals.extend(layers.into_iter().map(|(name, holds)| (name, holds.or(given_up.clone()))));
        }
        Ok(goals)
    }

    /// Returns the goals that the layers of the current endpoint declare.
    fn goals_of_layers(&mut self, end: usize) -> Result<Vec<(String, Term)>, String> {
        let mut goals = vec![];
        for (at, layer) in self.stack.layers.iter().enumerate() {
            self.frame.layer = Some(LayerId(at as u32));
            for goal in &layer.goals {
                let mut holds = String::new();
                let lines = self.written(|w| holds = w.value(&goal.holds));
                if !lines.is_empty() {
                    return Err(format!("the goal `{}` of `{}`", goal.name, layer.name));
                }
                let name = format!("{} of {} at {}", goal.name, layer.name, ["a", "b"][end]);
                goals.push((name, Term::Atom(format!("({holds})"))));
            }
        }
        self.frame.layer = None;
        Ok(goals)
    }

    /// The condition that an endpoint has no waiting `later` events.
    fn is_free(&self, end: usize) -> Term {
        match self.has_later {
            true => Term::Atom(format!("ends[{end}].later_n")).equals(Term::Number(0)),
            false => Term::TRUE,
        }
    }

    /// Writes the update of the turn at the end of a step. `rolls`: the step is one of an endpoint, which draws.
    pub fn turn(&mut self, fair: &Fair, rolls: bool) {
        let met: Vec<String> =
            fair.goals.iter().enumerate().map(|(at, (_, met))| format!("goal == {} && ({met})", at + 1)).collect();
        self.open_text("if");
        self.line(":: goal == 0");
        self.line(format!(":: {} -> opened = 3", met.join(" || ")));
        self.open_text(":: else ->");
        self.line("turn = (turn == 0 -> 1 : turn);");
        self.open_text("do");
        for (at, possible) in fair.possible.iter().enumerate().filter(|(_, p)| !p.is_false()) {
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
