//! Filters that calculate a remainder are seen as such however they are written, and nothing else is; the C that takes
//! several bytes at a time calculates what the interpreter does.

use nacre_analysis::remainders::table;
use nacre_driver::{Level, Session};
use nacre_simulator::lockstep::Lockstep;
use nacre_stack::Stack;
use nacre_tests::machines::Machines;
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// Remainders bit by bit, by half bytes and of another polynomial; then filters that are none.
const FILTERS: &str = "
filter bits {
    state { crc: u32 = 0xffffffff }
    byte(b: u8) {
        crc = crc ^ b as u32;
        for _ in 0 .. 8 { if crc & 1 == 1 { crc = crc >> 1 ^ 0x82f63b78; } else { crc = crc >> 1; } }
    }
    result { crc ^ 0xffffffff }
}

filter ethernet {
    state { crc: u32 = 0xffffffff }
    byte(b: u8) {
        crc = crc ^ b as u32;
        for _ in 0 .. 8 { if crc & 1 != 0 { crc = crc >> 1 ^ 0xedb88320; } else { crc = crc >> 1; } }
    }
    result { crc ^ 0xffffffff }
}

filter sum {
    state { crc: u32 }
    byte(b: u8) { crc = (crc >> 8) + b as u32; }
    result { crc }
}

filter inverted {
    state { crc: u32 = 0xffffffff }
    byte(b: u8) {
        crc = crc ^ b as u32;
        for _ in 0 .. 8 { if crc & 1 == 1 { crc = crc >> 1 ^ 0x82f63b78; } else { crc = crc >> 1 ^ 1; } }
    }
    result { crc }
}

filter bounded {
    state { crc: u32 = 0xffffffff }
    byte(b: u8) {
        crc = crc ^ b as u32;
        for _ in 0 .. 8 bound 4 { if crc & 1 == 1 { crc = crc >> 1 ^ 0x82f63b78; } else { crc = crc >> 1; } }
    }
    result { crc }
}

filter highest_first {
    state { crc: u32 }
    byte(b: u8) {
        crc = crc ^ (b as u32) << 24;
        for _ in 0 .. 8 { if crc >> 31 == 1 { crc = crc << 1 ^ 0x04c11db7; } else { crc = crc << 1; } }
    }
    result { crc }
}

filter twice {
    state { crc: u32 }
    byte(b: u8) { crc = crc >> 16 ^ b as u32; }
    result { crc }
}

filter last {
    state { crc: u32 }
    byte(b: u8) { if b == 7 { crc = 1; } else { crc = crc >> 8; } }
    result { crc }
}
";

/// By half bytes, as the library has it, and the same with one remainder changed in one bit.
fn half_bytes() -> String {
    let path = root().join("layers/crc32c/castagnoli.nacre");
    let text = std::fs::read_to_string(path).expect("the filter is read");
    let changed = text.replace("0x61c69362", "0x61c69363");
    text.replace("castagnoli", "halves") + &changed.replace("castagnoli", "changed")
}

const NAMES: [&str; 9] = ["bits", "halves", "ethernet", "sum", "inverted", "highest_first", "twice", "last", "changed"];

/// A layer that sends the results of all filters.
fn source() -> String {
    let half = half_bytes();
    let fields: Vec<String> = NAMES.iter().map(|name| format!("s_{name}: u32")).collect();
    let sums: String = NAMES.iter().map(|name| format!("let s_{name} = m.bytes through {name};")).collect();
    let all: Vec<String> = NAMES.iter().map(|name| format!("s_{name}")).collect();
    let (fields, all) = (fields.join(", "), all.join(", "));
    let equal: String =
        NAMES.iter().map(|name| format!("if s_{name} != (m.bytes through {name}) {{ count wrong; }}")).collect();
    format!(
        "import \"../layers/interfaces.nacre\";\nimport \"../layers/floor/floor.nacre\";\n{half}{FILTERS}
        worker sums over channel {{
            header Sums {{ {fields} }}
            counters {{ wrong }}
            down send(m) {{
                // It meets its bound, so it does not run.
                if m.len > 100000 {{ let never = m.bytes through bounded; if never == 0 {{ count wrong; }} }}
                {sums} pass m + Sums {{ {all} }}; }}
            up deliver(m - Sums {{ {all} }}) {{ {equal} pass m; }}
        }}
        stack st = sums / floor;"
    )
}

fn compose() -> (Session, Stack) {
    let path = root().join("tests/remainders.nacre");
    let mut session = Session::from_text(&path, &source());
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    (session, stack)
}

#[test]
fn remainders_are_seen_however_they_are_written() {
    let (_, stack) = compose();
    let found = |name: &str| {
        let filter = stack.filters.iter().find(|filter| filter.name == name).expect("the stack has it");
        table(filter)
    };
    let (castagnoli, ethernet) = (found("bits").expect("a remainder"), found("ethernet").expect("a remainder"));
    assert_eq!((castagnoli[128], ethernet[128]), (0x82f6_3b78, 0xedb8_8320), "the polynomials");
    assert_eq!(found("halves"), Some(castagnoli));
    for name in ["sum", "inverted", "bounded", "highest_first", "twice", "last", "changed"] {
        assert_eq!(found(name), None, "{name}");
    }
}

/// By tables, however the processor can do it.
#[test]
fn remainders_in_c_are_those_of_the_interpreter() {
    let (session, stack) = compose();
    let machines = Machines::of(session, stack).with_flag("-DNACRE_NO_CPUID");
    let mut tally = Tally::default();
    storm(&machines.stack, &machines.lockstep(), 7, 400, &mut tally).unwrap_or_else(|why| panic!("{why}"));
    assert!(tally.output("deliver") > 20, "{:?}", tally.counters);
}

/// By the instruction, if `pool_init` finds it.
#[test]
fn processor_is_asked_for_its_instruction() {
    let (session, stack) = compose();
    let machines = Machines::of(session, stack);
    let text = machines.text(Level::Bypass);
    assert!(text.source.contains("pool->crc32 = ecx >> 20 & 1u;"), "the C asks");
    let mut tally = Tally::default();
    storm(&machines.stack, &machines.lockstep(), 9, 400, &mut tally).unwrap_or_else(|why| panic!("{why}"));
    assert!(tally.output("deliver") > 20, "{:?}", tally.counters);
}

/// Where the compiler may use the instruction: against the interpreter.
#[test]
#[cfg(target_arch = "x86_64")]
fn instruction_gives_the_same_remainders() {
    if !std::arch::is_x86_feature_detected!("sse4.2") {
        return;
    }
    let (session, stack) = compose();
    let machines = Machines::of(session, stack).with_flag("-msse4.2");
    let mut makers = vec![machines.interpreter()];
    for level in [Level::Call, Level::Bypass] {
        let text = machines.text(level);
        assert!(text.source.contains("__builtin_ia32_crc32di"), "the C has it");
        let in_place = text.source.contains("st_remainder_of_0(step");
        assert_eq!(in_place, level == Level::Bypass, "a bypass has the filter in place");
        makers.push(machines.compile(&text).expect("the C compiles"));
    }
    let mut tally = Tally::default();
    storm(&machines.stack, &Lockstep { makers }, 8, 400, &mut tally).unwrap_or_else(|why| panic!("{why}"));
    assert!(tally.output("deliver") > 20, "{:?}", tally.counters);
}
