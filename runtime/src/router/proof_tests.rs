//! Greetings, and peers that prove their address before anything is kept or delivered.

use super::attack_tests::{address, client, exchange, flood, router, server, Datagrams, HONEST, SERVER};
use super::tests::events;
use super::*;
use crate::clock::{MILLISECOND, SECOND};
use crate::options::Secret;
use crate::support::window;
use crate::wire::{Control, Label, Preamble};

/// Whether the address is proven of each message that is delivered.
fn proven(router: &mut Router<Datagrams>) -> Vec<bool> {
    let mut all = Vec::new();
    loop {
        router.take_back();
        let found = router.next_event();
        match router.lend(found) {
            Some(crate::Event::Delivered { is_proven, .. }) => all.push(is_proven),
            Some(_) => {}
            None => return all,
        }
    }
}

#[test]
fn retry_is_believed_of_nobody_who_has_not_seen_the_first_frame() {
    let (mut client, id) = client(2);
    client.outbox_mut().clear();
    let cookie = client.cookie(id).unwrap();
    let key = client.get(id).unwrap().key;
    let label = Label { cookie: 5, key: 6 };
    for to in [Label { cookie, key: key ^ 1 }, Label { cookie: cookie ^ 1, key }] {
        client.datagram(address(SERVER), &Control::Retry { to, label }.write(20).unwrap());
        assert!(client.outbox().is_empty(), "nothing happens");
    }
    client.datagram(address(SERVER), &Control::Retry { to: Label { cookie, key }, label }.write(20).unwrap());
    events(&mut client);
    assert_eq!(client.outbox().len(), 1, "a greeting");
    // What the server does not know any more is forgotten.
    client.outbox_mut().clear();
    client.datagram(address(SERVER), &Control::Unknown { unknown: label }.write(12).unwrap());
    events(&mut client);
    let greeting = client.outbox_mut().pop().expect("another greeting").1;
    assert_eq!(Preamble::read(&greeting).unwrap().cookie, 0);
    // It knows no label then, which is not a label that can be unknown.
    client.datagram(address(SERVER), &Control::Unknown { unknown: Label::default() }.write(12).unwrap());
    events(&mut client);
    assert!(client.outbox().is_empty(), "nothing happens");
}

#[test]
fn label_of_a_retry_is_of_no_use_to_others_or_later() {
    let mut server = router(Options { seed: Some(1), retry_above: 0, ..Options::default() });
    server.serve(&window(), None).unwrap();
    let (mut client, _) = client(2);
    exchange(&mut client, &mut server);
    let (_, proven) = client.outbox_mut().pop().expect("a greeting with the label");
    assert_ne!(Preamble::read(&proven).unwrap().cookie, 0);
    server.datagram(address(77), &proven);
    events(&mut server);
    assert_eq!((server.statistics().connections, server.statistics().unknown_cookies), (0, 1), "another address");
    server.set_time(30 * SECOND);
    server.datagram(address(HONEST), &proven);
    events(&mut server);
    assert_eq!((server.statistics().connections, server.statistics().unknown_cookies), (0, 2), "too late");
}

#[test]
fn message_whose_sender_may_be_forged_is_marked() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    let mut marks = vec![];
    for _ in 0..3 {
        for (_, frame) in std::mem::take(client.outbox_mut()) {
            server.datagram(address(HONEST), &frame);
            marks.extend(proven(&mut server));
            events(&mut server);
        }
        for (_, frame) in std::mem::take(server.outbox_mut()) {
            client.datagram(address(SERVER), &frame);
            events(&mut client);
        }
    }
    assert_eq!(marks, [false], "a first message");
    client.send(id, b"again").unwrap();
    server.datagram(address(HONEST), &client.outbox_mut().pop().unwrap().1);
    assert_eq!(proven(&mut server), [true]);
    events(&mut server);
    let peer = server.connections()[0];
    server.send(peer, b"answer").unwrap();
    client.datagram(address(SERVER), &server.outbox_mut().pop().unwrap().1);
    assert_eq!(proven(&mut client), [true], "who begins a connection chose the address");
}

/// The greeting that would have proven the address is lost: a message does.
#[test]
fn message_that_proves_its_sender_is_proven() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    exchange(&mut client, &mut server);
    client.outbox_mut().clear();
    client.send(id, b"again").unwrap();
    server.datagram(address(HONEST), &client.outbox_mut().pop().unwrap().1);
    assert_eq!(proven(&mut server), [true]);
}

