//! Tests of what is followed through functions.

use super::*;

fn follow(text: &str, storage: &[&str], is_pointer: &dyn Fn(&str) -> bool) -> Found {
    let storage = storage.iter().map(|name| name.to_string()).collect();
    functions(text)[0].follow(&Known { data: &["m_data".into()], is_pointer, storage: &storage })
}

use crate::overlays::tokens::functions;

fn casts(body: &str) -> Vec<String> {
    let text = format!("\n;; Function f (null)\n;; enabled by -tree-original\n\n\n{{\n{body}\n}}\n");
    let found = follow(&text, &["kept"], &|name| name == "packet");
    found.casts.iter().filter(|cast| cast.stars > 0).map(Cast::to_string).collect()
}

#[test]
fn casts_of_packet_data_are_found() {
    assert_eq!(casts("p = (struct a *) m->m_hdr.m_data;"), ["struct a *"]);
    assert_eq!(casts("p = (struct a *) kept->m_next->m_data;"), ["struct a *"]);
    assert_eq!(casts("p = (struct a *) (m->m_data + 20);"), ["struct a *"]);
    assert_eq!(casts("if (x) {((struct a *) packet)->a = 0B;}"), ["struct a *"]);
    assert_eq!(casts("f (1, *(u_long *) &packet->b[3]);"), ["u_long *"]);
    assert_eq!(casts("x = y == 0 ? (struct a * *) packet++ : 0B;"), ["struct a **"]);
    assert_eq!(casts("p = (struct a *) ((long int) m + (long int) n->m_data);"), ["struct a *"]);
    assert_eq!(casts("p = (const struct a *) SAVE_EXPR <packet>;"), ["struct a *"]);
}

#[test]
fn casts_of_other_data_are_none() {
    for body in [
        "p = (struct a *) m;",
        "p = (struct a *) kept->m_hdr.m_data;",
        "p = (struct a *) &m->m_data;",
        "p = (struct a *) packet->next;",
        "p = (struct a *) *packet;",
        "p = (struct a *) f (packet);",
        "p = (struct a *) ((long int) packet & -128);",
        "p = (struct a *) (packet == q);",
        "p = \"(struct a *) packet\";",
    ] {
        assert_eq!(casts(body), [""; 0], "{body}");
    }
}

#[test]
fn assignments_and_arguments_are_followed() {
    let text = ";; Function f (null)\n{\n  struct a * q = (struct a *) packet;\n  r = q = packet + 1;\n  \
                g (1, packet, *packet);\n  packet->s = packet;\n  t = packet != u;\n}\n";
    let found = follow(text, &[], &|name| name == "packet");
    assert_eq!(found.assigned.into_iter().collect::<Vec<_>>(), ["q", "r"]);
    assert_eq!(found.passed.into_iter().collect::<Vec<_>>(), [("g".to_string(), 1)]);
    assert_eq!(found.members.into_iter().collect::<Vec<_>>(), ["s"]);
}

#[test]
fn unfinished_text_is_read_to_its_end() {
    for text in [
        ";; Function f",
        ";; Function f\n((((",
        ";; Function f\n{ a = (b",
        ";; Function f\n\"x",
        ";; Function f\n}{)]<",
    ] {
        follow(text, &[], &|_| true);
    }
    let deep = format!(";; Function f\n{}", "(".repeat(100_000));
    follow(&deep, &[], &|_| true);
}

#[test]
fn results_of_functions_are_known_to_be_theirs() {
    let text = ";; Function f (null)\n{\n  if ((m = (struct mbuf *) g (1)) == 0B) return;\n  n = m;\n}\n";
    let results = follow(text, &[], &|_| false).results;
    let expected = [("m".to_string(), Some("g".to_string())), ("n".to_string(), None)];
    assert_eq!(results.into_iter().collect::<Vec<_>>(), expected);
}
