//! Noise as others have it: published test vectors, and handshakes with another implementation.

use super::aead::seal;
use super::keys::{Keys, Psk};
use super::noise::{Credentials, Noise, Parameters, Pattern, Suite};
use super::primitives::{nonce, Entropy};
use crate::wire::Label;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PATTERNS: [Pattern; 3] = [Pattern::Xx, Pattern::Ik, Pattern::Psk];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn array(hex: &str) -> [u8; 32] {
    bytes(hex).try_into().unwrap()
}

fn parameters(pattern: Pattern) -> Parameters {
    let initiator = Label { cookie: 1, key: 2 };
    Parameters { pattern, suite: Suite::X25519, fingerprint: 3, initiator }
}

/// One end with the keys of a test.
fn end(
    pattern: Pattern,
    prologue: &[u8],
    [own, other]: [Option<&Keys>; 2],
    (psk, ephemeral): (Option<&Psk>, Entropy),
    is_initiator: bool,
) -> Noise {
    let expected = other.map(Keys::public);
    let credentials = Credentials { keys: own, psk, expected: expected.as_ref() };
    Noise::with_prologue(&parameters(pattern), prologue, &credentials, ephemeral, is_initiator).unwrap()
}

/// One published vector.
#[derive(Default)]
struct Vector {
    pattern: Option<Pattern>,
    prologue: Vec<u8>,
    keys: Vec<Option<Keys>>,
    ephemeral: Vec<[u8; 32]>,
    secret: Option<Psk>,
    messages: Vec<[Vec<u8>; 2]>,
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../../tests/noise/vectors.txt");
    let mut all: Vec<Vector> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "name" {
            let pattern = PATTERNS.into_iter().find(|pattern| parameters(*pattern).name() == words[1]);
            all.push(Vector { pattern, ..Vector::default() });
            continue;
        }
        let vector = all.last_mut().expect("a name comes first");
        match words[0] {
            "prologue" => vector.prologue = bytes(words[1]),
            "static" => {
                let keys = |word: &&str| (*word != "-").then(|| Keys::from_bytes(&array(word)));
                vector.keys = words[1..].iter().map(keys).collect();
            }
            "ephemeral" => vector.ephemeral = words[1..].iter().map(|word| array(word)).collect(),
            "secret" => vector.secret = (words[1] != "-").then(|| Psk::from_bytes(&array(words[1]))),
            _ => vector.messages.push([bytes(words[1]), bytes(words[2])]),
        }
    }
    all
}

#[test]
fn published_vectors_of_noise_hold() {
    let all = vectors();
    assert_eq!(all.iter().map(|vector| vector.pattern).collect::<Vec<_>>().len(), 3);
    for vector in all {
        let pattern = vector.pattern.expect("a pattern that is used");
        let [one, other] = [0, 1].map(|n| vector.keys[n].as_ref());
        let own = |n: usize| (vector.secret.as_ref(), Entropy::Ephemeral(vector.ephemeral[n]));
        let mut initiator = end(pattern, &vector.prologue, [one, other], own(0), true);
        let mut responder = end(pattern, &vector.prologue, [other, one], own(1), false);
        let handshake = if pattern == Pattern::Xx { 3 } else { 2 };
        let (first, later) = vector.messages.split_at(handshake);
        for (n, [payload, ciphertext]) in first.iter().enumerate() {
            let (from, to) =
                if n % 2 == 0 { (&mut initiator, &mut responder) } else { (&mut responder, &mut initiator) };
            assert_eq!(hex(&from.write(payload).unwrap()), hex(ciphertext), "{pattern:?}: message {n}");
            assert_eq!(**to.read(ciphertext).unwrap(), *payload);
        }
        let (split, same) = (initiator.split(), responder.split());
        assert_eq!((split.by_initiator.0, split.by_responder.0), (same.by_initiator.0, same.by_responder.0));
        for (n, [payload, ciphertext]) in later.iter().enumerate() {
            let is_by_initiator = (n + handshake) % 2 == 0;
            let key = if is_by_initiator { &split.by_initiator } else { &split.by_responder };
            let mut sealed = vec![0; payload.len() + 16];
            seal(&key.0, &nonce(n as u64 / 2), &[], payload, &mut sealed);
            assert_eq!(hex(&sealed), hex(ciphertext), "{pattern:?}: later message {n}");
        }
    }
}

/// The other implementation.
struct Other {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn start() -> Other {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/noise/peer.py");
        // Debian's Python finds Debian's packages.
        let mut command = Command::new("/usr/bin/python3");
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python");
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Other { child, input, output }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("it listens");
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        let mut answer = String::new();
        let len = self.output.read_line(&mut answer).expect("it answers");
        assert!(len > 0, "it has ended: `tools/install.sh python3-dissononce` installs what it needs");
        answer.trim().into()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn other_implementation_of_noise_agrees() {
    let (own, theirs, psk) = (Keys::from_bytes(&[5; 32]), Keys::from_bytes(&[6; 32]), Psk::from_bytes(&[7; 32]));
    let mut other = Other::start();
    for pattern in PATTERNS {
        for is_initiator in [true, false] {
            let name = ["XX", "IK", "NNpsk0"][pattern as usize];
            let role = if is_initiator { "responder" } else { "initiator" };
            let is_psk = pattern == Pattern::Psk;
            let secret = if is_psk { "-".into() } else { hex(theirs.secret()) };
            let known = if pattern == Pattern::Ik && !is_initiator { hex(&own.public().0) } else { "-".into() };
            let shared = if is_psk { hex(psk.secret()) } else { "-".into() };
            let prologue = b"prologue";
            other.say(&format!("begin {name} {role} {} {secret} {known} {shared}", hex(prologue)));
            let keys = [Some(&own), Some(&theirs)].map(|keys| keys.filter(|_| !is_psk));
            let mut noise = end(pattern, prologue, keys, (Some(&psk), Entropy::System), is_initiator);
            for n in 0..if pattern == Pattern::Xx { 3 } else { 2 } {
                let payload = vec![n as u8; 48];
                if is_initiator == (n % 2 == 0) {
                    let message = noise.write(&payload).unwrap();
                    assert_eq!(other.ask(&format!("read {}", hex(&message))), hex(&payload), "{name}");
                } else {
                    let message = bytes(&other.ask(&format!("write {}", hex(&payload))));
                    assert_eq!(**noise.read(&message).unwrap(), payload);
                }
            }
            let known = (!is_psk).then(|| theirs.public());
            assert_eq!(noise.peer_key(), known);
            let split = noise.split();
            let sealed = [split.by_initiator, split.by_responder].map(|key| {
                let mut sealed = vec![0; 7 + 16];
                seal(&key.0, &nonce(0), &[], b"the end", &mut sealed);
                hex(&sealed)
            });
            assert_eq!(other.ask("end"), sealed.join(" "), "{name}, {role}");
        }
    }
}

#[test]
fn names_are_those_of_noise() {
    let hybrid = |pattern| Parameters { suite: Suite::Hybrid, ..parameters(pattern) }.name();
    assert_eq!(hybrid(Pattern::Xx), "Noise_XXhfs_25519+ML-KEM-768_ChaChaPoly_SHA256");
    assert_eq!(parameters(Pattern::Psk).name(), "Noise_NNpsk0_25519_ChaChaPoly_SHA256");
}