#[test]
fn nothing_is_delivered_of_an_address_that_is_not_proven() {
    let mut server = router(Options { seed: Some(1), retry_above: 0, ..Options::default() });
    server.serve(&window(), None).unwrap();
    let (mut client, _) = client(2);
    let mut heard = Vec::new();
    for round in 0..3 {
        for (_, frame) in std::mem::take(client.outbox_mut()) {
            server.datagram(address(HONEST), &frame);
            heard.extend(events(&mut server));
            assert!(round > 0 || heard.is_empty(), "{heard:?}");
        }
        for (_, frame) in std::mem::take(server.outbox_mut()) {
            client.datagram(address(SERVER), &frame);
            events(&mut client);
        }
    }
    assert!(heard.contains(&"opened".to_string()) && !heard.contains(&"delivered hello".to_string()), "{heard:?}");
    client.set_time(SECOND);
    events(&mut client);
    for (_, frame) in std::mem::take(client.outbox_mut()) {
        server.datagram(address(HONEST), &frame);
        heard.extend(events(&mut server));
    }
    assert!(heard.contains(&"delivered hello".to_string()), "what was lost is retransmitted: {heard:?}");
}

/// The connections of a server that was started again between its demand for a proof and the answer.
fn connections_after_restart([before, after]: [(Options, u64); 2]) -> usize {
    let [mut before, mut after] = [before, after].map(|(options, now)| {
        let mut server = Router::new(Vec::new(), Options { retry_above: 0, ..options }, now);
        server.serve(&window(), None).unwrap();
        server
    });
    let (mut client, _) = client(2);
    exchange(&mut client, &mut before);
    assert_eq!(before.statistics().connections, 0, "it has asked for a proof");
    exchange(&mut client, &mut after);
    after.statistics().connections
}

fn secret(byte: u8) -> Option<Secret> {
    Some(Secret([byte; 16]))
}

#[test]
fn server_that_starts_again_with_its_secret_takes_the_proofs_that_it_asked_for() {
    for (other, taken) in [(7, 1), (8, 0)] {
        let servers = [(1, 7), (2, other)].map(|(seed, byte)| Options {
            seed: Some(seed),
            secret: secret(byte),
            ..Options::default()
        });
        assert_eq!(connections_after_restart(servers.map(|options| (options, 1))), taken, "{other}");
    }
}

/// The clock of a machine begins anew with it. What both have is the time of day.
#[test]
fn machine_that_starts_again_with_its_secret_takes_the_proofs_that_it_asked_for() {
    let servers = [1_000_000 * SECOND, 1].map(|now| (Options { secret: secret(7), ..Options::default() }, now));
    assert_eq!(connections_after_restart(servers), 1);
}

#[test]
fn greeting_is_repeated_until_it_is_answered() {
    let mut client = router(Options { seed: Some(2), ..Options::default() });
    client.connect(address(SERVER), &window(), |_| {}).unwrap();
    let mut greeted = Vec::new();
    let mut run = |client: &mut Router<Datagrams>, from: u64, until: u64| {
        greeted.clear();
        for now in from..until {
            client.set_time(1 + now * MILLISECOND);
            events(client);
            greeted.extend(client.outbox_mut().drain(..).map(|(_, frame)| (now, frame)));
        }
        std::mem::take(&mut greeted)
    };
    let sent = run(&mut client, 0, 4000);
    let times: Vec<u64> = sent.iter().map(|(now, _)| *now).collect();
    assert_eq!(times, [0, 50, 150, 350, 750, 1550, 2550, 3550]);
    let mut server = server(60, 50);
    server.datagram(address(HONEST), &sent[0].1);
    events(&mut server);
    let (_, answer) = server.outbox_mut().pop().expect("an answer");
    client.datagram(address(SERVER), &answer);
    assert_eq!(run(&mut client, 4000, 4001).len(), 1, "its answer");
    let later = run(&mut client, 4001, 8000);
    assert!(later.iter().all(|(_, frame)| Preamble::read(frame).unwrap().is_control()), "no greeting any more");
}

