//! File-scope names of the two files: each is unique for any names in the stack.
//!
//! All begin with the prefix of the stack, so they meet nothing of C and its library; the fixed ones are those of the
//! templates and [`FIXED`]. What is named after parts of the stack asks here: a name that is taken gets a number.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use nacre_stack::*;

use crate::functions::aside_name;
use crate::template;

/// Names behind the prefix that the writer itself uses, beside those of the templates.
pub const FIXED: &str = "APART ASSUME BLOCK BOUND BROKEN BYTES H IMPOSSIBLE IN INLINE LEVEL LIKELY MALFORMED NODES \
    NO_SPACE OUTPUTS PLAIN QUEUE REFUSED SEGMENTS TEMP TEMPORARY UNLIKELY WAITING accepts addr_byte after any_armed \
    any_busy any_enter any_fire any_frame any_input_quick any_open_at any_send_quick any_shown any_view armed \
    around back before bits block busy bytes call check config config_default count count_in counter_names deadline \
    discard div div_signed drawn drop drop_at due event events finish fire first first_in fold16 get givens has \
    input input_quick input_quick_in_place join_pieces keep lowest_free mark more mul_div next_armed next_run node \
    nothing open open_at output pool put quick_segments random reader rem rem_signed room run_queue same_view \
    segments share shl shown shr shr_signed sign slower_input soonest space stack state step swap tell tell_bytes \
    tell_message tell_whole_message teller tick twine unmark view waiting";

/// Defined in the header behind the prefix in capitals, which can be the prefix itself.
const DEFINED: &str = "H BLOCK_BYTES BLOCKS_FOR_ONE OUTPUTS_MAX SEGMENTS_MAX BYTES_MAX FRAME_HEAD_MAX FRAME_DATA_MAX \
    QUEUE_MAX COUNTERS";

/// The entity that a name denotes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Global {
    /// The likely and the other kind of a handler.
    Handler(HandlerId, bool),
    /// The same of a function.
    Function(FunctionId, bool),
    /// The same of what takes an event for a layer.
    Reaction(LayerId, EventId, bool),
    /// A bypass.
    Bypass(usize),
    /// An event at what receives it, in names of members.
    Event(Target, EventId),
    /// What puts an event into the queue.
    Queue(Target, EventId),
    /// What puts an event into the ring of those that come later.
    PutOff(Target, EventId),
    /// The likely and the other kind of an output.
    Output(PortId, EventId, bool),
    /// What the host calls, by its number in the interface.
    Call(usize),
    /// Its quick entry, and what that does.
    Quick(usize),
    QuickInPlace(usize),
    /// What takes frames of a shape for the quick entry by a group of bypasses, and which one does, after the first.
    QuickShape(usize, usize),
    QuickChoice(usize),
    /// Whether it is admitted.
    Admits(usize),
    /// What takes it where it may need more than most calls do.
    Rest(usize),
    /// What takes it where its quick entry does not.
    Slower(usize),
    /// The entry of frames at a lower port.
    Input(PortId),
    /// The same, given the session of the frame.
    InputOfSession(PortId),
    /// What takes frames there that are of no common shape.
    AnyFrame(PortId),
    /// A counter.
    Counter(u32),
    /// A variant of an enum.
    Variant(u32, usize),
    /// A function in C with a body.
    Extern(ExternId),
    /// A filter.
    Filter(FilterId),
    /// What takes bytes into its remainder by tables, called; and the tables.
    Remainder(FilterId),
    Remainders(FilterId),
    /// What takes bytes into its remainder, inlined: by tables, or by an instruction of the processor.
    RemainderInPlace(FilterId),
    /// What takes a string of bytes into a remainder; its runs, where it does not lie in one.
    RemainderOf(FilterId),
    RemainderOfRuns(FilterId),
    /// The remainder before any bytes, and the result of the filter for one.
    RemainderBegin(FilterId),
    RemainderEnd(FilterId),
    /// What writes heads of a layout for an event.
    Head(LayoutId, Option<EventId>),
    /// What reads a shape of a layout.
    Shape(LayoutId, usize),
    /// What reads any shape of a layout.
    Parse(LayoutId),
    /// What makes bytes of a message with a layout.
    Pack(LayoutId),
    /// What views a message with a layout as bytes.
    ViewPacked(LayoutId),
    /// The same, inlined.
    ViewPackedInPlace(LayoutId),
    /// Messages that carry headers from a layer on.
    Message(Option<usize>),
    /// A type, with messages that carry headers from a layer on.
    Type(Type, Option<Option<usize>>),
    /// A function for such a type.
    Helper(String, Type, Option<Option<usize>>),
}

