use super::*;
use crate::random::Random;
use std::collections::VecDeque;

const SMALL: u64 = 256;

/// A ring whose positions begin at some multiple of a word.
fn ring_at(capacity: u64, position: u64) -> (Producer, Consumer) {
    let (memory, _) = Memory::create(words_for(capacity)).unwrap();
    let ring = Ring::new(&Arc::new(memory), 0, capacity);
    ring.control(TAIL).store(position, Relaxed);
    ring.control(HEAD).store(position, Relaxed);
    let producer = Producer { ring: ring.clone(), tail: position, head: position };
    (producer, Consumer { ring, head: position, tail: position, woken: position })
}

fn ring(capacity: u64) -> (Producer, Consumer) {
    ring_at(capacity, 0)
}

fn frame(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|at| (at as u8).wrapping_mul(7).wrapping_add(seed)).collect()
}

fn pop(consumer: &mut Consumer) -> Option<Vec<u8>> {
    let mut buffer = vec![0xee; FRAME_MAX];
    let len = consumer.pop(&mut buffer).unwrap()?;
    assert!(buffer[len..].iter().all(|byte| *byte == 0xee), "nothing is written behind the frame");
    buffer.truncate(len);
    Some(buffer)
}

#[test]
fn frame_of_every_length_passes_at_every_offset() {
    for offset in 0..2 * SMALL / 8 {
        // Near the end of the numbers, too.
        for position in [offset * 8, (offset * 8).wrapping_sub(SMALL)] {
            for len in 0..=SMALL as usize - 8 {
                let (mut producer, mut consumer) = ring_at(SMALL, position);
                let frame = frame(len, offset as u8);
                assert_eq!(producer.push(&frame), Ok(true));
                assert_eq!(pop(&mut consumer), Some(frame));
                assert_eq!(pop(&mut consumer), None);
            }
        }
    }
}

#[test]
fn full_ring_takes_a_frame_when_one_was_read() {
    let (mut producer, mut consumer) = ring(SMALL);
    let count = (0..).take_while(|n| producer.push(&[*n as u8; 16]).unwrap()).count();
    assert_eq!(count, SMALL as usize / 24);
    assert_eq!((producer.has_room(16), producer.has_room(8)), (Ok(false), Ok(true)));
    assert_eq!(producer.push(&[9; 8]), Ok(true), "what is left suffices for a shorter one");
    assert_eq!(producer.push(&[]), Ok(false));
    assert_eq!(pop(&mut consumer), Some(vec![0; 16]));
    assert_eq!((producer.push(&[7; 24]), producer.push(&[7; 16])), (Ok(false), Ok(true)));
}

#[test]
fn longest_frame_passes() {
    let (mut producer, mut consumer) = ring(CAPACITY);
    let longest = frame(FRAME_MAX, 3);
    let count = (0..).take_while(|_| producer.push(&longest).unwrap()).count();
    assert_eq!(count, CAPACITY as usize / (FRAME_MAX + 8));
    (0..count).for_each(|_| assert!(pop(&mut consumer).as_ref() == Some(&longest)));
}

#[test]
fn frame_is_cut_to_the_buffer() {
    for offset in 0..SMALL / 8 {
        let (mut producer, mut consumer) = ring_at(SMALL, 8 * offset);
        assert_eq!((producer.push(&frame(50, 1)), producer.push(&frame(5, 2))), (Ok(true), Ok(true)));
        let mut buffer = [0; 13];
        assert_eq!(consumer.pop(&mut buffer), Ok(Some(13)));
        assert_eq!(buffer, *frame(13, 1));
        assert_eq!(pop(&mut consumer), Some(frame(5, 2)), "the next one is whole");
    }
}

#[test]
fn ring_is_a_queue() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let capacity = 256 << (seed % 5);
        let ((mut producer, mut consumer), mut queue) = (ring_at(capacity, seed * 8), VecDeque::new());
        for step in 0..5000 {
            if random.draw() % 2 == 0 {
                let longest = capacity as usize - 8;
                let len = (random.draw() as usize % (longest + 1)) >> (random.draw() % 8);
                let frame = frame(len, step as u8);
                let used: u64 = queue.iter().map(|frame: &Vec<u8>| entry(frame.len())).sum();
                let has_room = used + entry(len) <= capacity;
                assert_eq!(producer.push(&frame), Ok(has_room), "seed {seed} step {step}");
                if has_room {
                    queue.push_back(frame);
                }
            } else {
                assert_eq!(pop(&mut consumer), queue.pop_front(), "seed {seed} step {step}");
            }
        }
    }
}

#[test]
fn threads_see_whole_frames_in_order() {
    let (mut producer, mut consumer) = ring(4096);
    let count = 200_000u64;
    let thread = std::thread::spawn(move || {
        for n in 0..count {
            let frame = n.to_le_bytes().repeat(1 + n as usize % 9);
            while !producer.push(&frame).unwrap() {
                std::thread::yield_now();
            }
        }
    });
    let mut buffer = [0; 128];
    for n in 0..count {
        let len = loop {
            match consumer.pop(&mut buffer).unwrap() {
                Some(len) => break len,
                None => std::thread::yield_now(),
            }
        };
        assert!(buffer[..len] == n.to_le_bytes().repeat(1 + n as usize % 9), "frame {n}");
    }
    thread.join().unwrap();
}

