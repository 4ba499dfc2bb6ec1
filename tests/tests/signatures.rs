//! What `sign` gives to the application is verified by others; what was signed for another connection or with another
//! key is not accepted.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_driver::{Level, Session};
use nacre_runtime::{Event, Expect, Keys, Listener, Options, Prepare, SigningKey, HOST_SOURCE};
use nacre_stack::interpret::{Outcome, Value};
use nacre_stack::models::Models;
use nacre_stack::Stack;
use nacre_tests::library::find;
use nacre_tests::pair::Pair;
use nacre_tests::primitives::{bytes, hex};
use nacre_tests::root;

const HEAD: usize = 96;
const SIGNATURE: usize = 64;

// ---- in the interpreter, with models

/// The values that the hosts give: signing keys by endpoint, what both share, and the key that b expects of a.
#[derive(Clone, Copy)]
struct Given {
    signing: [u8; 2],
    binding: u8,
    expected: Option<[u8; 32]>,
}

const USUAL: Given = Given { signing: [1, 2], binding: 3, expected: None };

fn pair(stack: &Stack, given: Given) -> Pair {
    let models = Arc::new(Models::of([stack]));
    Pair::with(stack, |end, mut config| {
        config.externs = models.clone();
        let expected = given.expected.filter(|_| end == 1).unwrap_or_default();
        config
            .given("sign.signing", Value::Bytes(vec![given.signing[end]; 32]))
            .given("sign.binding", Value::Bytes(vec![given.binding; 32]))
            .given("sign.expected", Value::Bytes(expected.to_vec()))
    })
}

/// The frame with which a sends its first message in a world, and the evidence that b has of it.
fn first(stack: &Stack, given: Given) -> (Vec<u8>, Vec<u8>) {
    let mut pair = pair(stack, given);
    pair.send(0, b"to b");
    let evidence = pair.outputs_of(1, "proven")[0].to_vec();
    (pair.frames[0].bytes.clone(), evidence)
}

fn key_of(evidence: &[u8]) -> [u8; 32] {
    evidence[16..48].try_into().expect("32 bytes")
}

#[test]
fn statements_of_another_connection_are_not_accepted() {
    let stack = find("sign_alone").compose().1;
    let (frame, evidence) = first(&stack, USUAL);
    let (_, elsewhere) = first(&stack, Given { binding: 4, ..USUAL });
    assert_eq!((&evidence[48..80], &elsewhere[48..80]), (&[3; 32][..], &[4; 32][..]));
    assert_ne!(evidence[evidence.len() - SIGNATURE..], elsewhere[elsewhere.len() - SIGNATURE..]);
    for (binding, accepted) in [(3, 1), (4, 0)] {
        let mut other = pair(&stack, Given { binding, ..USUAL });
        other.give(1, &frame);
        assert_eq!(other.outputs_of(1, "deliver").len(), accepted);
        assert_eq!(other.outputs_of(1, "proven").len(), accepted);
        assert_eq!(other.count(1, "impossible"), 1 - accepted as u64);
    }
}

#[test]
fn messages_of_a_connection_are_of_one_signer() {
    let stack = find("sign_alone").compose().1;
    let (by_a, evidence) = first(&stack, USUAL);
    let (by_other, of_other) = first(&stack, Given { signing: [7, 2], ..USUAL });
    let cases = [
        (None, [&by_a, &by_other], [1, 1]),
        (None, [&by_other, &by_a], [1, 1]),
        (Some(key_of(&evidence)), [&by_other, &by_a], [0, 1]),
        (Some(key_of(&of_other)), [&by_a, &by_other], [0, 1]),
    ];
    for (expected, frames, delivered) in cases {
        let mut pair = pair(&stack, Given { expected, ..USUAL });
        for (frame, delivered) in frames.into_iter().zip(delivered) {
            assert_eq!(pair.give(1, frame), Outcome::Ok);
            assert_eq!(pair.outputs_of(1, "deliver").len(), delivered);
        }
        assert_eq!(pair.count(1, "sign.other_keys"), 1);
    }
}

#[test]
fn equal_messages_are_different_statements() {
    let mut pair = pair(&find("sign_alone").compose().1, USUAL);
    (0..3).for_each(|_| pair.send(0, b"again"));
    let all = pair.outputs_of(1, "proven");
    for (number, evidence) in all.iter().enumerate() {
        assert_eq!(evidence[88..96], (number as u64).to_le_bytes());
        assert_eq!(&evidence[HEAD..evidence.len() - SIGNATURE], b"again");
    }
    assert_eq!(all.len(), 3);
}

// ---- with signatures

