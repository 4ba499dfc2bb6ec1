//! STREAMS: messages, queues, the stream head, multiplexors, devices and TPI.

mod c;

use nacre_encapsulation::compile::room;

fn library_with(test: &str) {
    let mut files = c::sources("streams");
    files.push(room().join("tests").join(test));
    c::pass(&files, &[]);
}

#[test]
fn messages() {
    library_with("streams_messages.c");
}

#[test]
fn queues() {
    library_with("streams_queues.c");
}

#[test]
fn queues_follow_a_model_of_their_rules() {
    library_with("streams_model.c");
}

#[test]
fn timeouts_and_hosts() {
    library_with("streams_time.c");
}

#[test]
fn transport_primitives() {
    library_with("streams_tpi.c");
}

#[test]
fn stream_head() {
    library_with("streams_head.c");
}

#[test]
fn open_push_and_ioctl() {
    library_with("streams_control.c");
}

#[test]
fn multiplexors() {
    library_with("streams_link.c");
}

#[test]
fn devices_of_frames() {
    library_with("streams_device.c");
}

#[test]
fn random_use_of_everything_neither_crashes_nor_leaks() {
    library_with("streams_storm.c");
}
