//! The x-kernel environment: messages, maps, events, and protocols in the style of the x-kernel as STREAMS drivers.

mod c;

use std::fs;
use std::path::{Path, PathBuf};

use nacre_encapsulation::compile::{room, SANITIZERS};
use nacre_encapsulation::import::{write_streams, Import, Imported, Refused};

fn flags() -> Vec<String> {
    SANITIZERS.iter().map(|flag| flag.to_string()).collect()
}

/// The library of STREAMS, which tests and capsules share, and the flag with which programs find it.
fn streams(folder: &Path) -> (PathBuf, String) {
    write_streams(folder, &flags()).expect("the library");
    (folder.join("libnacre_streams.so"), format!("-Wl,-rpath,{}", folder.display()))
}

/// Tests that are linked with the environment.
fn environment_with(test: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (library, rpath) = streams(folder.path());
    let include = format!("-I{}", room().join("xkernel/include").display());
    let mut files = c::sources("xkernel");
    files.extend(c::sources("stacks/common"));
    files.push(library);
    files.push(room().join("tests").join(test));
    c::pass(&files, &["-std=gnu11", &include, "-DNACRE_CAPSULE_NAME=\"test\"", &rpath]);
}

#[test]
fn messages() {
    environment_with("xkernel_messages.c");
    environment_with("xkernel_headers.c");
}

#[test]
fn maps_and_participants() {
    environment_with("xkernel_maps.c");
}

#[test]
fn events_and_objects() {
    environment_with("xkernel_events.c");
    environment_with("xkernel_objects.c");
}

fn import(description: &str) -> Import {
    let tree = room().join("tests/xkernel");
    let description = Some(tree.join(description));
    let isolate = false;
    Import { tree, environment: "xkernel".into(), name: "x".into(), description, flags: flags(), isolate }
}

fn write(description: &str, folder: &Path) -> Imported {
    import(description).write(folder).unwrap_or_else(|refused| panic!("{refused:?}"))
}

#[test]
fn protocols_of_the_x_kernel_run_as_drivers() {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = write("graph.toml", folder.path());
    assert_eq!(imported.sources, 3);
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    for test in ["xkernel_datagrams.c", "xkernel_connections.c", "xkernel_storm.c"] {
        c::pass(&[library.clone(), room().join("tests").join(test)], &[&capsule, &rpath]);
    }
}

#[test]
fn protocols_of_version_3_3_over_ethernet() {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = write("ether.toml", folder.path());
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    c::pass(&[library, room().join("tests/xkernel_ethernets.c")], &[&capsule, &rpath]);
}

#[test]
fn protocols_that_wait_run_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = write("meet.toml", folder.path());
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    c::pass(&[library, room().join("tests/xkernel_threads.c")], &[&capsule, &rpath]);
}

/// A source that creates threads is refused, and one that waits for semaphores is told what they do.
#[test]
fn threads_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include \"xkernel.h\"\n#include \"xkernel/graph.h\"\n\
        static Semaphore done;\nstatic void init(self) XObj self; { semInit(&done, 1); semWait(&done); CREATE }\n\
        static const struct xk_lower lowers[] = {{\"wire\", XK_FRAMES, 0}, {0}};\n\
        static const struct xk_protocol protocols[] = {{\"p\", init, {\"wire\"}, 0}, {0}};\n\
        static const struct xk_device devices[] = {{\"\", \"p\", XK_CONNECTIONLESS, 0, {{4, XK_BYTES}}}, {0}};\n\
        const struct xk_graph xk_graph = {lowers, protocols, devices, 0};\n";
    let mut import = import("graph.toml");
    import.tree = folder.path().join("tree");
    import.description = None;
    fs::create_dir(&import.tree).expect("a folder");
    let source = import.tree.join("p.c");
    fs::write(&source, text.replace("CREATE", "CreateProcess1(init, 5, 1, self);")).expect("a file");
    let Err(Refused::Source(report)) = import.write(folder.path()) else { panic!("it was imported") };
    assert_eq!(report.services.keys().collect::<Vec<_>>(), ["CreateProcess1"]);
    assert!(report.remarks["CreateProcess1"].contains("no threads"), "{report}");
    fs::write(&source, text.replace("CREATE", "")).expect("a file");
    let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    assert!(imported.report.remarks["semWait"].contains("would block"), "{}", imported.report);
}

/// On one node DDP is a driver of STREAMS, on the other it is BSD's.
#[test]
fn protocols_of_the_x_kernel_over_appletalk() {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = write("over.toml", folder.path());
    assert!(imported.report.narrow.iter().any(|line| line.starts_with("dgram.c")), "{}", imported.report);
    let tree = room().join("stacks/appletalk");
    let description = Some(tree.join("imports/ddp.toml"));
    let (environment, name, isolate) = ("bsd44".into(), "at".into(), false);
    let ddp = Import { tree, environment, name, description, flags: flags(), isolate };
    let ddp = ddp.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    let (library, rpath) = streams(folder.path());
    let mut files = c::sources("stacks/appletalk/core");
    files.extend(c::sources("stacks/appletalk/streams"));
    files.extend(["graph.c", "graph_native.c", "graph_imported.c"].map(|file| room().join("measure").join(file)));
    files.extend([library, room().join("tests/xkernel_ddp.c")]);
    let capsule = format!("-DCAPSULE=\"{}\"", ddp.capsule.display());
    let own = format!("-DXCAPSULE=\"{}\"", imported.capsule.display());
    c::pass(&files, &["-DIMPORT=2", &capsule, &own, &rpath]);
}
