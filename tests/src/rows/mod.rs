//! Programs that run every row of the table of operations ([`nacre_stack::operations`]) with operands at the limits of
//! every type. They are generated from the table, so they include new rows.

pub mod arithmetic;
pub mod containers;
pub mod values;

use nacre_stack::samples::build::{self, Builder};
use nacre_stack::*;

/// Stacks of one layer whose event `run(case, ..)` runs one case.
pub struct Program {
    pub builder: Builder,
    layer: LayerId,
    pub cases: Vec<Case>,
    /// Whether every operand is also a constant.
    pub constants: bool,
}

/// Some rows with operands of some types.
#[derive(Clone)]
pub struct Case {
    /// `signed / of i7`
    pub name: String,
    pub function: FunctionId,
}

/// The code of a case under construction.
pub struct Code<'p> {
    pub program: &'p mut Program,
    pub name: String,
    locals: Vec<Local>,
    pub body: Block,
}

impl Program {
    /// A program without cases.
    pub fn new(name: &str) -> Program {
        let mut builder = Builder::new(name, name);
        let layer = builder.layer("rows");
        let variants = |n: usize| (0..n).map(|i| format!("v{i}")).collect();
        for n in [1, 3, 256, 300] {
            builder.stack.enums.push(Enum { name: format!("E{n}"), variants: variants(n) });
        }
        let field = |name: &str, ty| Parameter { name: name.into(), ty };
        let option = |ty| Type::Option(Box::new(ty));
        builder.stack.structs.push(Struct {
            name: "Plain".into(),
            fields: vec![field("a", Type::UInt(7)), field("b", option(Type::Int(9)))],
        });
        builder
            .stack
            .structs
            .push(Struct { name: "Kept".into(), fields: vec![field("n", Type::UInt(7)), field("m", Type::Msg)] });
        let shapes = vec![];
        builder.stack.layouts.push(Layout { layer, form: LayoutForm::Plain, fingerprint: 1, shapes });
        Program { builder, layer, cases: vec![], constants: true }
    }

    /// The struct without and the one with a message.
    pub fn structs() -> [Type; 2] {
        [Type::Struct(StructId(0)), Type::Struct(StructId(1))]
    }

    /// A cell of the program.
    pub fn cell(&mut self, name: &str, ty: Type, initial: Option<Expr>) -> Place {
        self.builder.cell(self.layer, name, Scope::Session, ty, initial)
    }

    /// Adds a case.
    pub fn case(&mut self, name: String, write: impl FnOnce(&mut Code)) {
        let mut code = Code { program: self, name: name.clone(), locals: vec![], body: vec![] };
        write(&mut code);
        let (locals, body) = (code.locals, code.body);
        let function = FunctionId(self.builder.stack.functions.len() as u32);
        let (layer, span) = (self.layer, Span::default());
        let name_of = format!("rows.case_{}", function.0);
        let parameters = vec![];
        self.builder.stack.functions.push(Function {
            name: name_of,
            layer,
            parameters,
            result: None,
            locals,
            body,
            span,
        });
        self.cases.push(Case { name, function });
    }

    /// The stack: `run` with the number of a case calls it.
    pub fn finish(mut self) -> (Stack, Vec<Case>) {
        let event = self.builder.event("run", Direction::Down, &[("case", Type::UInt(16))]);
        let calls: Vec<FunctionId> = self.cases.iter().map(|case| case.function).collect();
        self.builder.handler(self.layer, event, None, |_, arguments| {
            let call = |function| StatementKind::Call { into: None, function, arguments: vec![] }.into();
            let when = |(at, function)| {
                let this = build::equal(arguments[0].clone(), build::num(at as u64, Type::UInt(16)));
                build::when(this, vec![call(function)], vec![])
            };
            calls.into_iter().enumerate().map(when).collect()
        });
        self.input(event)
    }

    /// The stack: `run_0`, `run_1` and so on call one case each.
    pub fn finish_apart(mut self) -> (Stack, Vec<Case>) {
        let calls: Vec<FunctionId> = self.cases.iter().map(|case| case.function).collect();
        for (at, function) in calls.into_iter().enumerate() {
            let event = self.builder.event(&format!("run_{at}"), Direction::Down, &[]);
            let call = StatementKind::Call { into: None, function, arguments: vec![] }.into();
            self.builder.handler(self.layer, event, None, |_, _| vec![call]);
            self.accept(event);
        }
        self.validated()
    }

    /// The stack, whose host calls this event.
    pub fn input(mut self, event: EventId) -> (Stack, Vec<Case>) {
        self.accept(event);
        self.validated()
    }

    fn accept(&mut self, event: EventId) {
        let link = self.builder.stack.link_of(PortId(1)).expect("a link");
        let input =
            PortInput { event, link, layer: self.layer, admissions: vec![], need: Need { copies: 1, extra: 0 } };
        self.builder.stack.ports[1].inputs.push(input);
    }

    fn validated(self) -> (Stack, Vec<Case>) {
        let stack = self.builder.finish();
        if let Err(problems) = validate(&stack) {
            panic!("{}: {}", stack.name, problems[0]);
        }
        (stack, self.cases)
    }
}

impl Code<'_> {
    /// A new local.
    pub fn local(&mut self, ty: Type) -> Expr {
        self.locals.push(Local { name: format!("l{}", self.locals.len()), ty: ty.clone(), by_ref: false });
        build::expr(ExprKind::Local(LocalId(self.locals.len() as u32 - 1)), ty)
    }

    /// `for i in 0 .. n`, whose variable cannot be out of range.
    pub fn count(&mut self, n: usize, body: impl FnOnce(&mut Code, Expr) -> Block) -> Statement {
        let n = n as u64;
        let variable = self.local(Type::Range(0, n));
        let end = |n| build::num(n, Type::UInt(32));
        let body = body(self, variable.clone());
        StatementKind::For { variable: build::id(&variable), from: end(0), to: end(n), bound: n as u32, body }.into()
    }
}

/// The number of bytes of a value of the type in [`interpret::Machine::canonical_bytes`], if it is the same for all.
pub fn size(ty: &Type) -> Option<usize> {
    Some(match ty {
        Type::Bits(n) => 8 * n.div_ceil(64) as usize,
        Type::Array(t, n) => *n as usize * size(t)?,
        Type::Bytes(n) => *n as usize,
        Type::Addr => 20,
        Type::Tuple(types) => types.iter().map(size).sum::<Option<usize>>()?,
        ty if operations::Kind::of(ty).is_number() => 8,
        _ => return None,
    })
}

/// The cell that contains a byte of the canonical state, and the 8 bytes there.
pub fn locate(stack: &Stack, at: usize) -> String {
    let mut rest = at;
    for cell in &stack.cells {
        match size(&cell.ty) {
            Some(n) if rest < n => return format!("{}, byte {rest}", cell.name),
            Some(n) => rest -= n,
            None => return format!("from {} on", cell.name),
        }
    }
    "behind the cells".into()
}
