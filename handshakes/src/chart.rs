//! A run as a chart: a column for each member, and between them the frames.

use crate::moves::Move;
use crate::state::State;
use crate::term::member;
use crate::world::World;

/// The columns between two members.
const GAP: usize = 44;
/// The columns of a frame's text.
const TEXT: usize = 110;

/// Draws a run. `◆`: the attacker has made this frame; `×`: its source is the attacker's address.
pub fn chart(world: &World, run: &[Move]) -> String {
    let mut state = State { lives: vec![0; world.members.len()], ..State::default() };
    let mut text = format!("     {}\n", names(world));
    for (number, action) in run.iter().enumerate() {
        let step = action.make(world, &state);
        let (owner, cause) = cause(&state, action);
        text += &format!("{:>3}  {}{cause}\n", number + 1, " ".repeat(GAP * usize::from(owner)));
        let indent = " ".repeat(5 + GAP * usize::from(owner));
        let effects = step.rules.iter().map(|rule| format!("{indent}  {rule}\n"));
        let sent = step.new.iter().map(|frame| format!("{indent}├─▶ {}\n", cut(&frame.to_string())));
        text.extend(effects.chain(sent));
        state = step.state;
    }
    text
}

fn names(world: &World) -> String {
    let columns: Vec<String> = world.addresses().map(|one| format!("{:<GAP$}", member(one))).collect();
    columns.concat().trim_end().to_string()
}

/// Who makes a move, and what it is.
fn cause(state: &State, action: &Move) -> (u8, String) {
    let owner = |at: usize| state.sessions[at].owner;
    let label = |at: usize| state.sessions[at].own;
    match action {
        Move::Begin(start) => (0, format!("▼ begins connection {start}")),
        Move::Receive { member, from, frame, is_forged } => {
            let mark = if *is_forged { "◆" } else { "▶" };
            let source = if *from == crate::term::ATTACKER { "×" } else { "" };
            (*member, format!("{mark}{source} {}", cut(&frame.to_string())))
        }
        Move::Send(at) => (owner(*at), format!("▼ sends on {}", label(*at))),
        Move::Epoch(at) => (owner(*at), format!("▼ turns to the next epoch on {}", label(*at))),
        Move::Erase(at) => (owner(*at), format!("▼ erases the old key of {}", label(*at))),
        Move::Ping(at) => (owner(*at), format!("▼ pings on {}", label(*at))),
        Move::End(at, said) => (owner(*at), format!("▼ {} on {}", said.term(), label(*at))),
        Move::Restart(one) => (*one, "▼ crashes and starts again".into()),
    }
}

fn cut(text: &str) -> String {
    let is_long = text.chars().count() > TEXT;
    let short: String = text.chars().take(TEXT).collect();
    short + if is_long { "..." } else { "" }
}
