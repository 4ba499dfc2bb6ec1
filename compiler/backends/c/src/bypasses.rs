//! Bypasses: functions that are inlined into the entries, and say whether they have taken the event.

use std::collections::{BTreeMap, HashSet};

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::body::{pushes, Apart, Body, Kind};
use crate::choices;
use crate::code::Code;
use crate::emitted::Level;
use crate::events::Written;
use crate::functions::{Function, Linkage};
use crate::known::Condition;
use crate::plan::Item;
use crate::writer::Writer;

impl<'a> Writer<'a> {
    /// The bypasses of an entry, in order; at other levels there are none.
    pub fn bypasses_of(&self, entry: Entry) -> Vec<usize> {
        let all = self.stack.bypasses.iter().enumerate().filter(|_| self.level == Level::Bypass);
        all.filter(|(_, bypass)| bypass.entry == entry).map(|(at, _)| at).collect()
    }

    /// What a bypass is, for its comment.
    pub fn bypass_name(&self, at: usize) -> String {
        let bypass = &self.stack.bypasses[at];
        let event = bypass.entry.event(self.stack).map_or("", |event| self.stack.event(event).name.as_str());
        let headers = bypass.entry.headers(self.stack).iter().map(|header| self.stack.header(*header).name.as_str());
        let headers: String = headers.map(|name| format!(" {name}")).collect();
        format!("bypass {at:02}: {event}{headers}")
    }

    /// The function of a bypass. It says whether it has taken the event, unless that was decided before.
    pub fn bypass(&mut self, at: usize) -> Written {
        let function = self.item_function(Item::Bypass(at));
        let asked = self.asked_by(at);
        let stack = self.stack;
        let (bypass, tells) = (&stack.bypasses[at], self.tells(at));
        let (mut body, parameters) = self.body_of_bypass(at, &asked);
        let declared = body.parameters(&parameters);
        body.void_parameters(&parameters);
        body.code.line("(void)step;");
        body.require_all(asked.iter().map(|part| chain_of(&bypass.condition)[*part]));
        let code = match bypass.opening() {
            Some(opening) => {
                body.block(opening.code);
                let opened = body.names_beside_locals();
                let mut all = BTreeMap::from([(at, body.alternative(&opening))]);
                let mut code = body.code;
                let others = self.opened_with(at).into_iter().skip(1);
                all.extend(others.map(|other| (other, self.another(other, &opened))));
                let candidates = all.iter().map(|(at, (parts, _))| (*at, parts.clone())).collect::<Vec<_>>();
                let likely = format!("{}_LIKELY", self.prefix);
                choices::write(&candidates, &likely, &mut code, &|at, code| code.add(&all[&at].1));
                code.line("return false;");
                code
            }
            None => {
                body.block(&bypass.body);
                body.line_of(Span::default());
                if tells {
                    body.code.line("return true;");
                }
                body.code
            }
        };
        let result = tells.then(|| "bool".into());
        Written {
            function: Function { parameters: declared, result, linkage: Linkage::InPlace, ..function },
            body: code,
        }
    }

    /// Whether the function of a bypass says if it has taken the event; otherwise it does.
    pub fn tells(&mut self, at: usize) -> bool {
        self.stack.bypasses[at].opening().is_some() || !self.asked_by(at).is_empty()
    }

    /// The bypasses that have the opening of one, and it comes first among them; of another one none, as its code is in
    /// the function of the first.
    pub fn opened_with(&self, at: usize) -> Vec<usize> {
        let all = self.bypasses_of(self.stack.bypasses[at].entry).into_iter();
        let same: Vec<usize> = all.filter(|other| same_opening(self.stack, at, *other)).collect();
        if same.first() == Some(&at) {
            same
        } else {
            vec![]
        }
    }

    /// What a bypass does behind an opening that is that of another one. `opened`: the C names that the code of the
    /// opening declares beside its locals.
    fn another(&mut self, at: usize, opened: &HashSet<String>) -> (Vec<String>, Code) {
        let bypass = &self.stack.bypasses[at];
        let (mut body, parameters) = self.body_of_bypass(at, &[]);
        parameters.into_iter().for_each(|local| body.mark_declared(local));
        let opening = bypass.opening().expect("the opening of another bypass");
        opening.code.each_statement(|statement| {
            statement.sets().into_iter().for_each(|local| body.mark_declared(local));
        });
        body.avoid(opened);
        body.alternative(&opening)
    }