#[test]
fn positions_that_cannot_be_are_refused() {
    let wrong = [SMALL + 8, SMALL * 2, 1, 7, 9, SMALL - 1, u64::MAX, u64::MAX - 7, 1 << 63, 1 << 32];
    for offset in [0, 8, SMALL - 8, u64::MAX - 7] {
        for distance in wrong {
            let (_, mut consumer) = ring_at(SMALL, offset);
            consumer.ring.control(TAIL).store(offset.wrapping_add(distance), Relaxed);
            assert_eq!(consumer.pop(&mut [0; 64]), Err(Inconsistent::Position(distance)));
            assert!(consumer.has_frame() && !consumer.has_known(), "it is looked at, and not taken for a frame");
            let (mut producer, _) = ring_at(SMALL, offset);
            (0..10).for_each(|_| assert_eq!(producer.push(&[0; 16]), Ok(true)));
            producer.ring.control(HEAD).store(producer.tail.wrapping_sub(distance), Relaxed);
            assert_eq!(producer.push(&[0; 16]), Err(Inconsistent::Position(distance)));
        }
    }
}

#[test]
fn consumer_that_goes_back_is_refused() {
    let (mut producer, mut consumer) = ring(SMALL);
    (0..10).for_each(|_| assert_eq!(producer.push(&[0; 16]), Ok(true)));
    (0..5).for_each(|_| assert!(pop(&mut consumer).is_some()));
    (0..3).for_each(|_| assert_eq!(producer.push(&[0; 16]), Ok(true)));
    producer.ring.control(HEAD).store(24, Relaxed);
    let (mut result, mut pushed) = (Ok(true), 0);
    while result == Ok(true) {
        result = producer.push(&[0; 16]);
        pushed += 1;
    }
    assert!(matches!(result, Err(Inconsistent::Position(_))) && pushed < 10, "{result:?}");
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    let lengths = [17, 18, 24, 25, SMALL - 8, SMALL, FRAME_MAX as u64, FRAME_MAX as u64 + 1, 1 << 32, u64::MAX - 6];
    for length in lengths.into_iter().chain([u64::MAX, u64::MAX / 8, i64::MAX as u64]) {
        for offset in 0..SMALL / 8 {
            let (mut producer, mut consumer) = ring_at(SMALL, 8 * offset);
            assert_eq!(producer.push(&[5; 16]), Ok(true));
            consumer.ring.entries()[consumer.ring.index(consumer.head)].store(length, Relaxed);
            let mut buffer = vec![0xee; FRAME_MAX];
            assert_eq!(consumer.pop(&mut buffer), Err(Inconsistent::Length(length, 24)));
            assert!(buffer.iter().all(|byte| *byte == 0xee), "nothing was read");
        }
    }
}

#[test]
fn random_memory_is_read_within_the_ring() {
    let mut random = Random::new(1);
    for _ in 0..5_000 {
        let (mut producer, mut consumer) = ring(SMALL);
        let small = |value: u64| value >> (value % 64);
        for word in [TAIL, HEAD] {
            consumer.ring.control(word).store(small(random.draw()) & !7, Relaxed);
        }
        consumer.ring.entries().iter().for_each(|word| word.store(small(random.draw()), Relaxed));
        let mut buffer = [0; 300];
        for _ in 0..40 {
            match consumer.pop(&mut buffer) {
                Ok(Some(len)) => assert!(len <= SMALL as usize - 8),
                Ok(None) | Err(_) => break,
            }
        }
        (0..20).for_each(|_| assert!(producer.push(&[1; 40]).is_ok() || producer.has_room(240).is_err()));
    }
}

#[test]
fn side_that_sleeps_is_woken_once() {
    let (mut producer, mut consumer) = ring(SMALL);
    assert_eq!(producer.push(&[1]), Ok(true));
    assert!(!producer.take_sleeping_consumer());
    consumer.arm();
    assert!(producer.take_sleeping_consumer() && !producer.take_sleeping_consumer());
    consumer.arm();
    consumer.disarm();
    assert!(!producer.take_sleeping_consumer());
    producer.arm();
    assert!(!consumer.take_sleeping_producer(), "nothing was read");
    assert!(pop(&mut consumer).is_some());
    assert!(consumer.take_sleeping_producer() && !consumer.take_sleeping_producer());
}

#[test]
fn producer_is_woken_for_an_eighth_or_the_last_frame() {
    let (mut producer, mut consumer) = ring(SMALL);
    (0..10).for_each(|_| assert_eq!(producer.push(&[1; 8]), Ok(true)));
    producer.arm();
    let woken: Vec<bool> = (0..10)
        .map(|_| {
            producer.arm();
            assert!(pop(&mut consumer).is_some());
            consumer.take_sleeping_producer()
        })
        .collect();
    assert_eq!(woken, [false, true, false, true, false, true, false, true, false, true]);
}
