//! A body being typed: its names, its scopes, and the facts at the current point.

use std::collections::HashMap;

use nacre_diagnostics::Span;
use nacre_stack::{EventId, FunctionId, PortId, Type};
use nacre_syntax::ast;

use crate::borrows::Entries;
use crate::call_graph::CallGraph;
use crate::checker::Checker;
use crate::flow::Flow;
use crate::tree::{Block, Expr, ExprKind, Is, Name, NameId, Names, Place, Root, Statement};

/// The meaning of a name in a body.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Value(NameId),
    /// A `ref`, or an entry of a container that is borrowed.
    Place {
        id: NameId,
        borrowed: bool,
        /// The container or option that contains it.
        entry: Option<usize>,
    },
    /// None: its declaration has a reported error.
    Unknown,
}

/// The kind of a body, which decides the allowed statements.
#[derive(Clone, Debug)]
pub(crate) enum Context {
    /// A handler of an event from `side`; `parameters` are its names for them.
    Handler {
        side: PortId,
        event: EventId,
        parameters: Vec<NameId>,
    },
    Timer,
    /// A body whose head has a reported error: everything is allowed.
    Unknown,
    Function {
        result: Option<Type>,
    },
    /// In one of a filter's functions, `function` has what it returns.
    Filter {
        yields: bool,
        function: Option<Option<Type>>,
    },
    /// `accepts`, `invariant`, initial values: no effects, but what `draws` at random. The default of a given value is
    /// not of an `open` connection: it has neither clock nor state.
    Pure {
        draws: bool,
        open: bool,
    },
}

/// The declaration of a name whose value is fixed.
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

/// A value while it is being typed.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub expr: Expr,
    /// A constant that takes any expected type.
    pub flexible: bool,
}

impl Value {
    /// A value of the type that it has.
    pub fn fixed(expr: Expr) -> Value {
        Value { expr, flexible: false }
    }
}

/// The functions of the filter that a body belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnFunctions {
    pub names: Vec<String>,
    pub signatures: Vec<Signature>,
    pub calls: CallGraph,
    /// The one that is being typed.
    pub current: Option<FunctionId>,
    /// The calls of the filter itself.
    pub called: Vec<FunctionId>,
    /// The bodies that contain a `reject`; none: the filter itself.
    pub rejecting: Vec<Option<FunctionId>>,
}

/// The signature of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    /// Name, type, and whether it is a `ref`.
    pub parameters: Vec<(String, Type, bool)>,
    pub result: Option<Type>,
}

/// A loop around the current point.
pub(crate) struct Loop {
    /// How many scopes are outside it.
    pub depth: usize,
    /// The states of messages at its `break`s.
    pub breaks: Vec<Flow>,
    /// Whether it takes messages out of a container, of which none must be left when it ends.
    pub drains: bool,
}

/// A body, or an expression outside of bodies.
pub(crate) struct Body<'c, 'p> {
    pub cx: &'c mut Checker<'p>,
    pub names: Names,
    pub scopes: Vec<HashMap<String, Binding>>,
    /// The statement that is being typed.
    pub at: Span,
    /// The expression that is being typed.
    pub span: Span,
    /// Whether the statement uses a name whose declaration has an error, from which its other errors may follow.
    pub poisoned: bool,
    /// The number of reports before the statement.
    pub reported: usize,
    pub flow: Flow,
    pub context: Context,
    pub loops: Vec<Loop>,
    /// The names declared in each scope that hold messages.
    pub declared: Vec<Vec<NameId>>,
    /// Names of values that are never assigned, and what declared each.
    pub constants: HashMap<NameId, NameOf>,
    pub own: OwnFunctions,
    pub entries: Entries,
    /// Statements to run before the one being typed.
    pub ahead: Vec<Statement>,
    /// Blocks of the statement being typed, which are kept in case of an error.
    pub kept: Vec<Block>,
    /// The function that this is the body of.
    pub function: Option<FunctionId>,
}

