//! Seeded bugs are found: each small change to a layer, to the input of the back end or to its output breaks a run, a
//! comparison or a check that holds without it. The test that found it is printed in a table.

use nacre_stack::StatementKind;
use nacre_tests::in_parallel;
use nacre_tests::mutants::emitted::{self, edit, forget, Wrong};
use nacre_tests::mutants::layers::{self, Bug};
use nacre_tests::mutants::report;

const PT2PT: &str = "pt2pt/pt2pt.nacre";
const FRAG: &str = "frag/frag.nacre";
const BAD: (&str, &str) = ("layers/pt2pt/tests.nacre", "pt2pt_bad");
const SMALL: (&str, &str) = ("layers/pt2pt/tests.nacre", "pt2pt_small");
const LONG: (&str, &str) = ("layers/frag/tests.nacre", "frag_tight");
const WHOLE: (&str, &str) = ("examples/reliable.nacre", "reliable");
const CREDIT: (&str, &str) = ("layers/credit/tests.nacre", "credit_reliable");
const SEQUENCER: (&str, &str) = ("layers/sequencer/tests.nacre", "sequencer_alone");
const DELAY: (&str, &str) = ("layers/delay/tests.nacre", "delay_usual");
const FLOOR: (&str, &str) = ("layers/floor/tests.nacre", "floor_alone");

const fn bug(
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    stack: (&'static str, &'static str),
) -> Bug {
    Bug { name, file, from, to, stack }
}

const LAYERS: &[Bug] = &[
    bug("window: a full one takes more", PT2PT, "{ !sent.full && (", "{ (", SMALL),
    bug("window: off by one at delivery", PT2PT, "got.skip_to(number + 1);", "got.skip_to(number + 2);", SMALL),
    bug(
        "window: gaps are skipped",
        PT2PT,
        "(number == got.low && got.empty)",
        "(number >= got.next && got.empty)",
        BAD,
    ),
    bug("window: one is never released", PT2PT, "sent.release(ack);", "sent.release(ack - 1);", SMALL),
    bug("no acknowledgement by itself", PT2PT, "every = OFTEN; }\n        acknowledge();", "every = OFTEN; }", SMALL),
    bug(
        "no acknowledgement of what came again",
        PT2PT,
        "count duplicates;\n            acknowledge();",
        "count duplicates;",
        BAD,
    ),
    bug(
        "the acknowledgement on data is wrong",
        PT2PT,
        "DataAck { number, ack: told }",
        "DataAck { number, ack: told + 1 }",
        SMALL,
    ),
    bug("timer stopped too early", PT2PT, "if sent.empty && !ending { cancel", "if !ending { cancel", BAD),
    bug("timer not started", PT2PT, "        arm resend in rto unless armed;\n", "", SMALL),
    bug("given up too early", PT2PT, "TRIES: u8 = 35", "TRIES: u8 = 1", BAD),
    bug(
        "the end has the wrong number",
        PT2PT,
        "below.send(End { number: sent.high });",
        "below.send(End { number: sent.high + 1 });",
        SMALL,
    ),
    bug("pieces overlap", FRAG, "at += piece;", "at += piece - 1;", LONG),
    bug("pieces are counted on and on", FRAG, "        cut = 0;\n", "", LONG),
    bug("credit is not used up", FRAG, "            credit -= 1;\n            pass m;", "            pass m;", LONG),
    bug("bound too low", FRAG, "bound MOST", "bound 2", LONG),
    bug("the last piece comes first", FRAG, "parts.len == count", "parts.len < count", LONG),
    bug("polynomial: one bit", "crc32c/castagnoli.nacre", "0x105ec76f", "0x105ec76e", WHOLE),
    bug(
        "sum not compared",
        "crc32c/crc32c.nacre",
        "(sum == (pack(share m).bytes through castagnoli))",
        "(sum == sum)",
        ("layers/crc32c/tests.nacre", "crc32c_alone"),
    ),
    bug(
        "sum of the last word only",
        "checksum/checksum.nacre",
        "sum += w as u64;",
        "sum = w as u64;",
        ("layers/checksum/tests.nacre", "checksum_alone"),
    ),
    bug(
        "room is not used up",
        "credit/credit.nacre",
        "            room -= 1;\n            pass m;",
        "            pass m;",
        CREDIT,
    ),
    bug("credit is told twice", "credit/credit.nacre", "        owed = 0;\n", "", CREDIT),
    bug("the same number again", "sequencer/sequencer.nacre", "(number > last)", "(number >= last)", SEQUENCER),
    bug("number not remembered", "sequencer/sequencer.nacre", "            last = number;\n", "", SEQUENCER),
    bug("held for ever", "delay/delay.nacre", "            arm leave in max(at, now) - now;\n", "", DELAY),
    bug("cookie not learnt", "floor/floor.nacre", "        theirs = from as u24;\n", "", FLOOR),
    bug("never confirmed to above", "floor/floor.nacre", "        confirmed = true;\n", "", FLOOR),
    bug(
        "type: a message is used twice",
        "duplicate/duplicate.nacre",
        "below.send(share m);",
        "below.send(m);",
        ("layers/sequencer/tests.nacre", "sequencer_twice"),
    ),
    bug("type: a message is lost", "sequencer/sequencer.nacre", "            drop m;\n", "", SEQUENCER),
    bug(
        "assertion one behind",
        "check_fifo/check_fifo.nacre",
        "        next = number + 1;\n",
        "",
        ("layers/check_fifo/tests.nacre", "check_fifo_good"),
    ),
];

