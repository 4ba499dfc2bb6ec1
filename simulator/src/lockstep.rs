//! Runs several endpoints of one stack on the same events, and compares them after each event.

use crate::endpoint::{Address, Endpoint, Maker, Opening, Output, Step};

/// Opens endpoints that run in lockstep. The first is the reference: its results are returned.
pub struct Lockstep {
    pub makers: Vec<Box<dyn Maker>>,
}

impl Maker for Lockstep {
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String> {
        let mut members = Vec::new();
        let mut first = None;
        let mut differences = Vec::new();
        for maker in &self.makers {
            let (endpoint, outputs) = maker.open(opening)?;
            members.push(Member { name: maker.name(), endpoint });
            let outputs = by_port(outputs);
            match &first {
                None => first = Some(outputs),
                Some(first) if *first == outputs => {}
                Some(first) => {
                    let (what, one, two) = parted_outputs(first, &outputs);
                    differences.push(different(&members, members.len() - 1, &format!("opening: {what}"), &one, &two))
                }
            }
        }
        let mut row = Row { members, differences, events: 0 };
        row.compare_states("opening");
        Ok((Box::new(row), first.unwrap_or_default()))
    }

    fn name(&self) -> String {
        let names: Vec<String> = self.makers.iter().map(|maker| maker.name()).collect();
        names.join(" = ")
    }
}

struct Member {
    name: String,
    endpoint: Box<dyn Endpoint>,
}

struct Row {
    members: Vec<Member>,
    differences: Vec<String>,
    events: u64,
}

/// Outputs are compared for each port: the interleaving of ports is unspecified.
fn by_port(mut outputs: Vec<Output>) -> Vec<Output> {
    outputs.sort_by_key(|output| output.port);
    outputs
}

/// The outputs of two machines, shortened, since complete frames of thousands of bytes are unreadable.
fn different(members: &[Member], other: usize, what: &str, first: &str, second: &str) -> String {
    let (reference, member) = (&members[0].name, &members[other].name);
    format!("{what} differ: {reference} says {first}, {member} says {second}")
}

fn shown<T: std::fmt::Debug>(value: &T) -> String {
    format!("{value:?}")
}

/// Returns the first bytes from this place on.
fn near(bytes: &[u8], place: usize) -> String {
    let shown: String = bytes.iter().skip(place).take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{shown}{}", if bytes.len() > place + 16 { ".." } else { "" })
}

fn first_difference<T: PartialEq>(one: &[T], two: &[T]) -> usize {
    one.iter().zip(two).position(|(one, two)| one != two).unwrap_or(one.len().min(two.len()))
}

/// The first difference of two steps, and the outputs there.
fn parted(one: &Step, two: &Step) -> (String, String, String) {
    if one.outcome != two.outcome {
        return ("results".into(), shown(&one.outcome), shown(&two.outcome));
    }
    parted_outputs(&one.outputs, &two.outputs)
}

fn parted_outputs(one: &[Output], two: &[Output]) -> (String, String, String) {
    let at = first_difference(one, two);
    let what = format!("outputs, of {} and {}, number {at}", one.len(), two.len());
    match (one.get(at), two.get(at)) {
        (Some(one), Some(two)) => {
            let (bytes, others) = (one.message.as_deref().unwrap_or(&[]), two.message.as_deref().unwrap_or(&[]));
            let place = first_difference(bytes, others);
            let what = if bytes == others { what } else { format!("{what} at byte {place}") };
            (what, describe(one, place), describe(two, place))
        }
        (one, two) => {
            let shown = |output: Option<&Output>| output.map_or("nothing".into(), |output| describe(output, 0));
            (what, shown(one), shown(two))
        }
    }
}

fn describe(output: &Output, place: usize) -> String {
    let Output { port, event, arguments, address, message } = output;
    let to = address.map_or(String::new(), |a| format!(" to {}:{}", a.ip.map(|b| format!("{b:02x}")).concat(), a.port));
    let bytes = message.as_ref().map_or("no message".into(), |m| format!("{} bytes [{}]", m.len(), near(m, place)));
    format!("event {event} at port {port}{to}, {arguments:?}, {bytes}")
}

