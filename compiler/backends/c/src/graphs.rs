//! Entries that only some stacks have: frames at several lower ports, and a new view.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::code::Code;
use crate::globals::Global;
use crate::names;
use crate::writer::Writer;

const GRAPHS: &str = include_str!("support/graphs.c");

impl Writer<'_> {
    fn lower_ports(&self) -> Vec<PortId> {
        (0..self.stack.ports.len() as u32).map(PortId).filter(|port| self.stack.is_lower(*port)).collect()
    }

    /// Whether frames arrive at several ports, so that the entry has a parameter for the port.
    pub fn has_enter(&self) -> bool {
        let ports = self.lower_ports();
        ports.len() > 1 || ports.into_iter().any(|port| self.has_sessions(port))
    }

    /// Whether frames come in at a lower port in several sessions.
    pub fn has_sessions(&self, port: PortId) -> bool {
        self.frame_sessions(port) > 1
    }

    fn frame_sessions(&self, port: PortId) -> u32 {
        self.stack.frames_at(port).map_or(1, |(input, _)| self.stack.sessions_of(input.event))
    }

    /// The name of the entry of frames at a lower port, given their session where there are several.
    pub fn entry_name(&self, port: PortId) -> String {
        match self.has_sessions(port) {
            false => self.input_name(port),
            true => self.global(Global::InputOfSession(port), format!("{}_session", self.wanted_input(port))),
        }
    }

    /// The largest number of bytes before the data of a frame.
    pub fn longest_frame_head(&self) -> u32 {
        let layouts = self.stack.ports.iter().filter_map(|port| port.frames);
        layouts.map(|layout| self.longest_head(layout)).max().unwrap_or(0)
    }

    /// The name of the entry of frames at a lower port.
    pub fn input_name(&self, port: PortId) -> String {
        match port {
            PortId(0) => format!("{}_input", self.prefix),
            port => self.global(Global::Input(port), self.wanted_input(port)),
        }
    }

    fn wanted_input(&self, port: PortId) -> String {
        match port {
            PortId(0) => "input".into(),
            port => format!("input_{}", self.port_name(port)),
        }
    }

    /// The name of the function for frames that are not of a common shape.
    pub fn any_frame_name(&self, port: PortId) -> String {
        match port {
            PortId(0) => format!("{}_any_frame", self.prefix),
            port => self.global(Global::AnyFrame(port), format!("any_frame_{}", self.port_name(port))),
        }
    }

    fn port_name(&self, port: PortId) -> String {
        names::all(&self.prefix, self.stack.ports.iter().map(|port| port.name.as_str())).swap_remove(port.index())
    }

    /// The head of the entry of frames at a lower port.
    pub fn input_head(&self, port: PortId) -> String {
        let (p, name) = (&self.prefix, self.input_name(port));
        format!(
            "{name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now, \
             const struct nacre_addr *from,\n        const uint8_t *frame, uint32_t len, struct nacre_out *out)"
        )
    }

    /// The head of the entry of frames that is given their session.
    fn session_head(&self, port: PortId) -> String {
        let (p, name) = (&self.prefix, self.entry_name(port));
        format!(
            "{name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now, uint32_t session,\n\
             \x20       const struct nacre_addr *from, const uint8_t *frame, uint32_t len, struct nacre_out *out)"
        )
    }

    /// The entry of frames without a session, where there are several: they belong to the first.
    pub fn first_session(&self, port: PortId, code: &mut Code) {
        if self.has_sessions(port) {
            code.line("");
            code.open(format!("int {} {{", self.input_head(port)));
            code.line(format!("return {}(s, pool, counters, now, 0, from, frame, len, out);", self.entry_name(port)));
            code.close("}");
        }
    }

    fn view_head(&self) -> String {
        let p = &self.prefix;
        format!(
            "int {p}_view(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, \
             const struct {p}_config *config,\n        uint64_t now, struct nacre_out *out)"
        )
    }

    /// Prototypes of the entries of this file.
    pub fn graph_prototypes(&self, code: &mut Code) {
        for port in self.lower_ports().into_iter().filter(|port| *port != PortId(0)) {
            code.line("/* A frame from the transport at another lower port. */");
            code.line(format!("int {};", self.input_head(port)));
        }
        for port in self.lower_ports().into_iter().filter(|port| self.has_sessions(*port)) {
            code.line("/* A frame from the transport, in one of several sessions; above it is session 0. */");
            code.line(format!("int {};", self.session_head(port)));
        }
        if self.stack.has_views() {
            code.line("/* A new view: what lasts stays, all else of the session begins anew. */");
            code.line(format!("{};", self.view_head()));
        }
    }

    /// The entries of frames at all lower ports.
    pub fn input_functions(&mut self) -> Code {
        let mut all = Code::new(0);
        for (number, port) in self.lower_ports().into_iter().enumerate() {
            if number > 0 {
                all.line("");
            }
            let code = self.input_function(port);
            all.add(&code);
        }
        all
    }

    /// `view`, of stacks that have views.
    pub fn view_function(&mut self) -> Code {
        let mut code = Code::new(0);
        let (p, stack) = (self.prefix.clone(), self.stack);
        code.open(format!("{} {{", self.view_head()));
        self.check_config(&mut code);
        code.line(format!("if (!{p}_room(out)) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
        self.busy(&mut code);
        self.need(Need { copies: 0, ..stack.bounds.open }, "0", None, &mut code);
        let kept = |index: usize, cell: &Cell| {
            let drawn = stack.layer(cell.layer).random == Some(CellId(index as u32));
            drawn || !matches!(cell.scope, Scope::Given | Scope::Session)
        };
        for (index, cell) in stack.cells.iter().enumerate().filter(|(index, cell)| !kept(*index, cell)) {
            let layer = cell.layer.index();
            let text = format!("s->{}.{}", self.layer_names[layer], self.cell_names[index]);
            code.add_lines(self.drop_in(&cell.ty, layer, &text.clone().into()));
            code.line(format!("memset(&{text}, 0, sizeof {text});"));
        }
        self.begin(&mut code, None);
        code.line("(void)config;");
        self.take_givens(&mut code);
        let anew = |cell: &Cell| cell.scope == Scope::Session && !cell.is_configured();
        for index in (0..stack.cells.len()).filter(|index| anew(&stack.cells[*index])) {
            self.set_initial(CellId(index as u32), &mut code);
        }
        self.inits(&mut code);
        code.line(format!("{p}_finish(step);"));
        code.line("return NACRE_OK;");
        code.close("}");
        code
    }

    /// Sets a cell to its initial value; that of a generator has been set.
    pub fn set_initial(&mut self, id: CellId, code: &mut Code) {
        let cell = self.stack.cell(id);
        let random = self.stack.layer(cell.layer).random == Some(id);
        let Some(initial) = cell.initial.as_ref().filter(|_| !random) else { return };
        let layer = cell.layer.index();
        let mut body = Body::new(self, layer, Kind::Outside, &cell.locals, &[&cell.draws]);
        body.draw(&cell.draws, initial);
        let value = body.value(initial);
        let text = body.code;
        let target = format!("s->{}.{}", self.layer_names[layer], self.cell_names[id.index()]);
        code.open("{");
        code.add(&text);
        code.line(format!("{target} = {value};"));
        code.add_lines(self.keep_of(&cell.ty, layer, &target.into()));
        code.close("}");
    }

    /// For drivers of any stack.
    pub fn any_of_graphs(&self, code: &mut Code) {
        if self.has_enter() {
            let mut ports = Code::new(0);
            self.lower_ports().into_iter().for_each(|port| self.enter_at(port, &mut ports));
            code.raw(&self.of_texts(GRAPHS, "enter", &[("ports", ports.inner_text())]));
        }
        if self.stack.has_views() {
            code.raw(&self.of_texts(GRAPHS, "view", &[]));
        }
    }

    /// A case of the switch over the ports at which frames arrive.
    fn enter_at(&self, port: PortId, code: &mut Code) {
        let (p, name, sessions) = (&self.prefix, self.entry_name(port), self.frame_sessions(port));
        let session = if sessions > 1 { "in->session, " } else { "" };
        code.open(format!("case {}:", port.0));
        code.line(format!("if (in->session >= {sessions}u) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
        code.line(format!("return {name}(s, pool, counters, now, {session}in->from, in->frame, in->len, out);"));
        code.close("");
    }
}
