//! SPIN on the readable model of a stack, between the automata of a setup.

use nacre_backend_promela::between::{write_between, Call, World};
use nacre_backend_promela::judges;
pub use nacre_backend_promela::EXTRA_STATES;
use nacre_checker::setup::Setup;
use nacre_stack::interpret::Value;

use crate::emitted::Failure;
use crate::spin::{Limits, Model, Searched, Tools, Verdict};

/// Entries of a container of an automaton: few make small states, so the search begins anew with more where they do not do.
const CAPACITIES: [usize; 3] = [4, 8, 24];
/// Bytes of a state.
const VECTOR: u32 = 1 << 16;

/// Searches. Goals are not checked.
pub fn check(setup: &Setup, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    // The model has hidden variables, with which SPIN cannot search breadth-first.
    // Its messages are values with room for every header and all data: a state can be large.
    let limits = Limits { breadth_first: false, shorten: true, vector: limits.vector.max(VECTOR), ..limits.clone() };
    let mut found = None;
    for capacity in CAPACITIES {
        let model = model(setup, capacity).map_err(Failure::Unfit)?;
        let searched = tools.check(&model, &limits).map_err(Failure::of)?;
        let full = matches!(&searched.verdict, Verdict::Violated { why, .. } if why.contains("_len["));
        found = Some(searched.within_limits());
        if !full {
            break;
        }
    }
    found.ok_or(Failure::Unfit("no capacity".into()))
}

/// The model; in words why there is none.
pub fn model(setup: &Setup, capacity: usize) -> Result<Model, String> {
    setup.check()?;
    let bounds = &setup.bounds;
    if let Some(why) = setup.beyond_spin() {
        return Err(why.into());
    }
    let number = |v: &Value| matches!(v, Value::Num(_)).then(|| v.num());
    let calls = setup.calls().into_iter().map(|call| Call {
        event: call.id,
        end: call.end,
        kind: call.kind,
        number: call.number,
        arguments: call.arguments.iter().filter_map(number).collect(),
        bytes: call.bytes,
    });
    let called = setup.called();
    let tables = setup.above.iter().map(|a| judges::table(a, &called)).collect::<Result<Vec<_>, _>>()?;
    let world = World {
        below: &setup.below,
        above: &setup.above,
        tables: &tables,
        calls: calls.collect(),
        limits: bounds.limits.clone(),
        last: bounds.last.clone(),
        at_once: bounds.at_once,
        first: bounds.first,
        capacity,
    };
    let text = write_between(&setup.stack, &world, &|_| None).map_err(|refusals| {
        let each: Vec<String> = refusals.iter().map(|refusal| refusal.what.clone()).collect();
        format!("what cannot be written in Promela: {}", each.join("; "))
    })?;
    let files = judges::tables_in_c(&tables).map(|tables| ("tables.h".to_string(), tables)).into_iter().collect();
    Ok(Model { text, files, ..Model::default() })
}
