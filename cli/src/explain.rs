//! `nacre explain`: shows a composed stack.

use std::collections::BTreeMap;

use nacre_bypass::show::show_ways;
use nacre_driver::{Decision, Level, Session};
use nacre_profiles::{bypassed, usually_common, Common};
use nacre_stack::{print as print_stack, print_with_spans, Span, Stack};

use crate::args::Explain;
use crate::console::{complain, print, Exit};
use crate::{program, prove, verify};

/// Runs `nacre explain`: prints a composed stack, or the output of one compiler stage.
pub fn explain(args: &Explain) -> Exit {
    if let Some(unknown) = args.stage.as_deref().filter(|stage| !names().iter().any(|name| name == stage)) {
        complain(&format!("there is no stage `{unknown}`; known are: {}", names().join(", ")));
        return Exit::Usage;
    }
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    if let Some(stage) = &args.stage {
        return show(args, &session, &stack, stage);
    }
    if args.json {
        match serde_json::to_string_pretty(&stack) {
            Ok(text) => print(&text),
            Err(error) => {
                complain(&format!("cannot write the stack as JSON: {error}"));
                return Exit::Unknown;
            }
        }
        return Exit::Yes;
    }
    let mut text = nacre_compose::explain(&stack);
    text += &nacre_compose::folded(&calls(&stack, &session));
    print(&text);
    Exit::Yes
}

/// The stage that is a model for SPIN.
const PROMELA: &str = "promela";

/// The stage that shows the common paths.
const PATHS: &str = "paths";

/// The stages with the bypasses of these paths.
const BYPASS: &str = "bypass";
const C_BYPASS: &str = "c-bypass";

/// The stage that shows the invariants of the layers.
const INVARIANTS: &str = "invariants";

/// The stages, in order.
fn names() -> Vec<String> {
    let mut all = nacre_driver::stages();
    all.extend([PATHS, INVARIANTS, PROMELA].map(String::from));
    all
}

fn show(args: &Explain, session: &Session, stack: &Stack, stage: &str) -> Exit {
    match stage {
        PROMELA => return verify::show_model(session, &args.which.stack),
        PATHS => {
            print(&paths(session, stack));
            return Exit::Yes;
        }
        BYPASS => {
            let shown = if args.spans { print_with_spans } else { print_stack };
            print(&shown(&bypassed(stack)));
            return Exit::Yes;
        }
        C_BYPASS => {
            print(&session.emit_optimized(bypassed(stack), Level::Bypass, None).source);
            return Exit::Yes;
        }
        INVARIANTS => {
            print(&prove::invariants(session, stack));
            return Exit::Yes;
        }
        _ => {}
    }
    let source = match nacre_driver::files::read_text(&args.which.file) {
        Ok(source) => source,
        Err(error) => {
            complain(&format!("{}: {error}", args.which.file.display()));
            return Exit::Unknown;
        }
    };
    print(&session.stage(&source, stack, stage, args.spans).unwrap_or_default());
    Exit::Yes
}

/// The common paths; of a stack that cannot be simulated, those that its layers mark as likely.
fn paths(session: &Session, stack: &Stack) -> String {
    let source = |span| excerpt(session, span);
    match usually_common(stack) {
        Ok(Common { ways, steps, .. }) => {
            let mut plain = stack.clone();
            nacre_driver::optimize(&mut plain, Level::Queue);
            show_ways(&plain, &ways, steps, &source)
        }
        Err(_) => nacre_bypass::show::show(stack, &source),
    }
}

/// The longest text of a span that is shown whole, in characters.
const SHOWN: usize = 60;

/// The place of a span and its text, shortened to one line.
fn excerpt(session: &Session, span: Span) -> String {
    let text = session.sources.slice(span);
    let line = text.lines().next().unwrap_or_default();
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown += "...";
    }
    format!("{} ({})", shown, session.places(&[span]))
}

/// Which emissions became calls, and why others did not.
fn calls(stack: &Stack, session: &Session) -> String {
    let mut optimized = stack.clone();
    let mut decisions = nacre_driver::optimize(&mut optimized, Level::Call);
    // An event that leaves the stack has no handler to call.
    decisions.retain(|decision| decision.call || decision.reason != "leaves at once");
    let made = decisions.iter().filter(|decision| decision.call).count();
    let mut text = format!("\ncalls: {made} of {} emissions to layers became calls\n", decisions.len());
    let mut by_reason: BTreeMap<&str, Vec<&Decision>> = BTreeMap::new();
    for decision in decisions.iter().filter(|decision| !decision.call) {
        by_reason.entry(decision.reason.as_str()).or_default().push(decision);
    }
    for (reason, decisions) in by_reason {
        text += &format!("  not a call; {reason}:\n");
        for decision in decisions {
            let (handler, event) = (&stack.handler(decision.handler).name, &stack.event(decision.event).name);
            text += &format!("    {handler}: {event} ({})\n", session.places(&[decision.span]));
        }
    }
    text
}
