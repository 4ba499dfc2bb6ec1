//! Pairs of stacks with keys, over the primitives of RFC 8439; every use of a key and a nonce is recorded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nacre_stack::interpret::{Config, Externs, Message, Value};
use nacre_stack::models::Models;
use nacre_stack::{Extern, GivenRole, Stack};

use crate::pair::{Pair, COOKIES};
use crate::primitives::{expand, open, seal};

/// The functions that [`Host`] supplies.
const OF_HOST: [&str; 3] = ["nacre_seal", "nacre_unseal", "nacre_next_key"];

/// What a key and a nonce have sealed.
type Used = BTreeMap<(Vec<u8>, Vec<u8>), Vec<Vec<u8>>>;

/// The functions of the host, and all messages that were sealed, of all connections that share it.
#[derive(Default)]
pub struct Host {
    used: Mutex<Used>,
}

impl Host {
    /// The number of messages that were sealed.
    pub fn sealed(&self) -> usize {
        self.used.lock().expect("no panic").values().map(Vec::len).sum()
    }

    /// The number of keys that sealed something.
    pub fn keys(&self) -> usize {
        let used = self.used.lock().expect("no panic");
        let mut keys: Vec<&Vec<u8>> = used.keys().map(|(key, _)| key).collect();
        keys.dedup();
        keys.len()
    }

    /// The nonce-reuse detector: nonces with which one key sealed more than one message.
    pub fn reused(&self) -> Vec<Vec<u8>> {
        let used = self.used.lock().expect("no panic");
        used.iter().filter(|(_, messages)| messages.len() > 1).map(|((_, nonce), _)| nonce.clone()).collect()
    }
}

/// The bytes of an argument, and whether it is data.
fn bytes_of(value: &Value) -> (Vec<u8>, bool) {
    match value {
        Value::Bytes(bytes) => (bytes.clone(), false),
        Value::Msg(message) => (message.bytes(), message.data),
        other => panic!("a number as an argument: {other:?}"),
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("the length of the type")
}

impl Externs for Host {
    fn call(&self, function: &Extern, arguments: &[Value]) -> Option<Value> {
        let arguments: Vec<(Vec<u8>, bool)> = arguments.iter().map(bytes_of).collect();
        let key = fixed(&arguments[0].0);
        if function.name == "nacre_next_key" {
            return Some(Value::Bytes(expand(&key, b"nacre next key").to_vec()));
        }
        let (nonce, also, (text, data)) = (fixed(&arguments[1].0), &arguments[2].0, &arguments[3]);
        match function.name.as_str() {
            "nacre_seal" => {
                let place = (key.to_vec(), nonce.to_vec());
                self.used.lock().expect("no panic").entry(place).or_default().push(text.clone());
                Some(Value::Msg(Message::made(&seal(&key, &nonce, also, text), *data)))
            }
            "nacre_unseal" => {
                let opened = open(&key, &nonce, also, text);
                Some(Value::Option(opened.map(|bytes| Box::new(Value::Msg(Message::made(&bytes, *data))))))
            }
            _ => None,
        }
    }
}

/// The host of a stack that also calls other functions: models run in their place.
struct WithModels {
    host: Arc<Host>,
    models: Models,
}

impl Externs for WithModels {
    fn call(&self, function: &Extern, arguments: &[Value]) -> Option<Value> {
        match OF_HOST.contains(&function.name.as_str()) {
            true => self.host.call(function, arguments),
            false => self.models.call(function, arguments),
        }
    }
}

/// Whether a host agrees on keys before it opens a stack.
pub fn has_keys(stack: &Stack) -> bool {
    stack.cells.iter().any(|cell| cell.role == Some(GivenRole::SealingKey))
}

/// Opens a pair whose hosts have agreed on labels and on two keys, one for each direction.
pub fn open_pair(stack: &Stack, host: &Arc<Host>, keys: [[u8; 32]; 2]) -> Pair {
    Pair::with(stack, |end, config| {
        let externs = Arc::new(WithModels { host: host.clone(), models: Models::of([stack]) });
        let mut config = Config { externs, ..config };
        for cell in &stack.cells {
            let other = 1 - end;
            let value = match cell.role {
                Some(GivenRole::SealingKey) => Value::Bytes(keys[end].to_vec()),
                Some(GivenRole::OpeningKey) => Value::Bytes(keys[other].to_vec()),
                Some(GivenRole::SigningKey) => Value::Bytes(vec![end as u8 + 1; 32]),
                Some(GivenRole::PeerCookie) => Value::Num(COOKIES[other].into()),
                Some(GivenRole::PeerKey) => Value::Num((0x0102_0304_0506_0708u64 << other) & 0xffff_ffff),
                _ => continue,
            };
            config = config.given(&format!("{}.{}", stack.layer(cell.layer).name, cell.name), value);
        }
        config
    })
}
