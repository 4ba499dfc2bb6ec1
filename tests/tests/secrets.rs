//! Secrets are erased, and differences of states that contain some are reported without their bytes.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use nacre_driver::{Level, Session};
use nacre_simulator::endpoint::{Address, Endpoint, Given, Maker, Opening, Outcome, Output, Step};
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_stack::Stack;
use nacre_tests::machines::LEVELS;
use nacre_tests::root;

const KEY: u8 = 0xa7;

fn composed(text: &str) -> (Session, Stack) {
    let mut session = Session::from_text(&root().join("tests/secrets.nacre"), text);
    session.check();
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

/// A stack of one layer that keeps a key in its state, which is secret or not.
fn keeping(secret: &str) -> (Session, Stack) {
    composed(&format!(
        "interface line {{ down send(m: msg) up deliver(m: msg) }}
        worker keeping: line over line {{
            given {{ secret to: bytes<32> as sealing_key, secret of: bytes<32> as opening_key }}
            state {{ {secret}kept: bytes<32> = to, {secret}other: bytes<32> = of }}
            down send(m) {{ kept = other; pass m; }}
        }}
        worker last: line over line {{}}
        stack st = keeping / last;"
    ))
}

fn program(session: &Session, stack: &Stack, level: Level, folder: &Path) -> std::path::PathBuf {
    let text = session.emit(stack, level, None);
    let path = |name: &str| folder.join(name);
    std::fs::write(path("st.h"), text.header).expect("the header is written");
    std::fs::write(path("st.c"), text.source).expect("the source is written");
    let built = Command::new("gcc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-DSTACK_HEADER=\"st.h\"", "-DSTACK_SYMBOL=st_stack"])
        .arg("-I")
        .arg(folder)
        .arg("-o")
        .args([path("secrets"), root().join("tests/c/secrets.c"), path("st.c")])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path("secrets")
}

#[test]
fn emitted_c_erases_secrets_when_it_is_discarded() {
    let (session, stack) = keeping("secret ");
    for level in LEVELS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ran = Command::new(program(&session, &stack, level, folder.path())).output().expect("it runs");
        let out = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(out, "open 1 1\ndiscarded 0 0\n", "{}", level.name());
        let source = session.emit(&stack, level, None).source;
        // The compiler may leave out a `memset` of what nothing reads again, but no access that is volatile.
        assert_eq!(source.matches("st_erase(&s->").count(), 4, "each secret of the state and each given one");
    }
    let (session, plain) = keeping("");
    assert_eq!(session.emit(&plain, Level::Call, None).source.matches("st_erase(&s->").count(), 2);
}

/// An end whose canonical state differs from that of another by the last byte.
struct Off(Box<dyn Endpoint>);

impl Endpoint for Off {
    fn call(&mut self, now: u64, event: u16, arguments: &[u64], address: Option<Address>, message: &[u8]) -> Step {
        self.0.call(now, event, arguments, address, message)
    }
    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step {
        self.0.input(now, from, frame)
    }
    fn tick(&mut self, now: u64) -> Step {
        self.0.tick(now)
    }
    fn settle(&mut self) -> Vec<Output> {
        self.0.settle()
    }
    fn deadline(&self) -> u64 {
        self.0.deadline()
    }
    fn accepts(&self, event: u16, length: usize) -> bool {
        self.0.accepts(event, length)
    }
    fn counters(&self) -> Vec<u64> {
        self.0.counters()
    }
    fn canonical(&self) -> Vec<u8> {
        let mut state = self.0.canonical();
        let key = state.iter().position(|byte| *byte == KEY).expect("the key is in the state");
        state[key] ^= 1;
        state
    }
    fn space(&self) -> (u32, u32) {
        self.0.space()
    }
    fn discard(&mut self) {
        self.0.discard();
    }
}

struct MakesOff(Interpreter);

impl Maker for MakesOff {
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String> {
        let (endpoint, outputs) = self.0.open(opening)?;
        Ok((Box::new(Off(endpoint)), outputs))
    }
    fn name(&self) -> String {
        "off".into()
    }
}

/// What the comparison of a stack with one whose state is off reports. Its given values are equal bytes.
fn reported(stack: Stack) -> Vec<String> {
    let givens: Vec<(String, Given)> = stack
        .cells
        .iter()
        .filter(|cell| cell.is_configured())
        .map(|c| (format!("keeping.{}", c.name), Given::Bytes(vec![KEY; 32])))
        .collect();
    let send = Interface::of(&stack).input(None, "send").expect("it can send");
    let interpreter = Interpreter::new(Arc::new(stack));
    let row = Lockstep { makers: vec![Box::new(interpreter.clone()), Box::new(MakesOff(interpreter))] };
    let (mut endpoint, _) = row.open(&Opening { givens, seed: 1, now: 1 }).expect("it opens");
    let step = endpoint.call(1, send, &[], None, b"x");
    assert_eq!(step.outcome, Outcome::Done);
    endpoint.reports()
}

#[test]
fn differences_of_states_are_reported_without_secrets() {
    let (_, stack) = keeping("secret ");
    let mut plain = stack.clone();
    plain.cells.iter_mut().for_each(|cell| cell.secret = false);
    let (hidden, shown) = (reported(stack).concat(), reported(plain).concat());
    assert!(hidden.contains("canonical states") && shown.contains("canonical states"), "{hidden} {shown}");
    assert!(shown.contains("a7a7a7") && !hidden.contains("a7a7"), "{hidden}");
}
