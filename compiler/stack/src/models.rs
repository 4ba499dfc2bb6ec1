//! Models of the functions that a host supplies: what runs in their place in tests, simulations and worlds.
//!
//! A stack is tested and verified without its host, so a function of the host is known by its contract alone. Where the
//! contract is one of an ideal function, the model is that function:
//!
//! - A pure function that is no inverse is a **random function**: its result is drawn once for the function and its
//!   arguments, here with a hash. It takes numbers, sets of up to 64 members, bytes, addresses and at most one message.
//!   A message as a result is the argument, hidden, and a tag of `grows` bytes.
//! - Its inverse (`inverse of`) recomputes the tag. With another tag or other arguments the message is **forged**: the
//!   result is `none`; of a function that cannot reject, the message without the tag.
//! - An inverse `through` a function g takes what g makes of the first argument in its place: who can check a signature
//!   cannot make it. The tag depends on what g makes, and the message is not hidden, as all can recover it.
//! - A pure function of numbers or bytes that has an inverse hides its last argument, and the inverse recovers it.
//!
//! Hiding is addition (exclusive or) of a stream that depends on the name of the function and on all other arguments,
//! so that equal arguments give equal results. The hash is no cryptography: it has 64 bits, and a tag of n bytes is met
//! by chance with probability 2^-8n. Networks do not search for collisions.
//!
//! There is no model of a function with a body in C (it has a value of its own), of one that is not pure (it has
//! effects), or of one whose contract does not suffice. [`Model::of`] reports why.
//!
//! The C back end writes the same functions in C (`nacre_backend_c::with_models`).

use crate::interpret::{mix, Externs, Message, Value, GOLDEN};
use crate::{mask, Extern, Stack, Type};

/// The prime of the hash, and its initial value: those of FNV-1a.
pub const PRIME: u64 = 0x0000_0100_0000_01b3;
/// The initial value.
pub const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
/// By how many bits the sum is shifted after each byte, so that high bits affect low ones.
pub const SHIFT: u32 = 29;

/// The model of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The hash of the name: equal for a function and its inverse.
    pub domain: u64,
    pub form: Form,
    /// The parameter that is hidden or recovered; none: the result is new.
    pub main: Option<usize>,
    /// What takes the place of the first argument.
    pub half: Option<Half>,
    /// Whether a message is not hidden.
    pub shows: bool,
}

/// What the function through which another one has its inverse makes of the first argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Half {
    /// The hash of the function's name.
    pub domain: u64,
    /// The number of bytes.
    pub len: u32,
}

/// How the result is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A number below the bound, from `low`; a bound of 0: 2^64.
    Number { low: u64, below: u64 },
    /// Bytes.
    Bytes(u32),
    /// A message of this length in bytes; with a main parameter: that message, encrypted, and a tag of this length.
    Sealed(u32),
    /// The message without its tag.
    Opened { tag: u32, rejects: bool },
    /// The main parameter, a number of this width in bits or bytes, encrypted or recovered.
    Turned,
}

/// A hash of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum(pub u64);

impl Sum {
    /// The hash of a name.
    pub fn of_name(name: &str) -> Sum {
        let mut sum = Sum(BASIS);
        sum.add(name.as_bytes());
        sum
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
            self.0 ^= self.0 >> SHIFT;
        }
    }

    /// Adds a number as 8 bytes, little-endian.
    pub fn add_number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    fn add_string(&mut self, bytes: &[u8]) {
        self.add_number(bytes.len() as u64);
        self.add(bytes);
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::Addr(address) => self.add(&address.bytes()),
            Value::Msg(message) => self.add_string(&message.bytes()),
            Value::Bytes(bytes) => self.add_string(bytes),
            Value::Set(words) => words.iter().for_each(|word| self.add_number(*word)),
            value => self.add_number(value.num()),
        }
    }

    /// A word of what follows from the sum.
    pub fn word(self, at: u64) -> u64 {
        mix(self.0.wrapping_add((at + 1).wrapping_mul(GOLDEN)))
    }

    fn stream(self, len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(move |at| self.word(at as u64 / 8).to_le_bytes()[at % 8])
    }
}

impl Model {
    /// The model of a function of a stack, or why it has none.
    pub fn of(function: &Extern, stack: &Stack) -> Result<Model, String> {
        let name = &function.name;
        let refuse = |why: &str| Err(format!("`{name}` {why}"));
        if function.body.is_some() {
            return refuse("is a function in C, which the interpreter cannot call");
        }
        if !function.pure_ {
            return refuse("is a function of the host that is not `pure`: its contract has no model");
        }
        if !function.parameters.iter().all(|p| is_hashed(&p.ty)) {
            return refuse("is a function of the host with a parameter of which there is no model");
        }
        let domain = Sum::of_name(function.inverse_of.as_ref().unwrap_or(name)).0;
        let Some((form, main)) = form(function, stack) else {
            return refuse("is a function of the host whose contract has no model");
        };
        let Ok(half) = half(function, stack) else {
            return refuse("is a function of the host whose inverses are of different kinds");
        };
        Ok(Model { domain, form, main, half, shows: half.is_some() || function.through.is_some() })
    }

