//! Prints the typed tree: close to the source, with types of names and numbers, and all conversions.

use std::fmt::Write;

use nacre_stack::Type;

use super::show::Show;
use super::*;

/// A layer as text.
pub fn print(layer: &Layer) -> String {
    let mut printer = Printer { layer, text: String::new(), depth: 0 };
    printer.layer();
    printer.text
}

struct Printer<'l> {
    layer: &'l Layer,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", self.depth * 4, text.as_ref());
    }

    fn ty(&self, ty: &Type) -> String {
        show_type(&self.layer.structs, &self.layer.enums, ty)
    }

    fn layer(&mut self) {
        self.line(format!("layer {}", self.layer.description));
        for StateCell { cell, initial } in &self.layer.cells {
            let scope = format!("{:?}", cell.scope).to_lowercase();
            let initial = initial.as_ref().map(|v| format!(" = {}", self.show(&v.names).expr(&v.value)));
            self.line(format!("{scope} {}: {}{}", cell.name, self.ty(&cell.ty), initial.unwrap_or_default()));
        }
        for Accepts { event, condition } in &self.layer.accepts {
            let name = &self.layer.events[event.index()].name;
            let (names, shown) = (self.names(&condition.names), self.show(&condition.names).expr(&condition.value));
            self.line(format!("accepts {name}({names}) when {shown}"));
        }
        for value in &self.layer.invariants {
            self.line(format!("invariant {}", self.show(&value.names).expr(&value.value)));
        }
        for (name, value) in &self.layer.goals {
            self.line(format!("goal {name} = {}", self.show(&value.names).expr(&value.value)));
        }
        self.layer.filters.iter().for_each(|filter| self.filter(filter));
        self.layer.functions.iter().for_each(|f| self.function(f, &f.names));
        self.layer.handlers.iter().for_each(|handler| self.handler(handler));
    }

    fn show<'s>(&'s self, names: &'s Names) -> Show<'s> {
        Show { layer: self.layer, names }
    }

    fn names(&self, names: &Names) -> String {
        names.all.iter().map(|name| format!("{}: {}", name.name, self.ty(&name.ty))).collect::<Vec<_>>().join(", ")
    }

    fn declared<'n>(&self, names: &Names, which: impl IntoIterator<Item = &'n NameId>) -> String {
        let declared = which.into_iter().map(|id| {
            let name = &names[*id];
            let by_ref = if name.is == Is::Reference { "ref " } else { "" };
            format!("{by_ref}{}: {}", name.name, self.ty(&name.ty))
        });
        declared.collect::<Vec<_>>().join(", ")
    }

    fn filter(&mut self, filter: &Filter) {
        let unit = format!("{:?}", filter.unit).to_lowercase();
        self.line(format!("filter {}", filter.name));
        for (name, initial) in &filter.state {
            let declared = self.declared(&filter.names, [name]);
            let initial = initial.as_ref().map(|e| format!(" = {}", self.show(&filter.names).expr(e)));
            self.line(format!("state {declared}{}", initial.unwrap_or_default()));
        }
        filter.functions.iter().for_each(|f| self.function(f, &filter.names));
        self.body(format!("{unit}({})", self.declared(&filter.names, &filter.inputs)), &filter.names, &filter.body);
        self.body("end".into(), &filter.names, &filter.end);
        if let Some(result) = &filter.result {
            self.line(format!("result {}", self.show(&filter.names).expr(result)));
        }
    }

    fn function(&mut self, f: &Function, names: &Names) {
        let result = f.result.as_ref().map(|ty| format!(" -> {}", self.ty(ty))).unwrap_or_default();
        self.body(format!("fn {}({}){result}", f.name, self.declared(names, &f.parameters)), names, &f.body);
    }

    fn handler(&mut self, handler: &Handler) {
        let parameters = self.declared(&handler.names, handler.parameters.iter().map(|p| &p.name));
        let fields = match handler.fields.as_slice() {
            [] => String::new(),
            fields => format!(" fields ({})", self.declared(&handler.names, fields)),
        };
        let taken = handler.parameters.iter().filter_map(|p| p.pattern.as_ref());
        let taken: String =
            taken.map(|pattern| format!(" let {}", self.show(&handler.names).pattern(pattern))).collect();
        self.body(format!("{}({parameters}){fields}{taken}", handler.name), &handler.names, &handler.body);
    }

    fn body(&mut self, head: String, names: &Names, block: &Block) {
        if block.statements.is_empty() {
            return self.line(format!("{head} {{ }}"));
        }
        self.line(format!("{head} {{"));
        self.block(names, block);
        self.line("}");
    }

    fn block(&mut self, names: &Names, block: &Block) {
        self.depth += 1;
        block.statements.iter().for_each(|s| self.statement(names, &s.kind));
        self.depth -= 1;
    }

    fn statement(&mut self, names: &Names, kind: &StatementKind) {
        let show = Show { layer: self.layer, names };
        match kind {
            StatementKind::If(branch) => {
                self.body(format!("if {}", show.condition(&branch.condition)), names, &branch.then);
                if !branch.otherwise.statements.is_empty() {
                    self.body("else".into(), names, &branch.otherwise);
                }
            }
            StatementKind::Match { value, arms, .. } => {
                self.line(format!("match {} {{", show.expr(value)));
                self.depth += 1;
                for arm in arms {
                    let value = arm.value.as_ref().map_or("_".into(), |value| show.expr(value));
                    self.body(format!("{value} =>"), names, &arm.body);
                }
                self.depth -= 1;
                self.line("}");
            }
            StatementKind::While { condition, bound, body } => {
                self.body(format!("while {} bound {bound}", show.condition(condition)), names, body);
            }
            StatementKind::For { variable, from, to, bound, body } => {
                let (variable, from, to) = (show.declared(*variable), show.expr(from), show.expr(to));
                self.body(format!("for {variable} in {from} .. {to} bound {bound}"), names, body);
            }
            StatementKind::Each(each) => self.body(show.each(each), names, &each.body),
            StatementKind::Error { parts, blocks } => {
                self.line(show.wrong(parts));
                blocks.iter().for_each(|block| self.body("block".into(), names, block));
            }
            kind => {
                let (line, otherwise) = show.statement(kind);
                self.line(line);
                otherwise.into_iter().for_each(|otherwise| self.otherwise(names, otherwise));
            }
        }
    }

    fn otherwise(&mut self, names: &Names, otherwise: &Otherwise) {
        let show = Show { layer: self.layer, names };
        match &otherwise.kind {
            OtherwiseKind::Block(block) => self.body("else".into(), names, block),
            OtherwiseKind::Return(None) => self.line("else return"),
            OtherwiseKind::Return(Some(value)) => self.line(format!("else return {}", show.expr(value))),
            OtherwiseKind::Break => self.line("else break"),
            OtherwiseKind::Reject => self.line("else reject"),
            OtherwiseKind::Unreachable { drops, .. } => {
                let drops: String = drops.iter().map(|id| format!(" drop {}", names[*id].name)).collect();
                self.line(format!("else unreachable{drops}"));
            }
            OtherwiseKind::Error => self.line("else <error>"),
        }
    }
}
