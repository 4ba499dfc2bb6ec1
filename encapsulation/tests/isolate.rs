//! Instances in processes of their own: they do what they do in the process, and end alone.

mod c;
mod isolated;
mod world;

use std::path::Path;
use std::sync::OnceLock;

use isolated::{Trouble, LARGE};
use nacre_encapsulation::compile::{gcc, room, SANITIZERS};
use nacre_encapsulation::import::{write_streams, Import};
use nacre_encapsulation::streams::Message;
use nacre_simulator::network::Conditions;
use tempfile::tempdir;
use world::{bytes, connect, import, source, tpi, transfer, Capsule, World, SECOND};

fn flags() -> Vec<String> {
    SANITIZERS.iter().map(|flag| flag.to_string()).collect()
}

/// Runs tests in C that are linked with the library in a folder.
fn pass(folder: &Path, test: &str, capsule: &Path, flag: &str) {
    let (library, rpath) = (folder.join("libnacre_streams.so"), format!("-Wl,-rpath,{}", folder.display()));
    let capsule = format!("-DCAPSULE=\"{}\"", capsule.display());
    c::pass(&[library, room().join("tests").join(test)], &[flag, &capsule, &rpath]);
}

/// The tests of the environments' own protocols, of capsules whose instances are isolated.
fn own_protocols(environment: &str, tree: &str, description: &str, tests: &[&str], flag: &str) {
    let folder = tempdir().expect("a folder");
    let tree = room().join("tests").join(tree);
    let description = Some(tree.join(description));
    let (environment, name) = (environment.to_string(), "tp".to_string());
    let import = Import { tree, environment, name, description, flags: flags(), isolate: true };
    let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    for test in tests {
        pass(folder.path(), test, &imported.capsule, flag);
    }
}

#[test]
fn bsd_protocols_do_the_same() {
    own_protocols("bsd44", "bsd", "tp.toml", &["bsd_datagrams.c", "bsd_streams.c"], "-DBSD44");
}

#[test]
fn netbsd_protocols_over_ethernets_do_the_same() {
    own_protocols("bsd44", "bsd/netbsd", "netbsd.toml", &["bsd_ethernet.c"], "-DBSD44");
}

#[test]
fn sunos_protocols_do_the_same() {
    own_protocols("sunos4", "sunos4", "tp.toml", &["bsd_datagrams.c", "bsd_streams.c"], "-DSUNOS4");
}

#[test]
fn x_kernel_protocols_do_the_same() {
    own_protocols("xkernel", "xkernel", "graph.toml", &["xkernel_connections.c", "xkernel_storm.c"], "-DXKERNEL");
}

/// A worker that breaks the rules in all ways does no harm to the host.
#[test]
fn made_up_records_do_no_harm() {
    let folder = tempdir().expect("a folder");
    write_streams(folder.path(), &flags()).expect("the library");
    let mut arguments: Vec<String> = SANITIZERS.iter().map(|flag| flag.to_string()).collect();
    arguments.extend([format!("-I{}", room().display()), "-o".into()]);
    arguments.push(folder.path().join("nacre_isolated").display().to_string());
    arguments.push(room().join("tests/isolate_hostile.c").display().to_string());
    arguments.extend(c::sources("streams").iter().map(|path| path.display().to_string()));
    arguments.push("-ldl".into());
    gcc(&arguments, folder.path()).unwrap_or_else(|words| panic!("{words}"));
    std::fs::write(folder.path().join("any.isolated.so"), "not loaded").expect("a file");
    pass(folder.path(), "isolate_host.c", &folder.path().join("any.isolated.so"), "-DHOST");
}