    /// The result for arguments.
    pub fn call(&self, function: &Extern, arguments: &[Value]) -> Value {
        let mut sum = Sum(self.domain);
        for (at, value) in arguments.iter().enumerate().filter(|(at, _)| Some(*at) != self.main) {
            match self.half.filter(|_| at == 0) {
                Some(half) => sum.add_string(&half.of(value)),
                None => sum.add_value(value),
            }
        }
        let main = self.main.map(|at| &arguments[at]);
        match self.form {
            Form::Number { low, below } => Value::Num(low.wrapping_add(reduced(sum.word(0), below))),
            Form::Bytes(len) => Value::Bytes(sum.stream(len as usize).collect()),
            Form::Sealed(tag) => {
                let sealed = self.sealed(sum, main.map_or(vec![], bytes_of), tag);
                let message = Value::Msg(Message::made(&sealed, false));
                let optional = matches!(function.result, Some(Type::Option(_)));
                if optional {
                    Value::some(message)
                } else {
                    message
                }
            }
            Form::Opened { tag, rejects } => self.opened(sum, main.map_or(vec![], bytes_of), tag, rejects),
            Form::Turned => match main {
                Some(Value::Bytes(bytes)) => Value::Bytes(turned(sum, bytes.clone())),
                main => Value::Num((main.map_or(0, Value::num) ^ sum.word(0)) & width(function)),
            },
        }
    }

    fn sealed(&self, sum: Sum, bytes: Vec<u8>, tag: u32) -> Vec<u8> {
        let tag = tag_of(sum, &bytes, tag);
        [self.hidden(sum, bytes), tag].concat()
    }

    fn opened(&self, sum: Sum, mut bytes: Vec<u8>, tag: u32, rejects: bool) -> Value {
        let end = bytes.len().saturating_sub(tag as usize);
        let short = bytes.len() < tag as usize;
        let stated = bytes.split_off(end);
        let bytes = self.hidden(sum, bytes);
        let authentic = !short && stated == tag_of(sum, &bytes, tag);
        let message = Value::Msg(Message::made(&bytes, false));
        match (rejects, authentic) {
            (false, _) => message,
            (true, true) => Value::some(message),
            (true, false) => Value::none(),
        }
    }

    /// Bytes of a message, hidden or recovered.
    fn hidden(&self, sum: Sum, bytes: Vec<u8>) -> Vec<u8> {
        if self.shows {
            bytes
        } else {
            turned(sum, bytes)
        }
    }
}

impl Half {
    fn of(self, value: &Value) -> Vec<u8> {
        let mut sum = Sum(self.domain);
        sum.add_value(value);
        sum.stream(self.len as usize).collect()
    }
}

/// The number that a word becomes below a bound; 0: any.
fn reduced(word: u64, below: u64) -> u64 {
    if below == 0 {
        word
    } else {
        word % below
    }
}

/// The mask of the result of a function that hides a number.
fn width(function: &Extern) -> u64 {
    match function.result {
        Some(Type::UInt(bits) | Type::Seq(bits)) => mask(u32::from(bits)),
        _ => 0,
    }
}

fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Msg(message) => message.bytes(),
        value => value.bytes().to_vec(),
    }
}

fn turned(sum: Sum, bytes: Vec<u8>) -> Vec<u8> {
    let len = bytes.len();
    bytes.into_iter().zip(sum.stream(len)).map(|(byte, of_stream)| byte ^ of_stream).collect()
}

fn tag_of(mut sum: Sum, bytes: &[u8], tag: u32) -> Vec<u8> {
    sum.add_string(bytes);
    sum.stream(tag as usize).collect()
}

/// Whether the hash takes values of a type.
fn is_hashed(ty: &Type) -> bool {
    use Type::*;
    matches!(ty, Bool | UInt(_) | Int(_) | Seq(_) | Range(..) | Enum(_) | Duration | Instant)
        || matches!(ty, Bytes(_) | Text(_) | Addr | Msg | View)
        // One word.
        || matches!(ty, Bits(n) if *n <= u64::BITS)
}

