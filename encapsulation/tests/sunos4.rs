//! The environment of SunOS 4: mbufs with offsets, services, and protocols in the style of 4.3BSD as STREAMS drivers.

mod c;

use std::fs;
use std::path::{Path, PathBuf};

use nacre_encapsulation::compile::{room, SANITIZERS};
use nacre_encapsulation::description::{matches, Environment};
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
    let environment = Environment::named("sunos4").expect("the environment");
    let mut files = matches(&room(), &environment.sources).expect("its sources");
    files.push(library);
    files.push(room().join("tests").join(test));
    let include = environment.include.iter().map(|folder| format!("-I{}", room().join(folder).display()));
    let include: Vec<String> = include.collect();
    let mut flags = vec!["-std=gnu11", "-DNACRE_CAPSULE_NAME=\"test\"", "-DNACRE_HIDE_FREE_MBUFS", &rpath];
    flags.extend(include.iter().map(String::as_str));
    c::pass(&files, &flags);
}

fn import(tree: &Path, description: &Path, flags: Vec<String>, folder: &Path) -> Result<Imported, Refused> {
    import_in("sunos4", tree, description, flags, folder)
}

fn import_in(
    environment: &str,
    tree: &Path,
    description: &Path,
    flags: Vec<String>,
    folder: &Path,
) -> Result<Imported, Refused> {
    let (tree, description) = (tree.to_path_buf(), Some(description.to_path_buf()));
    let (environment, name) = (environment.into(), "tp".into());
    Import { tree, environment, name, description, flags, isolate: false }.write(folder)
}

#[test]
fn mbufs() {
    environment_with("sunos4_mbuf.c");
}

#[test]
fn services() {
    environment_with("sunos4_services.c");
}

#[test]
fn protocols_of_sunos_4_run_as_drivers() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = room().join("tests/sunos4");
    let imported = import(&tree, &tree.join("tp.toml"), flags(), folder.path());
    let imported = imported.unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(imported.sources, 4);
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    for test in ["tests/bsd_datagrams.c", "tests/bsd_streams.c"] {
        c::pass(&[library.clone(), room().join(test)], &["-DSUNOS4", &capsule, &rpath]);
    }
    // The first host has the same protocols in the style of 4.4BSD.
    let (tree, other) = (room().join("tests/bsd"), tempfile::tempdir().expect("a folder"));
    let first = import_in("bsd44", &tree, &tree.join("tp.toml"), flags(), other.path());
    let first = first.unwrap_or_else(|refused| panic!("{refused:?}"));
    let first = format!("-DCAPSULE=\"{}\"", first.capsule.display());
    let second = format!("-DSECOND_CAPSULE=\"{}\"", imported.capsule.display());
    c::pass(&[library, room().join("tests/bsd_streams.c")], &[&first, &second, &rpath]);
}

/// A file beside the protocols that needs a flag of its own, and reports a place.
const EXTRA: &str = "#include \"param.h\"\n#ifndef EXTRA\n#error no flag\n#endif\nint extra() { return (int)\"\"; }\n";

/// A kernel tree as it was: protocols beside the headers of that kernel, which they include by their places.
fn kernel_tree(tree: &Path) {
    let own = tree.join("nettp");
    fs::create_dir(&own).expect("a folder");
    for file in fs::read_dir(room().join("tests/sunos4")).expect("the protocols").flatten() {
        fs::copy(file.path(), own.join(file.file_name())).expect("a copy");
    }
    for header in ["h/param.h", "h/mbuf.h", "net/if.h", "netinet/in_systm.h", "nettp/socket.h"] {
        let path = tree.join(header);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "#error a header of the kernel\n").expect("a header");
    }
    fs::write(own.join("extra.c"), EXTRA).expect("a file");
}

#[test]
fn headers_of_a_kernel_tree_are_those_of_the_environment() {
    let (tree, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    kernel_tree(tree.path());
    let mut text = String::from("sources = [\"nettp/*.c\"]\nexclude = [\"nettp/glue.c\"]\ninclude = [\"nettp\"]\n");
    text += "glue = [\"nettp/glue.c\"]\nfile_flags = { \"nettp/extra.c\" = [\"-DEXTRA\"] }\n";
    let description = tree.path().join("tp.toml");
    fs::write(&description, &text).expect("a description");
    let imported = import(tree.path(), &description, vec![], folder.path());
    let imported = imported.unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(imported.sources, 5);
    assert!(imported.report.narrow.iter().any(|place| place.starts_with("nettp/extra.c:5:")), "{}", imported.report);
    fs::write(&description, text.replace("-DEXTRA", "-DOTHER")).expect("a description");
    let Err(Refused::Source(report)) = import(tree.path(), &description, vec![], folder.path()) else {
        panic!("the file has its flag")
    };
    assert!(report.errors.iter().any(|error| error.starts_with("nettp/extra.c:3:")), "{report}");
}
