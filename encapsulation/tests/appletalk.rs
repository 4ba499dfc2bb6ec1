//! AppleTalk: the core of DDP and ATP.

mod c;

use nacre_encapsulation::compile::room;

fn core_with(test: &str) {
    let mut files = c::sources("stacks/appletalk/core");
    files.push(room().join("tests").join(test));
    c::pass(&files, &[]);
}

#[test]
fn headers_addresses_and_sockets() {
    core_with("appletalk_ddp.c");
}

#[test]
fn requests_and_transactions() {
    core_with("appletalk_atp.c");
}
