//! Expressions, places, patterns and simple statements as text.

use super::*;

/// The declarations of names and ids.
pub(super) struct Show<'l> {
    pub layer: &'l Layer,
    pub names: &'l Names,
}

impl Show<'_> {
    fn ty(&self, ty: &Type) -> String {
        show_type(&self.layer.structs, &self.layer.enums, ty)
    }

    fn name(&self, id: NameId) -> String {
        self.names[id].name.clone()
    }

    /// A name with its type.
    pub fn declared(&self, id: NameId) -> String {
        format!("{}: {}", self.names[id].name, self.ty(&self.names[id].ty))
    }

    fn list<'e>(&self, all: impl IntoIterator<Item = &'e Expr>) -> String {
        all.into_iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    /// The typed parts of an error node.
    pub fn wrong(&self, parts: &[Expr]) -> String {
        if parts.is_empty() {
            return "<error>".into();
        }
        format!("<error: {}>", self.list(parts))
    }

    fn fields(&self, fields: &Fields, names: &[&str]) -> String {
        let field = |(at, value): &(u32, Expr)| format!("{}: {}", names[*at as usize], self.expr(value));
        fields.given.iter().map(field).collect::<Vec<_>>().join(", ")
    }

    /// An expression. Numbers have their type; conversions are `as`.
    pub fn expr(&self, e: &Expr) -> String {
        let ty = || self.ty(&e.ty);
        let word = |debug: &dyn std::fmt::Debug| format!("{debug:?}").to_lowercase();
        match &e.kind {
            ExprKind::Error(parts) => self.wrong(parts),
            ExprKind::Const(n) => match &e.ty {
                Type::Bool => (*n != 0).to_string(),
                Type::Int(_) => format!("{}'{}", *n as i64, ty()),
                Type::Enum(id) => format!("{}.{}", ty(), self.layer.enums[id.index()].variants[*n as usize]),
                _ => format!("{n}'{}", ty()),
            },
            ExprKind::Literal(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            ExprKind::Zero => format!("zeroes'{}", ty()),
            ExprKind::None => format!("none'{}", ty()),
            ExprKind::Name(id) => self.name(*id),
            ExprKind::Load(place) => self.place(place),
            ExprKind::Borrow(place) => format!("borrowed {}", self.place(place)),
            ExprKind::Unary(op, x) => format!("{}({})", word(op), self.expr(x)),
            ExprKind::Binary(op, l, r) => format!("({} {} {})", self.expr(l), word(op), self.expr(r)),
            ExprKind::Exchanged(op, l, r) => format!("({} {}' {})", self.expr(l), word(op), self.expr(r)),
            ExprKind::Convert(x) => format!("({} as {})", self.expr(x), ty()),
            ExprKind::If(x) => {
                let [condition, then, otherwise] = [&x.condition, &x.then, &x.otherwise].map(|x| self.expr(x));
                format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            ExprKind::Struct(fields) => self.structure(fields, &e.ty),
            ExprKind::Push(x, header, fields) => {
                let header = &self.layer.headers[header.index()];
                let names: Vec<&str> = header.fields.iter().map(|f| f.name.as_str()).collect();
                format!("{} + {} {{ {} }}", self.expr(x), header.name, self.fields(fields, &names))
            }
            ExprKind::Field(x, i) => format!("{}.{i}", self.expr(x)),
            ExprKind::Index(x, index) => format!("{}[{}]", self.expr(x), self.expr(index)),
            ExprKind::Tuple(xs) => format!("({})", self.list(xs)),
            ExprKind::Array(xs) | ExprKind::Bytes(xs) => format!("[{}]", self.list(xs)),
            ExprKind::Concat(xs) => xs.iter().map(|x| self.expr(x)).collect::<Vec<_>>().join(" ++ "),
            ExprKind::Query(query, place, xs) => format!("{}.{}({})", self.place(place), word(query), self.list(xs)),
            ExprKind::QueryValue(query, x) => format!("{}.{}", self.expr(x), word(query)),
            ExprKind::Through(id, xs) | ExprKind::Filter(id, xs) => {
                format!("({}) through {}", self.list(xs), self.layer.filters[id.index()].name)
            }
            ExprKind::Extern(id, xs) | ExprKind::CallExtern(id, xs) => {
                format!("{}({})", self.layer.externs[id.index()].name, self.list(xs))
            }
            ExprKind::Call(id, arguments) => {
                format!("{}({})", self.layer.functions[id.index()].name, self.arguments(arguments))
            }
            ExprKind::CallOwn(id, arguments) => format!("own {id}({})", self.arguments(arguments)),
            ExprKind::Operate(operation, place, xs) => {
                format!("{}.{}({})", self.place(place), word(operation), self.list(xs))
            }
            ExprKind::Take(place) => format!("{}.take()", self.place(place)),
            ExprKind::GetOr(place, both) => format!("{}.get({})", self.place(place), self.list(&**both)),
            ExprKind::Join(place, last) => format!("join({}, {})", self.place(place), self.expr(last)),
            ExprKind::Try(partial, _) => self.partial(partial),
            kind => format!("{}({})", plain_word(kind), self.list(e.children())),
        }
    }

    fn structure(&self, fields: &Fields, ty: &Type) -> String {
        let Type::Struct(id) = ty else { return self.ty(ty) };
        let declared = &self.layer.structs[id.index()];
        let names: Vec<&str> = declared.fields.iter().map(|f| f.name.as_str()).collect();
        format!("{} {{ {} }}", declared.name, self.fields(fields, &names))
    }

    fn arguments(&self, arguments: &[Argument]) -> String {
        let one = |argument: &Argument| match argument {
            Argument::Value(x) => self.expr(x),
            Argument::Reference(place) => format!("ref {}", self.place(place)),
        };
        arguments.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// A fallible expression.
    pub fn partial(&self, partial: &Partial) -> String {
        let back = match &partial.back {
            Back::Name(id) => format!(" back {}", self.name(*id)),
            Back::Parts(parts) => {
                let path = |at: &[u32]| at.iter().map(|n| format!(".{n}")).collect::<String>();
                parts.iter().map(|(at, id)| format!(" back {} {}", path(at), self.name(*id))).collect()
            }
            Back::None => String::new(),
        };
        let shown = match &partial.kind {
            PartialKind::Option(x) => self.expr(x),
            PartialKind::Fit(x) | PartialKind::Bound(x, _) => {
                format!("({} as {})", self.expr(x), self.ty(&partial.ty))
            }
            PartialKind::Divide(op, both) => {
                let [l, r] = both.each_ref().map(|x| self.expr(x));
                format!("({l} {} {r})", format!("{op:?}").to_lowercase())
            }
            PartialKind::MulDiv(parts) => format!("muldiv({})", self.list(&**parts)),
            PartialKind::Operate(operation, place, xs) => {
                let operation = format!("{operation:?}").to_lowercase();
                format!("{}.{operation}({})", self.place(place), self.list(xs))
            }
            PartialKind::At(place, slot) => format!("{}.at({})", self.place(place), self.expr(slot)),
        };
        format!("try {shown}{back}")
    }

    /// A place: cells begin with `@`.
    pub fn place(&self, place: &Place) -> String {
        let mut shown = match place.root {
            Root::Cell(id) => format!("@{}", self.layer.cells[id.index()].cell.name),
            Root::Name(id) => self.name(id),
            Root::Walked => "entries".into(),
        };
        for step in &place.path {
            shown += &match step {
                Step::Field(i) => format!(".{i}"),
                Step::Index(x) => format!("[{}]", self.expr(x)),
                Step::Unwrap => ".value".into(),
                Step::Current => "[..]".into(),
            };
        }
        shown
    }

    /// Names for a value.
    pub fn pattern(&self, pattern: &Pattern) -> String {
        match &pattern.kind {
            PatternKind::Error => "<error>".into(),
            PatternKind::Any => "_".into(),
            PatternKind::Name(id) => self.declared(*id),
            PatternKind::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.pattern(part)).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn named_place(&self, id: NameId) -> String {
        match &self.names[id].is {
            Is::Place(place) => format!("{} = {}", self.declared(id), self.place(place)),
            Is::Value | Is::Reference => self.declared(id),
        }
    }

    /// A condition.
    pub fn condition(&self, condition: &Condition) -> String {
        let likely = match condition.likely {
            Some(true) => "likely ",
            Some(false) => "unlikely ",
            None => "",
        };
        let name = |name: &Option<NameId>| name.map_or("_".into(), |id| self.named_place(id));
        let first = match &condition.kind {
            ConditionKind::Test(e) => self.expr(e),
            ConditionKind::Let { pattern, value } => {
                format!("let {} = {}", self.pattern(pattern), self.partial(value))
            }
            ConditionKind::Present { option, name: id } => {
                format!("ref {} where {} is some", name(id), self.place(option))
            }
            ConditionKind::Entry { value, name: id } => format!("ref {} where {}", name(id), self.partial(value)),
        };
        let and: String = condition.and.iter().map(|e| format!(" && {}", self.expr(e))).collect();
        format!("{likely}{first}{and}")
    }

    /// The head of a loop over entries.
    pub fn each(&self, each: &Each) -> String {
        let index = match (&each.index, each.key) {
            (_, Some(key)) => format!("{}, ", self.declared(key)),
            (Index::Named(id), None) => format!("{}, ", self.declared(*id)),
            (Index::Hidden | Index::Unused, None) => String::new(),
        };
        let entry = match &each.entry {
            Entry::Unused => "_".into(),
            Entry::Value(id) => self.declared(*id),
            Entry::Pattern(pattern) => self.pattern(pattern),
            Entry::InPlace(names) => {
                names.iter().map(|id| format!("ref {}", self.named_place(*id))).collect::<Vec<_>>().join(", ")
            }
        };
        let over = match &each.over {
            Over::Place(place) => self.place(place),
            Over::UpTo(place, to) => format!("{}.up_to({})", self.place(place), self.expr(to)),
            Over::Between(place, both) => format!("{}.between({})", self.place(place), self.list(&**both)),
            Over::Delivered(place, both) => format!("{}.delivered({})", self.place(place), self.list(&**both)),
            Over::Value(value) => self.expr(value),
        };
        let drain = if each.drain { "drain " } else { "" };
        format!("for ({index}{entry}) in {drain}{over} bound {}", each.bound)
    }

    /// A statement without blocks, and the `else` that follows it.
    pub fn statement<'s>(&self, kind: &'s StatementKind) -> (String, Option<&'s Otherwise>) {
        let line = match kind {
            StatementKind::Let { pattern, value } => format!("let {} = {}", self.pattern(pattern), self.expr(value)),
            StatementKind::Var { name, value } => format!("var {} = {}", self.declared(*name), self.expr(value)),
            StatementKind::Set { name, value } => format!("{} = {}", self.name(*name), self.expr(value)),
            StatementKind::Ref(id) => format!("ref {}", self.named_place(*id)),
            StatementKind::TryRef { name, value, .. } => {
                format!("ref {} = {}", self.declared(*name), self.partial(value))
            }
            StatementKind::Store { place, value } => format!("{} = {}", self.place(place), self.expr(value)),
            StatementKind::Evaluate(value) => self.expr(value),
            StatementKind::Attempt { value, .. } => self.partial(value),
            StatementKind::Emit { event, arguments, later, side, .. } => {
                let later = if *later { "later " } else { "" };
                format!("{later}{}({})", self.event(*side, *event), self.list(arguments))
            }
            StatementKind::Pass { event, side, parameters, message } => {
                let parameters: Vec<String> = parameters.iter().map(|id| self.name(*id)).collect();
                let message = message.as_ref().map(|e| format!(" with {}", self.expr(e))).unwrap_or_default();
                format!("pass {}({}){message}", self.event(*side, *event), parameters.join(", "))
            }
            StatementKind::Drop { what, impossible } => {
                let what = match what {
                    Dropped::Value(e) => format!(" {}", self.expr(e)),
                    Dropped::At(place) => format!(" at {}", self.place(place)),
                    Dropped::Nothing => String::new(),
                };
                format!("{}{what}", if *impossible { "impossible" } else { "drop" })
            }
            StatementKind::Arm { timer, delay, unless_armed } => {
                let unless = if *unless_armed { " unless armed" } else { "" };
                format!("arm {} in {}{unless}", self.place(timer), self.expr(delay))
            }
            StatementKind::Cancel(timer) => format!("cancel {}", self.place(timer)),
            StatementKind::Count(id) => format!("count {}", self.counter(*id)),
            StatementKind::Assert(e, _) => format!("assert {}", self.expr(e)),
            StatementKind::Return(None) => "return".into(),
            StatementKind::Return(Some(e)) => format!("return {}", self.expr(e)),
            StatementKind::Break => "break".into(),
            StatementKind::Yield(e) => format!("yield {}", self.expr(e)),
            StatementKind::Reject => "reject".into(),
            _ => "<error>".into(),
        };
        let otherwise = match kind {
            StatementKind::TryRef { otherwise, .. } | StatementKind::Attempt { otherwise, .. } => Some(otherwise),
            StatementKind::Let { value, .. } | StatementKind::Store { value, .. } => tried(value),
            StatementKind::Set { value, .. } | StatementKind::Pass { message: Some(value), .. } => tried(value),
            _ => None,
        };
        (line, otherwise)
    }

    fn event(&self, side: PortId, event: EventId) -> String {
        let side = match side.index() {
            0 => "below",
            1 => "above",
            port => self.layer.ports.get(port - 2).map_or("a port", String::as_str),
        };
        format!("{side}.{}", self.layer.events[event.index()].name)
    }

    fn counter(&self, id: nacre_stack::CounterId) -> String {
        let builtin = nacre_stack::builtin::NAMES;
        match id.index().checked_sub(builtin.len()) {
            Some(own) => self.layer.counters[own].clone(),
            None => builtin[id.index()].to_string(),
        }
    }
}

/// The `else` of a value, below conversions of it.
fn tried(value: &Expr) -> Option<&Otherwise> {
    match &value.kind {
        ExprKind::Try(_, otherwise) => Some(otherwise),
        ExprKind::Convert(x) => tried(x),
        _ => None,
    }
}

/// The name of an expression that is shown like a call.
fn plain_word(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::MulDiv(_) => "muldiv",
        ExprKind::Some(_) => "some",
        ExprKind::IsSome(_) => "is_some",
        ExprKind::Unwrap(_) => "value",
        ExprKind::Now => "now",
        ExprKind::Fingerprint => "fingerprint",
        ExprKind::Room => "room",
        ExprKind::From(..) => "from",
        ExprKind::BytesOf(_) | ExprKind::View(_) => "bytes",
        ExprKind::Empty => "empty",
        ExprKind::Share(_) => "share",
        ExprKind::Length(_) => "len",
        ExprKind::Slice(..) => "slice",
        ExprKind::Rest(..) => "rest",
        ExprKind::Pack(_) => "pack",
        ExprKind::PackView(_) => "packed",
        ExprKind::Random(_) => "random",
        ExprKind::Unpack(_) => "unpack",
        _ => "",
    }
}