#[test]
fn where_many_are_not_confirmed_an_address_is_proven_before_anything_is_kept() {
    let options = Options { seed: Some(1), connections: 60, unconfirmed: 50, retry_above: 20, ..Options::default() };
    let mut server = router(options);
    server.serve(&window(), None).unwrap();
    flood(&mut server, 0, 500);
    let statistics = server.statistics();
    assert_eq!((statistics.connections, statistics.evicted, statistics.retried), (13, 0, 487));
    assert!(server.outbox().iter().all(|(_, frame)| frame.len() <= 52), "no answer is larger than a first frame");
    server.outbox_mut().clear();

    let (mut client, id) = client(2);
    // Greeting, retry; greeting with its label, answer.
    let words = [exchange(&mut client, &mut server), exchange(&mut client, &mut server)].concat();
    assert!(words.contains(&"opened".to_string()), "{words:?}");
    assert!(server.connections.at(address(HONEST)).expect("it is there").confirmed);
    client.send(id, b"again").unwrap();
    exchange(&mut client, &mut server);
    assert_eq!((server.statistics().evicted, server.statistics().late), (0, 0));
}

/// A flood does not reach the end of the places, however many there are and whatever the option says.
#[test]
fn proofs_begin_while_three_quarters_of_the_places_are_free() {
    // Places, those of unconfirmed connections, the option, other connections; how many are begun by forged frames.
    for (connections, unconfirmed, retry_above, others, begun) in [
        (60, 50, 20, 0, 13),
        (60, 50, 1_000, 0, 13),
        (60, 50, 4, 0, 4),
        (60, 50, 1_000, 40, 5),
        (60, 5_000, 1_000, 59, 1),
        (60, 5_000, 1_000, 60, 0),
        (1, 5_000, 1_000, 0, 1),
        (2_000, 5_000, 1_000, 0, 500),
        (2_000, 5_000, 100, 0, 100),
        (60, 50, 0, 0, 0),
    ] {
        let words = format!("{connections} {unconfirmed} {retry_above} {others}");
        let options = Options { seed: Some(1), connections, unconfirmed, retry_above, ..Options::default() };
        let mut server = router(options);
        server.serve(&window(), None).unwrap();
        for other in 0..others {
            server.connect(address(20_000 + other), &window(), |_| {}).unwrap();
        }
        flood(&mut server, 0, 700);
        let statistics = server.statistics();
        assert_eq!(statistics.connections, others as usize + begun, "{words}");
        assert_eq!(statistics.evicted, 0, "{words}");
        assert_eq!(statistics.retried, if connections == others as usize { 0 } else { 700 - begun as u64 }, "{words}");
    }
}

/// The frames of a client that are there, taken from it.
fn frames(client: &mut Router<Datagrams>) -> Vec<Vec<u8>> {
    client.outbox_mut().drain(..).map(|(_, frame)| frame).collect()
}

/// Passes the honest client's frames to the server, and returns the events that its application receives.
fn give(server: &mut Router<Datagrams>, frames: &[Vec<u8>]) -> Vec<String> {
    frames.iter().flat_map(|frame| (server.datagram(address(HONEST), frame), events(server)).1).collect()
}

/// Carries everything until nothing is left to say, and checks that both have one connection, on which what was sent arrives.
fn remain_one(client: &mut Router<Datagrams>, server: &mut Router<Datagrams>, mut told: Vec<String>) {
    for step in 1..40 {
        let now = 12 * SECOND + step * 100 * MILLISECOND;
        client.set_time(now);
        server.set_time(now);
        events(client);
        let sent = frames(client);
        told.extend(give(server, &sent));
        for (_, frame) in std::mem::take(server.outbox_mut()) {
            client.datagram(address(SERVER), &frame);
            assert!(!events(client).iter().any(|word| word.starts_with("closed")));
        }
    }
    let count = |what: &str| told.iter().filter(|word| word.starts_with(what)).count();
    assert_eq!((count("arrived"), count("closed"), count("delivered hello")), (1, 0, 1), "{told:?}");
    assert_eq!((server.statistics().connections, server.statistics().restarted), (1, 0));
    assert!(server.connections.at(address(HONEST)).expect("it is there").confirmed);
}

/// At the end of a period two copies of a greeting are answered with different labels, and both are valid.
#[test]
fn two_labels_for_one_peer_are_one_connection() {
    let mut server = router(Options { seed: Some(1), retry_above: 0, ..Options::default() });
    server.serve(&window(), None).unwrap();
    let (mut client, _) = client(2);
    let first = frames(&mut client);
    let mut proven = Vec::new();
    for time in [9_900, 10_100] {
        server.set_time(time * MILLISECOND);
        give(&mut server, &first[..1]);
        let (_, retry) = server.outbox_mut().pop().expect("a retry");
        client.datagram(address(SERVER), &retry);
        events(&mut client);
        proven.extend(frames(&mut client).into_iter().next());
    }
    assert_ne!(proven[0], proven[1], "two labels");
    let told = give(&mut server, &proven);
    remain_one(&mut client, &mut server, told);
}

