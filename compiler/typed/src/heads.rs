//! The head of a handler: patterns for the parameters of its event.

use nacre_diagnostics::{counted, Span};
use nacre_stack::{Event, Guard, Type};
use nacre_syntax::ast::{self, PatternKind};

use crate::body::{Binding, Body, NameOf};
use crate::tree::{Block, HandlerParameter, NameId, Pattern, PatternKind as TypedPattern};

/// The head of a handler.
pub(crate) struct Head {
    pub parameters: Vec<HandlerParameter>,
    pub guard: Guard,
    pub fields: Vec<NameId>,
}

impl Body<'_, '_> {
    /// Names that a head would declare.
    pub fn unknown_in_head(&mut self, pattern: &ast::Pattern) {
        match &pattern.kind {
            PatternKind::Pop(name, header) => {
                self.bind(&name.name, Binding::Unknown);
                self.unknown_fields(header);
            }
            PatternKind::Header(header) => self.unknown_fields(header),
            _ => self.unknown_names(pattern),
        }
    }

    fn unknown_fields(&mut self, header: &ast::HeaderPattern) {
        for (name, pattern) in &header.fields {
            match pattern {
                Some(pattern) => self.unknown_names(pattern),
                None => self.bind(&name.name, Binding::Unknown),
            }
        }
    }

    /// The whole body of a handler or function. `must_return`: it returns a value.
    pub fn whole(&mut self, block: &ast::Block, must_return: Option<Span>) -> Block {
        let block = self.statements(block);
        if !self.flow.ended {
            if let Some(span) = must_return {
                self.error(
                    "T0107",
                    "this function does not return a value on every path",
                    span,
                    "its end is reachable",
                    "",
                );
            }
            self.leave(None);
        }
        self.flow.ended = false;
        block
    }

    /// Names for the parameters of an event, the guard, and names for the fields of the header.
    pub fn parameters(&mut self, event: &Event, patterns: &[ast::Pattern], span: Span) -> Option<Head> {
        self.cx.once(patterns.iter().flat_map(ast::Pattern::names));
        let rest = patterns.iter().position(|p| matches!(p.kind, PatternKind::Rest));
        let count = event.parameters.len();
        let fine = match rest {
            Some(_) => patterns.len() - 1 <= count,
            None => patterns.len() == count,
        };
        if !fine {
            let names: Vec<&str> = event.parameters.iter().map(|p| p.name.as_str()).collect();
            let head = patterns.iter().find_map(|pattern| match &pattern.kind {
                PatternKind::Header(header) => Some(header.name.name.as_str()),
                _ => None,
            });
            let help = match head.filter(|head| self.cx.header_ids.contains_key(*head)) {
                Some(head) => format!("a header is part of its message: `m - {head} {{ ... }}`"),
                None => format!("they are ({})", names.join(", ")),
            };
            self.error(
                "T0105",
                format!("`{}` has {}", event.name, counted(count as u64, "parameter")),
                span,
                format!("{} here", counted(patterns.len() as u64, "pattern")),
                help,
            );
            return None;
        }
        let rest_at = rest.map_or(Span::default(), |at| patterns[at].span);
        let mut ids = Vec::new();
        let mut guard = Guard::NONE;
        let mut header = None;
        for (i, parameter) in event.parameters.iter().enumerate() {
            let pattern = match rest {
                Some(at) if i >= at => {
                    let skipped = count - (patterns.len() - 1);
                    if i < at + skipped {
                        None
                    } else {
                        patterns.get(i + 1 - skipped)
                    }
                }
                _ => patterns.get(i),
            };
            let id = self.parameter(parameter, pattern.ok_or(rest_at), &mut guard, &mut header)?;
            ids.push(id);
        }
        let fields = match header {
            Some((pattern, named)) => self.header_fields(pattern, named, &mut guard)?,
            None => Vec::new(),
        };
        Some(Head { parameters: ids, guard, fields })
    }

