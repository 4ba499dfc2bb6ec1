//! What can begin a step: calls, what the network lets arrive, timers.

use nacre_specification::ActionKind;
use nacre_stack::*;

use crate::automata::Option_;
use crate::between::{Call, World};
use crate::fairness::{of_end, Fair};
use crate::frames::{damage, has_bits};
use crate::writer::Writer;

/// One way to begin a step at an end.
pub struct Way {
    pub end: usize,
    pub when: String,
    pub told: String,
    /// The call that it is, and the condition that the automata above allow it; none: something arrives.
    pub call: Option<(usize, String)>,
    /// It is a violation.
    pub broken: bool,
    /// The frame that is damaged.
    pub damages: Option<String>,
    /// What it changes, and what enters the queue.
    pub lines: Vec<String>,
}

impl Writer<'_> {
    /// Every way in which something outside begins a step.
    pub fn ways(&mut self, world: &World) -> Result<Vec<Way>, String> {
        let mut ways = vec![];
        for (at, call) in world.calls.iter().enumerate() {
            self.ways_of_call(world, at, call, &mut ways)?;
        }
        for (at, action) in world.below.actions.iter().enumerate().filter(|(_, a)| a.kind == ActionKind::Output) {
            let inputs = self.stack.ports.first().map_or(vec![], |p| p.inputs.clone());
            // What the layer does not know cannot be seen.
            let Some(input) = inputs.into_iter().find(|i| self.stack.event(i.event).name == action.name) else {
                continue;
            };
            let (left, spent) = world.limit(&action.name);
            for option in world.network().options(at)?.into_iter().filter(|o| !o.is_never()) {
                let end = option.end(world.below)?;
                let arguments = self.action_parameters(input.event, &end.to_string(), |_, _| String::new())?;
                let places = self.event_places(input.event);
                let parameters = &self.stack.event(input.event).parameters;
                let given = places.into_iter().zip(parameters).zip(option.parameters.iter().skip(1));
                let given: Vec<_> = given.map(|((place, p), text)| (place, stack_argument(p, text, end))).collect();
                debug_assert_eq!(given.len() + 1, arguments.len());
                let mut lines = self.written(|w| w.arrives(&input, &given));
                let body = damage(&option).into_iter().chain(option.body.lines().map(String::from));
                lines.splice(0..0, body.chain([spent.clone()]));
                let told = format!("{} at {}", action.name, ["a", "b"][end]);
                let when = format!("{}{left}", has_bits(&option));
                ways.push(Way { end, when, told, call: None, broken: false, damages: option.damages, lines });
            }
        }
        Ok(ways)
    }

    fn ways_of_call(&mut self, world: &World, at: usize, call: &Call, ways: &mut Vec<Way>) -> Result<(), String> {
        let inputs = self.stack.ports.get(1).map_or(vec![], |p| p.inputs.clone());
        let Some(input) = inputs.into_iter().find(|i| i.event == call.event) else {
            return Err("a call that is no event from above".into());
        };
        let event = self.stack.event(call.event).clone();
        let mut numbers = call.arguments.iter();
        let mut given = vec![];
        for (parameter, place) in event.parameters.iter().zip(self.event_places(call.event)) {
            let text = match parameter.ty {
                Type::Msg => format!("asked[{at}]"),
                Type::Addr => String::new(),
                _ => numbers.next().map_or("0".into(), u64::to_string),
            };
            given.push((place, stack_argument(parameter, &text, call.end)));
        }
        let texts = self.action_parameters(call.event, &call.end.to_string(), |_, place| {
            given.iter().find(|(known, _)| known == place).map_or(String::new(), |(_, text)| text.clone())
        })?;
        let used = format!("used[{}]", 2 * call.kind + call.end);
        let admitted = self.admitted_with(&input, &given.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>());
        let mut choices = vec![(format!("{used} == {}", call.number), vec![format!("{used}++;")])];
        let written = |bytes: &[u8]| world.written(bytes);
        for judge in world.judges(&written) {
            let Some(options) = judge.known(ActionKind::Input, &event.name, &texts)? else { continue };
            let with = |(when, lines): &(String, Vec<String>)| -> Vec<(String, Vec<String>)> {
                let more = |o: &Option_| [lines.clone(), o.body.lines().map(String::from).collect()].concat();
                options.iter().map(|o| (format!("{when} && ({})", o.when), more(o))).collect()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        let put = self.written(|w| w.put(&input, &given));
        let told = format!("{} calls {}, number {}", ["a", "b"][call.end], event.name, call.number + 1);
        let admitted = if admitted.is_empty() { "true".into() } else { format!("({})", admitted.join(" && ")) };
        for (when, lines) in choices {
            let allowed = when.clone();
            if world.at_once && admitted != "true" {
                let refused =
                    format!("printf(\"step: broken: {} is allowed, and not taken\\n\"); assert(false);", event.name);
                let when = format!("{when} && !{admitted}");
                let (told, damages) = (told.clone(), None);
                let call_ = Some((at, allowed.clone()));
                ways.push(Way { end: call.end, when, told, call: call_, broken: true, damages, lines: vec![refused] });
            }
            let (when, lines) = (format!("{when} && {admitted}"), [lines, put.clone()].concat());
            let (told, damages) = (told.clone(), None);
            ways.push(Way { end: call.end, when, told, call: Some((at, allowed)), broken: false, damages, lines });
        }
        Ok(())
    }

    /// An option for each timer that can be armed. `timeout` is SPIN's word for: nothing else can happen.
    pub fn timer_options(&mut self, world: &World, waits: &str, fair: Option<&Fair>) {
        let mut place = 0;
        for at in 0..self.stack.timers.len() {
            let resort = world.last.iter().position(|(name, _)| *name == self.stack.timers[at].name);
            let mut when = format!("opened == 2 && {waits}");
            if let Some(resort) = resort {
                let sooner = (0..resort).map(|sooner| format!(" && {}", self.is_over(world, sooner)));
                let sooner: String = sooner.collect();
                let most = world.last[resort].1;
                when += &format!(" && timeout && {} < {most}{sooner}", world.used_of_last(resort));
            }
            let name = self.timer_name(at);
            for armed in self.timer_places(at) {
                let number = if resort.is_some() { fair.map(Fair::none) } else { fair.map(|f| f.of_timer(place)) };
                place += usize::from(resort.is_none());
                let then = format!("cause = {name}{}", armed.which);
                self.begins(&format!("{when} && {}", armed.when), &then, number);
            }
        }
    }

    /// An option of what begins a step. `number`: the move's among those that fairness speaks of.
    pub fn begins(&mut self, when: &str, then: &str, number: Option<String>) {
        self.line(match number {
            None => format!(":: {when} -> {then}"),
            Some(number) => format!(":: d_step {{ ({when}) -> {then}; taken = {number} }}"),
        });
    }

    /// A last resort is used up or armed at no end.
    fn is_over(&mut self, world: &World, resort: usize) -> String {
        let (name, most) = &world.last[resort];
        let timers = (0..self.stack.timers.len()).filter(|at| self.stack.timers[*at].name == *name);
        let armed: Vec<_> = timers.collect::<Vec<_>>().into_iter().flat_map(|at| self.timer_places(at)).collect();
        let each = armed.iter().flat_map(|armed| [0, 1].map(|end| of_end(&armed.when, end)));
        let free: String = each.map(|when| format!(" && !({when})")).collect();
        format!("({} >= {most} || (true{free}))", world.used_of_last(resort))
    }
}

/// What an event of the stack carries for a text of an automaton: addresses are those of the peer.
fn stack_argument(parameter: &Parameter, text: &str, end: usize) -> String {
    match parameter.ty {
        Type::Addr => (2 - end).to_string(),
        _ => text.to_string(),
    }
}
