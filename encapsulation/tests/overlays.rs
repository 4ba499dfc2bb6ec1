//! What `nacre import` says of structures with pointers that packets are cast to.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use nacre_encapsulation::import::{Import, Refused};
use nacre_encapsulation::overlays::Overlay;
use tempfile::tempdir;

const HEADERS: &str = r#"
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>

struct flat { u_char v : 4, h : 4; u_char tos; u_short len; u_int source, target; long long stamp; };
struct overlay { caddr_t next, prev; u_char x1, protocol; short length; u_int source, target; };
struct rest { u_short from, to; };
struct whole { struct overlay o; struct rest r; };
union either { struct flat *pointer; u_char bytes[4]; };
struct with_union { union either e; u_short behind; };
struct with_array { u_short first; struct { u_char n; char *p; } pairs[2]; u_short behind; };
struct with_bits { char *p; u_int a : 3, b : 30; u_char c : 2; u_short unread; };
struct packed { u_char a; char *p; u_short b; } __attribute__((packed));
struct with_long { u_short a; u_long b; u_short c; };
struct aligned { char *p; u_char a; } __attribute__((aligned(32)));
typedef struct { void (*f)(); u_short behind; } named;
typedef struct behind_name { char *p; } *pointer_name;
struct ending { u_int a; char *p; };
struct hidden { char *p; u_short unread_too; };
struct in_other { char *p; };
struct block { struct block *next; u_int state; };
struct other { char *p; };
struct by_type { char *p; };
"#;

/// The lines that must be named are marked with the name of the type.
const FIRST: &str = r#"
#include "headers.h"
#define HIDE(m) mtod(m, struct hidden *)
extern struct mbuf *kept;

first_input(m, off)
    struct mbuf *m; int off;
{
    register struct flat *f = mtod(m, struct flat *);
    struct overlay *declared_only;
    struct whole *w;
    caddr_t cp;

    f->v = 4;
    ((struct overlay *)f)->next = 0; /* struct overlay */
    ((struct overlay *)f)->protocol = 6;
    if ((w = mtod(m, struct whole *))->r.to == 1) /* struct whole */
        *(struct mbuf **)&w->r = m; /* struct mbuf * */
    cp = mtod(m, caddr_t) + off;
    second_input(1, cp);
    cp += 4;
    ((struct with_union *)cp)->behind = f->source; /* struct with_union */
    return (((struct with_array *)(mtod(m, char *) + 4))->behind + f->len); /* struct with_array */
}

first_called_by_pointer(f)
    struct flat *f;
{
    return (((struct by_type *)f)->p[0]); /* struct by_type */
}

first_more(m)
    struct mbuf *m;
{
    int n = 0;

    n += ((struct with_bits *)m->m_data)->b; /* struct with_bits */
    n += mtod(m, struct packed *)->b; /* struct packed */
    n += mtod(m, struct with_long *)->c; /* struct with_long */
    n += mtod(m, struct aligned *)->a; /* struct aligned */
    n += mtod(m, named *)->behind; /* named */
    n += mtod(m, pointer_name)->p[0];
    n += mtod(m, struct ending *)->a; /* struct ending */
    n += HIDE(m)->p[0];
    n += *mtod(m, long *); /* long int */
    n += *mtod(m, long long *);
    return (n);
}
"#;

const SECOND: &str = r#"
#include "headers.h"

struct mbuf *kept;

second_input(n, data)
    int n; caddr_t data;
{
    ((struct in_other *)data)->p = 0; /* struct in_other */
    return (n);
}

struct block *
second_block(so)
    caddr_t so;
{
    struct mbuf *b = m_getclr(M_DONTWAIT, MT_PCB);
    struct block *block = mtod(b, struct block *);

    block->next = (struct block *)so;
    insque(mtod(kept, struct flat *), block); /* insque */
    insque(block, so);
    ((struct other *)b)->p = ((struct other *)so)->p;
    ((struct other *)mtod(kept, struct mbuf *)->m_next)->p = 0;
    return (block);
}
"#;

/// The overlays of the source above, by name, with the macros.
fn overlays(define: &str, flags: &[&str]) -> BTreeMap<String, Overlay> {
    let folder = tempdir().expect("a folder");
    let description = format!("sources = [\"*.c\"]\ndefine = [{define}]\n");
    for (name, text) in
        [("headers.h", HEADERS), ("first.c", FIRST), ("second.c", SECOND), ("description.toml", &description)]
    {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let import = Import {
        tree: folder.path().into(),
        environment: "bsd44".into(),
        name: "imported".into(),
        description: Some(folder.path().join("description.toml")),
        flags: flags.iter().map(|flag| flag.to_string()).collect(),
        isolate: false,
    };
    match import.write(&folder.path().join("out")) {
        Err(Refused::Source(report)) => {
            assert_eq!((&report.errors, report.headers.len()), (&vec![], 0));
            report.overlays.iter().map(|overlay| (overlay.name.clone(), overlay.clone())).collect()
        }
        other => panic!("it has no bsd_description: {other:?}"),
    }
}

fn found() -> &'static BTreeMap<String, Overlay> {
    static FOUND: OnceLock<BTreeMap<String, Overlay>> = OnceLock::new();
    FOUND.get_or_init(|| overlays("", &[]))
}

