//! `open`: given values, initial values, what `init` causes.

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::code::Code;
use crate::functions::Callee;
use crate::plan::Item;
use crate::writer::Writer;

impl Writer<'_> {
    /// Returns `<prefix>_config_default`, which sets each given to its declared default, or to zero.
    pub fn config_default(&mut self) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let mut code = Code::new(0);
        code.open(format!("void {p}_config_default(struct {p}_config *config) {{"));
        code.line("memset(config, 0, sizeof *config);");
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            if let Some(initial) = &cell.initial {
                let mut body = Body::new(self, cell.layer.index(), Kind::Outside, &[], &[]);
                body.in_config = true;
                let value = body.value(initial);
                let text = body.code;
                code.apart(&text, format!("config->{} = {value};", self.given_names[index]));
            }
        }
        code.close("}");
        code.line("");
        code
    }

    /// `open`; or `open_at`, for checkers, in which all sequence numbers begin further on.
    pub fn open_function(&mut self, at: bool) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let mut code = Code::new(0);
        let (word, name, first) = if at { ("static ", "open_at", "uint64_t first, ") } else { ("", "open", "") };
        code.line(format!(
            "{word}int {p}_{name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, const \
            struct {p}_config *config,"
        ));
        code.open(format!("        {first}uint64_t seed, uint64_t now, struct nacre_out *out) {{"));
        self.check_config(&mut code);
        code.line(format!("if (!{p}_room(out)) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
        if stack.bounds.open.extra > 0 {
            code.line(format!(
                "if ({p}_lacks(pool, {}u)) {{ return {p}_nothing(out, NACRE_NO_SPACE); }}",
                stack.bounds.open.extra
            ));
        }
        code.line("memset(s, 0, sizeof *s);");
        self.begin(&mut code, None);
        self.take_givens(&mut code);
        for (index, layer) in stack.layers.iter().enumerate() {
            if let Some(cell) = layer.random {
                let start = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                code.line(format!(
                    "s->{}.{} = seed + UINT64_C({start:#x});",
                    self.layer_names[index],
                    self.cell_names[cell.index()]
                ));
            }
        }
        code.line("(void)seed;");
        code.line("(void)config;");
        for index in (0..stack.cells.len()).filter(|index| !stack.cells[*index].is_configured()) {
            self.set_initial(CellId(index as u32), &mut code);
        }
        if at {
            code.line("(void)first;");
            self.move_numbers(&mut code);
        }
        self.inits(&mut code);
        code.line(format!("{p}_finish(step);"));
        code.line("return NACRE_OK;");
        code.close("}");
        code
    }

    /// Refuses a config with a value that does not fit its type.
    pub fn check_config(&self, code: &mut Code) {
        for (index, cell) in self.stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            self.check_value(code, &cell.ty, &format!("config->{}", self.given_names[index]), 0);
        }
    }

    /// Rejects a value if it, or a part of it, does not fit its type. `loops`: the number of enclosing loops.
    fn check_value(&self, code: &mut Code, ty: &Type, text: &str, loops: usize) {
        let refuse =
            |unless: String| format!("if (!({unless})) {{ return {}_nothing(out, NACRE_INVALID); }}", self.prefix);
        let within = |head: String, depth: usize, t: &Type, part: String| {
            let mut inner = Code::new(depth + 1);
            self.check_value(&mut inner, t, &part, loops + 1);
            (!inner.is_empty()).then_some((head, inner))
        };
        let block = match ty {
            Type::Struct(id) => {
                let fields = self.stack.structs[id.index()].fields.iter().map(|field| &field.ty);
                self.check_parts(code, (ty, text), fields, loops)
            }
            Type::Tuple(types) => self.check_parts(code, (ty, text), types.iter(), loops),
            Type::Option(t) => within(format!("if ({text}.some) {{"), code.depth(), t, format!("{text}.value")),
            Type::Array(t, n) => {
                let i = format!("i{loops}");
                let head = format!("for (uint32_t {i} = 0; {i} < {n}u; {i}++) {{");
                within(head, code.depth(), t, format!("{text}.at[{i}]"))
            }
            Type::Text(n) => {
                code.line(refuse(format!("{text}.len <= {n}u")));
                None
            }
            Type::Bits(n) if *n > 64 && n % 64 != 0 => {
                code.line(refuse(format!("{text}.word[{}] <= UINT64_C({})", n / 64, mask(n % 64))));
                None
            }
            ty => {
                self.fits(ty, text).into_iter().for_each(|fits| code.line(refuse(fits)));
                None
            }
        };
        if let Some((head, inner)) = block {
            code.open(head);
            code.add(&inner);
            code.close("}");
        }
    }

    /// The same of the parts of a struct or tuple.
    fn check_parts<'t>(
        &self,
        code: &mut Code,
        (ty, text): (&Type, &str),
        parts: impl Iterator<Item = &'t Type>,
        loops: usize,
    ) -> Option<(String, Code)> {
        for (part, at) in parts.zip(0..) {
            self.check_value(code, part, &format!("{text}.{}", self.member(ty, at)), loops);
        }
        None
    }

    /// Copies the givens out of the config.
    pub fn take_givens(&self, code: &mut Code) {
        let stack = self.stack;
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            let (layer, name) = (&self.layer_names[cell.layer.index()], &self.cell_names[index]);
            code.line(format!("s->{layer}.{name} = config->{};", self.given_names[index]));
            self.clear_absent(code, &cell.ty, &format!("s->{layer}.{name}"), 0);
        }
    }

    /// Sets the values of absent options to zero, which the host may have left as they were: they are read as zero.
    fn clear_absent(&self, code: &mut Code, ty: &Type, text: &str, loops: usize) {
        let within = |head: String, t: &Type, part: String, depth: usize| {
            let mut inner = Code::new(depth + 1);
            self.clear_absent(&mut inner, t, &part, loops + 1);
            (!inner.is_empty()).then_some((head, inner))
        };
        let block = match ty {
            Type::Struct(id) => {
                for (field, at) in self.stack.structs[id.index()].fields.iter().zip(0..) {
                    self.clear_absent(code, &field.ty, &format!("{text}.{}", self.member(ty, at)), loops);
                }
                None
            }
            Type::Tuple(types) => {
                for (part, at) in types.iter().zip(0..) {
                    self.clear_absent(code, part, &format!("{text}.{}", self.member(ty, at)), loops);
                }
                None
            }
            Type::Option(t) => {
                let value = format!("{text}.value");
                code.line(format!("if (!{text}.some) {{ memset(&{value}, 0, sizeof {value}); }}"));
                within(format!("if ({text}.some) {{"), t, value, code.depth())
            }
            Type::Array(t, n) => {
                let i = format!("i{loops}");
                let head = format!("for (uint32_t {i} = 0; {i} < {n}u; {i}++) {{");
                within(head, t, format!("{text}.at[{i}]"), code.depth())
            }
            _ => None,
        };
        if let Some((head, inner)) = block {
            code.open(head);
            code.add(&inner);
            code.close("}");
        }
    }

    /// Enqueues the events of opening.
    pub fn inits(&mut self, code: &mut Code) {
        let stack = self.stack;
        let inits: Vec<(&PortInput, u32)> = stack.opened().collect();
        for (input, session) in &inits {
            let target = Target::Layer(input.layer);
            let mut texts = vec![];
            let declared = stack.event(input.event);
            for (at, parameter) in declared.parameters.iter().enumerate() {
                let (c_type, zero) = match parameter.ty {
                    Type::Msg => (self.message_type(input.layer.index()), "{.data = false}".to_string()),
                    _ => (self.c_type(&parameter.ty, 0), self.zero(&parameter.ty)),
                };
                texts.push(match self.scalar(&parameter.ty) {
                    Some(_) if declared.session == Some(at as u32) => format!("{session}u"),
                    Some(_) => zero,
                    None => format!("({c_type}){zero}"),
                });
            }
            let function = match inits.len() {
                1 => self.ask(Item::Reaction(input.layer, input.event), false),
                _ => Callee { name: self.queue_name(target, input.event), in_place: false },
            };
            code.line(format!("{};", self.call_step(&function, &texts)));
        }
    }

    /// Adds `first` to every sequence number of the initial state, so that numbers wrap in short runs.
    fn move_numbers(&mut self, code: &mut Code) {
        let stack = self.stack;
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.scope != Scope::Given) {
            let layer = cell.layer.index();
            let text = format!("s->{}.{}", self.layer_names[layer], self.cell_names[index]);
            self.move_number(&cell.ty, &text, 0, code);
        }
    }

    fn move_number(&self, ty: &Type, text: &str, depth: usize, code: &mut Code) {
        if !holds_numbers(self.stack, ty) {
            return;
        }
        let add = |text: &str, bits: u8| {
            let c = self.scalar(&Type::Seq(bits)).map_or_else(String::new, |s| s.name());
            format!("{text} = ({c})(({text} + first) & {});", crate::types::mask_constant(u32::from(bits)))
        };
        match ty {
            Type::Seq(bits) => code.line(add(text, *bits)),
            // Nothing is in it yet.
            Type::Window(_, _, bits) => {
                for member in ["low", "next", "high", "reported"] {
                    code.line(add(&format!("{text}.{member}"), *bits));
                }
            }
            Type::Struct(id) => {
                for (at, field) in self.stack.structs[id.index()].fields.iter().enumerate() {
                    self.move_number(&field.ty, &format!("{text}.{}", self.member(ty, at as u32)), depth, code);
                }
            }
            Type::Tuple(types) => {
                for (at, t) in types.iter().enumerate() {
                    self.move_number(t, &format!("{text}._{at}"), depth, code);
                }
            }
            Type::Array(t, n) => {
                code.open(format!("for (uint32_t i{depth} = 0; i{depth} < {n}u; i{depth}++) {{"));
                self.move_number(t, &format!("{text}.at[i{depth}]"), depth + 1, code);
                code.close("}");
            }
            Type::Option(t) => {
                code.open(format!("if ({text}.some) {{"));
                self.move_number(t, &format!("{text}.value"), depth, code);
                code.close("}");
            }
            _ => {}
        }
    }
}

/// Whether an initial value can have sequence numbers in it.
fn holds_numbers(stack: &Stack, ty: &Type) -> bool {
    match ty {
        Type::Seq(_) | Type::Window(..) => true,
        Type::Struct(id) => stack.structs[id.index()].fields.iter().any(|f| holds_numbers(stack, &f.ty)),
        Type::Tuple(types) => types.iter().any(|t| holds_numbers(stack, t)),
        Type::Array(t, _) | Type::Option(t) => holds_numbers(stack, t),
        _ => false,
    }
}

impl<'a> Body<'_, 'a> {
    /// Draws the random numbers of an initial value, into locals that live until it is stored.
    pub fn draw(&mut self, draws: &'a [Statement], initial: &'a Expr) {
        initial.each(|node| {
            if let Node::Expr(Expr { kind: ExprKind::Local(local), .. }) = node {
                self.reads(Some(*local));
            }
        });
        for index in 0..self.locals.len() {
            let ty = &self.locals[index].ty;
            let (c_type, zero) = (self.c_type(ty), self.zero(ty));
            self.code.line(format!("{c_type} {} = {zero};", self.local(LocalId(index as u32))));
            self.mark_declared(LocalId(index as u32));
        }
        self.block(draws);
    }
}
