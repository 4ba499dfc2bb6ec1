//! An attacker on path without keys who does anything at random for long: copies that are faster than the frames,
//! answers that are passed on, forged, changed, repeated and reflected frames, on a network that delays and reorders.
//! When it stops, both ends have one connection, which works.

use super::secure_world::*;
use super::*;
use crate::error::Words;
use crate::secure::keys::Expect;
use crate::wire::secure::{Finish, Reset, Respond, Sealed, SecureControl};
use crate::wire::{short_key, Control, Ending, Label, Preamble};

const SIEGES: u64 = 6;
const ELSEWHERE: [usize; 2] = [7, 8];
/// Hundredths of a second that a siege lasts.
const SLICES: u64 = 1_000;

struct Attacker {
    random: Random,
    seen: Flying,
    /// Frames on the way, and how long they still are.
    held: Vec<(u64, OnWay)>,
}

impl Attacker {
    fn new(seed: u64) -> Attacker {
        Attacker { random: Random::new(seed), seen: Flying::new(), held: Vec::new() }
    }

    /// The labels that frames name.
    fn label(&mut self, frame: &[u8]) -> Label {
        let clear = || Label { cookie: Preamble::read(frame).map_or(0, |it| it.cookie), key: short_key(frame) };
        match SecureControl::read(frame) {
            Some(SecureControl::Initiate(it)) => it.from,
            Some(SecureControl::Respond(it)) => [it.to, it.from][self.random.below(2) as usize],
            Some(SecureControl::Finish(it)) => it.to,
            Some(SecureControl::Sealed(it)) => it.to,
            _ => clear(),
        }
    }

    fn forged(&mut self, label: Label) -> Vec<u8> {
        let words = Words { code: 1, text: "forged".into() };
        let other = Label { cookie: self.random.below(1 << 24) as u32 | 1, key: self.random.draw() as u32 };
        let fingerprint = crate::support::secure().fingerprint();
        let plain = match self.random.below(9) {
            0 => Control::Refused { to: label, fingerprint, serves: 0, served: vec![] },
            1 => Control::Unknown { unknown: label },
            2 => Control::Ping { to: label, token: 9 },
            3 => Control::Pong { cookie: label.cookie, token: 9 },
            4 => Control::Ended { to: label, why: Ending::Busy, words },
            5 => Control::Ended { to: label, why: Ending::Over, words },
            6 => return Respond { to: label, from: other, message: vec![3; 96 + 32] }.write(),
            7 => return Finish { to: label, message: vec![3; 32] }.write(),
            _ => Control::Retry { to: label, label: other },
        };
        match self.random.below(8) {
            0 => Reset { unknown: label, token: [3; 16] }.write(100).unwrap(),
            1 => Sealed { to: label, number: self.random.draw(), sealed: vec![4; 25] }.write(),
            _ => plain.write(usize::MAX).unwrap(),
        }
    }

    /// What an attacker makes of a frame, before it.
    fn attack(&mut self, (from, to, frame): &OnWay, flying: &mut Flying) {
        let label = self.label(frame);
        let elsewhere = at(ELSEWHERE[self.random.below(2) as usize]);
        let mut spoilt = frame.clone();
        let place = self.random.below(frame.len() as u64) as usize;
        spoilt[place] ^= 1 << self.random.below(8);
        match self.random.below(9) {
            0 | 1 => flying.push((elsewhere, *to, frame.clone())),
            2 => flying.push((*to, *from, frame.clone())),
            3 => flying.push((*from, *to, spoilt)),
            4 => flying.push((*from, *to, frame[..place].to_vec())),
            5 if !self.seen.is_empty() => {
                let old = self.random.below(self.seen.len() as u64) as usize;
                let (before, dest, frame) = self.seen[old].clone();
                let from = [before, elsewhere][self.random.below(2) as usize];
                flying.push((from, dest, frame));
            }
            6 => flying.push((*from, *to, self.forged(label))),
            7 => flying.push((*to, *from, self.forged(label))),
            _ => {}
        }
        if self.seen.len() < 300 {
            self.seen.push((*from, *to, frame.clone()));
        }
    }

    fn on_way(&mut self, flying: &mut Flying) {
        for one in std::mem::take(flying) {
            let is_right = !ELSEWHERE.iter().any(|end| one.1 == at(*end));
            if !is_right {
                // The attacker forwards or drops the frames that reach it.
                let to = [at(CLIENT), at(SERVER)][usize::from(one.0 == at(CLIENT))];
                if self.random.chance(0.5) {
                    flying.push((one.0, to, one.2.clone()));
                }
                if self.random.chance(0.2) {
                    flying.push((one.1, to, one.2));
                }
                continue;
            }
            for _ in 0..self.random.below(4) {
                self.attack(&one, flying);
            }
            match self.random.below(4) {
                0 => self.held.push((self.random.below(8), one)),
                _ => flying.push(one),
            }
        }
    }

