//! The mirrors of `nacre.h` in Rust have the sizes and offsets that a C compiler gives the structs.

mod support;

use nacre_runtime::ffi::*;
use std::mem::{offset_of, size_of};
use std::process::Command;
use support::{cc, header_dir, scratch};

macro_rules! mirror {
    ($lines:ident, $rust:ident, $c:literal, $($field:ident),+) => {
        $lines.push((format!("sizeof(struct {})", $c), size_of::<$rust>()));
        $($lines.push((format!("offsetof(struct {}, {})", $c, stringify!($field)), offset_of!($rust, $field)));)+
    };
}

#[test]
fn mirrors_have_the_layout_of_the_header() {
    let mut lines: Vec<(String, usize)> = Vec::new();
    mirror!(lines, NacreAddr, "nacre_addr", ip, port, family);
    mirror!(lines, NacreDelivery, "nacre_delivery", at, len, event, argument);
    mirror!(lines, NacreSegment, "nacre_segment", at, len, reserved);
    mirror!(
        lines,
        NacreOutput,
        "nacre_output",
        port,
        event,
        session,
        len,
        segments_len,
        segments,
        arguments,
        address,
        reserved
    );
    mirror!(
        lines,
        NacreOut,
        "nacre_out",
        abi,
        size,
        outputs_len,
        outputs_max,
        segments_len,
        segments_max,
        bytes_len,
        bytes_max,
        outputs,
        segments,
        bytes
    );
    mirror!(
        lines,
        NacreEvent,
        "nacre_event",
        name,
        port,
        input,
        has_message,
        has_address,
        arguments,
        role,
        idle,
        message_max,
        reserved2
    );
    mirror!(lines, NacreIn, "nacre_in", abi, size, port, reserved, session, from, frame, len, reserved2);
    mirror!(lines, NacreGiven, "nacre_given", name, offset, size, required, secret, role, reserved);
    mirror!(
        lines,
        NacreStack,
        "nacre_stack",
        abi,
        size,
        name,
        description,
        level,
        fingerprint,
        has_preamble,
        reserved,
        state_size,
        state_align,
        config_size,
        pool_align,
        pool_base,
        pool_per_block,
        blocks_for_one,
        block_bytes,
        outputs_max,
        segments_max,
        bytes_max,
        frame_head_max,
        frame_data_max,
        counters_len,
        counters,
        events_len,
        givens_len,
        events,
        givens,
        config_default,
        pool_init,
        pool_free,
        open,
        call,
        input,
        tick,
        deadline,
        accepts,
        settle,
        discard,
        canonical,
        enter,
        view,
        send_quick,
        input_quick,
        quick_to,
        reserved2
    );
    for (name, value) in [
        ("NACRE_ABI", ABI as usize),
        ("NACRE_OK", OK as usize),
        ("NACRE_IDLE", IDLE as usize),
        ("NACRE_REFUSED", REFUSED as usize),
        ("NACRE_BUSY", BUSY as usize),
        ("NACRE_NO_SPACE", NO_SPACE as usize),
        ("NACRE_DROPPED", DROPPED as usize),
        ("NACRE_INVALID", INVALID as usize),
        ("NACRE_NEVER", NEVER as usize),
    ] {
        lines.push((name.into(), value));
    }
    let prints: String = lines.iter().map(|(what, _)| format!("    printf(\"%zu\\n\", (size_t)({what}));\n")).collect();
    let dir = scratch();
    let (source, program) = (dir.path().join("layout.c"), dir.path().join("layout"));
    let text = format!("#include \"nacre.h\"\n#include <stdio.h>\nint main(void) {{\n{prints}    return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    let include = format!("-I{}", header_dir().display());
    cc(&["-std=c11", &include, &source.display().to_string(), "-o", &program.display().to_string()]);
    let output = Command::new(&program).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let theirs: Vec<usize> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(theirs.len(), lines.len());
    for ((what, ours), theirs) in lines.iter().zip(theirs) {
        assert_eq!(*ours, theirs, "{what}");
    }
}
