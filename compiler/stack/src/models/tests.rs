//! The models, as the interpreter runs them.

use super::*;
use crate::{samples, Parameter, Span};

const KEY: Type = Type::Bytes(4);

fn function(name: &str, parameters: &[Type], result: Type) -> Extern {
    let parameter = |ty: &Type| Parameter { name: "x".into(), ty: ty.clone() };
    Extern {
        name: name.into(),
        parameters: parameters.iter().map(parameter).collect(),
        result: Some(result),
        pure_: true,
        inverse_of: None,
        through: None,
        grows: 0,
        shrinks: 0,
        range: None,
        body: None,
        span: Span::default(),
    }
}

fn inverse(name: &str, of: &Extern, result: Type) -> Extern {
    let parameters: Vec<Type> = of.parameters.iter().map(|p| p.ty.clone()).collect();
    Extern { inverse_of: Some(of.name.clone()), shrinks: of.grows, ..function(name, &parameters, result) }
}

fn seal() -> Extern {
    Extern { grows: 8, ..function("seal", &[KEY, Type::UInt(16), Type::Msg], Type::Msg) }
}

fn stack(externs: &[&Extern]) -> Stack {
    let mut stack = samples::sequencer();
    stack.externs = externs.iter().map(|function| (*function).clone()).collect();
    stack
}

fn call(stack: &Stack, at: usize, arguments: &[Value]) -> Value {
    let models = Models::of([stack]);
    assert_eq!(models.lacks(&stack.externs[at]), None);
    models.call(&stack.externs[at], arguments).expect("a model")
}

fn key(byte: u8) -> Value {
    Value::Bytes(vec![byte; 4])
}

fn message(bytes: &[u8]) -> Value {
    Value::Msg(Message::made(bytes, false))
}

fn opened(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Option(Some(message)) => Some(bytes_of(message)),
        _ => None,
    }
}

#[test]
fn what_was_sealed_is_opened_with_the_same_arguments_alone() {
    let seal = seal();
    let stack = stack(&[&seal, &inverse("unseal", &seal, Type::Option(Box::new(Type::Msg)))]);
    for data in [&b""[..], b"x", b"a longer message"] {
        let sealed = call(&stack, 0, &[key(1), Value::Num(7), message(data)]);
        let bytes = bytes_of(&sealed);
        assert_eq!(bytes.len(), data.len() + 8);
        let open = |k: u8, n: u64, m: &[u8]| opened(&call(&stack, 1, &[key(k), Value::Num(n), message(m)]));
        assert_eq!(open(1, 7, &bytes).as_deref(), Some(data));
        assert_eq!((open(2, 7, &bytes), open(1, 8, &bytes)), (None, None), "other arguments");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(open(1, 7, &damaged), None, "byte {at}");
            assert_eq!(open(1, 7, &bytes[..at]), None, "cut to {at} bytes");
        }
        assert_eq!(open(1, 7, &[&bytes[..], b"!"].concat()), None, "extended");
    }
}

#[test]
fn random_functions_depend_on_all_arguments_and_keep_their_range() {
    let next = function("next", &[KEY, Type::Addr], Type::Bytes(32));
    let pick = Extern { range: Some(10), ..function("pick", &[Type::UInt(64)], Type::UInt(8)) };
    let stack = stack(&[&next, &pick]);
    let at = |port: u16| Value::Addr(crate::interpret::Addr { port, ..Default::default() });
    let results: Vec<Value> = [(1, 1), (2, 1), (1, 2)].map(|(k, p)| call(&stack, 0, &[key(k), at(p)])).into();
    assert!(results.iter().all(|r| r.bytes().len() == 32));
    assert!(results[0] != results[1] && results[0] != results[2]);
    assert_eq!(results[0], call(&stack, 0, &[key(1), at(1)]));
    let picked: Vec<u64> = (0..100).map(|n| call(&stack, 1, &[Value::Num(n)]).num()).collect();
    assert!((0..10).all(|n| picked.contains(&n)) && picked.iter().all(|n| *n < 10));
}

