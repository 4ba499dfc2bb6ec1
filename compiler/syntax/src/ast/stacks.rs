//! Stacks, graphs, and tests of them.

use nacre_diagnostics::Span;

use super::*;

/// `stack name = ...;`
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    pub docs: Docs,
    pub name: Ident,
    pub members: Option<u64>,
    pub body: StackBody,
    pub span: Span,
}

/// What a stack consists of: layers as listed, or layers to be found for some properties.
#[derive(Clone, Debug, PartialEq)]
pub enum StackBody {
    /// Top first.
    Layers(Vec<LayerRef>),
    For {
        properties: Vec<Ident>,
        over: Ident,
    },
}

/// `pt2pt<16, RTO = 20 ms>`
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRef {
    pub name: Ident,
    pub arguments: Vec<LayerArgument>,
    pub span: Span,
}

/// A value for a parameter of a layer, by position or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerArgument {
    pub name: Option<Ident>,
    pub value: Expr,
}

/// A stack whose layers form a graph instead of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    pub docs: Docs,
    pub name: Ident,
    pub lines: Vec<GraphLine>,
    pub span: Span,
}

/// `let big = frag<1400> over mux[key 1, peer 1];`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLine {
    pub name: Ident,
    pub layer: LayerRef,
    /// `mux[key 2, peer 2]` without `over` is in `key`.
    pub over: Vec<GraphOver>,
    pub key: Option<(u64, u64)>,
    pub span: Span,
}

/// A lower neighbour of a line of a graph: `mux[key 1, peer 1]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphOver {
    pub name: Ident,
    pub key: Option<(u64, u64)>,
}

/// `test "name" { ... }`: a scripted run of endpoints on a simulated network.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    pub docs: Docs,
    pub name: String,
    pub body: Vec<TestStatement>,
    pub span: Span,
}

/// A statement of a test and its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStatement {
    pub kind: TestKind,
    pub span: Span,
}

/// The form of a statement of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// `open a, b with reliable;`
    Open { endpoints: Vec<Ident>, stack: Ident },
    /// `network loss 20%, delay 5 ms, seed 7;`
    Network(Vec<NetworkSetting>),
    /// `a.send("hello");`, `a.app.cast(bytes 3000);`. A refused call is retried while the simulated time advances.
    Call { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `run 200 ms;`
    Run(Expr),
    /// `expect b.deliver("hello");`: the next output of this kind, in the past or within the remaining time of the
    /// test.
    Expect { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `expect refused a.send(bytes 100000);`
    ExpectRefused { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `expect nothing at b;`
    ExpectNothing(Ident),
    /// `expect count a.pt2pt.repeated > 0;`
    ExpectCount { endpoint: Ident, layer: Option<Ident>, counter: Ident, comparison: BinaryOp, value: Expr },
    /// `for i in 0 .. 100 { ... }`
    For { variable: Ident, from: Expr, to: Expr, body: Vec<TestStatement> },
}

/// A setting of the simulated network: `loss 20%`.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSetting {
    pub name: Ident,
    pub value: NetworkValue,
}

/// The value of a network setting.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkValue {
    /// Percent.
    Percent(f64),
    /// A duration, or a number (the seed).
    Expr(Expr),
}

/// An argument of an event in a test.
#[derive(Clone, Debug, PartialEq)]
pub enum TestArgument {
    Text(String, Span),
    /// `bytes 3000`: a message of this many bytes with a fixed pattern; `bytes 3000 seed i`: with other content.
    Bytes {
        length: Expr,
        seed: Option<Expr>,
        span: Span,
    },
    Expr(Expr),
    /// `_`
    Any(Span),
}
