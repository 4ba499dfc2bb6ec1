//! The window alone, with wrapping numbers, compared with a model with unbounded numbers.

use std::collections::BTreeMap;

use nacre_stack::interpret::{SplitMix64, Value, Window};

const N: u64 = 5;
const BITS: u8 = 4;

/// Unbounded numbers.
#[derive(Default)]
struct Model {
    low: u64,
    next: u64,
    high: u64,
    entries: BTreeMap<u64, u64>,
}

fn cut(n: u64) -> u64 {
    n & 15
}

#[test]
fn window_equals_its_model_over_every_wrap() {
    for seed in 0..50 {
        let mut dice = SplitMix64(seed);
        let (mut window, mut model) = (Window::new(N as u32, BITS), Model::default());
        for turn in 0..400u64 {
            // A number near the window, also outside of it, within half of the numbers on either side.
            let n = (model.low + dice.below(9)).saturating_sub(dice.below(3));
            match dice.below(7) {
                0 => {
                    let full = model.high - model.low == N;
                    assert_eq!(window.is_full(), full);
                    if !full {
                        assert_eq!(window.push(Value::Num(turn)), cut(model.high));
                        model.entries.insert(model.high, turn);
                        model.high += 1;
                    }
                }
                1 => {
                    let can = n >= model.next && n < model.low + N && !model.entries.contains_key(&n);
                    assert_eq!(window.can_put(cut(n)), can);
                    if can {
                        window.put(cut(n), Value::Num(turn));
                        model.entries.insert(n, turn);
                        model.high = model.high.max(n + 1);
                    }
                }
                2 => {
                    let there = model.entries.remove(&model.next);
                    assert_eq!(window.take_next(), there.map(Value::Num));
                    if there.is_some() {
                        model.next += 1;
                        model.low = model.next;
                    }
                }
                3 => {
                    let there = model.entries.get(&model.next).copied();
                    assert_eq!(window.read(), there.map(|_| cut(model.next)));
                    model.next += there.is_some() as u64;
                }
                4 => {
                    let takes = n > model.low && n <= model.high;
                    assert_eq!(window.release(cut(n)), if takes { n - model.low } else { 0 });
                    if takes {
                        model.low = n;
                        model.next = model.next.max(n);
                    }
                }
                5 => {
                    window.raise(cut(n));
                    if n > model.high && n <= model.low + N {
                        model.high = n;
                    }
                }
                _ => {
                    window.skip_to(cut(n));
                    if n > model.next && n <= model.low + N {
                        model.next = n;
                        model.high = model.high.max(n);
                    }
                }
            }
            model.entries.retain(|n, _| *n >= model.low);
            assert_eq!(
                [window.low, window.next, window.high],
                [model.low, model.next, model.high].map(cut),
                "seed {seed}"
            );
            assert_eq!(window.count(), model.entries.len() as u64);
            let first = (model.next..model.high).find(|n| !model.entries.contains_key(n));
            let hole = first.map(|from| {
                let to = (from..model.high).find(|n| model.entries.contains_key(n)).unwrap_or(model.high);
                (cut(from), cut(to))
            });
            assert_eq!(window.hole(), hole);
        }
    }
}

#[test]
fn a_hole_is_reported_once_until_it_reaches_further() {
    let mut window = Window::new(8, 16);
    window.put(2, Value::Num(0));
    assert_eq!(window.new_hole(), Some((0, 2)));
    assert_eq!(window.new_hole(), None);
    window.put(0, Value::Num(0));
    assert_eq!(window.hole(), Some((1, 2)));
    assert_eq!(window.new_hole(), None);
    window.put(1, Value::Num(0));
    window.raise(6);
    assert_eq!(window.new_hole(), Some((3, 6)));
    window.read();
    window.clear_undelivered();
    assert_eq!([window.low, window.next, window.high, window.count()], [0, 1, 1, 1]);
    window.clear();
    assert_eq!([window.low, window.next, window.high, window.reported], [0; 4]);
}