/// The offsets in bytes of what is wide, and of what is behind, and the size; with those for 32 bits.
type Layout = (Vec<(&'static str, u64)>, Vec<(&'static str, u64, u64)>, (u64, Option<u64>));

fn layout(name: &str) -> Layout {
    let overlay = &found().get(name).unwrap_or_else(|| panic!("{name} is not among {:?}", found().keys()));
    let wide = overlay.wide.iter().map(|it| (it.member.as_str(), it.offset)).collect();
    let displaced = overlay.displaced.iter().map(|it| (it.member.as_str(), it.offset, it.narrow_offset)).collect();
    (wide, displaced, (overlay.size, overlay.narrow_size))
}

#[test]
fn structures_with_pointers_are_named_and_no_others() {
    let names: Vec<&str> = found().keys().map(String::as_str).collect();
    let expected = [
        "insque",
        "long int",
        "named",
        "struct aligned",
        "struct behind_name",
        "struct by_type",
        "struct ending",
        "struct hidden",
        "struct in_other",
        "struct mbuf",
        "struct mbuf *",
        "struct overlay",
        "struct packed",
        "struct whole",
        "struct with_array",
        "struct with_bits",
        "struct with_long",
        "struct with_union",
    ];
    assert_eq!(names, expected);
}

#[test]
fn places_are_those_of_the_casts() {
    for (name, overlay) in found() {
        let (file, line) = overlay.place.split_once(':').expect("a file and a line");
        let text = if file == "first.c" { FIRST } else { SECOND };
        let line: usize = line.parse().expect("a number");
        let line = text.lines().nth(line - 1).expect("a line of the file");
        match name.as_str() {
            // A macro or another name hides the cast: the function.
            "struct hidden" | "struct behind_name" => assert!(line.starts_with("first_more("), "{name}: {line}"),
            "struct mbuf" => assert!(line.contains("kept")),
            _ => assert!(line.contains(&format!("/* {name} */")), "{name}: {line}"),
        }
    }
}

#[test]
fn what_is_behind_pointers_is_displaced() {
    let wide = vec![("next", 0), ("prev", 8)];
    let behind =
        [("x1", 16, 8), ("protocol", 17, 9), ("length", 18, 10), ("source", 20, 12), ("target", 24, 16)].to_vec();
    assert_eq!(layout("struct overlay"), (wide, behind, (32, Some(20))));
    let (wide, behind, sizes) = layout("struct whole");
    assert_eq!((wide, sizes), (vec![("o.next", 0), ("o.prev", 8)], (40, Some(24))));
    assert_eq!(behind[5..], [("r.from", 32, 20), ("r.to", 34, 22)]);
}

#[test]
fn members_that_the_source_uses_are_told_apart() {
    let displaced = &found()["struct overlay"].displaced;
    let used: Vec<&str> = displaced.iter().filter(|it| it.is_used).map(|it| it.member.as_str()).collect();
    assert_eq!(used, ["protocol", "source"], "by name: another structure's `source` is used");
    let text = found()["struct overlay"].to_string();
    let line = "next, prev have 64 bits; 32 bytes instead of 20; \
                behind, used: protocol at 17 instead of 9, source at 20 instead of 12; \
                behind, not used: x1 at 16 instead of 8, length at 18 instead of 10, target at 24 instead of 16";
    assert!(text.ends_with(line), "{text}");
}

#[test]
fn unions_arrays_and_bit_fields_are_laid_out() {
    assert_eq!(layout("struct with_union"), (vec![("e.pointer", 0)], vec![("behind", 8, 4)], (16, Some(8))));
    assert_eq!(layout("struct with_array"), (vec![("pairs", 8)], vec![("behind", 40, 20)], (48, Some(24))));
    let behind = vec![("a", 8, 4), ("b", 12, 8), ("c", 15, 11), ("unread", 16, 12)];
    assert_eq!(layout("struct with_bits"), (vec![("p", 0)], behind, (24, Some(16))));
}

#[test]
fn packed_structures_have_no_gaps() {
    assert_eq!(layout("struct packed"), (vec![("p", 1)], vec![("b", 9, 5)], (11, Some(7))));
}

#[test]
fn layouts_by_other_rules_have_no_32_bit_form() {
    assert_eq!(layout("struct aligned"), (vec![("p", 0)], vec![], (32, None)));
}

#[test]
fn names_of_types_are_followed() {
    assert_eq!(layout("named"), (vec![("f", 0)], vec![("behind", 8, 4)], (16, Some(8))));
    assert_eq!(layout("struct behind_name").0, [("p", 0)]);
}

#[test]
fn long_is_wide_unless_it_has_32_bits() {
    assert_eq!(layout("struct with_long"), (vec![("b", 8)], vec![("c", 16, 8)], (24, Some(12))));
    assert_eq!(layout("long int").0, [("", 0)]);
    let narrow = overlays("\"NACRE_LONG32\"", &["-fsanitize=undefined"]);
    let names = found().keys().filter(|name| *name != "struct with_long");
    assert!(narrow.keys().eq(names), "{:?}", narrow.keys());
}

#[test]
fn queues_through_packets_are_pairs_of_pointers() {
    assert_eq!(layout("insque"), (vec![("next", 0), ("previous", 8)], vec![], (16, Some(8))));
}

#[test]
fn functions_with_casts_are_counted() {
    assert_eq!(found()["struct overlay"].functions, 1);
    assert!(found()["struct mbuf *"].to_string().ends_with("has 64 bits"));
}
