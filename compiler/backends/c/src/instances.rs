//! Instances of templates: functions for a type, and functions that only some stacks need.

use nacre_stack::*;

use crate::code::Code;
use crate::emitted::Level;
use crate::functions::{Callee, Function};
use crate::places::distance;
use crate::template::{self, Vocabulary};
use crate::types::{mask_constant, window_slots};
use crate::writer::Writer;

/// The action on each message in a value.
#[derive(Clone, Copy, PartialEq)]
pub enum Act {
    Drop,
    Share,
    Keep,
}

/// What a template is instantiated for.
#[derive(Clone, Copy)]
pub struct Instance<'t> {
    pub ty: &'t Type,
    pub layer: usize,
    pub act: Act,
}

impl<'t> Instance<'t> {
    /// An instance for a type, in functions that neither keep nor share values.
    pub fn new(ty: &'t Type, layer: usize) -> Instance<'t> {
        Instance { ty, layer, act: Act::Drop }
    }
}

impl Writer<'_> {
    /// Expands text that all stacks share, except for parts that only some need.
    pub fn support(&mut self, text: &str) -> String {
        let prefix = self.prefix.clone();
        template::expand(text, &prefix, &mut StackWords(self))
    }

    /// Writes a function of `support/*.c` that only some stacks need, once.
    pub fn optional_support(&mut self, name: &str, text: &str) {
        let text = self.support(text);
        self.helper(format!("{}_{name}", self.prefix), |_, _| Code::verbatim(&text));
    }

    /// Expands one function of a file of several; its words are replaced by fixed texts.
    pub fn of_texts(&self, file: &str, name: &str, words: &[(&str, String)]) -> String {
        template::expand(&template::function(file, name), &self.prefix, &mut template::Texts(words))
    }

    /// Writes a function that takes a step and whose head depends on the stack. `words` are those of its template,
    /// beside `@head`.
    pub fn step_instance(&mut self, function: Function, text: &str, words: &[(&str, String)]) -> Callee {
        let callee = function.callee();
        let head = self.register(function);
        let words = [words, &[("head", head)]].concat();
        let text = template::expand(text, &self.prefix, &mut template::Texts(&words));
        self.helper(callee.name.clone(), |_, _| Code::verbatim(&text));
        callee
    }

    /// Writes a function for a type once; returns its name.
    pub fn instance(&mut self, name: String, template: &str, of: Instance) -> String {
        self.helper(name, |w, name| {
            let caller = std::mem::replace(&mut w.calls.in_place, false);
            let prefix = w.prefix.clone();
            let text = template::expand(template, &prefix, &mut TypeWords { w, name, of });
            w.calls.in_place = caller;
            Code::verbatim(&text)
        })
    }
}

struct StackWords<'w, 'a>(&'w mut Writer<'a>);

impl Vocabulary for StackWords<'_, '_> {
    fn text(&mut self, word: &str, _: &[String]) -> String {
        match (word, self.0.level) {
            ("aside", Level::Inline | Level::Bypass) => "_aside".into(),
            ("aside", _) => String::new(),
            (word, _) => unreachable!("the support text has a word `{word}`"),
        }
    }

    fn part(&mut self, word: &str, inner: &str) -> Option<String> {
        let w = &mut *self.0;
        let wanted = match word {
            "aside" => return w.aside(&format!("{}_{inner}", w.prefix)).map(|aside| aside.text()),
            "rope" => w.uses_ropes,
            "temp" => w.temporary > 0,
            "asks_processor" => w.known.asks_processor,
            "queue" => !w.queued.is_empty(),
            "short_queue" => !w.queued.is_empty() && !w.queues_in_pool(),
            word => unreachable!("the support text has a part `{word}`"),
        };
        wanted.then(|| inner.to_string())
    }
}

struct TypeWords<'w, 'a, 't> {
    w: &'w mut Writer<'a>,
    name: &'t str,
    of: Instance<'t>,
}