/// Two instances over a network with faults, of which the one that listens is isolated, or both are. The time at which all had come.
fn transfer_over_bad_network(capsule: &Capsule, seed: u64, device: &str, data: fn(&[u8]) -> Message) -> u64 {
    let conditions = Conditions {
        loss: 0.03,
        duplicate: 0.02,
        reorder: 0.05,
        corrupt: 0.01,
        delay: 2_000_000,
        jitter: 1_000_000,
        ..Conditions::default()
    };
    let mut world = World::new(capsule.streams, seed, 1, &conditions);
    for (at, side) in world.sides.iter().enumerate() {
        let address = format!("addresses=10.0.0.{}/24", at + 1);
        let options: &[&str] = if at == 1 || seed % 2 == 1 { &[&address, "isolate"] } else { &[&address] };
        side.load(&capsule.imported.capsule, "ip", options);
        let control = side.host.stream(device).expect("a stream");
        control.link(side.host.stream("link0").expect("the link")).expect("it is linked");
        side.keep(control);
    }
    let to = tpi::ipv4([10, 0, 0, 2], 7000);
    let [mut a, mut b] = connect(&mut world, [device; 2], &to, &to);
    let there = bytes(100_000, seed);
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 600 * SECOND, data), "seed {seed}: {}", b.data.len());
    assert!(b.data == there, "seed {seed}: lost, repeated or out of order");
    let time = world.clock.get();
    drop((a, b));
    world.end();
    time
}

fn transfers(capsule: &Capsule, device: &str, data: fn(&[u8]) -> Message) {
    let seeds = if world::soaking() { 200 } else { 2 };
    let times: Vec<u64> = (0..seeds).map(|seed| transfer_over_bad_network(capsule, seed, device, data)).collect();
    assert_eq!(transfer_over_bad_network(capsule, 0, device, data), times[0], "the same seed again");
}

#[test]
fn lwip_does_the_same() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("lwip", "lwip"), "lwip", &CAPSULE);
    transfers(capsule, "ip.tcp", |bytes| Message { control: None, data: Some(bytes.to_vec()) });
}

#[test]
fn usrsctp_does_the_same() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("usrsctp", "usrsctp-sys").join("usrsctp"), "usrsctp", &CAPSULE);
    transfers(capsule, "ip.sctp", tpi::data);
}

#[test]
fn messages_pass_in_order_and_whole() {
    let trouble = Trouble::new();
    let stream = trouble.stream("good");
    for length in [0, 1, 4000, 65_536, LARGE] {
        let sent = bytes(length, length as u64 | 2).into_iter().map(|byte| byte | 0x80).collect::<Vec<u8>>();
        trouble.write(&stream, &sent);
        assert!(trouble.device_has(&sent), "{length} bytes down");
        trouble.device.receive(&sent).expect("room");
        trouble.host.work();
        assert!(trouble.read(&stream, sent.len()) == sent, "{length} bytes up");
    }
    drop(stream);
    trouble.end();
}

#[test]
fn a_reader_that_pauses_stops_the_other_side() {
    let trouble = Trouble::new();
    let stream = trouble.stream("good");
    let mut taken: usize = 0;
    let frame = |number: usize| [[number as u8 | 0x80].as_slice(), &[0x80; 999]].concat();
    while trouble.device.receive(&frame(taken)).is_ok() {
        taken += 1;
        trouble.host.work();
        assert!(taken < 10_000, "the memory of the host has no limit otherwise");
    }
    assert!(taken > 60, "{taken} frames were taken");
    for number in 0..taken {
        assert_eq!(trouble.read(&stream, 1000), frame(number), "frame {number} of {taken}");
        trouble.host.work();
    }
    drop(stream);
    trouble.end();
}

/// Messages without data take memory, too.
#[test]
fn a_flood_of_empty_messages_has_a_limit() {
    let trouble = Trouble::new();
    let stream = trouble.stream("good");
    trouble.write(&stream, b"u");
    let blocks = trouble.host.live_blocks();
    assert!(blocks < 200_000, "{blocks} blocks");
    drop(stream);
    trouble.end();
}

#[test]
fn hosts_are_interrupted_and_killed() {
    let trouble = Trouble::new();
    pass(trouble.folder.path(), "isolate_processes.c", &trouble.capsule, "-DHOST");
    trouble.end();
}

#[test]
fn a_crash_ends_the_instance_alone() {
    for (letter, words) in [(b'c', "by signal 11"), (b'l', "it did not return"), (b'p', "told to")] {
        let trouble = Trouble::new();
        let (bad, good) = (trouble.stream("bad"), trouble.stream("good"));
        trouble.write(&bad, &[letter]);
        let log = trouble.host.log().join("\n");
        assert!(log.contains(words) && log.contains("the instance ends"), "{}: {log}", letter as char);
        if letter != b'p' {
            let after = Message { control: None, data: Some(vec![0x80]) };
            assert_eq!(bad.put(&after).expect_err("it ended").raw_os_error(), Some(libc::EIO));
        }
        drop(bad);
        trouble.write(&good, &[0x81]);
        assert!(trouble.device_has(&[0x81]), "another instance goes on");
        drop(good);
        trouble.end();
    }
}

