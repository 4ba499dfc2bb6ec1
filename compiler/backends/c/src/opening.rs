//! `open`: given values, initial values, what `init` causes.

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
                "if (!{p}_space(pool, 0, {}u, 0)) {{ return {p}_nothing(out, NACRE_NO_SPACE); }}",
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
        let (p, stack) = (&self.prefix, self.stack);
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            let member = format!("config->{}", self.given_names[index]);
            if let Some(fits) = self.fits(&cell.ty, &member) {
                code.line(format!("if (!({fits})) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
            }
            if let Type::Text(n) = cell.ty {
                code.line(format!("if ({member}.len > {n}u) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
            }
        }
    }

    /// Copies the givens out of the config.
    pub fn take_givens(&self, code: &mut Code) {
        let stack = self.stack;
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            let (layer, name) = (&self.layer_names[cell.layer.index()], &self.cell_names[index]);
            code.line(format!("s->{layer}.{name} = config->{};", self.given_names[index]));
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
