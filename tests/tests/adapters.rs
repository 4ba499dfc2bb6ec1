//! The adapter for libsodium computes what RFC 8439, RFC 5869 and RFC 8032 say, refuses everything that was not sealed
//! with the same values or signed, and stays within its buffers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nacre_simulator::random::Random;
use nacre_tests::primitives::{bytes, expand, hex, open, seal};
use nacre_tests::root;

/// One call, as the program in C reads it, and the answer that the specifications give.
struct Case {
    line: String,
    answer: String,
}

fn words(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        "-".into()
    } else {
        hex(bytes)
    }
}

fn drawn<const N: usize>(random: &mut Random) -> [u8; N] {
    std::array::from_fn(|_| random.number() as u8)
}

/// A message is sealed, and the result is opened: as it is, with one value changed, cut, and extended.
fn cases_of(len: usize, random: &mut Random) -> Vec<Case> {
    let (key, nonce, also): ([u8; 32], [u8; 12], [u8; 8]) = (drawn(random), drawn(random), drawn(random));
    let data: Vec<u8> = (0..len).map(|_| random.number() as u8).collect();
    let sealed = seal(&key, &nonce, &also, &data);
    let line = |verb: &str, key: &[u8], nonce: &[u8], also: &[u8], data: &[u8]| {
        format!("{verb} {} {} {} {}", hex(key), hex(nonce), hex(also), words(data))
    };
    let mut cases = vec![
        Case { line: line("seal", &key, &nonce, &also, &data), answer: words(&sealed) },
        Case { line: line("unseal", &key, &nonce, &also, &sealed), answer: words(&data) },
    ];
    let flip = |bytes: &mut [u8], at: usize| bytes[at % bytes.len()] ^= 1 << (at % 8);
    for at in 0..sealed.len().min(80) {
        let (mut key, mut nonce, mut also, mut sealed) = (key, nonce, also, sealed.clone());
        match at % 5 {
            0 => flip(&mut key, at),
            1 => flip(&mut nonce, at),
            2 => flip(&mut also, at),
            3 => flip(&mut sealed, at),
            _ => sealed.truncate(at),
        }
        assert_eq!(open(&key, &nonce, &also, &sealed), None);
        cases.push(Case { line: line("unseal", &key, &nonce, &also, &sealed), answer: "none".into() });
    }
    let extended = [&sealed[..], &[0]].concat();
    cases.push(Case { line: line("unseal", &key, &nonce, &also, &extended), answer: "none".into() });
    cases.push(Case { line: format!("next {}", hex(&key)), answer: hex(&expand(&key, b"nacre next key")) });
    cases
}

/// Section 7.1 of RFC 8032, tests 1 to 3: seed, public key, message, signature.
const SIGNATURES: [[&str; 4]; 3] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe\
         24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a\
         eeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2\
         8dc027beceea1ec40a",
    ],
];

/// A message is signed, and the result is checked: as it is, with each byte changed, cut, and with another key.
fn cases_of_signature([seed, key, message, signature]: [&str; 4]) -> Vec<Case> {
    let signed = bytes(&format!("{message}{signature}"));
    let data = words(&bytes(message));
    let case = |line: String, answer: &str| Case { line, answer: answer.into() };
    let mut cases = vec![
        case(format!("verifying {seed}"), key),
        case(format!("sign {seed} {data}"), &hex(&signed)),
        case(format!("signed {key} {}", hex(&signed)), &data),
        case(format!("signed {} {}", SIGNATURES[0][0], hex(&signed)), "none"),
    ];
    for at in 0..signed.len() {
        let mut forged = signed.clone();
        forged[at] ^= 1 << (at % 8);
        cases.push(case(format!("signed {key} {}", hex(&forged)), "none"));
        cases.push(case(format!("signed {key} {}", words(&signed[..at])), "none"));
    }
    cases
}

fn built(compiler: &str, flags: &[&str], folder: &Path) -> PathBuf {
    let program = folder.join(format!("{compiler}{}", flags.concat().replace(|c: char| !c.is_alphanumeric(), "_")));
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"]).args(flags);
    command.args([root().join("adapters/nacre_sodium.c"), root().join("tests/c/aead.c")]);
    let out = command.arg("-lsodium").arg("-o").arg(&program).output().expect("the compiler runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{compiler} (is libsodium-dev installed? make setup-test): {errors}");
    program
}

/// The answers of the program to all cases.
fn answers(program: &Path, cases: &[Case]) -> Vec<String> {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let lines: String = cases.iter().map(|case| format!("{}\n", case.line)).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let out = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("everything is read");
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).expect("text").lines().map(str::to_string).collect()
}

#[test]
fn libsodium_computes_what_the_specifications_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(8439);
    let lengths = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 200, 1000, 1456];
    let sealed = lengths.iter().flat_map(|len| cases_of(*len, &mut random));
    let cases: Vec<Case> = sealed.chain(SIGNATURES.into_iter().flat_map(cases_of_signature)).collect();
    let sanitizers = &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for (compiler, flags) in [("gcc", &["-O2"][..]), ("clang", &["-O2"]), ("gcc", sanitizers), ("clang", sanitizers)] {
        let given = answers(&built(compiler, flags, folder.path()), &cases);
        assert_eq!(given.len(), cases.len(), "{compiler} {flags:?}");
        for (case, given) in cases.iter().zip(given) {
            assert_eq!(given, case.answer, "{compiler} {flags:?}: {}", case.line);
        }
    }
}
