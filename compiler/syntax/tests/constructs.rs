//! Constructs that no layer of the library uses have the expected tree.

use nacre_diagnostics::SourceId;
use nacre_syntax::ast::*;
use nacre_syntax::{format, parse};

const CONSTRUCTS: &str = include_str!("constructs.nacre");

fn file() -> File {
    let (file, found) = parse(SourceId(0), CONSTRUCTS);
    assert!(found.is_empty(), "{found:#?}");
    file
}

fn item<T>(pick: impl Fn(&Item) -> Option<T>) -> T {
    file().items.iter().find_map(pick).expect("there is such an item")
}

fn layer() -> Layer {
    item(|item| match item {
        Item::Layer(layer) => Some(layer.clone()),
        _ => None,
    })
}

#[test]
fn a_file_has_an_edition_and_imports() {
    let file = file();
    assert_eq!(file.edition.map(|(number, _)| number), Some(1));
    assert_eq!(
        file.imports.iter().map(|import| import.path.as_str()).collect::<Vec<_>>(),
        ["interfaces.nacre", "more.nacre"]
    );
    assert_eq!(file.imports[1].alias.as_ref().map(|alias| alias.name.as_str()), Some("more"));
    assert_eq!(file.docs, ["Constructs that no layer of the design uses."]);
}

#[test]
fn an_extern_keeps_its_c() {
    let found = item(|item| match item {
        Item::Extern(found) => Some(found.clone()),
        _ => None,
    });
    assert_eq!(found.docs, ["Sums bytes."]);
    assert!(matches!(found.contract[..], [Contract::Pure, Contract::Range(_)]));
    assert_eq!(found.body.as_deref(), Some("\n    uint32_t sum = 0; /* } */\n    return sum + '}';\n"));
}

#[test]
fn header_fields_have_attributes_in_any_order() {
    let layer = layer();
    let header = layer.members.iter().find_map(|member| match member {
        Member::Header(header) => Some(header),
        _ => None,
    });
    let header = header.expect("there is one");
    let name = |ident: &Option<Ident>| ident.as_ref().map_or("", |ident| &ident.name).to_string();
    let fields = header.fields.iter().flatten();
    let place = |field: &HeaderField| match &field.place {
        Some(Place::Named(name)) => name.name.clone(),
        Some(Place::Byte(_)) => "byte".to_string(),
        None => String::new(),
    };
    let attributes: Vec<_> = fields.map(|field| (field.big, place(field), name(&field.class))).collect();
    let expected = [
        (true, "cookie", ""),
        (false, "fingerprint", ""),
        (false, "", "gossip"),
        (true, "", "protocol"),
        (true, "byte", "message"),
    ];
    assert_eq!(attributes, expected.map(|(big, place, class)| (big, place.to_string(), class.to_string())));
    assert_eq!(header.docs, ["What all frames carry."]);
}

#[test]
fn a_field_may_be_secret_or_be_called_so() {
    let layer = layer();
    let given = layer.members.iter().find_map(|member| match member {
        Member::Storage(storage) if storage.kind == StorageKind::Given => Some(&storage.fields),
        _ => None,
    });
    let fields: Vec<_> =
        given.expect("there is one").iter().map(|field| (field.name.name.as_str(), field.secret)).collect();
    assert_eq!(fields, [("key", true), ("secret", false), ("host", false)]);
}

#[test]
fn arguments_of_layers_may_be_named() {
    let stack = item(|item| match item {
        Item::Stack(stack) => Some(stack.clone()),
        _ => None,
    });
    assert_eq!(stack.members, Some(8));
    let StackBody::Layers(layers) = stack.body else { panic!("it lists layers") };
    let names: Vec<_> =
        layers[0].arguments.iter().map(|argument| argument.name.as_ref().map(|name| name.name.as_str())).collect();
    assert_eq!(names, [Some("N"), Some("WAIT")]);
    assert!(matches!(layers[0].arguments[1].value.kind, ExprKind::Duration(20, TimeUnit::Ms)));
    assert!(matches!(layers[1].arguments[0].value.kind, ExprKind::Binary(BinaryOp::Sub, ..)));
}

#[test]
fn a_test_is_a_script() {
    let test = item(|item| match item {
        Item::Test(test) => Some(test.clone()),
        _ => None,
    });
    assert_eq!(test.name, "hello arrives");
    let kinds: Vec<&TestKind> = test.body.iter().map(|step| &step.kind).collect();
    let [TestKind::Open { endpoints, .. }, TestKind::Network(faults), TestKind::Call { arguments, .. }, TestKind::For { body, .. }, ..] =
        kinds[..]
    else {
        panic!("{kinds:#?}");
    };
    assert_eq!(endpoints.len(), 2);
    assert_eq!(faults[1].value, NetworkValue::Percent(0.5));
    assert!(matches!(&arguments[0], TestArgument::Text(text, _) if text == "he\"llo\nA"));
    assert!(
        matches!(&body[1].kind, TestKind::Expect { arguments, .. } if matches!(arguments[1], TestArgument::Any(_)))
    );
    let rest: Vec<bool> = vec![
        matches!(kinds[4], TestKind::Run(_)),
        matches!(kinds[5], TestKind::Expect { .. }),
        matches!(kinds[6], TestKind::ExpectRefused { .. }),
        matches!(kinds[7], TestKind::ExpectNothing(_)),
        matches!(kinds[8], TestKind::ExpectCount { layer: Some(_), comparison: BinaryOp::Greater, .. }),
        matches!(kinds[9], TestKind::ExpectCount { layer: None, .. }),
    ];
    assert_eq!(rest, [true; 6]);
}

