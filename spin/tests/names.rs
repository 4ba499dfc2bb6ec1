//! No name of a source conflicts with a model: the names of state, locals, fields, functions, events, constants and
//! others in these sources are words of Promela and C, and names of the verifiers that SPIN generates.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use common::tools;
use nacre_driver::Session;
use nacre_spin::model;
use nacre_spin::spin::{Limits, Verdict};
use nacre_worlds::setup::Setup;
use nacre_worlds::world::{self, Subject};

/// Words of Promela, and macros that compilers and the C library define.
const WORDS: &str =
    "active atomic bit byte chan d_step do else empty enabled eval fi full hidden init inline len local ltl mtype \
    nempty never nfull np_ od of pc_value pid printf printm priority proctype provided run select show skip \
    timeout trace typedef unless unsigned xr xs assert auto case char const default double enum extern float \
    goto int long register return short signed sizeof static struct switch union void volatile while inline \
    restrict linux unix stdin stdout stderr errno main exit malloc free memcpy memset memcmp strlen abort signal \
    now this that other last nr_pr trans state endpoint network watch turn taken";

/// Words that are special to SPIN or to the verifiers that it generates.
const OF_SPIN: &str =
    "c_code c_decl c_expr c_state c_track get_priority set_priority uchar ushort uint ulong max final \
    rand wasnew maxseq0 p_ d_ p__q a__";

/// Names of types, headers and constants.
const CAPITALS: &str =
    "Trans State Queue Data Frame Message Event Bits Match Label Code_Table P0 Q0 Maxbody H_el Stack BFS SV";
const CONSTANTS: &str =
    "NULL EOF TRUE FALSE MA BITSTATE SAFETY VECTORSZ NFAIR INT_MAX BUFSIZ SEEK_SET MY OPEN LATER TOP \
    QUEUE BELOW GIVEN SHIFTED LOOP XUSAFE NOCLAIM";

fn each(names: &[String], text: impl Fn(usize, &str) -> String) -> String {
    names.iter().enumerate().map(|(at, name)| text(at, name)).collect()
}

/// A layer, its service and its network, in which everything has these names.
fn source(names: &[String], types: &[String], constants: &[String]) -> String {
    let events = each(names, |_, n| format!("    down {n}({n}: u8)\n    up up_{n}({n}: u8)\n"));
    let spec_state = each(names, |_, n| format!("{n}: nat, "));
    let spec = each(names, |_, n| {
        let input = format!("    input {n}(at p, {n}_2) {{ {n} += {n}_2; }}\n");
        input + &format!("    output up_{n}(at p, x) when x in upto({n}) {{ {n} -= 1; }}\n")
    });
    let state = each(names, |_, n| format!("{n}: u8, "));
    let functions = each(names, |_, n| format!("    fn {n}() {{ {n} += 1; }}\n"));
    let handlers = each(names, |_, n| {
        format!("    down {n}(x) {{ var {n}_3: u8 = x; {n}(); above.up_{n}({n}_3); count {n}; }}\n")
    });
    let fields = each(names, |_, n| format!("{n}: u9, "));
    let filled = each(names, |_, n| format!("{n}: {n} as u9, "));
    let locals = each(names, |_, n| format!("        var {n}: u8 = 1; total = {n} as u16;\n"));
    let headers = each(types, |_, t| format!("    header {t} {{ field: u8 }}\n"));
    let sent = each(types, |_, t| format!("        below.send({t} {{ field: 1 }});\n"));
    let taken = each(types, |_, t| format!("    up deliver({t} {{ field }}) {{ total = field as u16; }}\n"));
    let structs = each(types, |_, t| format!("struct {t}_of {{ {state} }}\n"));
    let values = each(constants, |at, c| format!("    const {c}: u16 = {at};\n"));
    let used = each(constants, |_, c| format!("        total = {c};\n"));
    format!(
        "import \"../../layers/interfaces.nacre\";
        interface service {{
            down send(m: msg)
            up deliver(m: msg)
        {events}}}
        automaton served {{
            state {{ {spec_state} of_all: set<msg> per member }}
            input send(at p, m) {{ of_all[p].add(m); }}
            output deliver(at q, m) when m in of_all[peer(q)] {{ }}
        {spec}}}
        {structs}
        worker subject: service over channel {{
            requires lossy_network;
            provides served;
            header Large {{ {fields} }}
        {headers}
        {values}
            state {{ {state} total: u16 }}
            counters {{ {} }}
            down send(m) {{
                below.send(m + Large {{ {filled} }});
        {sent}{used}{locals}    }}
            up deliver(m - Large {{ {} }}) {{ pass m; }}
        {taken}{handlers}{functions}}}
        configuration small for subject {{ send = (1, 0); {} = (1, 0); }}",
        names.join(", "),
        names.join(", "),
        names[0],
    )
}

