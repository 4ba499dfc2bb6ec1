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

#[test]
fn random_calls_within_routines_neither_crash_nor_leak() {
    library_with("streams_calls.c");
}

/// The program of the page, in a function.
#[test]
fn host_of_the_page_compiles() {
    let page = std::fs::read_to_string(room().join("streams/README.md")).expect("the page");
    let code = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    let program = format!(
        "#include \"streams/host.h\"\n\
         void run(struct str_environment environment, struct str_device_calls calls, void *context,\n\
                  struct streamtab ddp_streamtab);\n\
         void run(struct str_environment environment, struct str_device_calls calls, void *context,\n\
                  struct streamtab ddp_streamtab)\n{{\n\
         struct str_device *device; struct str_stream *ddp, *link; int id;\n{code}}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page.c"), program).expect("a file");
    let include = format!("-I{}", room().display());
    let words = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include, "page.c"];
    nacre_encapsulation::compile::gcc(&words, folder.path()).unwrap_or_else(|words| panic!("{words}"));
}
