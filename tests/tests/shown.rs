//! Values are shown as their types are written, wherever a trace, a report or a counterexample shows one.

use std::path::Path;

use nacre_driver::Session;
use nacre_stack::interpret::{show, show_message, Message, Origin, Value};
use nacre_stack::{EnumId, HeaderId, StructId, Type};

const SOURCE: &str = "
enum Colour { red, green }
struct Pair { low: i8, is_low: bool }
interface line { down send(m: msg) up deliver(m: msg) }
worker w: line over line {
    header Mark { colour: Colour, change: i16, is_last: bool }
    state { pair: Pair, colour: Colour }
    down send(m) { pass m + Mark { colour, change: -2, is_last: true }; }
    up deliver(m - Mark { colour, change, is_last }) { drop m; }
}
stack st = w;
";

#[test]
fn values_are_shown_as_their_types_are_written() {
    let mut session = Session::from_text(Path::new("shown.nacre"), SOURCE);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let colour = Type::Enum(EnumId(stack.enums.iter().position(|e| e.name == "Colour").expect("the enum") as u32));
    let pair = Type::Struct(StructId(stack.structs.iter().position(|s| s.name == "Pair").expect("the struct") as u32));
    let low = || Value::Tuple(vec![Value::Num(0xff), Value::Num(1)]);
    let shown = |value: Value, ty: &Type| show(&stack, &value, ty);
    assert_eq!(shown(Value::Num(1), &Type::Bool), "true");
    assert_eq!(shown(Value::Num(0xfffe), &Type::Int(16)), "-2");
    assert_eq!(shown(Value::Num(0xfffe), &Type::UInt(16)), "65534");
    assert_eq!(shown(Value::Num(u64::MAX), &Type::Int(64)), "-1");
    assert_eq!(shown(Value::Num(1), &colour), "green");
    assert_eq!(shown(low(), &pair), "(-1 true)");
    assert_eq!(shown(Value::some(low()), &Type::Option(Box::new(pair.clone()))), "(-1 true)");
    assert_eq!(shown(Value::none(), &Type::Option(Box::new(pair.clone()))), "none");
    let both = Type::Tuple(vec![Type::Int(8), Type::Array(Box::new(Type::Bool), 2)]);
    let some = Value::Tuple(vec![Value::Num(0x80), Value::Tuple(vec![Value::Num(0), Value::Num(1)])]);
    assert_eq!(shown(some, &both), "(-128 (false true))");
    // Nothing is in a container of a new connection.
    for ty in [Type::Ring(Box::new(pair.clone()), 4), Type::List(Box::new(pair.clone()), 4)] {
        assert_eq!(shown(stack.zero(&ty), &ty), "[]");
    }
    let header = stack.headers.iter().position(|header| header.name == "Mark").expect("the header") as u32;
    let fields = vec![Value::Num(0), Value::Num(0xfffe), Value::Num(1)];
    let message = Message { headers: vec![(HeaderId(header), fields)], ..Message::new(&[7], Origin::Made, true) };
    assert_eq!(show_message(&stack, &message), "Mark{red -2 true} 0x07");
}