/// The type of entries.
fn entry(ty: &Type) -> &Type {
    match ty {
        Type::Window(t, ..) | Type::Map(_, t, _) => t,
        Type::Pool(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Array(t, _) | Type::Option(t) => t,
        other => unreachable!("{other:?} has no entries"),
    }
}

fn key(ty: &Type) -> &Type {
    match ty {
        Type::Map(k, ..) => k,
        other => unreachable!("{other:?} has no keys"),
    }
}

fn capacity(ty: &Type) -> u32 {
    match ty {
        Type::Window(_, n, _) | Type::Map(_, _, n) | Type::Pool(_, n) | Type::Ring(_, n) | Type::List(_, n) => *n,
        Type::Array(_, n) | Type::Bytes(n) => *n,
        other => unreachable!("{other:?} has no capacity"),
    }
}

fn slots(ty: &Type) -> u32 {
    match ty {
        Type::Window(_, n, _) => window_slots(*n),
        ty => capacity(ty),
    }
}

/// The bits of a window's numbers.
fn bits(ty: &Type) -> u8 {
    match ty {
        Type::Window(_, _, bits) => *bits,
        other => unreachable!("{other:?} has no numbers"),
    }
}

/// The width in which C computes with numbers of `bits` bits.
fn computed(bits: u8) -> u8 {
    if bits <= 32 {
        32
    } else {
        64
    }
}

impl Vocabulary for TypeWords<'_, '_, '_> {
    fn text(&mut self, word: &str, arguments: &[String]) -> String {
        let Instance { ty, layer, .. } = self.of;
        match (word, arguments) {
            ("name", _) => self.name.to_string(),
            ("type", _) => self.w.c_type(ty, layer),
            ("entry", _) => self.w.c_type(entry(ty), layer),
            ("key", _) => self.w.c_type(key(ty), layer),
            ("capacity", _) => format!("{}u", capacity(ty)),
            ("slots", _) => format!("{}u", slots(ty)),
            ("at", [text, i]) => match ty {
                Type::Ring(_, n) => format!("{text}->at[({text}->head + {i}) % {n}u]"),
                _ => format!("{text}->at[{i}]"),
            },
            ("same", [a, b]) => self.w.same_text(entry(ty), layer, a, b),
            ("same_key", [a, b]) => self.w.same_text(key(ty), layer, a, b),
            ("same_members", [a, b]) => self.w.same_members(ty, layer, a, b),
            ("same_words", [a, b]) => same_words(ty, a, b),
            ("tell", [value]) => self.w.tell(entry(ty), layer, value).unwrap_or_default(),
            ("tell_key", [value]) => self.w.tell(key(ty), layer, value).unwrap_or_default(),
            ("tell_members", [value]) => self.w.tell_members(ty, layer, value),
            ("headers", _) => self.w.tell_headers(layer + 1),
            ("function", [what]) => self.w.container(what, ty, layer),
            ("drop", [value]) => self.w.act_on(Act::Drop, entry(ty), layer, &value.as_str().into()).unwrap_or_default(),
            ("act", [value]) => {
                self.w.act_on(self.of.act, entry(ty), layer, &value.as_str().into()).unwrap_or_default()
            }
            ("act_members", [value]) => self.w.act_on_members(self.of, value),
            ("with", _) => if self.of.act == Act::Keep { "step" } else { "pool" }.into(),
            _ => self.window(word, arguments),
        }
    }

    fn part(&mut self, word: &str, inner: &str) -> Option<String> {
        let ty = self.of.ty;
        let wanted = match word {
            "holds" => self.w.stack.has_message(ty),
            "messages" => *entry(ty) == Type::Msg,
            "holds_messages" => *entry(ty) != Type::Msg && self.w.stack.has_message(ty),
            "one_word" => slots(ty) <= 64,
            "many_words" => slots(ty) > 64,
            "ring" => matches!(ty, Type::Ring(..)),
            "list" => matches!(ty, Type::List(..)),
            "map" => matches!(ty, Type::Map(..)),
            word => unreachable!("the templates for types have a part `{word}`"),
        };
        wanted.then(|| inner.to_string())
    }
}

impl TypeWords<'_, '_, '_> {
    /// Words that depend on the width of a window's sequence numbers.
    fn window(&mut self, word: &str, arguments: &[String]) -> String {
        let ty = self.of.ty;
        let bits = bits(ty);
        let c = computed(bits);
        match (word, arguments) {
            ("number", _) => self.w.c_type(&Type::Seq(bits), self.of.layer),
            ("slot", [n]) => format!("((uint32_t){n} & {}u)", slots(ty) - 1),
            ("span", [a, b]) => distance(a, b, bits),
            ("next", [n]) => {
                let number = self.w.c_type(&Type::Seq(bits), self.of.layer);
                match bits {
                    8 | 16 | 32 | 64 => format!("({number})({n} + 1u)"),
                    _ => format!("({number})(({n} + 1u) & {})", mask_constant(u32::from(bits))),
                }
            }
            ("unsigned", _) => format!("uint{c}_t"),
            ("signed", _) => format!("int{c}_t"),
            ("unused", _) => (c - bits).to_string(),
            (word, _) => unreachable!("the templates for types have a word `{word}`"),
        }
    }
}

fn same_words(ty: &Type, a: &str, b: &str) -> String {
    let Type::Bits(n) = ty else { unreachable!("{ty:?} has no words") };
    let words: Vec<String> = (0..n.div_ceil(64)).map(|i| format!("{a}->word[{i}] == {b}->word[{i}]")).collect();
    words.join(" && ")
}