/// The stack of `examples/signed.nacre`, as a program loads it.
fn signed(folder: &Path) -> nacre_runtime::Stack {
    let mut session = Session::open(&[root().join("examples/signed.nacre")]);
    let stack = session.stack("signed").expect("it composes");
    let text = session.emit(&stack, Level::Inline, None);
    let path = |name: &str| folder.join(name);
    std::fs::write(path("signed.h"), text.header).expect("written");
    std::fs::write(path("signed.c"), text.source).expect("written");
    std::fs::write(path("host.c"), HOST_SOURCE).expect("written");
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-O1", "-shared", "-fPIC", "-I"]).arg(folder).arg("-o").arg(path("signed.so"));
    let built = command.args([path("signed.c"), path("host.c")]).output().expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // SAFETY: the object was just built from a stack of this project, and has no initializers.
    unsafe { nacre_runtime::Stack::load(&path("signed.so"), "signed_stack") }.expect("it loads")
}

/// The answer of libsodium, which the runtime does not use, to a line of `tests/c/aead.c`.
fn libsodium(folder: &Path, line: &str) -> Vec<u8> {
    let program = folder.join("libsodium");
    let sources = [root().join("adapters/nacre_sodium.c"), root().join("tests/c/aead.c")];
    let built = Command::new("gcc").args(sources).arg("-lsodium").arg("-o").arg(&program).output().expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    std::fs::write(folder.join("line"), format!("{line}\n")).expect("written");
    let input = std::fs::File::open(folder.join("line")).expect("readable");
    let out = Command::new(&program).stdin(Stdio::from(input)).output().expect("it runs");
    bytes(String::from_utf8_lossy(&out.stdout).trim())
}

fn listener(signing: &SigningKey) -> Listener {
    let keys = Some(Keys::generate().expect("keys"));
    let options = Options { keys, signing: Some(signing.clone()), ..Options::default() };
    Listener::bind("127.0.0.1:0".parse().expect("an address"), options).expect("a socket")
}

/// Evidence and messages of a connection that sends some, as the server has them.
fn received(stack: &nacre_runtime::Stack, signing: &SigningKey, messages: &[Vec<u8>]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut server, mut client) = (listener(&SigningKey::generate().expect("a key")), listener(signing));
    let expected = signing.verifying();
    let prepare: Prepare = Box::new(move |config, _| assert!(config.set_bytes("sign.expected", &expected)));
    server.serve_with(stack, Some(prepare)).expect("it serves");
    let to = client.connect_secure(server.local(), stack, Expect::Any, |_| {}).expect("it connects");
    let (mut evidence, mut delivered, mut left) = (vec![], vec![], messages.iter());
    let began = Instant::now();
    while delivered.len() < messages.len() {
        assert!(began.elapsed() < Duration::from_secs(60), "{} messages came", delivered.len());
        let is_open =
            matches!(client.wait(Some(Duration::from_millis(1))).expect("it runs"), Some(Event::Opened { .. }));
        if is_open {
            left.by_ref().for_each(|message| client.send(to, message).expect("it takes a few"));
        }
        match server.wait(Some(Duration::from_millis(1))).expect("it runs") {
            Some(Event::Other { event, arguments, message, .. })
                if stack.events()[usize::from(event)].name == "proven" =>
            {
                assert_eq!(arguments[0], evidence.len() as u64);
                evidence.push(message.to_vec());
            }
            Some(Event::Delivered { message, .. }) => delivered.push(message.to_vec()),
            _ => {}
        }
    }
    (evidence, delivered)
}

#[test]
fn statements_are_verified_by_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let stack = signed(folder.path());
    let signing = SigningKey::generate().expect("a key");
    let messages = vec![b"a promise".to_vec(), vec![], vec![7; 5000], b"a promise".to_vec()];
    let (evidence, delivered) = received(&stack, &signing, &messages);
    assert_eq!(delivered, messages);
    assert_eq!(evidence.len(), messages.len());
    let binding = evidence[0][48..80].to_vec();
    assert_ne!(binding, [0; 32], "the runtime binds what is signed to the connection");
    for (number, (evidence, message)) in evidence.iter().zip(&messages).enumerate() {
        let head = [
            b"nacre statement\0",
            &signing.verifying()[..],
            &binding,
            &stack.fingerprint().to_le_bytes(),
            &(number as u64).to_le_bytes(),
        ];
        let statement = [&head.concat()[..], message].concat();
        assert_eq!(evidence[..evidence.len() - SIGNATURE], statement);
        let line = format!("signed {} {}", hex(&evidence[16..48]), hex(evidence));
        assert_eq!(libsodium(folder.path(), &line), statement);
    }
    let (again, _) = received(&stack, &signing, &messages[..1]);
    assert_ne!(again[0][48..80], binding, "another connection");
}

#[test]
fn stack_that_signs_needs_a_signing_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let stack = signed(folder.path());
    let options = Options { keys: Some(Keys::generate().expect("keys")), ..Options::default() };
    let mut client = Listener::bind("127.0.0.1:0".parse().expect("an address"), options).expect("a socket");
    let error = client.connect("127.0.0.1:9".parse().expect("an address"), &stack).expect_err("no signing key");
    assert!(error.to_string().contains("sign.signing"), "{error}");
}