impl<'c, 'p> Body<'c, 'p> {
    /// An empty body.
    pub fn new(cx: &'c mut Checker<'p>, context: Context) -> Self {
        Body {
            cx,
            names: Names::default(),
            scopes: vec![HashMap::new()],
            at: Span::default(),
            span: Span::default(),
            poisoned: false,
            reported: 0,
            flow: Flow::default(),
            context,
            loops: Vec::new(),
            declared: vec![Vec::new()],
            constants: HashMap::new(),
            own: OwnFunctions::default(),
            entries: Entries::default(),
            ahead: Vec::new(),
            kept: Vec::new(),
            function: None,
        }
    }

    /// Reports an error.
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

    /// How a type is written.
    pub fn show(&self, ty: &Type) -> String {
        self.cx.show(ty)
    }

    /// An expression for the syntax that is being typed.
    pub fn make(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr::new(kind, ty, self.span)
    }

    /// A new name for a value, not in scope.
    pub fn hidden(&mut self, name: &str, ty: Type, span: Span) -> NameId {
        self.names.add(Name { name: name.into(), ty, is: Is::Value, span })
    }

    /// Records that the name holds a message, which must be consumed by the end of the scope.
    pub fn hold(&mut self, id: NameId, span: Span) {
        self.flow.begin(id, span);
        if let Some(scope) = self.declared.last_mut() {
            scope.push(id);
        }
    }

    /// Binds a name in the current scope.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), binding);
        }
    }

    /// Declares a name for a value; one with messages is live from now on.
    pub fn declare(&mut self, name: &ast::Ident, ty: Type) -> NameId {
        let linear = self.cx.linear(&ty);
        let id = self.hidden(&name.name, ty, name.span);
        if linear {
            self.hold(id, name.span);
        }
        self.bind(&name.name, Binding::Value(id));
        id
    }

    /// Declares a name that keeps its value.
    pub fn declare_constant(&mut self, name: &ast::Ident, ty: Type, of: NameOf) -> NameId {
        let id = self.declare(name, ty);
        self.constants.insert(id, of);
        id
    }

    /// Checks that a name may be changed; reports it if not.
    pub fn assignable(&mut self, id: NameId, span: Span) -> Option<()> {
        let Some(of) = self.constants.get(&id).copied() else { return Some(()) };
        let name = self.names[id].name.clone();
        let help = match of {
            NameOf::Let => format!("declare it as a variable: `var {name} = ...;`"),
            _ => format!("copy it to a variable: `var changed_{name} = {name};`"),
        };
        self.error("T0151", format!("`{name}` cannot be changed"), span, of.describe(), help);
        None
    }

    /// Resolves a name.
    pub fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    /// The type of a name.
    pub fn ty(&self, id: NameId) -> Type {
        self.names[id].ty.clone()
    }

    /// The value of a name, moved if it has messages (the caller records that).
    pub fn get(&self, id: NameId) -> Expr {
        self.make(ExprKind::Name(id), self.ty(id))
    }

    /// A name as a place.
    pub fn place_of(&self, id: NameId) -> Place {
        Place { root: Root::Name(id), path: Vec::new(), ty: self.ty(id), span: self.span }
    }

    /// Names begin a scope; messages declared in it must be consumed by its end.
    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
        self.declared.push(Vec::new());
    }

    /// Ends a scope.
    pub fn close(&mut self) {
        for id in self.declared.pop().unwrap_or_default() {
            self.lost(id, None);
        }
        self.scopes.pop();
    }

    /// Checks that a value of the type can be kept in a local; reports it if not.
    pub fn is_kept(&mut self, ty: &Type, span: Span) -> bool {
        let (message, help) = match ty {
            Type::View => (
                "the bytes of a message cannot be kept",
                "use them directly, as in `m.bytes through f`, after any operations with effects",
            ),
            Type::Timer => ("a timer cannot be kept in a local", "use it in its place: `t.armed`"),
            _ => return true,
        };
        self.error("T0083", message, span, "kept here", help);
        false
    }

    /// Checks that values can be kept until another one is evaluated, where that takes steps of its own.
    pub fn before<'e>(&mut self, values: impl IntoIterator<Item = &'e Expr>, later: &Expr) {
        if later.has_steps(&self.cx.tree.structs) {
            let at = self.at;
            for value in values.into_iter().filter(|value| !value.is_fixed()) {
                self.is_kept(&value.ty, at);
            }
        }
    }
}