#[test]
fn an_automaton_has_faults_and_goals() {
    let automaton = item(|item| match item {
        Item::Automaton(automaton) => Some(automaton.clone()),
        _ => None,
    });
    assert_eq!(automaton.parameters.len(), 1);
    assert_eq!(automaton.extends.map(|e| e.name).as_deref(), Some("bag_of"));
    let [send, lose] = &automaton.actions[..] else { panic!("two actions") };
    assert_eq!((send.kind, lose.kind), (ActionKind::Input, ActionKind::Fault));
    assert_eq!(send.parameters.iter().map(|p| p.0).collect::<Vec<_>>(), [true, false]);
    assert_eq!(lose.docs, ["Nobody has to lose anything."]);
    let [goal] = &automaton.goals[..] else { panic!("one goal") };
    assert_eq!(goal.name.name, "all_arrive");
    assert!(matches!(goal.condition.kind, ExprKind::Call(..)));
    let last = file().items.into_iter().next_back();
    let Some(Item::Layer(layer)) = last else { panic!("a layer with a goal") };
    assert!(matches!(&layer.members[1], Member::Goal(goal) if goal.name.name == "comes_to_rest"));
}

#[test]
fn a_configuration_sets_numbers() {
    let found = item(|item| match item {
        Item::Configuration(found) => Some(found.clone()),
        _ => None,
    });
    assert_eq!((found.name.name.as_str(), found.subject.name.as_str()), ("small", "pair"));
    assert_eq!(found.docs, ["As small as can be."]);
    let path = |s: &Setting| s.path.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(".");
    let kinds = |s: &Setting| s.values.iter().map(|value| value.kind.clone()).collect::<Vec<_>>();
    let settings: Vec<_> = found.settings.iter().map(|s| (path(s), kinds(s))).collect();
    let number = |n: u64| ExprKind::Number(n);
    let expected = [
        ("W", vec![number(2)]),
        ("floor.W", vec![number(4)]),
        ("send", vec![number(3), number(0)]),
        ("rto", vec![ExprKind::Duration(20, TimeUnit::Ms)]),
        ("open", vec![ExprKind::True]),
    ];
    assert_eq!(settings, expected.map(|(path, values)| (path.to_string(), values)));
}

#[test]
fn a_configuration_states_what_timers_have_in_common() {
    let text = "configuration c for pair { due before resend; pair.beat before other.due; beat in phase; W = 2; }";
    let (file, found) = parse(SourceId(0), text);
    assert!(found.is_empty(), "{found:#?}");
    let [Item::Configuration(configuration)] = &file.items[..] else { panic!("a configuration") };
    let path = |names: &[Ident]| names.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(".");
    let stated = |s: &Setting| match &s.timing {
        Some(Timing::Before(longer)) => format!("{} < {}", path(&s.path), path(longer)),
        Some(Timing::InPhase) => format!("{} ~", path(&s.path)),
        None => format!("{} {:?}", path(&s.path), s.values.iter().map(|value| &value.kind).collect::<Vec<_>>()),
    };
    let stated: Vec<String> = configuration.settings.iter().map(stated).collect();
    assert_eq!(stated, ["due < resend", "pair.beat < other.due", "beat ~", "W [Number(2)]"]);
    for wrong in ["due before;", "due before resend", "beat in;", "beat in time;"] {
        let (_, found) = parse(SourceId(0), &format!("configuration c for pair {{ {wrong} }}"));
        assert!(!found.is_empty(), "{wrong}");
    }
}

/// The expression in `const x: u8 = ...;`, with parentheses around each operation.
fn shape(text: &str) -> String {
    let (file, found) = parse(SourceId(0), &format!("const x: u8 = {text};"));
    assert!(found.is_empty(), "{found:#?}");
    let [Item::Const(constant)] = &file.items[..] else { panic!("one constant") };
    show(&constant.value)
}

fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", show(left), show(right)),
        ExprKind::Unary(op, inner) => format!("({op:?} {})", show(inner)),
        ExprKind::Share(inner) => format!("(share {})", show(inner)),
        ExprKind::As(inner, _) => format!("({} as)", show(inner)),
        ExprKind::Through(inner, filter) => format!("({} through {})", show(inner), filter.name),
        ExprKind::Field(inner, name) => format!("{}.{}", show(inner), name.name),
        ExprKind::Literal(name, _) => name.name.clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_designed() {
    assert_eq!(shape("a || b && c == d"), "(a Or (b And (c Equal d)))");
    assert_eq!(shape("a - b - c * d"), "((a Sub b) Sub (c Mul d))");
    assert_eq!(shape("share m + Data {}"), "((share m) Add Data)");
    assert_eq!(shape("!a.b as u8 + 1"), "(((Not a.b) as) Add 1)");
    assert_eq!(shape("a in b | c"), "(a In (b BitOr c))");
    assert_eq!(shape("a ++ b through f"), "((a Concat b) through f)");
    assert_eq!(shape("crc >> 4 ^ b"), "((crc Shr 4) BitXor b)");
    assert_eq!(shape("a > b"), "(a Greater b)");
}

#[test]
fn the_layout_keeps_them() {
    let once = format(CONSTRUCTS).expect("there are no errors");
    assert_eq!(format(&once).as_ref(), Ok(&once));
    assert_eq!(parse(SourceId(0), &once).0.items.len(), file().items.len());
}