/// A copy of a greeting is taken when fewer connections are not confirmed; then the proof comes that was asked for before.
#[test]
fn proof_for_a_connection_that_has_begun_without_it_is_no_second_one() {
    let mut server = router(Options { seed: Some(1), retry_above: 20, ..Options::default() });
    server.serve(&window(), None).unwrap();
    flood(&mut server, 0, 20);
    let (mut client, _) = client(2);
    let first = frames(&mut client);
    server.outbox_mut().clear();
    give(&mut server, &first[..1]);
    let (_, retry) = server.outbox_mut().pop().expect("a retry");
    client.datagram(address(SERVER), &retry);
    events(&mut client);
    let proven = frames(&mut client);
    assert_ne!(Preamble::read(&proven[0]).unwrap().cookie, 0);
    for id in server.connections() {
        server.remove(id);
    }
    let told = give(&mut server, &[&first[..1], &proven].concat());
    server.outbox_mut().clear(); // its answers are lost
    remain_one(&mut client, &mut server, told);
}

/// A server that asks every peer for a proof.
fn asking_server() -> Router<Datagrams> {
    let mut server = router(Options { seed: Some(1), retry_above: 0, ..Options::default() });
    server.serve(&window(), None).unwrap();
    server
}

/// Lets a client greet, and gives it the server's demand for a proof. Returns its proven greeting and message.
fn proven_frames(server: &mut Router<Datagrams>, client: &mut Router<Datagrams>, from: u32) -> Vec<Vec<u8>> {
    let first = frames(client);
    server.datagram(address(from), &first[0]);
    let (_, retry) = server.outbox_mut().pop().expect("a retry");
    client.datagram(address(SERVER), &retry);
    events(client);
    let proven = frames(client);
    assert_ne!(Preamble::read(&proven[0]).unwrap().cookie, 0);
    proven
}

fn count(told: &[String], what: &str) -> usize {
    told.iter().filter(|word| word.starts_with(what)).count()
}

/// Who is at another address before it has heard of the connection that it has proven its address for begins again:
/// what was delivered before belongs to a connection that does not open.
#[test]
fn client_that_moves_before_it_has_heard_of_its_connection_opens_one() {
    const MOVED: u32 = 77;
    let mut server = asking_server();
    let (mut client, _) = client(2);
    let proven = proven_frames(&mut server, &mut client, HONEST);
    let mut told = give(&mut server, &proven);
    assert_eq!((count(&told, "arrived"), count(&told, "opened")), (1, 0), "{told:?}");
    server.outbox_mut().clear(); // nothing of it arrives at the old address
    for step in 1..60 {
        let now = step * 100 * MILLISECOND;
        client.set_time(now);
        server.set_time(now);
        events(&mut client);
        for frame in frames(&mut client) {
            server.datagram(address(MOVED), &frame);
            told.extend(events(&mut server));
        }
        for (to, frame) in std::mem::take(server.outbox_mut()) {
            if to == address(MOVED) {
                client.datagram(address(SERVER), &frame);
                events(&mut client);
            }
        }
    }
    assert_eq!((count(&told, "arrived"), count(&told, "opened")), (2, 1), "{told:?}");
    let opened = server.connections.at(address(MOVED)).expect("its connection");
    assert!(opened.confirmed && opened.peer_incarnation.is_some());
}

/// The proof of a client that has started again since opens no connection, and ends none of the new process.
#[test]
fn proof_of_an_earlier_life_replaces_nothing() {
    let mut server = asking_server();
    let (mut before, _) = client(2);
    let late = proven_frames(&mut server, &mut before, HONEST);
    let (mut client, _) = client(3);
    let mut told = Vec::new();
    for _ in 0..4 {
        let sent = frames(&mut client);
        told.extend(give(&mut server, &sent));
        for (_, frame) in std::mem::take(server.outbox_mut()) {
            client.datagram(address(SERVER), &frame);
            events(&mut client);
        }
    }
    assert_eq!((count(&told, "arrived"), count(&told, "opened")), (1, 1), "{told:?}");
    let told = give(&mut server, &late);
    assert_eq!((count(&told, "arrived"), count(&told, "opened"), count(&told, "closed")), (1, 0, 0), "{told:?}");
    assert_eq!((server.statistics().connections, server.statistics().restarted), (2, 0));
}
