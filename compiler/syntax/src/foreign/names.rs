//! Names used in other languages, and their equivalents in Nacre.

pub(super) const ARRAYS: &str =
    "an array is `u16 per 0..4`; a container of variable length is `list<u16, 4>` or `ring<u16, 4>`";

/// Names of values and functions in other languages, with the help.
pub(super) const NAMES: &[(&[&str], &str)] = &[
    (&["True", "TRUE", "yes", "on_"], "write `true`"),
    (&["False", "FALSE", "no"], "write `false`"),
    (
        &["null", "NULL", "Null", "nil", "None", "nullptr", "undefined", "nothing"],
        "a value that may be absent is an option, `msg?`; an absent value is `none`",
    ),
    (&["Some", "Ok", "Just"], "write `some(x)`"),
    (&["Err", "Error", "error"], "there are no exceptions: an operation that can fail has an `else { ... }`"),
    (&["self", "this", "state", "ctx", "super"], "fields of the state are used by their names alone"),
    (&["continue"], "there is no `continue`: put the rest of the loop's body into `if ... { }`"),
    (&["default", "otherwise"], "the arm for all other values is `_ => { ... }`"),
    (&["count"], "an event is counted by `count name;`; a counter is never read"),
    (
        &["print", "println", "printf", "log", "debug", "trace", "echo", "puts"],
        "a layer does no I/O; it counts what happens: `count late;`",
    ),
    (&["len", "sizeof", "size", "length", "strlen"], "the length of a message or a container is `x.len`"),
    (&["range"], "a range is written `0 .. 10`"),
    (&["rand", "randint", "random_range"], "`random(n)` is a random number below n"),
    (&["time", "clock", "gettime", "Instant"], "the time of the event is `now`"),
    (
        &["sleep", "wait", "delay", "set_timer", "settimer", "setTimeout", "timeout", "start_timer"],
        "a handler does not wait: after `arm t in 5 ms;`, `on t { ... }` runs later",
    ),
    (
        &["send", "transmit", "emit", "write"],
        "events are emitted by `below.send(m);`, or by `pass m;` for the event being handled",
    ),
    (
        &["deliver", "recv", "receive", "read", "forward"],
        "events are emitted by `above.deliver(m);`, or by `pass m;` for the event being handled",
    ),
    (&["free", "delete", "del", "discard"], "a message is released by `drop m;`"),
    (&["malloc", "alloc", "new"], "a layer allocates no memory: its containers have a capacity"),
    (
        &["copy", "clone", "dup", "memcpy"],
        "a second reference to a message is `share m`; other values are copied by using them",
    ),
    (&["func", "function", "def"], "a function is written `fn name(x: u16) -> u16 { ... }`"),
];

/// Types of other languages, with the help.
pub(super) const TYPES: &[(&[&str], &str)] = &[
    (&["int", "long", "short", "signed", "isize", "ptrdiff_t"], "numbers have a width: `i32`, or `u32` if unsigned"),
    (&["uint", "unsigned", "usize", "size_t", "nat", "ulong"], "numbers have a width: `u32`; a range is `0..N`"),
    (&["byte", "uint8", "uint8_t", "u_char", "octet"], "a byte is `u8`; N bytes are `bytes<N>`"),
    (&["char", "rune"], "a character is `u8`, with the value of its byte"),
    (&["uint16", "uint16_t", "ushort", "word"], "write `u16`"),
    (&["uint32", "uint32_t", "dword"], "write `u32`"),
    (&["uint64", "uint64_t", "qword"], "write `u64`"),
    (&["int8", "int8_t"], "write `i8`"),
    (&["int16", "int16_t"], "write `i16`"),
    (&["int32", "int32_t"], "write `i32`"),
    (&["int64", "int64_t"], "write `i64`"),
    (
        &["float", "double", "f32", "f64", "real"],
        "there are no fractions: use a smaller unit, such as thousandths in a `u32`",
    ),
    (&["boolean", "Bool", "Boolean", "_Bool"], "write `bool`"),
    (&["string", "String", "str", "cstring"], "a fixed number of bytes is `bytes<N>`; a message is a `msg`"),
    (&["void", "unit", "None"], "a function without a result has no `->`"),
    (&["message", "Message", "packet", "Packet", "buffer", "frame", "Msg"], "a message is a `msg`"),
    (
        &["time", "Time", "timestamp", "Instant", "time_t"],
        "a point in time is an `instant`, the time between two a `duration`",
    ),
    (&["Duration", "interval", "timeval"], "write `duration`"),
    (&["Timer"], "write `timer`"),
    (&["address", "Address", "ip", "sockaddr", "IpAddr", "SocketAddr"], "an address is an `addr`"),
    (&["vec", "Vec", "array", "Array", "slice"], ARRAYS),
    (&["queue", "Queue", "deque", "VecDeque", "fifo", "stack", "channel"], "a queue is a `ring<element, capacity>`"),
    (&["dict", "HashMap", "Map", "BTreeMap", "hashmap", "table"], "write `map<key, value, capacity>`"),
    (&["set", "Set", "HashSet", "bitset"], "a set of numbers below N is `bits<N>`; for other keys use a map"),
    (&["Option", "Optional", "option", "Maybe"], "a value that may be absent is a `type?`"),
    (&["seq", "sequence", "seqno"], "a sequence number of 16 bits is `seq16`"),
];

/// Operations and fields of other languages, with the help.
pub(super) const OPERATIONS: &[(&[&str], &str)] = &[
    (&["start", "set", "arm", "schedule", "reset", "restart"], "a timer is armed by `arm t in 5 ms;`"),
    (&["stop", "cancel", "disarm"], "a timer is stopped by `cancel t;`"),
    (&["len", "length", "size", "count"], "the length is a field: `x.len`"),
    (&["is_empty", "empty", "isEmpty"], "`x.empty` is a field"),
    (&["is_full", "full"], "`x.full` is a field"),
    (&["is_some", "is_none", "isSome", "has_value"], "write `x != none` or `x == none`"),
    (
        &["unwrap", "expect", "get", "value", "unwrap_or"],
        "bind the value of an option with `let x = place else { ... }` or `if let x = place { ... }`",
    ),
    (
        &["append", "push_back", "add", "enqueue", "put", "insert"],
        "an element is added by `push`, an entry of a map by `insert`, an element of a set by `+=`",
    ),
    (&["pop_front", "dequeue", "shift", "take_first"], "`pop` removes the oldest element"),
    (&["contains", "has", "contains_key", "includes"], "write `key in container`"),
    (&["clone", "copy"], "a second reference to a message is `share m`; other values are copied by using them"),
    (
        &["head", "front", "peek"],
        "of a set or a sequence it is `x.first`; a ring is read from the oldest entry on: `for x in r { ... }`",
    ),
    (&["data", "payload", "body", "buf"], "the bytes of a message are `m.bytes`"),
];