#[test]
fn bugs_in_layers_are_found() {
    let wrong = report(&in_parallel(&LAYERS.iter().collect::<Vec<_>>(), |bug| layers::fate(bug)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The `number`th statement of a kind.
macro_rules! forgets {
    ($number:expr, $kind:pat) => {
        Wrong::Stack(|stack| forget(stack, $number, |statement| matches!(statement, $kind)))
    };
}

const BACK_END: &[emitted::Bug] = &[
    emitted::Bug {
        name: "a bit off",
        wrong: Wrong::Stack(|stack| {
            stack.layouts[0].shapes[0].fields.last_mut().map(|placed| placed.bit -= 1).is_some()
        }),
    },
    emitted::Bug {
        name: "shape numbers exchanged",
        wrong: Wrong::Stack(|stack| {
            let shapes = &mut stack.layouts[0].shapes;
            (shapes[0].number, shapes[1].number) = (shapes[1].number, shapes[0].number);
            true
        }),
    },
    emitted::Bug {
        name: "data taken for control",
        wrong: Wrong::Stack(|stack| {
            stack.layouts[0].shapes[0].data ^= true;
            true
        }),
    },
    emitted::Bug {
        name: "longest frame by one",
        wrong: Wrong::Stack(|stack| {
            stack.layouts[0].shapes.iter_mut().for_each(|shape| shape.data_max += 1);
            true
        }),
    },
    emitted::Bug {
        name: "timer armed anew",
        wrong: Wrong::Stack(|stack| {
            edit(stack, &mut |statement| match statement {
                StatementKind::Arm { unless_armed, .. } if *unless_armed => {
                    *unless_armed = false;
                    true
                }
                _ => false,
            })
        }),
    },
    emitted::Bug {
        name: "branches exchanged",
        wrong: Wrong::Stack(|stack| {
            edit(stack, &mut |statement| match statement {
                StatementKind::If { then, otherwise, .. } => {
                    std::mem::swap(then, otherwise);
                    true
                }
                _ => false,
            })
        }),
    },
    emitted::Bug { name: "a store forgotten", wrong: forgets!(3, StatementKind::Store(..)) },
    emitted::Bug { name: "another store forgotten", wrong: forgets!(12, StatementKind::Store(..)) },
    emitted::Bug { name: "a count forgotten", wrong: forgets!(0, StatementKind::Count(..)) },
    emitted::Bug { name: "a cancel forgotten", wrong: forgets!(0, StatementKind::Cancel(..)) },
    emitted::Bug { name: "an arm forgotten", wrong: forgets!(0, StatementKind::Arm { .. }) },
    emitted::Bug { name: "impossible is not told", wrong: forgets!(0, StatementKind::Impossible) },
    emitted::Bug {
        name: "C: no check of lengths",
        wrong: Wrong::Text("if (!(len - 16u <= 1400u)) { return false; }", ""),
    },
    emitted::Bug {
        name: "C: no check of spare bits",
        wrong: Wrong::Text("if (@_get(at + 8, 8u) & UINT64_C(0xf000000000000000)) { return false; }", ""),
    },
    emitted::Bug {
        name: "C: a bit of a field is cut",
        wrong: Wrong::Text("(@_get(at + 8, 4u) & 0xfffffffu)", "(@_get(at + 8, 4u) & 0xffffffeu)"),
    },
    emitted::Bug {
        name: "C: bytes in the other order",
        wrong: Wrong::Text("uint32_t word = (uint32_t)value;", "uint32_t word = __builtin_bswap32((uint32_t)value);"),
    },
    emitted::Bug {
        name: "C: blocks are not given back",
        wrong: Wrong::Text("(pool->free++ == 0)", "(pool->free == 0)"),
    },
    emitted::Bug { name: "C: malformed is not counted", wrong: Wrong::Text("counters[@_MALFORMED]++;", "") },
    emitted::Bug {
        name: "C: impossible is no drop",
        wrong: Wrong::Text("? NACRE_OK : NACRE_DROPPED", "? NACRE_OK : NACRE_OK"),
    },
];

#[test]
fn bugs_in_the_back_end_are_found() {
    assert_eq!(emitted::sound(), None, "without a bug nothing differs");
    let wrong = report(&in_parallel(&BACK_END.iter().collect::<Vec<_>>(), |bug| emitted::fate(bug)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