    fn parameter<'a>(
        &mut self,
        parameter: &nacre_stack::Parameter,
        pattern: Result<&'a ast::Pattern, Span>,
        guard: &mut Guard,
        header: &mut Option<(&'a ast::HeaderPattern, bool)>,
    ) -> Option<HandlerParameter> {
        let message = parameter.ty == Type::Msg;
        let plain = |name| Some(HandlerParameter { name, pattern: None });
        let (name, ty) = (parameter.name.as_str(), parameter.ty.clone());
        let pattern = match pattern {
            Ok(pattern) => pattern,
            Err(rest) => {
                let id = self.hidden(name, ty, rest);
                if message {
                    self.hold(id, rest);
                }
                return plain(id);
            }
        };
        match &pattern.kind {
            PatternKind::Name(name) => plain(self.declare(name, ty)),
            PatternKind::Data(name) if message => {
                guard.data = true;
                plain(self.declare(name, ty))
            }
            PatternKind::Any if !message => plain(self.hidden(name, ty, pattern.span)),
            PatternKind::Pop(name, h) if message => {
                *header = Some((h, true));
                plain(self.declare(name, ty))
            }
            PatternKind::Header(h) if message => {
                *header = Some((h, false));
                let name = self.hidden(name, ty.clone(), pattern.span);
                let dropped = Pattern { kind: TypedPattern::Any, ty, span: pattern.span };
                Some(HandlerParameter { name, pattern: Some(dropped) })
            }
            PatternKind::PopWire { .. } => self.cx.unbuilt("wire formats", pattern.span),
            PatternKind::Tuple(_) if !message => {
                let name = self.hidden(name, ty.clone(), pattern.span);
                let pattern = self.destructure(pattern, &ty)?;
                Some(HandlerParameter { name, pattern: Some(pattern) })
            }
            _ => {
                let shown = self.show(&parameter.ty);
                let help =
                    if message { "name it: `m`, or match a header: `m - Header { ... }`" } else { "a name, or `_`" };
                self.error(
                    "T0082",
                    "this pattern does not fit the parameter",
                    pattern.span,
                    format!("of type {shown}"),
                    help,
                );
                None
            }
        }
    }

    /// `named`: so is the message that it comes with.
    fn header_fields(&mut self, pattern: &ast::HeaderPattern, named: bool, guard: &mut Guard) -> Option<Vec<NameId>> {
        let Some(&id) = self.cx.header_ids.get(&pattern.name.name) else {
            let known: Vec<&str> = self.cx.tree.headers.iter().map(|h| h.name.as_str()).collect();
            let help = if known.is_empty() {
                "the layer declares none".into()
            } else {
                format!("it has {}", known.join(", "))
            };
            self.error(
                "T0108",
                format!("this layer has no header `{}`", pattern.name.name),
                pattern.name.span,
                "not declared",
                help,
            );
            return None;
        };
        guard.header = Some(id);
        if !named {
            self.cx.taken_alone.entry(id).or_insert(pattern.span);
        }
        let declared = self.cx.tree.headers[id.index()].fields.clone();
        for (name, _) in &pattern.fields {
            if self.is_unsound_field(&name.name) {
                self.unknown_fields(pattern);
            } else if !declared.iter().any(|f| f.name == name.name) {
                let known = declared.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", ");
                self.error(
                    "T0051",
                    format!("`{}` has no field `{}`", pattern.name.name, name.name),
                    name.span,
                    "unknown",
                    format!("it has {known}"),
                );
            }
        }
        let mut ids = Vec::new();
        for field in &declared {
            let given = pattern.fields.iter().find(|(n, _)| n.name == field.name);
            let id = match given {
                None => self.hidden(&field.name, field.ty.clone(), pattern.span),
                Some((name, None)) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                Some((_, Some(sub))) => match &sub.kind {
                    PatternKind::Name(name) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                    PatternKind::Any => self.hidden(&field.name, field.ty.clone(), pattern.span),
                    _ => {
                        let help = "name it, and take it apart in the handler: `let (a, b) = x;`";
                        self.error("T0082", "expected a name", sub.span, "", help);
                        self.unknown_names(sub);
                        self.hidden(&field.name, field.ty.clone(), pattern.span)
                    }
                },
            };
            ids.push(id);
        }
        Some(ids)
    }
}
