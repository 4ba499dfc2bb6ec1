//! Joins typed layers into a closed stack: links them, follows events over each link, and lays out frames.
//!
//! ```text
//! fragments -> fit -> link -> passing, shapes (to a fixed point) -> cycles -> classes -> layout -> bounds -> prune
//! ```

mod activation;
mod admission;
mod blocks;
mod boundary;
mod bounds;
mod checks;
mod classes;
pub mod codes;
mod cost;
mod course;
mod cycles;
mod dead;
mod explain;
mod facts;
mod fingerprint;
mod fit;
mod gossip;
mod greatest;
mod layout;
mod length;
mod link;
mod linked;
mod longest_call;
mod message;
mod passing;
mod promises;
mod prune;
mod refusing;
mod renumber;
mod room;
mod shapes;
mod spots;
mod start;
mod strides;
mod stripped;
mod values;
mod words;
mod world;

pub use codes::CODES;
pub use explain::{explain, folded, COLUMNS};
pub use fingerprint::{wire_text, WIRE_VERSION};
pub use layout::TRANSPORT_MAX;
use nacre_diagnostics::Diagnostic;
use nacre_stack::Stack;
use nacre_typed::Fragment;

use shapes::Flow;

/// Options of composition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The longest frame that the transport takes.
    pub frame_max: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { frame_max: TRANSPORT_MAX }
    }
}

/// A stack, its wire text, and the warnings about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    pub stack: Stack,
    /// The text whose hash is the fingerprint; see docs/frames.md.
    pub wire_text: String,
    pub warnings: Vec<Diagnostic>,
}

/// Composes layers, the top first, into a stack; returns it with warnings, or the errors.
pub fn compose(
    name: &str,
    layers: &[Fragment],
    options: &Options,
) -> Result<(Stack, Vec<Diagnostic>), Vec<Diagnostic>> {
    compose_all(name, layers, options).map(|composed| (composed.stack, composed.warnings))
}

/// The same, with the text that the peers must agree on.
pub fn compose_all(name: &str, layers: &[Fragment], options: &Options) -> Result<Composed, Vec<Diagnostic>> {
    none(checks::fragments(layers))?;
    none(fit::check(layers))?;
    none(promises::check(name, layers))?;
    let mut linked = link::link(name, layers);
    none(checks::linked(&linked, layers))?;
    none(room::check(&linked.stack).into_iter().collect())?;
    shapes::boundaries(&mut linked);
    admission::admit(&mut linked);
    let flow = longest_call::flow(&mut linked, options.frame_max);
    none(checks::flow(&linked, &flow))?;
    none(cycles::check(&linked.stack, &flow))?;
    none(classes::classify(&mut linked.stack))?;
    layout::lay_out(&mut linked.stack, &flow, options.frame_max);
    none(checks::layouts(&linked.stack, options.frame_max))?;
    admission::bound_lengths(&mut linked.stack, &flow);
    none(bounds::bound(&mut linked.stack, &flow))?;
    none(checks::silent(&linked.stack, &flow))?;
    outputs(&mut linked.stack, &flow);
    none(boundary::check(&linked.stack))?;
    let mut warnings = refusing::check(&linked.stack, &flow);
    warnings.extend(stripped::check(&linked.stack, &flow));
    warnings.extend(prune::prune(&mut linked, &flow));
    let mut stack = linked.stack;
    let wire_text = wire_text(&stack, layers);
    stack.layouts[0].fingerprint = fingerprint::fingerprint(&wire_text);
    nacre_stack::number(&mut stack);
    Ok(Composed { stack, wire_text, warnings })
}

fn none(problems: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn outputs(stack: &mut Stack, flow: &Flow) {
    for (port, event) in flow.outputs.keys() {
        stack.ports[port.index()].outputs.push(*event);
    }
}
