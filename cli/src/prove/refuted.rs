//! How reports show an event that a bypass handles wrongly.

use nacre_driver::Session;
use nacre_prover::replays::Replay;
use nacre_stack::Stack;

/// An event in a state, and what the handlers and the bypass leave.
pub(super) fn show(session: &Session, stack: &Stack, replay: &Replay) -> String {
    let mut text = match replay.before.is_empty() {
        true => "    in the state of a new connection\n".to_string(),
        false => "    in the state of a new connection, except that\n".to_string(),
    };
    replay.before.iter().for_each(|(cell, value)| text += &format!("      {cell} = {value}\n"));
    for (layer, at) in &replay.broken {
        let span = stack.layer(*layer).invariants[*at].span;
        let (invariant, place) = (session.sources.slice(span).trim(), session.places(&[span]));
        text += &format!("      (no run reaches it if `{invariant}` is an invariant: {})\n", place.trim());
    }
    text += &format!("    on {}\n", replay.event);
    if replay.differences.is_empty() {
        text += match replay.is_taken {
            true => "    the interpreter finds no difference: it knows the bytes, of which solvers know only names\n",
            false => {
                "    the interpreter does not take the bypass: it knows the bytes, of which solvers know only names\n"
            }
        };
        return text;
    }
    let width = replay.differences.iter().map(|one| one.what.len()).max().unwrap_or(0);
    for one in &replay.differences {
        text += &format!("      {:width$}  by the handlers  {}\n", one.what, one.by_handlers);
        text += &format!("      {:width$}  by the bypass    {}\n", "", one.by_bypass);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nacre_profiles::bypassed;
    use nacre_prover::bypasses::{judge_claims, with_bypasses_of, Verdict};
    use nacre_prover::replays::demonstrate;
    use nacre_prover::solvers::all;
    use nacre_stack::{number, Entry, StatementKind};

    use super::*;

    /// How a bypass of `send` of the stack `st` without its first store is shown; None: there are no solvers.
    fn shown(source: &str) -> Option<String> {
        let solvers = all().ok()?;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source.nacre");
        let mut session = Session::from_text(&path, &format!("import \"../../layers/stacks.nacre\"; {source}"));
        let composed = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
        let mut stack = with_bypasses_of(&composed, &bypassed(&composed));
        stack.bypasses.retain(|bypass| matches!(bypass.entry, Entry::Call(..)));
        let body = &mut stack.bypasses[0].body;
        let first = body.iter().position(|statement| matches!(statement.kind, StatementKind::Store(..)));
        body.remove(first.expect("a store"));
        number(&mut stack);
        let (verdict, claims) = judge_claims(&stack, 0, &[], &solvers);
        assert!(matches!(verdict, Verdict::Refuted(..)), "{verdict:?}");
        let replay = demonstrate(&stack, 0, &mut claims.expect("claims"), &solvers).expect("a run");
        Some(show(&session, &stack, &replay))
    }

    #[test]
    fn the_example_of_the_page_is_what_is_shown() {
        let page = include_str!("../../../docs/proofs.md");
        let example = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let Some(text) = shown("stack st = frag<1400> / pt2pt<64> / floor;") else { return };
        // The state and the message are what a solver finds.
        let differs: Vec<&str> = example.lines().rev().take(2).map(str::trim).collect();
        assert!(differs.iter().all(|line| text.contains(line)), "{differs:?}\n{text}");
        assert!(example.contains("    on call above.send(") && text.contains("on call above.send("), "{text}");
    }

    #[test]
    fn a_refuted_bypass_is_shown_by_an_event_and_what_differs() {
        let counting = "worker counting { state { sent: u32 } down send(m) { sent += 1; pass m; } }";
        let Some(text) = shown(&format!("{counting} stack st = counting / floor;")) else { return };
        let [before, after] = text.split_once("on call above.send(").map(|(a, b)| [a, b]).expect("the event");
        assert!(before.contains("floor.confirmed = ") || before.contains("new connection\n"), "{text}");
        assert!(after.contains("  counting.sent  by the handlers  "), "{text}");
        assert!(after.contains("                 by the bypass    "), "{text}");
    }
}
