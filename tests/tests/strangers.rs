//! What somebody without keys sends to a server with a secure stack, made up or recorded, is no sign that a peer lives, and does not
//! keep it from being followed to another address.

use std::net::SocketAddr;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{Event, Expect, Keys, Options, Psk, Reason};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

const SECOND: u64 = 1_000_000_000;
const STEP: u64 = SECOND / 30;

fn address(host: u8, port: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host], port))
}

/// A server and its client, which is at `place`.
struct World {
    server: SansIo,
    client: SansIo,
    place: SocketAddr,
    /// Whether the client sends and receives.
    is_there: bool,
    /// The frames of the client.
    recorded: Vec<Vec<u8>>,
    /// What the server has told.
    told: Vec<String>,
    now: u64,
}

impl World {
    /// Connected, after a few messages each way.
    fn connected() -> World {
        let machines = Machines::new(&find("secure"));
        let stack = machines.load(&machines.text(Level::Bypass)).expect("C that compiles");
        let options = |n: u8| Options {
            keys: Some(Keys::from_bytes(&[n; 32])),
            psk: Some(Psk::from_bytes(&[9; 32])),
            seed: Some(n.into()),
            ..Options::default()
        };
        let (mut server, mut client) = (SansIo::new(options(1), SECOND), SansIo::new(options(2), SECOND));
        server.serve(&stack).expect("it serves");
        let id = client.connect_secure(address(1, 7000), &stack, Expect::Psk).expect("it begins");
        let (place, recorded, told) = (address(2, 7000), Vec::new(), Vec::new());
        let mut world = World { server, client, place, is_there: true, recorded, told, now: SECOND };
        (0..30).for_each(|_| world.pass(&|_| vec![]));
        for n in 0..5u8 {
            world.client.send(id, &[n; 20]).expect("it is accepted");
            (0..10).for_each(|_| world.pass(&|_| vec![]));
        }
        assert_eq!(world.told.iter().filter(|word| *word == "delivered").count(), 5, "{:?}", world.told);
        world.told.clear();
        world
    }

    /// A thirtieth of a second passes, in which somebody else sends frames, too.
    fn pass(&mut self, others: &dyn Fn(&World) -> Vec<(SocketAddr, Vec<u8>)>) {
        self.now += STEP;
        self.server.set_time(self.now);
        self.client.set_time(self.now);
        others(self).into_iter().for_each(|(from, frame)| self.server.receive(from, &frame));
        for _ in 0..4 {
            let (sent, answers) = (self.client.take_datagrams(), self.server.take_datagrams());
            for (_, frame) in sent.into_iter().filter(|_| self.is_there) {
                self.recorded.push(frame.clone());
                self.server.receive(self.place, &frame);
            }
            let here = answers.into_iter().filter(|(to, _)| self.is_there && *to == self.place);
            here.for_each(|(_, frame)| self.client.receive(address(1, 7000), &frame));
            while self.client.next_event().is_some() {}
            while let Some(event) = self.server.next_event() {
                match event {
                    Event::Delivered { .. } => self.told.push("delivered".into()),
                    Event::Moved { to, .. } => self.told.push(format!("moved to {to}")),
                    Event::Closed { reason, .. } => self.told.push(format!("closed: {reason:?}")),
                    _ => {}
                }
            }
        }
    }

    /// All that the client has sent, as it was, and with another last byte: then nobody has sealed it.
    fn copies(&self) -> Vec<Vec<u8>> {
        let forged = self.recorded.iter().filter(|frame| frame.len() > 20).map(|frame| {
            let end = frame.len() - 1;
            [&frame[..end], &[!frame[end]]].concat()
        });
        self.recorded.iter().cloned().chain(forged).collect()
    }
}

#[test]
fn copies_and_forged_frames_keep_no_silent_peer_alive() {
    let mut world = World::connected();
    world.is_there = false;
    let (copies, place) = (world.copies(), world.place);
    assert!(copies.len() > 20, "{}", copies.len());
    for n in 0..30 * 120usize {
        world.pass(&|_| vec![(place, copies[n % copies.len()].clone())]);
        if !world.told.is_empty() {
            break;
        }
    }
    assert_eq!(world.told, [format!("closed: {:?}", Reason::Timeout)]);
}

#[test]
fn copies_and_forged_frames_from_elsewhere_do_not_keep_a_peer_from_being_followed() {
    let mut world = World::connected();
    let (copies, was) = (world.copies(), world.place);
    world.place = address(3, 9000);
    let ports = |n: usize| address(4, 6000 + (n % 50) as u16);
    for n in 0..30 * 60usize {
        world.pass(&|_| vec![(ports(n), copies[n % copies.len()].clone()), (was, copies[n % 7].clone())]);
    }
    assert_eq!(world.told, [format!("moved to {}", world.place)]);
}
