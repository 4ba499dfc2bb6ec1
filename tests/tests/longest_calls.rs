//! The longest message that the analysis finds for a call, and that a descriptor states, is the longest that the stack
//! ever accepts.

use nacre_analysis::lengths::longest_calls;
use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{Error, Options};
use nacre_tests::library::{declared, find};
use nacre_tests::machines::Machines;

#[test]
fn calls_are_accepted_up_to_the_stated_length_and_never_beyond() {
    let (mut stated, mut accepted) = (0, 0);
    for stack in declared() {
        let machines = Machines::new(&stack);
        let [endpoint, _] = machines.endpoints(&*machines.interpreter());
        let longest = longest_calls(&machines.stack);
        let sends = machines.interface().input(None, "send").is_some();
        for (index, event) in machines.stack.interface().iter().enumerate() {
            let Some(longest) = longest.get(&(event.port, event.event)) else { continue };
            // A call that answers is accepted when it is asked for.
            if sends {
                stated += 1;
                accepted += usize::from(endpoint.accepts(index as u16, *longest as usize));
            }
            assert!(!endpoint.accepts(index as u16, *longest as usize + 1), "{}: {longest} bytes", stack.name);
        }
    }
    assert!(stated > 20 && accepted * 10 > stated * 9, "{accepted} of {stated} are accepted at once");
}

#[test]
fn message_that_a_stack_never_accepts_is_too_long_and_the_longest_is_sent() {
    for (name, longest) in [("reliable", 64 * 1400), ("reliable_plain", 64 * 1400)] {
        let machines = Machines::new(&find(name));
        let stack = machines.load(&machines.text(Level::Call)).expect("the C compiles");
        assert_eq!(stack.max_message(), longest);
        let mut core = SansIo::new(Options { seed: Some(1), ..Options::default() }, 1);
        let id = core.connect(([10, 0, 0, 1], 7000).into(), &stack).expect("a connection");
        let result = core.send(id, &vec![0; longest + 1]);
        assert!(matches!(result, Err(Error::TooLong { len, max }) if (len, max) == (longest + 1, longest)));
        core.send(id, &vec![0; longest]).expect("it is accepted");
    }
}