    fn arrived(&mut self) -> Flying {
        self.held.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        self.held.extract_if(.., |(left, _)| *left == 0).map(|(_, one)| one).collect()
    }
}

fn world_of(seed: u64, attacker: &mut Attacker) -> World {
    let retry_above = [0, 1_000][attacker.random.below(2) as usize];
    let with = |end: usize| Options { seed: Some(2 * seed + end as u64), retry_above, ..options(end) };
    World::with([with(CLIENT), with(SERVER)])
}

fn expected(attacker: &mut Attacker, end: usize) -> Expect {
    [Expect::Any, Expect::Key(keys(end).public()), Expect::Psk][attacker.random.below(3) as usize]
}

/// Lets the attacker do what it likes, while both ends send what they can.
fn besiege(world: &mut World, attacker: &mut Attacker, slices: u64) {
    for n in 0..slices {
        if n % 40 == 0 {
            for (end, text) in [(CLIENT, &b"client"[..]), (SERVER, b"server")] {
                for id in world.ends[end].connections() {
                    let _ = world.ends[end].send(id, text);
                }
            }
        }
        world.run(SECOND / 100, |flying| attacker.on_way(flying));
        attacker.arrived().into_iter().for_each(|(from, to, frame)| world.deliver(from, to, &frame));
    }
}

/// It stops; then there is one connection, and it works.
fn lift(mut world: World, seed: u64) {
    world.run(40 * SECOND, |_| {});
    let all = [CLIENT, SERVER].map(|end| world.ends[end].connections());
    assert!(all.iter().all(|all| all.len() == 1), "seed {seed}: {all:?} {:?}", world.log);
    let is_said = |word: &str| ["delivered client", "delivered server"].contains(&word);
    let forged = world.log.iter().any(|(_, word)| word.starts_with("delivered") && !is_said(word));
    assert!(!forged, "seed {seed}: {:?}", world.log);
    world.log.clear();
    world.assert_works(all.map(|all| all[0]));
}

fn words(world: &World) -> Vec<&str> {
    world.log.iter().map(|(_, word)| word.as_str()).filter(|word| word.starts_with("closed")).collect()
}

fn siege_of_one(seed: u64) {
    println!("seed {seed}");
    let mut attacker = Attacker::new(seed);
    let mut world = world_of(seed, &mut attacker);
    if attacker.random.chance(0.3) {
        world.ends[CLIENT].serve(&crate::support::secure(), None).unwrap();
    }
    world.connect(expected(&mut attacker, SERVER));
    besiege(&mut world, &mut attacker, SLICES);
    assert_eq!(words(&world), [""; 0], "seed {seed}: {:?}", world.log);
    lift(world, seed);
}

/// Both begin at the same time.
fn siege_of_both(seed: u64) {
    println!("seed {seed}");
    let mut attacker = Attacker::new(seed);
    let mut world = world_of(seed, &mut attacker);
    world.ends[CLIENT].serve(&crate::support::secure(), None).unwrap();
    let theirs = [Expect::Any, Expect::Key(keys(CLIENT).public())][attacker.random.below(2) as usize];
    world.connect(Expect::Any);
    world.ends[SERVER].connect_expecting(at(CLIENT), &crate::support::secure(), Some(theirs), |_| {}).unwrap();
    besiege(&mut world, &mut attacker, SLICES);
    // The end that has dropped one of the two may tell the other before that one has asked.
    let closed = words(&world);
    let is_one_of_two = |word: &&str| ["closed Restarted", "closed Unknown"].contains(word);
    assert!(closed.iter().all(is_one_of_two), "seed {seed}: {:?}", world.log);
    lift(world, seed);
}

/// The client is started again.
fn siege_with_restart(seed: u64) {
    println!("seed {seed}");
    let mut attacker = Attacker::new(seed);
    let mut world = world_of(seed, &mut attacker);
    let expect = expected(&mut attacker, SERVER);
    world.connect(expect);
    besiege(&mut world, &mut attacker, SLICES / 4);
    let again = Options { seed: Some(seed + 1_000_000), ..options(CLIENT) };
    world.ends[CLIENT] = Router::new(Datagrams::new(), again, world.now);
    world.connect(expect);
    besiege(&mut world, &mut attacker, SLICES / 2);
    let closed = words(&world);
    assert!(closed.iter().all(|word| *word == "closed Restarted"), "seed {seed}: {:?}", world.log);
    lift(world, seed);
}

#[test]
fn siege_ends_and_moves_nothing_for_good() {
    let sieges = if std::env::var_os("NACRE_SOAK").is_some() { 50 * SIEGES } else { SIEGES };
    for siege in [siege_of_one, siege_of_both, siege_with_restart] {
        (0..sieges).for_each(siege);
    }
}
