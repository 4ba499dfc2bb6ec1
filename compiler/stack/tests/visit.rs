//! The traversal visits every statement, expression and place: their number equals that in the output of `Debug`, which
//! is derived and therefore includes all fields.

use nacre_stack::samples::{self, build::*};
use nacre_stack::visit::*;
use nacre_stack::*;

/// One statement of each kind and one expression of each kind, with an index in every place.
fn everything() -> Vec<Stack> {
    let mut all = samples::all();
    for seed in 0..2 {
        let mut stack = samples::sequencer();
        let k = |n: u64| num(n + seed, Type::UInt(8));
        let indexed = |n| Place {
            root: Root::Local(LocalId(0)),
            path: vec![
                Step::Field(1),
                Step::Index(k(n)),
                Step::Unwrap,
                Step::Index(expr(every_kind()[n as usize].clone(), Type::Bool)),
            ],
            ty: Type::Bool,
        };
        let l = LocalId(0);
        let block = || vec![StatementKind::Break.into(), StatementKind::Yield(k(7)).into()];
        let walk = Walk {
            over: indexed(0),
            index: Some(l),
            key: Some(l),
            value: Some(l),
            from: Some(k(1)),
            to: Some(k(2)),
            drain: true,
        };
        let operate = Operate {
            operation: Operation::Push,
            place: indexed(1),
            arguments: vec![k(1), k(2)],
            into: Some(l),
            done: Some(l),
            back: Some(l),
        };
        let emit = Emit {
            link: LinkId(0),
            event: EventId(0),
            arguments: vec![k(3), k(4)],
            later: false,
            call: false,
            likely: None,
        };
        let kinds = vec![
            StatementKind::Let(l, k(1)),
            StatementKind::Store(indexed(2), k(1)),
            StatementKind::If { condition: k(1), likely: None, then: block(), otherwise: block() },
            StatementKind::Loop { bound: 1, body: block() },
            StatementKind::For { variable: l, from: k(1), to: k(2), bound: 1, body: block() },
            StatementKind::Each { walk, bound: 1, body: block() },
            StatementKind::Break,
            StatementKind::Return(Some(k(1))),
            StatementKind::Return(None),
            StatementKind::Call {
                into: Some(l),
                function: FunctionId(0),
                arguments: vec![Argument::Value(k(1)), Argument::Reference(indexed(3))],
            },
            StatementKind::CallExtern { into: Some(l), function: ExternId(0), arguments: vec![k(1), k(2)] },
            StatementKind::Operate(operate),
            StatementKind::Emit(emit),
            StatementKind::Drop(k(1)),
            StatementKind::Arm { timer: indexed(4), delay: k(1), unless_armed: true },
            StatementKind::Cancel(indexed(5)),
            StatementKind::Count(CounterId(0), k(1)),
            StatementKind::Assert(k(1), "text".into()),
            StatementKind::Impossible,
            StatementKind::Unreachable,
            StatementKind::Fit { into: l, value: k(1) },
            StatementKind::Random { into: l, below: k(1) },
            StatementKind::Filter { into: l, filter: FilterId(0), input: k(1) },
            StatementKind::Yield(k(1)),
            StatementKind::Reject,
            StatementKind::Unpack { into: l, layout: LayoutId(0), message: k(1) },
            StatementKind::Join { into: l, parts: indexed(6), last: k(1) },
            StatementKind::Take { into: l, place: indexed(7) },
        ];
        let kinds = kinds.into_iter().chain(every_kind().into_iter().map(|e| StatementKind::Drop(expr(e, Type::Bool))));
        stack.handlers[0].body.extend(kinds.map(Statement::from));
        number(&mut stack);
        all.push(stack);
    }
    all
}

