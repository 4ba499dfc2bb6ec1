//! `<stack>_stack`: everything that a driver of any stack needs, as constant data.

use nacre_analysis::idle::is_idle;
use nacre_analysis::lengths::longest_calls;
use nacre_stack::*;

use crate::code::Code;
use crate::names;
use crate::writer::Writer;

impl Writer<'_> {
    /// Returns the constant `struct nacre_stack`, with the tables that it refers to.
    pub fn descriptor(&mut self) -> Code {
        let p = self.prefix.clone();
        let mut code = Code::new(0);
        self.any_of_graphs(&mut code);
        code.raw(&self.any_quick());
        self.lists(&mut code);
        let stack = self.stack;
        let bounds = stack.bounds;
        let preamble = stack.layouts.first().is_some_and(|l| l.form == LayoutForm::Preamble);
        let count = |n: usize| n.to_string();
        let head = self.longest_frame_head();
        let members: Vec<(&str, String)> = vec![
            ("abi", "NACRE_ABI".into()),
            ("size", "sizeof(struct nacre_stack)".into()),
            ("name", format!("\"{}\"", names::escaped(&stack.name))),
            ("description", format!("\"{}\"", names::escaped(&stack.description))),
            ("level", format!("{p}_LEVEL")),
            ("fingerprint", format!("UINT64_C({:#x})", stack.layouts.first().map_or(0, |l| l.fingerprint))),
            ("has_preamble", (preamble as u32).to_string()),
            ("state_size", format!("sizeof(struct {p}_state)")),
            ("state_align", format!("_Alignof(struct {p}_state)")),
            ("config_size", format!("sizeof(struct {p}_config)")),
            ("pool_align", format!("_Alignof(struct {p}_pool)")),
            ("pool_base", format!("sizeof(struct {p}_pool)")),
            ("pool_per_block", format!("sizeof(struct {p}_block)")),
            ("blocks_for_one", bounds.blocks.to_string()),
            ("block_bytes", self.block_bytes().to_string()),
            ("outputs_max", bounds.outputs.to_string()),
            ("segments_max", bounds.segments.to_string()),
            ("bytes_max", bounds.scratch.to_string()),
            ("frame_head_max", head.to_string()),
            ("frame_data_max", bounds.frame_data.to_string()),
            ("counters_len", count(stack.counters.len())),
            ("counters", format!("{p}_counter_names")),
            ("events_len", count(stack.interface().len())),
            ("givens_len", count(stack.cells.iter().filter(|c| c.is_configured()).count())),
            ("events", format!("{p}_events")),
            ("givens", format!("{p}_givens")),
        ];
        code.open(format!("const struct nacre_stack {p}_stack = {{"));
        members.iter().for_each(|(name, value)| code.line(format!(".{name} = {value},")));
        for name in [
            "config_default",
            "pool_init",
            "pool_free",
            "open",
            "call",
            "input",
            "tick",
            "deadline",
            "accepts",
            "settle",
            "discard",
            "canonical",
        ] {
            code.line(format!(".{name} = {p}_any_{name},"));
        }
        for (name, has) in [("enter", self.has_enter()), ("view", stack.has_views())] {
            let function = if has { format!("{p}_any_{name}") } else { "NULL".into() };
            code.line(format!(".{name} = {function},"));
        }
        self.quick_members(&mut code);
        code.close("};");
        code
    }

    fn lists(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        let stack = self.stack;
        code.open(format!("static const char *const {p}_counter_names[] = {{"));
        for counter in &stack.counters {
            let name = match counter.layer {
                Some(layer) => format!("{}.{}", stack.layer(layer).name, counter.name),
                None => counter.name.clone(),
            };
            code.line(format!("\"{}\",", names::escaped(&name)));
        }
        code.close("};");
        let longest = longest_calls(stack);
        code.open(format!("static const struct nacre_event {p}_events[] = {{"));
        for event in stack.interface() {
            let declared = stack.event(event.event);
            let numbers = declared
                .parameters
                .iter()
                .filter(|q| q.ty != Type::Timer && self.scalar(&q.ty).is_some())
                .count()
                .min(4);
            let longest = longest.get(&(event.port, event.event)).filter(|_| self.callable(&event)).unwrap_or(&0);
            let address = declared.parameters.iter().any(|q| q.ty == Type::Addr);
            code.line(format!(
                "{{.name = \"{}\", .port = {}, .input = {}, .has_message = {}, .has_address = {}, .arguments = \
                 {numbers}, .role = {}, .idle = {}, .message_max = {longest}u}},",
                names::escaped(&declared.name),
                event.port.0,
                self.callable(&event) as u32,
                declared.message.is_some() as u32,
                address as u32,
                event_role(declared.role),
                is_idle(stack, &event) as u32,
            ));
        }
        if stack.interface().is_empty() {
            code.line("{.name = NULL},");
        }
        code.close("};");
        code.open(format!("static const struct nacre_given {p}_givens[] = {{"));
        let mut any = false;
        for (index, cell) in stack.cells.iter().enumerate().filter(|(_, c)| c.is_configured()) {
            let layer = cell.layer.index();
            let member = &self.given_names[index];
            code.line(format!(
                "{{.name = \"{}.{}\", .offset = offsetof(struct {p}_config, {member}), .size = sizeof(((struct \
                 {p}_config *)0)->{member}), .required = {}, .secret = {}, .role = {}, .reserved = 0}},",
                names::escaped(&stack.layers[layer].name),
                names::escaped(&cell.name),
                cell.initial.is_none() as u32,
                cell.secret as u32,
                given_role(cell.role),
            ));
            any = true;
        }
        if !any {
            code.line("{.name = NULL},");
        }
        code.close("};");
        code.line("");
    }
}

/// `enum nacre_event_role`.
fn event_role(role: EventRole) -> &'static str {
    match role {
        EventRole::Plain => "NACRE_EVENT_PLAIN",
        EventRole::Opening => "NACRE_EVENT_OPENING",
        EventRole::Sending => "NACRE_EVENT_SENDING",
        EventRole::Delivery => "NACRE_EVENT_DELIVERY",
        EventRole::Moved => "NACRE_EVENT_MOVED",
        EventRole::Room => "NACRE_EVENT_ROOM",
    }
}

/// `enum nacre_given_role`.
fn given_role(role: Option<GivenRole>) -> &'static str {
    match role {
        None => "NACRE_GIVEN_PLAIN",
        Some(GivenRole::Peer) => "NACRE_GIVEN_PEER",
        Some(GivenRole::Cookie) => "NACRE_GIVEN_COOKIE",
        Some(GivenRole::Identity) => "NACRE_GIVEN_IDENTITY",
        Some(GivenRole::PeerIdentity) => "NACRE_GIVEN_PEER_IDENTITY",
        Some(GivenRole::Incarnation) => "NACRE_GIVEN_INCARNATION",
        Some(GivenRole::Room) => "NACRE_GIVEN_ROOM",
        Some(GivenRole::SealingKey) => "NACRE_GIVEN_SEALING_KEY",
        Some(GivenRole::OpeningKey) => "NACRE_GIVEN_OPENING_KEY",
        Some(GivenRole::PeerCookie) => "NACRE_GIVEN_PEER_COOKIE",
        Some(GivenRole::PeerKey) => "NACRE_GIVEN_PEER_KEY",
        Some(GivenRole::SigningKey) => "NACRE_GIVEN_SIGNING_KEY",
        Some(GivenRole::Binding) => "NACRE_GIVEN_BINDING",
        Some(GivenRole::Unconfirmed) => "NACRE_GIVEN_UNCONFIRMED",
    }
}
