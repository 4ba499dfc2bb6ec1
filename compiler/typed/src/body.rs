//! A body being lowered: its locals, its scopes, and the block that statements go to.

use std::collections::HashMap;

use nacre_diagnostics::Span;
use nacre_stack::visit::Rewriter;
use nacre_stack::{
    Block, EventId, Expr, ExprKind, FillSpans, FunctionId, Local, LocalId, Place, PortId, Root, Statement,
    StatementKind, Type,
};
use nacre_syntax::ast;

use crate::borrows::Entries;
use crate::flow::Flow;
use crate::inlined::FilterFunctions;
use crate::layer::Checker;

/// What a name in a body stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Local(LocalId),
    /// A `ref`, or an entry of a container that is being read in place (`borrowed`).
    Place {
        place: Place,
        borrowed: bool,
        /// Where it stands in a container or an option.
        entry: Option<usize>,
    },
    /// Nothing: its declaration is wrong, which has been reported.
    Unknown,
}

/// Where a body stands, which decides what it may say.
#[derive(Clone, Debug)]
pub(crate) enum Context {
    /// A handler of an event that came from `side`; `parameters` are its locals.
    Handler {
        side: PortId,
        event: EventId,
        parameters: Vec<LocalId>,
    },
    Timer,
    Function {
        result: Option<Type>,
    },
    /// In one of a filter's functions, `function` has what it returns.
    Filter {
        yields: bool,
        function: Option<Option<Type>>,
    },
    /// `accepts`, `invariant`, initial values: no effects, but what `draws` at random.
    Pure {
        draws: bool,
    },
}

/// What declares a name that keeps its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameOf {
    /// A `let`, or a pattern in an `if let`.
    Let,
    /// A variable of a `for` loop.
    Loop,
    /// A field of a header that a pattern takes off.
    HeaderField,
    /// The index of a timer in its handler.
    TimerIndex,
}

impl NameOf {
    fn describe(self) -> &'static str {
        match self {
            NameOf::Let => "declared by `let`",
            NameOf::Loop => "the variable of a loop",
            NameOf::HeaderField => "a field of the header",
            NameOf::TimerIndex => "the index of the timer",
        }
    }
}

/// A value while it is being lowered.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub expr: Expr,
    /// A constant that takes whatever type is wanted.
    pub flexible: bool,
}

pub(crate) struct Body<'c, 'p> {
    pub cx: &'c mut Checker<'p>,
    pub locals: Vec<Local>,
    pub scopes: Vec<HashMap<String, Binding>>,
    pub out: Block,
    /// The statement that is being lowered.
    pub at: Span,
    /// It uses a name whose declaration is wrong: what else is wrong with it may be due to that alone.
    pub poisoned: bool,
    pub flow: Flow,
    pub context: Context,
    /// For each loop around: how many scopes are outside it, and the states of messages at its `break`s.
    pub breaks: Vec<(usize, Vec<Flow>)>,
    /// The local declared in each scope that holds messages.
    pub declared: Vec<Vec<LocalId>>,
    /// Locals that name a value and are never assigned, and what declared each.
    pub constant_locals: HashMap<LocalId, NameOf>,
    pub filter: FilterFunctions,
    pub entries: Entries,
    /// The function that this is the body of.
    pub function: Option<FunctionId>,
}

impl<'c, 'p> Body<'c, 'p> {
    pub fn new(cx: &'c mut Checker<'p>, context: Context) -> Self {
        Body {
            cx,
            locals: Vec::new(),
            scopes: vec![HashMap::new()],
            out: Vec::new(),
            at: Span::default(),
            poisoned: false,
            flow: Flow::default(),
            context,
            breaks: Vec::new(),
            declared: vec![Vec::new()],
            constant_locals: HashMap::new(),
            filter: FilterFunctions::default(),
            entries: Entries::default(),
            function: None,
        }
    }