#[test]
fn a_crash_while_a_stream_opens_or_closes_ends_the_instance_alone() {
    let trouble = Trouble::new();
    let stream = trouble.stream("bad");
    trouble.write(&stream, b"x");
    trouble.write(&stream, b"y");
    let second = trouble.host.stream("wire").expect("a stream");
    assert_eq!(second.push("bad").expect_err("it crashes").raw_os_error(), Some(libc::EIO));
    assert_eq!(second.push("bad").expect_err("it has ended").raw_os_error(), Some(libc::EIO));
    drop((stream, second));
    trouble.end();
    let trouble = Trouble::new();
    let stream = trouble.stream("bad");
    trouble.write(&stream, b"x");
    drop(stream);
    assert!(trouble.host.log().join("\n").contains("by signal 11"), "{:?}", trouble.host.log());
    trouble.end();
}

#[test]
fn what_an_instance_leaks_is_told() {
    let trouble = Trouble::new();
    let stream = trouble.stream("bad");
    trouble.write(&stream, b"z");
    drop(stream);
    let host = trouble.host.clone();
    trouble.end();
    assert!(host.log().join("\n").contains("not freed 1 blocks"), "{:?}", host.log());
}

/// The workers that run the program in a folder.
fn workers(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let program = folder.join("nacre_isolated");
    processes.filter(|process| std::fs::read_link(process.path().join("exe")).is_ok_and(|exe| exe == program)).count()
}

#[test]
fn instances_do_not_outlive_their_host() {
    let trouble = Trouble::new();
    let stream = trouble.stream("good");
    trouble.write(&stream, &[0x80]);
    assert_eq!(workers(trouble.folder.path()), 2);
    let folder = trouble.close();
    assert_eq!(workers(folder.path()), 2, "a stream keeps the host");
    drop(stream);
    assert_eq!(workers(folder.path()), 0);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn it_can_do_nothing_but_compute() {
    let trouble = Trouble::new();
    let stream = trouble.stream("good");
    let refusals = [
        (b"o", libc::EPERM, "it opened a file"),
        (b"e", libc::EPERM, "it wrote a file while it was loaded"),
        (b"m", libc::ENOMEM, "it got more memory than it may have"),
        (b"f", libc::EPERM, "it slept while it was its turn"),
    ];
    for (letter, error, words) in refusals {
        trouble.write(&stream, letter);
        assert!(trouble.device_has(&[error as u8]), "{words}");
    }
    drop(stream);
    trouble.end();
}

#[test]
fn what_is_wrong_is_explained() {
    let trouble = Trouble::new();
    let refused = |options: &[&str]| trouble.host.load(&trouble.capsule, "x", options).err().expect("it is refused");
    assert!(refused(&["isolate=soon"]).to_string().contains("milliseconds"));
    assert!(refused(&["a=1"; 256]).to_string().contains("too long"), "more options than a worker takes");
    let folder = tempdir().expect("a folder");
    let alone = folder.path().join("alone.isolated.so");
    std::fs::copy(&trouble.capsule, &alone).expect("a copy");
    let error = trouble.host.load(&alone, "x", &[]).err().expect("it is refused").to_string();
    assert!(error.contains("nacre_isolated"), "{error}");
    std::fs::write(folder.path().join("nacre_isolated"), "").expect("a file");
    let error = trouble.host.load(&alone, "x", &[]).err().expect("it is refused").to_string();
    assert!(error.contains("cannot be run: Permission denied"), "{error}");
    std::fs::copy("/bin/true", folder.path().join("nacre_isolated")).expect("a copy");
    let error = trouble.host.load(&alone, "x", &[]).err().expect("it is refused").to_string();
    assert!(error.contains("its process ended"), "{error}");
    std::fs::write(trouble.folder.path().join("text.isolated.so"), "text").expect("a file");
    let error = trouble.host.load(&trouble.folder.path().join("text.isolated.so"), "x", &[]).err();
    assert!(error.expect("it is refused").to_string().contains("text.isolated.so"));
    trouble.end();
}