fn session(text: &str) -> Session {
    Session::from_text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/names.nacre"), text)
}

fn setup(text: &str) -> Result<Setup, String> {
    let session = session(text);
    if session.has_errors() {
        return Err(session.render(false));
    }
    let configuration = session.configurations().into_iter().find(|c| c.subject == "subject").expect("it is there");
    let subject = Subject { name: "subject".into(), is_layer: true };
    world::world(&session, &subject, &configuration, false).map(|world| world.setup).map_err(|refusal| match refusal {
        world::Refusal::Words(words) | world::Refusal::Usage(words) => words,
        world::Refusal::Diagnostics(found) => format!("{found:?}"),
    })
}

/// Whether the language takes these names.
fn is_taken(text: &str) -> bool {
    let mut session = session(text);
    session.check();
    !session.has_errors()
}

fn owned(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_string).collect()
}

/// Whether SPIN and gcc accept the model.
fn built(names: &[String], kinds: &[String], constants: &[String]) -> Result<(), String> {
    let setup = setup(&source(names, kinds, constants))?;
    let limits = Limits { depth: 1000, ..Limits::default() };
    match model::check(&setup, &tools(), &limits).map_err(|why| format!("{why:?}"))?.verdict {
        Verdict::Holds | Verdict::Incomplete(_) => Ok(()),
        Verdict::Violated { why, .. } => Err(why),
    }
}

/// Names in the verifier that SPIN generates of any model, with lower-case letters at the beginning or not.
fn of_verifier() -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), "byte x; active proctype p() { do :: x++ :: x > 3 -> x = 0 od }")
        .expect("written");
    let made = Command::new("spin").args(["-a", "m.pml"]).current_dir(folder.path()).output().expect("spin");
    assert!(made.status.success());
    let mut found = BTreeSet::new();
    for file in ["pan.c", "pan.h", "pan.m", "pan.b", "pan.t", "pan.p"] {
        let Ok(text) = std::fs::read_to_string(folder.path().join(file)) else { continue };
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        found.extend(words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_string));
    }
    found
}

/// The words that the language takes in the place of a name in a source.
fn usable(words: impl Iterator<Item = String>, source: impl Fn(&[String]) -> String) -> Vec<String> {
    let words: Vec<String> = words.filter(|w| w.len() < 30).collect();
    words.into_iter().filter(|w| is_taken(&source(std::slice::from_ref(w)))).collect()
}

/// Checks models with these names; returns how many there are.
fn check(words: BTreeSet<String>) -> [usize; 3] {
    let (plain, kind, constant) = (owned("alpha"), owned("Alpha"), owned("ALPHA"));
    let (lower, upper): (Vec<_>, Vec<_>) =
        words.into_iter().partition(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    let names = usable(lower.into_iter(), |one| source(one, &kind, &constant));
    let kinds = usable(upper.clone().into_iter(), |one| source(&plain, one, &constant));
    let constants = usable(upper.into_iter(), |one| source(&plain, &kind, one));
    let models = names.chunks(60).map(|part| (part, &kind[..], &constant[..]));
    let models = models.chain(kinds.chunks(12).map(|part| (&plain[..], part, &constant[..])));
    let models = models.chain(constants.chunks(60).map(|part| (&plain[..], &kind[..], part)));
    let refused = models.filter_map(|(names, kinds, constants)| {
        let why = built(names, kinds, constants).err()?;
        Some(format!("{names:?} {kinds:?} {constants:?}: {why}"))
    });
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    [names.len(), kinds.len(), constants.len()]
}

#[test]
fn words_of_promela_and_c_do_not_conflict() {
    let found = check([WORDS, OF_SPIN, CAPITALS, CONSTANTS].into_iter().flat_map(owned).collect());
    assert!(found[0] > 100 && found[1] > 10 && found[2] > 20, "{found:?}");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn names_of_the_verifier_do_not_conflict() {
    let found = check(of_verifier());
    assert!(found[0] > 2000 && found[1] > 200 && found[2] > 300, "{found:?}");
}