fn form(function: &Extern, stack: &Stack) -> Option<(Form, Option<usize>)> {
    let result = function.result.as_ref()?;
    let parameters = &function.parameters;
    let mut messages = parameters.iter().enumerate().filter(|(_, p)| p.ty == Type::Msg).map(|(at, _)| at);
    let (main, other) = (messages.next(), messages.next());
    let of_message = other.is_none() && main.is_some();
    let is_message = |ty: &Type| *ty == Type::Msg || *ty == Type::Option(Box::new(Type::Msg));
    let forward = |f: &&Extern| Some(&f.name) == function.inverse_of.as_ref();
    let matches_forward = stack.externs.iter().filter(forward).all(|f| f.grows == function.shrinks && f.body.is_none());
    match result {
        ty if is_message(ty) && function.inverse_of.is_some() => {
            let form = Form::Opened { tag: function.shrinks, rejects: *ty != Type::Msg };
            (of_message && matches_forward).then_some((form, main))
        }
        ty if is_message(ty) => other.is_none().then_some((Form::Sealed(function.grows), main)),
        _ if main.is_some() => new_value(result, function, stack).map(|form| (form, None)),
        ty if is_turned(function, stack) => {
            let last = parameters.len().checked_sub(1)?;
            let whole = matches!(ty, Type::UInt(_) | Type::Seq(_) | Type::Bytes(_)) && function.range.is_none();
            (whole && parameters[last].ty == *ty && matches_forward).then_some((Form::Turned, Some(last)))
        }
        ty => new_value(ty, function, stack).map(|form| (form, None)),
    }
}

/// What takes the place of the first argument of a function, if its inverses take that; an error if they differ.
fn half(function: &Extern, stack: &Stack) -> Result<Option<Half>, ()> {
    let mut inverses = stack.externs.iter().filter(|f| f.inverse_of.as_ref() == Some(&function.name));
    let Some(first) = inverses.next() else { return Ok(None) };
    if inverses.any(|f| f.through != first.through) {
        return Err(());
    }
    match (&first.through, first.parameters.first().map(|p| &p.ty)) {
        (None, _) => Ok(None),
        (Some(name), Some(Type::Bytes(len))) => Ok(Some(Half { domain: Sum::of_name(name).0, len: *len })),
        _ => Err(()),
    }
}

/// Whether a function is the inverse of another, or has an inverse.
fn is_turned(function: &Extern, stack: &Stack) -> bool {
    function.inverse_of.is_some() || stack.externs.iter().any(|f| f.inverse_of.as_ref() == Some(&function.name))
}

fn new_value(ty: &Type, function: &Extern, stack: &Stack) -> Option<Form> {
    let number = |low: u64, below: u64| {
        let below = match function.range {
            Some(range) if low < range && below == 0 => range - low,
            Some(range) if low < range => below.min(range - low),
            Some(_) => return None,
            None => below,
        };
        Some(Form::Number { low, below })
    };
    match ty {
        Type::Bool => number(0, 2),
        Type::UInt(bits) | Type::Seq(bits) => number(0, 1u64.checked_shl(u32::from(*bits)).unwrap_or(0)),
        Type::Range(low, high) => number(*low, high - low),
        Type::Enum(id) => number(0, stack.enums[id.index()].variants.len() as u64),
        Type::Bytes(len) => Some(Form::Bytes(*len)),
        _ => None,
    }
}

/// The functions of a stack, as their models.
pub struct Models(Vec<(Extern, Result<Model, String>)>);

impl Models {
    /// The models of the functions of stacks.
    pub fn of<'s>(stacks: impl IntoIterator<Item = &'s Stack>) -> Models {
        let of_one = |stack: &'s Stack| stack.externs.iter().map(|f| (f.clone(), Model::of(f, stack)));
        Models(stacks.into_iter().flat_map(of_one).collect())
    }

    fn find(&self, function: &Extern) -> Option<&Result<Model, String>> {
        self.0.iter().find(|(known, _)| known == function).map(|(_, model)| model)
    }
}

impl Externs for Models {
    fn call(&self, function: &Extern, arguments: &[Value]) -> Option<Value> {
        let model = self.find(function)?.as_ref().ok()?;
        Some(model.call(function, arguments))
    }

    fn lacks(&self, function: &Extern) -> Option<String> {
        match self.find(function) {
            Some(model) => model.as_ref().err().cloned(),
            None => Some(format!("`{}` has no model", function.name)),
        }
    }
}

/// What emitted C lacks to run with models: a function of the host that has none.
pub fn lacks_of_host(stack: &Stack) -> Option<String> {
    let of_host = stack.externs.iter().filter(|function| function.body.is_none());
    of_host.filter_map(|function| Model::of(function, stack).err()).next()
}

/// The functions of the host that models replace, by name; none: the stack calls none.
pub fn replaced(stack: &Stack) -> Option<String> {
    let models = stack.externs.iter().filter(|function| Model::of(function, stack).is_ok());
    let names: Vec<String> = models.map(|function| format!("`{}`", function.name)).collect();
    let words = "functions of the host are replaced by models of their contracts";
    (!names.is_empty()).then(|| format!("{words}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests;