impl Row {
    /// Passes the same event to all endpoints, settles all, then compares everything observable.
    fn all(&mut self, what: &str, mut event: impl FnMut(&mut dyn Endpoint) -> Step) -> Step {
        self.events += 1;
        let mut steps = Vec::with_capacity(self.members.len());
        for member in &mut self.members {
            let mut step = event(member.endpoint.as_mut());
            step.outputs.extend(member.endpoint.settle());
            step.outputs = by_port(step.outputs);
            steps.push(step);
        }
        if self.differences.is_empty() {
            for (at, step) in steps.iter().enumerate().skip(1) {
                if *step != steps[0] {
                    let (what_differs, one, two) = parted(&steps[0], step);
                    let difference = different(&self.members, at, &what_differs, &one, &two);
                    self.differences.push(format!("event {} ({what}): {difference}", self.events));
                }
            }
            self.compare_states(what);
        }
        steps.swap_remove(0)
    }

    fn compare_states(&mut self, what: &str) {
        let mut found = Vec::new();
        let (reference, others) = self.members.split_at(1);
        let reference = &reference[0].endpoint;
        let (deadline, counters) = (reference.deadline(), reference.counters());
        let (state, (free, all)) = (reference.canonical(), reference.space());
        for (at, member) in others.iter().enumerate().map(|(at, member)| (at + 1, &member.endpoint)) {
            if member.deadline() != deadline {
                found.push(different(&self.members, at, "deadlines", &shown(&deadline), &shown(&member.deadline())));
            }
            let others = member.counters();
            if others != counters {
                let place = first_difference(&counters, &others);
                let what = format!("counters, of {} and {}, number {place}", counters.len(), others.len());
                let value = |counters: &[u64]| counters.get(place).map_or("nothing".to_string(), u64::to_string);
                found.push(different(&self.members, at, &what, &value(&counters), &value(&others)));
            }
            let other = member.canonical();
            if other != state {
                let place = first_difference(&state, &other);
                let what = format!("canonical states, of {} and {} bytes, at byte {place}", state.len(), other.len());
                let shown = |state: &[u8]| match reference.shows_state() {
                    true => near(state, place),
                    false => "(it may contain secrets)".into(),
                };
                found.push(different(&self.members, at, &what, &shown(&state), &shown(&other)));
            }
            let (member_free, member_all) = member.space();
            if all - free != member_all - member_free {
                found.push(different(
                    &self.members,
                    at,
                    "blocks in use",
                    &shown(&(all - free)),
                    &shown(&(member_all - member_free)),
                ));
            }
        }
        self.differences.extend(found.into_iter().map(|text| format!("after event {} ({what}): {text}", self.events)));
    }

    fn first(&self) -> &dyn Endpoint {
        self.members[0].endpoint.as_ref()
    }
}

impl Endpoint for Row {
    fn call(&mut self, now: u64, event: u16, arguments: &[u64], address: Option<Address>, message: &[u8]) -> Step {
        self.all("a call", |member| member.call(now, event, arguments, address, message))
    }

    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step {
        self.all("a frame", |member| member.input(now, from, frame))
    }

    fn tick(&mut self, now: u64) -> Step {
        self.all("a tick", |member| member.tick(now))
    }

    fn settle(&mut self) -> Vec<Output> {
        Vec::new()
    }

    fn deadline(&self) -> u64 {
        self.first().deadline()
    }

    fn accepts(&self, event: u16, length: usize) -> bool {
        self.first().accepts(event, length)
    }

    fn counters(&self) -> Vec<u64> {
        self.first().counters()
    }

    fn canonical(&self) -> Vec<u8> {
        self.first().canonical()
    }

    fn shows_state(&self) -> bool {
        self.first().shows_state()
    }

    fn space(&self) -> (u32, u32) {
        // The largest number of blocks held by any endpoint counts.
        let held = self.members.iter().map(|m| m.endpoint.space()).map(|(free, all)| all - free).max().unwrap_or(0);
        let all = self.first().space().1;
        (all.saturating_sub(held), all)
    }

    fn discard(&mut self) {
        self.members.iter_mut().for_each(|member| member.endpoint.discard());
    }

    fn reports(&self) -> Vec<String> {
        let mut all = self.differences.clone();
        all.extend(self.members.iter().flat_map(|member| member.endpoint.reports()));
        all
    }
}