    /// The places of the parts of its condition that the function of a bypass asks itself; its entry asks the others.
    pub fn asked_by(&mut self, at: usize) -> Vec<usize> {
        match self.is_chosen(at) {
            true => self.condition_of_bypass(at).others,
            false => (0..chain_of(&self.stack.bypasses[at].condition).len()).collect(),
        }
    }

    /// The condition of a bypass, for its entry.
    pub fn condition_of_bypass(&mut self, at: usize) -> Condition {
        if let Some(condition) = self.known.conditions.get(&at) {
            return condition.clone();
        }
        let chain = chain_of(&self.stack.bypasses[at].condition);
        let all: Vec<usize> = (0..chain.len()).collect();
        let (mut body, parameters) = self.body_of_bypass(at, &all);
        let parameters = body.parameters(&parameters);
        let (mut expressions, mut others) = (vec![], vec![]);
        for (part, one) in chain.into_iter().enumerate() {
            let apart = body.apart(|body| body.value(one));
            match apart.is_expression() {
                true => expressions.push(apart.value.to_string()),
                false => others.push(part),
            }
        }
        let condition = Condition { parameters, expressions, others };
        self.known.conditions.insert(at, condition.clone());
        condition
    }

    /// A body for the code of a bypass, and its parameters. `asked`: the parts of the condition that are in it.
    fn body_of_bypass(&mut self, at: usize, asked: &[usize]) -> (Body<'_, 'a>, Vec<LocalId>) {
        let stack = self.stack;
        let bypass = &stack.bypasses[at];
        let homes: Vec<usize> = bypass.homes.iter().map(|home| self.level_of(*home)).collect();
        let mut body = Body::new(self, 0, Kind::Handler, &bypass.locals, &[&bypass.body]);
        body.settle(bypass, &homes);
        let chain = chain_of(&bypass.condition);
        asked.iter().for_each(|part| chain[*part].each(|node| body.reads(node.local())));
        let parameters = bypass.parameters.iter().chain(bypass.fields.iter().flatten()).copied().collect();
        (body, parameters)
    }

    /// The lowest layer whose headers a message carries at a place.
    fn level_of(&self, home: Target) -> usize {
        match home {
            Target::Layer(layer) => layer.index() + 1,
            Target::Port(_) => self.level_at(home),
        }
    }

    /// Calls the bypasses of an entry that its quick entry does not try, and ends it where one has taken the event.
    /// `fields`: those of the frame.
    pub fn try_bypasses(&mut self, entry: Entry, texts: &[String], fields: &[String], code: &mut Code) {
        let p = self.prefix.clone();
        for at in self.slower_bypasses(entry) {
            if self.opened_with(at).is_empty() {
                continue;
            }
            let call = self.bypass_call(at, texts, fields);
            code.open(format!("if ({p}_LIKELY({call})) {{"));
            code.line(format!("{p}_finish(step);"));
            code.line("return NACRE_OK;");
            code.close("}");
            self.forget_made(at, code);
        }
    }

    /// The call of a bypass, which says whether it has taken the event.
    pub fn bypass_call(&mut self, at: usize, texts: &[String], fields: &[String]) -> String {
        let arguments = self.bypass_arguments(at, texts, fields);
        let callee = self.ask(Item::Bypass(at), true);
        self.call_step(&callee, &arguments)
    }

    /// Its arguments: those of the event, and the fields of the frame.
    pub fn bypass_arguments(&mut self, at: usize, texts: &[String], fields: &[String]) -> Vec<String> {
        let bypass = &self.stack.bypasses[at];
        let mut arguments = texts.to_vec();
        for (argument, local) in arguments.iter_mut().zip(&bypass.parameters) {
            if bypass.locals[local.index()].ty == Type::Msg {
                let level = self.level_of(bypass.homes[local.index()]);
                let ty = self.message_type(level);
                *argument = format!("({ty}){{.bytes = {argument}.bytes, .data = {argument}.data}}");
            }
        }
        arguments.extend(fields.iter().cloned());
        arguments
    }
}

