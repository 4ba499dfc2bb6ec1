//! Actions: their parameters, their events, and their join with the actions that they extend.

use nacre_diagnostics::nearest;
use nacre_specification as spec;
use nacre_syntax::ast::{self, ActionKind, EventDirection, Item};

use super::inferred::Ty;
use super::limits::MOST_JOINED;
use super::{Binding, Known, Local, Typer};

const NEVER: spec::Guard = spec::Guard::Holds(spec::Expr::Const(spec::Value::Bool(false)));

impl<'p> Typer<'p> {
    pub(super) fn actions(&mut self, line: &[&'p ast::Automaton]) -> Vec<spec::Action> {
        let groups = joined(line);
        if let Some(action) = groups.get(MOST_JOINED) {
            let (words, span) = ("this automaton has too many actions of one name", action[0].span);
            self.error::<()>("T0150", words, span, "more than 256 combinations", "give some of them other names");
            return vec![];
        }
        let mut actions: Vec<spec::Action> = groups.iter().filter_map(|parts| self.action(parts)).collect();
        // An internal action that an extension rules out is omitted; for events it matters that they are ruled out.
        actions.retain(|a| {
            matches!(a.kind, spec::ActionKind::Input | spec::ActionKind::Output) || !a.guards.contains(&NEVER)
        });
        actions
    }

    /// Joins the definitions of an action in an automaton and in those that it extends, the furthest first.
    fn action(&mut self, parts: &[&'p ast::Action]) -> Option<spec::Action> {
        let last = parts[parts.len() - 1];
        for part in parts {
            self.once(part.parameters.iter().map(|(_, name)| name));
            self.stands_at(part);
        }
        let events = self.events(last);
        self.begin();
        self.parameters_of(last, &events);
        let count = last.parameters.len();
        let told = self.found.len();
        let (mut guards, mut body) = (Vec::new(), Vec::new());
        // All guards before all bodies: they are of the state before the action.
        let mut scopes = Vec::new();
        for part in parts {
            self.rename(part);
            if let Some(condition) = &part.condition {
                self.guards(condition, &mut guards);
            }
            scopes.push(self.scopes.clone());
        }
        self.fits_event(last, &events);
        let understood = self.found.len() == told;
        let known: Vec<Known> = self.locals[..count].iter().map(|l| l.known).collect();
        self.locals[..count].iter_mut().for_each(|l| l.known = Known::Yes);
        for (part, scopes) in parts.iter().zip(scopes) {
            self.scopes = scopes;
            body.extend(self.block(&part.body));
        }
        if understood {
            self.all_bound(last, &known);
        }
        let locals: Vec<spec::Type> = self.locals.iter().map(|l| self.settled(&l.ty)).collect();
        let parameters = last.parameters.iter().zip(&locals);
        let parameters =
            parameters.map(|((at, name), ty)| spec::Parameter { name: name.name.clone(), ty: ty.clone(), at: *at });
        Some(spec::Action {
            kind: match last.kind {
                ActionKind::Input => spec::ActionKind::Input,
                ActionKind::Output => spec::ActionKind::Output,
                ActionKind::Internal => spec::ActionKind::Internal,
                ActionKind::Fault => spec::ActionKind::Fault,
            },
            optional: parts.iter().any(|part| part.optional),
            name: last.name.name.clone(),
            parameters: parameters.collect(),
            locals,
            guards,
            body,
            peer: None,
            span: last.span,
        })
    }

    /// Inputs and outputs happen at one participant.
    fn stands_at(&mut self, action: &ast::Action) {
        let count = action.parameters.iter().filter(|(at, _)| *at).count();
        let event = matches!(action.kind, ActionKind::Input | ActionKind::Output);
        let late = count == 1 && !action.parameters[0].0;
        if event && count != 1 || count > 1 || late {
            let name = &action.name.name;
            let words = match count {
                0 => format!("`{name}` has no participant"),
                1 => format!("the participant of `{name}` is not its first parameter"),
                _ => format!("`{name}` has more than one participant"),
            };
            let help = format!("write `at` before the first parameter alone: {name}(at p, ...)");
            self.error::<()>("T0135", words, action.span, "", help);
        }
    }

    /// The parameters of the events of this name, without the participant. None: it is not an event. Those that the
    /// file declares or imports go before others of the program, which may mean something else by the name.
    fn events(&mut self, action: &ast::Action) -> Option<Vec<Vec<Option<Ty>>>> {
        let wanted = match action.kind {
            ActionKind::Input => EventDirection::Down,
            ActionKind::Output => EventDirection::Up,
            ActionKind::Internal | ActionKind::Fault => return None,
        };
        let count = action.parameters.iter().filter(|(at, _)| !*at).count();
        let (mut fitting, mut others, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let near = self.program.with_imports(action.span.file);
        for item in self.program.items() {
            let Item::Interface(interface) = item else { continue };
            for event in &interface.events {
                let direction = event.direction == wanted || event.direction == EventDirection::Turn;
                if direction {
                    names.push(event.name.name.as_str());
                }
                if event.name.name != action.name.name {
                    continue;
                }
                if direction && event.parameters.len() == count {
                    let types = event.parameters.iter().map(|p| self.of_event(&p.ty, &interface.parameters)).collect();
                    fitting.push((near.contains(&event.name.span.file), types));
                } else {
                    others.push((interface, event));
                }
            }
        }
        if fitting.is_empty() {
            self.no_event(action, &others, &names);
        }
        let is_near = fitting.iter().any(|(near, _)| *near);
        Some(fitting.into_iter().filter(|(near, _)| *near == is_near).map(|(_, types)| types).collect())
    }

    fn no_event(&mut self, action: &ast::Action, others: &[(&ast::Interface, &ast::EventDeclaration)], names: &[&str]) {
        let name = &action.name.name;
        let (kind, direction) = if action.kind == ActionKind::Input { ("input", "down") } else { ("output", "up") };
        let words = format!("no interface has an event `{name}` for this {kind}");
        let help = match others.first() {
            Some((interface, event)) => {
                let parameters: Vec<&str> = event.parameters.iter().map(|p| p.name.name.as_str()).collect();
                let way = if event.direction == EventDirection::Up { "up" } else { "down" };
                format!(
                    "`{}` has `{way} {name}({})`; an {kind} is an event that goes {direction}, with its parameters \
                        after the one with `at`",
                    interface.name.name,
                    parameters.join(", ")
                )
            }
            None => match nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "import the file that declares the interface; other actions are `internal` or a `fault`".into(),
            },
        };
        self.error::<()>("T0134", words, action.name.span, "not an event", help);
    }

    /// The parameters as locals, of the types that all events of the name agree on.
    fn parameters_of(&mut self, action: &ast::Action, events: &Option<Vec<Vec<Option<Ty>>>>) {
        let mut at = 0;
        for (here, name) in &action.parameters {
            let ty = if *here {
                Ty::Rank
            } else {
                let said: Vec<Option<Ty>> = events.iter().flatten().map(|e| e[at].clone()).collect();
                at += 1;
                match said.first() {
                    Some(Some(first)) if said.iter().all(|s| s.as_ref() == Some(first)) => first.clone(),
                    _ => self.fresh(),
                }
            };
            let known = if action.kind == ActionKind::Input { Known::Yes } else { Known::No };
            self.locals.push(Local { name: name.name.clone(), ty, known, variable: false });
        }
    }

    /// The names that a part of a joined action gives to the parameters.
    fn rename(&mut self, part: &ast::Action) {
        self.scopes = vec![Default::default()];
        for (n, (_, name)) in part.parameters.iter().enumerate() {
            if name.name != "_" {
                self.bind(&name.name, Binding::Local(n));
            }
        }
    }

    /// A type that no use determines is that of the first matching event.
    fn fits_event(&mut self, action: &ast::Action, events: &Option<Vec<Vec<Option<Ty>>>>) {
        let carried = |typer: &Self| -> Vec<Ty> {
            let both = typer.locals.iter().zip(&action.parameters);
            both.filter(|(_, (at, _))| !at).map(|(local, _)| local.ty.clone()).collect()
        };
        for event in events.iter().flatten() {
            let before = self.variables.clone();
            let types = carried(self);
            if types.iter().zip(event).all(|(of, ty)| ty.as_ref().is_none_or(|ty| self.unify(of, ty))) {
                return;
            }
            self.variables = before;
        }
        let Some(event) = events.iter().flatten().next() else { return };
        let show = |typer: &Self, types: &[Ty]| types.iter().map(|t| typer.show(t)).collect::<Vec<_>>().join(", ");
        let said: Vec<Ty> = event.iter().map(|t| t.clone().unwrap_or(Ty::Nat)).collect();
        let (said, used) = (show(self, &said), show(self, &carried(self)));
        let words = format!("the parameters of `{}` do not have the types used here", action.name.name);
        let label = format!("the event carries ({said}), the guards use ({used})");
        self.error::<()>("T0137", words, action.span, &label, "");
    }

    /// In an environment, guards determine the parameters of outputs and internal actions.
    fn all_bound(&mut self, action: &ast::Action, known: &[Known]) {
        for (n, known) in known.iter().enumerate() {
            if self.settled(&self.locals[n].ty) == spec::Type::Rank || *known == Known::Yes {
                continue;
            }
            let name = self.locals[n].name.clone();
            let ty = self.settled(&self.locals[n].ty);
            let free = ty == spec::Type::Nat || ty == spec::Type::Msg && action.optional;
            match known {
                // A monitor accepts any number, and of an output that is a fault any message; an environment uses zero
                // and the empty message.
                Known::No if free && action.kind == ast::ActionKind::Output => {}
                Known::Read(span) => {
                    let help = "write the conjunct that binds it before this one, such as `x in container`";
                    let words = format!("`{name}` is read before it has a value");
                    self.error::<()>("T0139", words, *span, "read here", help);
                }
                _ => {
                    let words = format!("`{name}` is not bound to any values");
                    let help = format!(
                        "bind it in the guard: when {name} in some_container, or when some_value == {name}; only a \
                         rank takes every value"
                    );
                    let span = action.parameters[n].1.span;
                    self.error::<()>("T0138", words, span, "not bound", help);
                }
            }
        }
    }
}

/// Actions of the same kind, name and number of parameters are one: later definitions are joined to earlier ones.
fn joined<'p>(line: &[&'p ast::Automaton]) -> Vec<Vec<&'p ast::Action>> {
    let same = |a: &ast::Action, b: &ast::Action| {
        a.kind == b.kind && a.name.name == b.name.name && a.parameters.len() == b.parameters.len()
    };
    let mut groups: Vec<Vec<&ast::Action>> = Vec::new();
    for automaton in line {
        let mut next = Vec::new();
        for group in &groups {
            let more: Vec<&ast::Action> = automaton.actions.iter().filter(|a| same(a, group[0])).collect();
            if more.is_empty() {
                next.push(group.clone());
            }
            next.extend(more.into_iter().map(|a| group.iter().copied().chain([a]).collect::<Vec<_>>()));
        }
        let new = automaton.actions.iter().filter(|a| !groups.iter().any(|g| same(a, g[0])));
        next.extend(new.map(|a| vec![a]));
        groups = next;
        if groups.len() > MOST_JOINED {
            break;
        }
    }
    groups
}