    pub fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.cx.error(code, message, span, label, help);
    }

    pub fn show(&self, ty: &Type) -> String {
        self.cx.show(ty)
    }

    /// A new local; one with messages is live from now on.
    pub fn local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        if self.cx.linear(&ty) {
            self.hold(id, span);
        }
        self.locals.push(Local { name: name.into(), ty, by_ref: false });
        id
    }

    /// From now on the local holds a message; it must be consumed by the end of the scope.
    pub fn hold(&mut self, id: LocalId, span: Span) {
        self.flow.begin(id, span);
        if let Some(scope) = self.declared.last_mut() {
            scope.push(id);
        }
    }

    /// A local that no one names. One with messages is consumed by whoever made it.
    pub fn temporary(&mut self, ty: Type) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: format!("t{}", id.0), ty, by_ref: false });
        id
    }

    pub fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), binding);
        }
    }

    /// Declares a named local and binds it.
    pub fn declare(&mut self, name: &ast::Ident, ty: Type) -> LocalId {
        let id = self.local(&name.name, ty, name.span);
        self.bind(&name.name, Binding::Local(id));
        id
    }

    /// Declares a name that keeps its value.
    pub fn declare_constant(&mut self, name: &ast::Ident, ty: Type, of: NameOf) -> LocalId {
        let id = self.declare(name, ty);
        self.constant_locals.insert(id, of);
        id
    }

    /// Checks that a local may be changed; reports it if not.
    pub fn assignable(&mut self, id: LocalId, span: Span) -> Option<()> {
        let Some(of) = self.constant_locals.get(&id).copied() else { return Some(()) };
        let name = self.locals[id.index()].name.clone();
        let help = match of {
            NameOf::Let => format!("declare it as a variable: `var {name} = ...;`"),
            _ => format!("copy it to a variable: `var changed_{name} = {name};`"),
        };
        self.error("T0151", format!("`{name}` cannot be changed"), span, of.describe(), help);
        None
    }

    pub fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    pub fn ty(&self, id: LocalId) -> Type {
        self.locals[id.index()].ty.clone()
    }

    /// The value of a local, moved if it has messages (the caller keeps account of that).
    pub fn get(&self, id: LocalId) -> Expr {
        Expr::new(ExprKind::Local(id), self.ty(id), Span::default())
    }

    pub fn place_of(&self, id: LocalId) -> Place {
        Place { root: Root::Local(id), path: Vec::new(), ty: self.ty(id) }
    }

    pub fn push(&mut self, statement: impl Into<Statement>) {
        let statement = statement.into();
        self.note_change(&statement.kind);
        self.out.push(statement);
    }

    /// Says what the statements from `first` on were made for, where that has not been said yet.
    pub fn place_nodes(&mut self, first: usize, span: Span) {
        for statement in self.out.iter_mut().skip(first) {
            FillSpans(span).statement(statement);
        }
    }

    /// Names begin a scope; messages declared in it must be consumed by its end.
    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
        self.declared.push(Vec::new());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
        for id in self.declared.pop().unwrap_or_default() {
            self.lost(id);
        }
    }

    /// Says so if a message is still held where its name ends.
    pub fn lost(&mut self, id: LocalId) {
        if self.flow.ended {
            return;
        }
        if let Some(span) = self.flow.live(id) {
            let name = self.locals[id.index()].name.clone();
            let found = nacre_diagnostics::Diagnostic::error("T0030", format!("the message `{name}` is lost here"))
                .at(span, "on some path nobody consumes it")
                .because("a message is consumed exactly once on every path: sent on, kept, or dropped")
                .help(format!("if it is not needed, say `drop {name};`"));
            self.cx.found.push(found);
        }
        self.flow.end(id);
    }

    /// Runs `make` with a fresh block, and gives that block.
    pub fn block<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let before = std::mem::take(&mut self.out);
        let made = make(self);
        (std::mem::replace(&mut self.out, before), made)
    }

    /// A copy of a value in a local, so that it is evaluated now and only once.
    pub fn spill(&mut self, value: Expr) -> Expr {
        if matches!(value.kind, ExprKind::Const(_) | ExprKind::Zero | ExprKind::None) {
            return value;
        }
        if !self.is_kept(&value.ty, self.at) {
            return value;
        }
        let id = self.temporary(value.ty.clone());
        self.push(StatementKind::Let(id, value));
        self.get(id)
    }

    /// Checks that a value of the type can be kept in a local; reports it if not.
    pub fn is_kept(&mut self, ty: &Type, span: Span) -> bool {
        let (message, help) = match ty {
            Type::View => (
                "the bytes of a message cannot be kept",
                "read them where they are used, `m.bytes through f`; do what has an effect before that",
            ),
            Type::Timer => ("a timer cannot be kept in a local", "use it where it is: `t.armed`"),
            _ => return true,
        };
        self.error("T0083", message, span, "kept here", help);
        false
    }
}