/// All names that come with one: a function can have an aside.
fn forms(name: &str) -> [String; 2] {
    [name.to_string(), aside_name(name)]
}

/// The names that are given.
pub struct Globals {
    taken: RefCell<HashSet<String>>,
    names: RefCell<HashMap<Global, String>>,
}

impl Globals {
    /// Names without any yet, except for the fixed ones.
    pub fn new(prefix: &str) -> Globals {
        let defined = DEFINED.split_whitespace().filter(|_| prefix.to_uppercase() == prefix);
        let taken = FIXED.split_whitespace().chain(defined).map(str::to_string).chain(template::names());
        Globals { taken: RefCell::new(taken.flat_map(|name| forms(&name)).collect()), names: RefCell::default() }
    }

    /// The name of something behind the prefix: as wanted, if nothing else has that name.
    pub fn name(&self, of: Global, wanted: &str) -> String {
        if let Some(name) = self.names.borrow().get(&of) {
            return name.clone();
        }
        let mut taken = self.taken.borrow_mut();
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let free = |name: &String| forms(name).iter().all(|form| !taken.contains(form));
        let name = std::iter::once(wanted.to_string()).chain(numbered).find(free).expect("numbers do not end");
        taken.extend(forms(&name));
        self.names.borrow_mut().insert(of, name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_names_are_all_that_the_writer_uses() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let known: HashSet<String> = FIXED.split_whitespace().map(str::to_string).chain(template::names()).collect();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for file in std::fs::read_dir(folder).expect("readable") {
            let path = file.expect("readable").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for marker in ["{p}_", "{prefix}_", "{0}_"] {
                for part in text.split(marker).skip(1) {
                    let name: String = part.chars().take_while(|c| is_name(*c)).collect();
                    // Names that continue with a name of the stack are requested here.
                    let fixed = !name.is_empty() && !part[name.len()..].starts_with('{');
                    assert!(!fixed || known.contains(&name), "{}: `{name}` is not in FIXED", path.display());
                }
            }
        }
    }

    #[test]
    fn names_of_support_functions_and_of_their_asides_are_never_given() {
        let supports = || FIXED.split_whitespace().map(str::to_string).chain(template::names());
        assert!(supports().count() > 100);
        for (number, support) in supports().enumerate() {
            for name in [support.clone(), aside_name(&support)] {
                let given = Globals::new("st").name(Global::Counter(number as u32), &name);
                assert_ne!(given, name, "a part of a stack and a support function would share it");
                assert!(!supports().any(|other| given == other || given == aside_name(&other)), "{given}");
            }
        }
    }

    #[test]
    fn interned_values_keep_their_number() {
        let globals = Globals::new("st");
        let [a, b] = [1, 2].map(Global::Call);
        assert_eq!(globals.name(a.clone(), "above_send"), "above_send");
        assert_eq!(globals.name(b.clone(), "above_send"), "above_send_2");
        assert_eq!(globals.name(a, "other"), "above_send");
        assert_eq!(globals.name(Global::Counter(0), "pool_init"), "pool_init_2");
        assert_eq!(globals.name(Global::Counter(1), "above_send_aside"), "above_send_aside_2");
    }
}
