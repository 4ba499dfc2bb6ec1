//! Variations: stacks and layers with other parameters than in the source, for the small worlds of a verification.

use nacre_diagnostics::Span;
use nacre_syntax::ast::{self, ExprKind, TimeUnit, TypeKind};

/// The differences of stacks and layers from the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    /// Parameters of layers: of all instances of it in a stack.
    pub parameters: Vec<Override>,
    /// The largest width of sequence numbers, so that they wrap around soon. Header fields and windows follow.
    pub sequence_bits: Option<u8>,
}

/// `pt2pt.W = 2`
#[derive(Clone, Debug)]
pub struct Override {
    pub layer: String,
    pub parameter: String,
    /// Durations in nanoseconds; of a flag 0 or 1; a negative number in two's complement.
    pub value: u64,
    /// Where it is stated; the default: nowhere in a source.
    pub span: Span,
}

/// Two are equal if they have the same effect, wherever they are stated.
impl PartialEq for Override {
    fn eq(&self, other: &Override) -> bool {
        (&self.layer, &self.parameter, self.value) == (&other.layer, &other.parameter, other.value)
    }
}

impl Variation {
    /// The reference to a layer with these parameters instead of its own.
    pub(crate) fn applied(&self, declared: &ast::Layer, reference: &ast::LayerRef) -> ast::LayerRef {
        let mine: Vec<&Override> = self.parameters.iter().filter(|o| o.layer == declared.name.name).collect();
        if mine.is_empty() {
            return reference.clone();
        }
        let mut reference = named(declared, reference);
        for change in mine {
            let parameter = declared.parameters.iter().find(|p| p.name.name == change.parameter);
            let name = ast::Ident { name: change.parameter.clone(), span: reference.span };
            let kind = constant(change.value, parameter.map(|p| &p.ty.kind));
            let declared_at = parameter.map_or(reference.span, |p| p.name.span);
            let span = if change.span == Span::default() { declared_at } else { change.span };
            let value = negative(ast::Expr { kind, span }, change.value, parameter.map(|p| &p.ty.kind));
            reference.arguments.retain(|a| a.name.as_ref().is_none_or(|n| n.name != name.name));
            reference.arguments.push(ast::LayerArgument { name: Some(name), value });
        }
        reference
    }
}

/// The same with the names of all arguments, so that one can be replaced without moving the others.
fn named(declared: &ast::Layer, reference: &ast::LayerRef) -> ast::LayerRef {
    let by_name =
        |p: &ast::Parameter| reference.arguments.iter().any(|a| a.name.as_ref().is_some_and(|n| n.name == p.name.name));
    let mut open = declared.parameters.iter().filter(|p| !by_name(p));
    let mut named = reference.clone();
    for argument in named.arguments.iter_mut().filter(|a| a.name.is_none()) {
        argument.name = open.next().map(|p| p.name.clone());
    }
    named
}

/// The negative number that the value is in a type with a sign.
fn negative(literal: ast::Expr, value: u64, ty: Option<&TypeKind>) -> ast::Expr {
    let signed = matches!(ty, Some(TypeKind::Name(name, _)) if name.name.starts_with('i'));
    if !signed || value as i64 >= 0 {
        return literal;
    }
    let positive = ast::Expr { kind: ExprKind::Number(value.wrapping_neg()), span: literal.span };
    ast::Expr { kind: ExprKind::Unary(ast::UnaryOp::Negate, Box::new(positive)), span: literal.span }
}

/// A number as a literal of this type.
fn constant(value: u64, ty: Option<&TypeKind>) -> ExprKind {
    match ty {
        Some(TypeKind::Name(name, _)) if name.name == "duration" => ExprKind::Duration(value, TimeUnit::Ns),
        Some(TypeKind::Name(name, _)) if name.name == "bool" && value < 2 => match value {
            0 => ExprKind::False,
            _ => ExprKind::True,
        },
        _ => ExprKind::Number(value),
    }
}
