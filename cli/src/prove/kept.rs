//! What became of bypasses that were tried before, so that a stack is proved once. The stacks of the examples come with
//! their proofs; for others, this user has a file for each bypass, named after what is claimed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nacre_driver::Session;
use nacre_prover::bypasses::{judge, with_bypasses_of, Verdict};
use nacre_prover::solvers;
use nacre_prover::threads::in_parallel;
use nacre_stack::{number, print, Bypass, Span, Stack};
use sha2::{Digest, Sha256};

use super::verdicts::{name, reason};
use crate::console::say;
use crate::progress::Waiting;
use crate::user_folders;

/// Part of each name: to be changed when a proof claims something else, when more constructs have terms, or when a
/// mistake in what proves is mended.
const CLAIMS: &str = "nacre bypass claims 4";
/// What comes with the program: a line for each bypass with its name and, where it is not proved, the reason.
const SHIPPED: &str = include_str!("shipped.txt");
/// The reason of a bypass that is left out in silence.
const NEVER: &str = "no event takes it";
/// The content of the file of a bypass that is proved: an empty one is what a full disk leaves.
const PROVED: &str = "proved\n";
/// What the file of another one begins with; the reason follows.
const LEFT_OUT: &str = "left out: ";

/// What became of a bypass: why it is not proved; none: it is.
type Fate = Option<String>;

/// Which bypasses a command tries to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proving {
    /// Those without a known verdict.
    Missing,
    /// None: a transfer must not wait for solvers.
    Nothing,
}

/// Leaves the bypasses of an optimized stack that are proved; says which are not, and why.
pub fn keep_proved(session: &Session, composed: &Stack, optimized: &mut Stack, proving: Proving) {
    let stack = with_bypasses_of(composed, optimized);
    let kept = Kept::find();
    let names = names_of(&stack);
    let mut fates: Vec<Option<Fate>> = names.iter().map(|name| kept.fate(name)).collect();
    let tried = match proving {
        Proving::Missing => newly_tried(&stack, &fates),
        Proving::Nothing => not_tried(&stack, &fates),
    };
    for (at, verdict) in tried {
        let fate = fate_of(&stack, &verdict);
        kept.keep_verdict(&names[at], &verdict, &fate);
        fates[at] = Some(fate);
    }
    for (at, why) in fates.iter().enumerate().filter_map(|(at, fate)| Some((at, fate.as_ref()?.as_ref()?))) {
        if why != NEVER {
            say(&format!("note: a bypass is left out: {}: {why}", name(session, &stack, at)));
        }
    }
    let mut fates = fates.into_iter();
    optimized.bypasses.retain(|_| fates.next() == Some(Some(None)));
    number(optimized);
}

/// The verdicts on the bypasses that were not tried before; none, if there is no solver.
fn newly_tried(stack: &Stack, fates: &[Option<Fate>]) -> Vec<(usize, Verdict)> {
    let open: Vec<usize> = (0..fates.len()).filter(|at| fates[*at].is_none()).collect();
    if open.is_empty() {
        return vec![];
    }
    let solvers = match solvers::all() {
        Ok(solvers) => solvers,
        Err(missing) => {
            let (left_out, all) = (open.len(), fates.len());
            say(&format!("note: {left_out} of {all} bypasses are left out, as nothing proves them: {missing}"));
            return vec![];
        }
    };
    let waiting = Waiting::begin(format!("proving {} bypasses of {}", open.len(), stack.name));
    let verdicts = in_parallel(open.len(), |at| judge(stack, open[at], &solvers));
    drop(waiting);
    open.into_iter().zip(verdicts).collect()
}

/// Says how many bypasses are left out because they were not tried before.
fn not_tried(stack: &Stack, fates: &[Option<Fate>]) -> Vec<(usize, Verdict)> {
    let left_out = fates.iter().filter(|fate| fate.is_none()).count();
    if left_out > 0 {
        let (name, all) = (&stack.name, fates.len());
        let tries = "`nacre prove` tries them";
        say(&format!("note: {left_out} of {all} bypasses of `{name}` have no known proof and are left out; {tries}"));
    }
    vec![]
}

/// Keeps what became of the bypasses of a stack.
pub(super) fn keep(stack: &Stack, verdicts: &[Verdict]) {
    let kept = Kept::find();
    for (name, verdict) in names_of(stack).iter().zip(verdicts) {
        kept.keep_verdict(name, verdict, &fate_of(stack, verdict));
    }
}

