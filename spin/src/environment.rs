//! The environment of a setup's endpoints, in the form that the writer of Promela uses.

use nacre_backend_promela::monitors;
use nacre_backend_promela::world::{Call, Form, World};
use nacre_specification::subset_construction::SubsetConstruction;
use nacre_stack::interpret::Value;
use nacre_worlds::setup::Setup;

/// Returns the table of each automaton above that needs one, or why SPIN cannot check the setup.
pub fn tables(setup: &Setup) -> Result<Vec<Option<SubsetConstruction>>, String> {
    setup.check()?;
    if let Some(why) = setup.beyond_spin() {
        return Err(why);
    }
    if setup.bounds.detects {
        return Err("assertions that may be violated (`detects`)".into());
    }
    let called = setup.called();
    setup.above.iter().map(|a| monitors::table(a, &called)).collect()
}

/// Returns the environment of a setup. `capacity`: of the containers of automata below, and above.
pub fn world<'a>(
    setup: &'a Setup,
    tables: &'a [Option<SubsetConstruction>],
    form: Form,
    capacity: [usize; 2],
) -> World<'a> {
    let bounds = &setup.bounds;
    let number = |v: &Value| matches!(v, Value::Num(_)).then(|| v.num());
    let calls = setup.calls().into_iter().map(|call| Call {
        event: call.id,
        end: call.end,
        kind: call.kind,
        number: call.number,
        arguments: call.arguments.iter().map(number).collect(),
        bytes: call.bytes,
    });
    World {
        below: &setup.below,
        above: &setup.above,
        tables,
        calls: calls.collect(),
        limits: bounds.limits.clone(),
        last: bounds.last.clone(),
        at_once: bounds.at_once,
        first: bounds.first,
        given: &bounds.given,
        goals: false,
        form,
        capacity,
        longer: 0,
    }
}
