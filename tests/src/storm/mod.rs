//! A seeded storm of events over two endpoints of a connection: calls, frames, damaged, repeated, random and impossible
//! frames, ticks at any time, jumps of the clock. The only guarantee to the stack is that time does not run backwards.

mod arguments;
mod calls;
mod connection;
mod frames;
mod tally;

use nacre_simulator::endpoint::Maker;
use nacre_stack::interpret::Rule;
use nacre_stack::Stack;

pub(crate) use arguments::{argument, inputs, Heard};
use connection::{Connection, LIFE};
pub use tally::Tally;

/// Whether a report of a machine states that one of these rules is violated.
pub fn breaks(report: &str, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| report.contains(&format!(": {rule}: ")))
}

/// Runs connections in sequence until the number of events is reached.
///
/// Fails with the violated rule, the seed and the number of the event.
pub fn storm(stack: &Stack, maker: &dyn Maker, seed: u64, events: u64, tally: &mut Tally) -> Result<(), String> {
    // Assertions of layers about the network need not hold.
    storm_excusing(stack, maker, seed, events, tally, |report| breaks(report, &[Rule::Assert]))
}

/// The same, where some reports are no errors.
pub fn storm_excusing(
    stack: &Stack,
    maker: &dyn Maker,
    seed: u64,
    events: u64,
    tally: &mut Tally,
    is_excused: fn(&str) -> bool,
) -> Result<(), String> {
    let target = tally.events + events;
    let mut connection = 0;
    while tally.events < target {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(connection);
        connection += 1;
        // Short campaigns have a few connections too.
        let life = LIFE.min(events / 3 + 1).min(target - tally.events);
        let mut storm = Connection::open(stack, maker, seed, is_excused)?;
        let ran = storm.live(life, 32);
        storm.count(tally);
        if ran.is_err() {
            // Repeats the run with a check after each event.
            let mut storm = Connection::open(stack, maker, seed, is_excused)?;
            let ran = storm.live(life, 1);
            let what = ran.err().unwrap_or_else(|| "does not fail when it runs again".into());
            return Err(format!(
                "{}, connection seed {seed}, event {}, {}: {what}",
                stack.name, storm.events, storm.last
            ));
        }
    }
    Ok(())
}

/// Calls `send` at both endpoints over a network that forwards all frames in order.
pub fn calm(
    stack: &Stack,
    maker: &dyn Maker,
    seed: u64,
    calls: u64,
    tally: &mut Tally,
    is_excused: fn(&str) -> bool,
) -> Result<(), String> {
    let mut storm = Connection::open(stack, maker, seed, is_excused)?;
    for _ in 0..calls {
        let end = storm.random.below(2) as usize;
        storm.call(end);
        storm.calm(end);
    }
    storm.count(tally);
    storm.check()
}

/// On such a network each sent message is delivered, and nothing else.
pub fn faithful(
    stack: &Stack,
    maker: &dyn Maker,
    seed: u64,
    messages: u64,
    is_excused: fn(&str) -> bool,
) -> Result<(), String> {
    let mut connection = Connection::open(stack, maker, seed, is_excused)?;
    for _ in 0..messages {
        let end = connection.random.below(2) as usize;
        connection.calm(end);
        connection.delivered.clear();
        let sent = connection.send(end);
        connection.calm(end);
        // A frame may arrive twice.
        let wanted = |(to, message): &(usize, Vec<u8>)| *to == 1 - end && Some(message) == sent.as_ref();
        if connection.delivered.is_empty() != sent.is_none() || !connection.delivered.iter().all(wanted) {
            let lengths: Vec<usize> = connection.delivered.iter().map(|(_, message)| message.len()).collect();
            let sent = sent.map(|message| message.len());
            return Err(format!("of a message of {sent:?} bytes, messages of {lengths:?} bytes came, or others"));
        }
    }
    connection.check()
}