#[test]
fn hidden_numbers_are_recovered() {
    let hide = function("hide", &[KEY, Type::UInt(24)], Type::UInt(24));
    let stack = stack(&[&hide, &inverse("show", &hide, Type::UInt(24))]);
    let hidden = call(&stack, 0, &[key(1), Value::Num(5)]).num();
    assert!(hidden != 5 && hidden < 1 << 24);
    assert_eq!(call(&stack, 1, &[key(1), Value::Num(hidden)]).num(), 5);
}

#[test]
fn contracts_that_do_not_suffice_have_no_model() {
    let seal = seal();
    let other_tag = Extern { shrinks: 4, ..inverse("unseal", &seal, Type::Option(Box::new(Type::Msg))) };
    let impure = Extern { pure_: false, ..function("now", &[], Type::UInt(64)) };
    let body = Extern { body: Some("return x;".into()), ..function("own", &[Type::UInt(8)], Type::UInt(8)) };
    let row = function("row", &[Type::Array(Box::new(Type::UInt(8)), 3)], Type::UInt(8));
    let stack = stack(&[&seal, &other_tag, &impure, &body, &row]);
    let models = Models::of([&stack]);
    let lacking: Vec<bool> = stack.externs.iter().map(|f| models.lacks(f).is_some()).collect();
    assert_eq!(lacking, [false, true, true, true, true]);
    assert_eq!(
        replaced(&stack).as_deref(),
        Some("functions of the host are replaced by models of their contracts: `seal`")
    );
    assert!(lacks_of_host(&stack).is_some_and(|why| why.contains("`unseal`")));
}

/// A signature, and its check through the public half of a key.
fn signature() -> (Extern, Extern) {
    let sign = Extern { grows: 8, ..function("sign", &[KEY, Type::UInt(16), Type::Msg], Type::Msg) };
    let optional = Type::Option(Box::new(Type::Msg));
    let check = Extern {
        inverse_of: Some("sign".into()),
        through: Some("half".into()),
        shrinks: 8,
        ..function("check", &[Type::Bytes(6), Type::UInt(16), Type::Msg], optional)
    };
    (sign, check)
}

#[test]
fn what_was_signed_is_in_clear_and_is_checked_with_the_other_half_of_the_key() {
    let (sign, check) = signature();
    let half = function("half", &[KEY], Type::Bytes(6));
    let stack = stack(&[&sign, &check, &half]);
    let half = |byte: u8| call(&stack, 2, &[key(byte)]);
    let signed = bytes_of(&call(&stack, 0, &[key(1), Value::Num(7), message(b"in clear")]));
    assert_eq!((&signed[..8], signed.len()), (&b"in clear"[..], 16));
    let check = |h: Value, n: u64, m: &[u8]| opened(&call(&stack, 1, &[h, Value::Num(n), message(m)]));
    assert_eq!(check(half(1), 7, &signed).as_deref(), Some(&b"in clear"[..]));
    assert_eq!((check(half(2), 7, &signed), check(half(1), 8, &signed)), (None, None), "other arguments");
    assert_eq!(check(Value::Bytes(vec![1; 6]), 7, &signed), None, "the half that signs does not check");
    for at in 0..signed.len() {
        let mut forged = signed.clone();
        forged[at] ^= 1;
        assert_eq!(check(half(1), 7, &forged), None, "byte {at}");
        assert_eq!(check(half(1), 7, &signed[..at]), None, "cut to {at} bytes");
    }
}

#[test]
fn function_with_inverses_of_different_kinds_has_no_model() {
    let (sign, check) = signature();
    let plain = inverse("open", &sign, Type::Option(Box::new(Type::Msg)));
    let other = Extern { name: "other".into(), through: Some("quarter".into()), ..check.clone() };
    for second in [plain, other] {
        let why = Models::of([&stack(&[&sign, &check, &second])]).lacks(&sign).expect("no model");
        assert!(why.contains("inverses are of different kinds"), "{why}");
    }
    assert_eq!(Models::of([&stack(&[&sign, &check])]).lacks(&sign), None);
}