impl<'a> Body<'_, 'a> {
    /// Returns false unless all conditions hold. What takes statements is calculated only if all before it hold.
    fn require_all(&mut self, conditions: impl Iterator<Item = &'a Expr>) {
        let mut simple = vec![];
        for one in conditions {
            let apart = self.apart(|body| body.value(one));
            if apart.is_expression() {
                simple.push(apart.value.to_string());
                continue;
            }
            self.require(&mut simple);
            let holds = self.bind("bool", "holds", "false");
            self.code.open("{");
            self.branch_of(&holds, apart);
            self.code.close("}");
            simple.push(holds.to_string());
            self.require(&mut simple);
        }
        self.require(&mut simple);
        self.finish_statement();
    }

    /// The parts of the further condition of a bypass that are expressions; and what it does behind its opening where
    /// they hold: it asks the other parts, and takes the event.
    fn alternative(&mut self, opening: &Opening<'a>) -> (Vec<String>, Code) {
        let parts = chain_of(opening.condition).into_iter().map(|one| self.apart(|body| body.value(one)));
        let (simple, others): (Vec<_>, Vec<_>) = parts.collect::<Vec<_>>().into_iter().partition(Apart::is_expression);
        let taken = self.apart(|body| {
            let depth = others.len();
            for apart in others {
                let holds = body.bind("bool", "holds", "false");
                body.code.open("{");
                body.branch_of(&holds, apart);
                body.code.close("}");
                body.code.open(format!("if ({holds}) {{"));
            }
            body.block(opening.rest);
            body.line_of(Span::default());
            body.code.line("return true;");
            (0..depth).for_each(|_| body.code.close("}"));
        });
        (simple.into_iter().map(|apart| apart.value.to_string()).collect(), taken.code)
    }

    /// The C names given so far to what is no local.
    pub fn names_beside_locals(&self) -> HashSet<String> {
        self.unique.taken().filter(|name| !self.names.contains(name)).cloned().collect()
    }

    /// Gives none of these names from here on, nor to a local that is not declared yet.
    pub fn avoid(&mut self, names: &HashSet<String>) {
        self.unique.reserve(names);
        for local in 0..self.names.len() {
            if !self.is_declared(LocalId(local as u32)) && names.contains(&self.names[local]) {
                self.names[local] = self.unique.take(&self.names[local]);
            }
        }
    }

    fn require(&mut self, conditions: &mut Vec<String>) {
        if !conditions.is_empty() {
            let p = self.w.prefix.clone();
            let all = std::mem::take(conditions).join(" && ");
            self.code.line(format!("if ({p}_UNLIKELY(!({all}))) {{ return false; }}"));
        }
    }

    /// The locals are of several layers: `homes` has, for each, from where on a message in it carries headers.
    fn settle(&mut self, bypass: &'a Bypass, homes: &[usize]) {
        self.levels = homes.to_vec();
        bypass.body.each_statement(|statement| {
            if let StatementKind::Let(local, e) = &statement.kind {
                if let (true, ExprKind::Push(_, header, _)) = (pushes(e), &e.kind) {
                    let layer = self.w.stack.header(*header).layer.index();
                    self.levels[local.index()] = self.levels[local.index()].min(layer);
                }
            }
        });
        self.homes = homes.iter().map(|level| level.saturating_sub(1)).collect();
        self.bypass = Some(bypass);
    }
}

/// Whether two bypasses begin with the same opening, under the same condition.
fn same_opening(stack: &Stack, one: usize, other: usize) -> bool {
    let (a, b) = (&stack.bypasses[one], &stack.bypasses[other]);
    let (Some(x), Some(y)) = (a.opening(), b.opening()) else { return one == other };
    let given = |bypass: &'_ Bypass| (bypass.entry, bypass.parameters.clone(), bypass.fields.clone());
    let mut last = 0;
    x.code.each(|node| {
        let local = if let Node::Set(local) = node { Some(local) } else { node.local() };
        last = local.map_or(last, |local| last.max(local.index()));
    });
    let same_locals = a.locals.get(..=last) == b.locals.get(..=last) && a.homes.get(..=last) == b.homes.get(..=last);
    given(a) == given(b) && a.condition == b.condition && x.code == y.code && same_locals
}

/// The parts of a condition.
fn chain_of(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::Both, a, b) => Expr::chain(BinaryOp::Both, a, b),
        _ => vec![condition],
    }
}

/// The parameters of the frame's fields as arguments.
pub(crate) fn fields_of(w: &Writer, entry: Entry) -> Vec<String> {
    let headers = entry.headers(w.stack).iter();
    let fields = headers.flat_map(|header| {
        let declared = w.stack.header(*header);
        let slots = &w.slots[declared.layer.index()];
        (0..declared.fields.len()).map(move |field| format!("whole.{}", slots.place(*header, field)))
    });
    fields.collect()
}