fn fate_of(stack: &Stack, verdict: &Verdict) -> Fate {
    match verdict {
        Verdict::Never => Some(NEVER.into()),
        verdict => reason(stack, verdict),
    }
}

#[cfg(test)]
/// Names for the bypasses of an optimized stack, which are the same as long as the stack is.
pub fn names(composed: &Stack, optimized: &Stack) -> Vec<String> {
    names_of(&with_bypasses_of(composed, optimized))
}

/// A digest of a stack as it is composed, wherever its sources are.
pub fn digest(composed: &Stack) -> String {
    hex(&Sha256::new().chain_update(print(&alone(composed))))
}

fn hex(digest: &Sha256) -> String {
    digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The stack without bypasses, and without its name and what tells where its sources are.
fn alone(stack: &Stack) -> Stack {
    let mut alone = Stack { bypasses: vec![], name: String::new(), ..stack.clone() };
    let Stack { layers, externs, filters, functions, handlers, .. } = &mut alone;
    let spans = layers.iter_mut().map(|layer| &mut layer.span);
    let spans = spans.chain(externs.iter_mut().map(|external| &mut external.span));
    let spans = spans.chain(filters.iter_mut().map(|filter| &mut filter.span));
    let spans = spans.chain(functions.iter_mut().map(|function| &mut function.span));
    let spans = spans.chain(handlers.iter_mut().map(|handler| &mut handler.span));
    spans.for_each(|span| *span = Span::default());
    alone
}

/// A digest of the stack as it is composed, and of each bypass, wherever their sources are.
fn names_of(stack: &Stack) -> Vec<String> {
    let mut alone = alone(stack);
    let name = |bypass: &Bypass| {
        alone.bypasses = vec![bypass.clone()];
        hex(&Sha256::new().chain_update(CLAIMS).chain_update(print(&alone)))
    };
    stack.bypasses.iter().map(name).collect()
}

/// The bypasses that come with the program, and what became of each.
fn shipped() -> impl Iterator<Item = (&'static str, Fate)> {
    SHIPPED.lines().filter(|line| !line.starts_with('#')).map(|line| match line.split_once(' ') {
        None => (line, None),
        Some((name, why)) => (name, Some(why.to_string())),
    })
}

/// The folder of this user's proofs; none: they are not kept.
struct Kept(Option<PathBuf>);

impl Kept {
    /// `nacre/proofs` in $XDG_CACHE_HOME, or in ~/.cache.
    fn find() -> Kept {
        Kept(user_folders::find("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("proofs")))
    }

    /// None: it was not tried before.
    fn fate(&self, name: &str) -> Option<Fate> {
        let is_it = |(shipped, fate): (&str, Fate)| (shipped == name).then_some(fate);
        let file = || fs::read_to_string(self.0.as_ref()?.join(name)).ok();
        // Any other text says nothing.
        let read = |text: String| match text.as_str() {
            PROVED => Some(None),
            _ => text.strip_prefix(LEFT_OUT).map(|why| Some(why.to_string())),
        };
        shipped().find_map(is_it).or_else(|| file().and_then(read))
    }

    /// Where a solver gave up, another time it may not.
    fn keep_verdict(&self, name: &str, verdict: &Verdict, fate: &Fate) {
        if !matches!(verdict, Verdict::Undecided(_)) {
            self.keep(name, fate);
        }
    }

    /// What cannot be kept is tried again the next time.
    fn keep(&self, name: &str, fate: &Fate) {
        if let Some(folder) = &self.0 {
            let text = fate.as_ref().map_or(PROVED.to_string(), |why| format!("{LEFT_OUT}{why}"));
            let _ = fs::create_dir_all(folder).and_then(|()| replace(&folder.join(name), &text));
        }
    }
}

/// Writes a file as a whole: nobody reads a part of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension(std::process::id().to_string());
    fs::write(&new, text)?;
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nacre_profiles::bypassed;

    /// The stacks of the examples that users build, and those of `nacre reproduce`.
    const STACKS: [(&str, &[&str]); 5] = [
        ("examples/reliable", &["reliable_plain", "reliable"]),
        ("examples/secure", &["secure"]),
        ("examples/signed", &["signed"]),
        ("examples/congestion", &["plain_pt2pt", "controlled_pt2pt", "controlled_frag", "cubic_pt2pt", "long_path"]),
        ("benches/papers", &["three", "four", "ten", "active"]),
    ];

    fn composed(file: &str, name: &str) -> Stack {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../{file}.nacre"));
        let mut session = Session::open(&[path]);
        session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)))
    }

    /// Each with its bypasses, as `build` makes them.
    fn stacks() -> Vec<Stack> {
        let stack = |file: &str, name: &str| {
            let composed = composed(file, name);
            with_bypasses_of(&composed, &bypassed(&composed))
        };
        let of_file = |(file, names): &(&str, &[&str])| names.iter().map(|name| stack(file, name)).collect::<Vec<_>>();
        STACKS.iter().flat_map(of_file).collect()
    }

    /// The text of `shipped.txt`: what is known of a bypass, or else what `try_it` says.
    fn text(known: impl Fn(&str) -> Option<Fate>, try_it: impl Fn(&Stack, usize) -> Fate + Sync) -> String {
        let mut text =
            String::from("# Written by the tests of cli/src/prove/kept.rs, with BLESS=1 in the environment.\n");
        for stack in stacks() {
            text += &format!("# {}\n", stack.name);
            let names = names_of(&stack);
            let open: Vec<usize> = (0..names.len()).filter(|at| known(&names[*at]).is_none()).collect();
            let tried = in_parallel(open.len(), |at| try_it(&stack, open[at]));
            let tried: Vec<(usize, Fate)> = open.into_iter().zip(tried).collect();
            for (at, name) in names.iter().enumerate() {
                let new = || tried.iter().find(|(tried, _)| *tried == at).and_then(|(_, fate)| fate.clone());
                let why = known(name).unwrap_or_else(new).map_or(String::new(), |why| format!(" {why}"));
                text += &format!("{name}{why}\n");
            }
        }
        text
    }

    fn judged(stack: &Stack, at: usize) -> Fate {
        fate_of(stack, &judge(stack, at, &solvers::all().expect("z3 and cvc5")))
    }

    #[test]
    fn a_file_that_was_not_written_as_a_whole_proves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept(Some(folder.path().to_path_buf()));
        let fates = [("a", None), ("b", Some("z3 finds that output 1 differs".to_string()))];
        fates.iter().for_each(|(name, fate)| kept.keep(name, fate));
        fs::write(folder.path().join("c"), "").expect("written");
        fs::write(folder.path().join("d"), "garbage").expect("written");
        assert_eq!(
            fates.map(|(name, fate)| (kept.fate(name), Some(fate))).map(|(found, wanted)| found == wanted),
            [true; 2]
        );
        assert_eq!(["c", "d", "e"].map(|name| kept.fate(name)), [None, None, None]);
    }

    /// Its name, the order of imports, and where a file declares what do not matter.
    #[test]
    fn stack_of_another_file_has_the_same_proofs() {
        let (one, other) =
            (composed("examples/congestion", "long_path"), composed("examples/bottleneck/flows", "whole_flow"));
        assert_ne!(print(&one), print(&other));
        assert_eq!(digest(&one), digest(&other));
        assert_ne!(digest(&one), digest(&composed("examples/congestion", "cubic_pt2pt")));
    }

    #[test]
    fn stacks_of_examples_and_papers_come_with_their_proofs() {
        let known = |name: &str| shipped().find(|(shipped, _)| *shipped == name).map(|(_, fate)| fate);
        if std::env::var_os("BLESS").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/prove/shipped.txt");
            fs::write(path, text(known, judged)).expect("written");
            return;
        }
        let missing = |_: &Stack, _| Some("not tried: run this test with BLESS=1".into());
        assert!(
            text(known, missing) == SHIPPED,
            "cli/src/prove/shipped.txt is not that of the stacks: run with BLESS=1"
        );
        let proved = shipped().filter(|(_, fate)| fate.is_none()).count();
        assert!(proved * 100 >= shipped().count() * 95, "{proved} of {} are proved", shipped().count());
    }

    #[test]
    #[ignore = "a long campaign: make soak runs it"]
    fn shipped_proofs_are_found_again() {
        assert!(text(|_| None, judged) == SHIPPED, "a solver judges otherwise");
    }
}