fn every_kind() -> Vec<ExprKind> {
    use ExprKind::*;
    let k = |n| num(n, Type::UInt(8));
    let b = |n| Box::new(k(n));
    let place = || Box::new(Place { root: Root::Local(LocalId(0)), path: vec![Step::Index(k(5))], ty: Type::Bool });
    vec![
        Load(place()),
        Query(crate::Query::Contains, place(), vec![k(1), k(2)]),
        Borrow(place()),
        Unary(UnaryOp::Not, b(1)),
        Binary(BinaryOp::Add, b(1), b(2)),
        MulDiv(b(1), b(2), b(3)),
        Convert(b(1)),
        If(b(1), b(2), b(3)),
        Struct(vec![k(1), k(2)]),
        Tuple(vec![k(1), k(2)]),
        Array(vec![k(1), k(2)]),
        ExprKind::Some(b(1)),
        ExprKind::None,
        IsSome(b(1)),
        Unwrap(b(1)),
        Field(b(1), 0),
        Index(b(1), b(2)),
        Concat(vec![k(1), k(2)]),
        Part(b(1), b(2), b(3)),
        BytesOf(b(1)),
        View(b(1)),
        Through(FilterId(0), b(1)),
        Extern(ExternId(0), vec![k(1), k(2)]),
        Share(b(1)),
        Length(b(1)),
        Push(b(1), HeaderId(0), vec![k(2), k(3)]),
        Slice(b(1), b(2), b(3)),
        Rest(b(1), b(2)),
        Pack(LayoutId(0), b(1)),
        PackView(LayoutId(0), b(1)),
        Const(1),
        Literal(vec![1]),
        Zero,
        Local(LocalId(0)),
        Now,
        Fingerprint,
        Room,
        Empty,
    ]
}

/// Counts a word in the `Debug` output of all code of a stack.
fn printed(stack: &Stack, word: &str) -> usize {
    let code = (
        &stack.layers,
        (&stack.cells, &stack.handlers, &stack.functions, &stack.filters),
        stack.ports.iter().map(|p| &p.inputs).collect::<Vec<_>>(),
    );
    format!("{code:?}").matches(word).count()
}

#[test]
fn every_field_of_every_node_is_met() {
    for stack in everything() {
        let (mut statements, mut exprs, mut places) = (0, 0, 0);
        stack.each(|node| match node {
            Node::Statement(_) => statements += 1,
            Node::Expr(_) => exprs += 1,
            Node::Place(_) => places += 1,
            Node::Set(_) => {}
        });
        assert_eq!(statements, printed(&stack, "Statement { kind:"), "{}: statements", stack.name);
        assert_eq!(exprs, printed(&stack, "Expr { kind:"), "{}: expressions", stack.name);
        assert_eq!(places, printed(&stack, "Place { root:"), "{}: places", stack.name);
        let ids = printed(&stack, "id: NodeId(");
        assert_eq!(statements + exprs, ids, "{}: numbers", stack.name);
    }
}

#[test]
fn every_local_that_is_set_is_met() {
    for stack in everything() {
        for handler in &stack.handlers {
            let mut met = 0;
            handler.body.each(|node| {
                met += matches!(node, Node::Set(_) | Node::Expr(Expr { kind: ExprKind::Local(_), .. })) as usize
            });
            let roots = format!("{:?}", handler.body).matches("root: Local(LocalId(").count();
            let named = format!("{:?}", handler.body).matches("LocalId(").count();
            assert_eq!(met + roots, named, "{}", handler.name);
        }
    }
}

/// The rewriter and the visitor visit the same nodes in the same order.
#[test]
fn rewriter_and_visitor_have_the_same_order() {
    for mut stack in everything() {
        let mut read = vec![];
        stack.each(|node| match node {
            Node::Statement(s) => read.push(s.id),
            Node::Expr(e) => read.push(e.id),
            Node::Place(_) | Node::Set(_) => {}
        });
        struct Ids(Vec<NodeId>);
        impl Rewriter for Ids {
            fn statement(&mut self, statement: &mut Statement) {
                self.0.push(statement.id);
                rewrite_statement(self, statement);
            }
            fn expr(&mut self, expr: &mut Expr) {
                self.0.push(expr.id);
                rewrite_expr(self, expr);
            }
        }
        let mut written = Ids(vec![]);
        rewrite_stack(&mut written, &mut stack);
        assert_eq!(read, written.0);
        assert!(read.iter().enumerate().all(|(i, id)| id.index() == i));
    }
}

#[test]
fn what_is_directly_in_a_node() {
    let stack = samples::repeating();
    stack.each(|node| {
        let Node::Statement(statement) = node else { return };
        let mut own = 0;
        statement.each_own(|node| own += matches!(node, Node::Expr(_)) as usize);
        let Parts { operands, places, blocks, sets } = statement.parts();
        let count = |e: &Expr| {
            let mut n = 0;
            e.each_expr(|_| n += 1);
            n
        };
        let inside: usize = operands.into_iter().chain(places.into_iter().flat_map(|p| p.operands())).map(count).sum();
        assert_eq!(own, inside);
        assert_eq!((statement.blocks(), statement.sets()), (blocks, sets));
    });
}
