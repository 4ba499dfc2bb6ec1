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

    #[test]
    fn a_refuted_bypass_is_shown_by_an_event_and_what_differs() {
        let Ok(solvers) = all() else { return };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source.nacre");
        let source = "import \"../../layers/stacks.nacre\";
            worker counting { state { sent: u32 } down send(m) { sent += 1; pass m; } }
            stack st = counting / floor;";
        let mut session = Session::from_text(&path, source);
        let composed = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
        let mut stack = with_bypasses_of(&composed, &bypassed(&composed));
        stack.bypasses.retain(|bypass| matches!(bypass.entry, Entry::Call(..)));
        stack.bypasses[0].body.retain(|statement| !matches!(statement.kind, StatementKind::Store(..)));
        number(&mut stack);
        let (verdict, claims) = judge_claims(&stack, 0, &[], &solvers);
        assert!(matches!(verdict, Verdict::Refuted(..)), "{verdict:?}");
        let replay = demonstrate(&stack, 0, &mut claims.expect("claims"), &solvers).expect("a run");
        let text = show(&session, &stack, &replay);
        let [before, after] = text.split_once("on call above.send(").map(|(a, b)| [a, b]).expect("the event");
        assert!(before.contains("floor.confirmed = ") || before.contains("new connection\n"), "{text}");
        assert!(after.contains("  counting.sent  by the handlers  "), "{text}");
        assert!(after.contains("                 by the bypass    "), "{text}");
    }
}
