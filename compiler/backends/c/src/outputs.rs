//! Outputs: the functions through which events leave at the ports.

use nacre_stack::*;

use crate::code::Code;
use crate::functions::{Callee, Function, Linkage, Parameter};
use crate::globals::Global;
use crate::names;
use crate::writer::Writer;

impl Writer<'_> {
    /// The function through which an event leaves at a port; `quick`: along the likely way, where there is room for it.
    pub fn output_function(&mut self, port: PortId, event: EventId, quick: bool) -> Callee {
        let declared = self.stack.event(event);
        let port_name = names::plain(&self.stack.ports[port.index()].name);
        let name = format!("{port_name}_{}_{}", names::direction(declared), names::plain(&declared.name));
        let mut parameters = self.parameters(Target::Port(port), event);
        if quick {
            // What is longer than a register is copied once: to the output.
            let addresses = declared.parameters.iter().zip(&mut parameters).filter(|(p, _)| p.ty == Type::Addr);
            addresses.for_each(|(_, p)| *p = Parameter::pointer(format!("const {}", p.ty.name), p.name.clone()));
            let name = self.global(Global::Output(port, event, true), format!("quick_out_{name}"));
            let function = Function::plain(name, parameters);
            let function = Function { linkage: Linkage::InPlace, ..function };
            return self.step_helper(function, |w, code| w.quick_output(port, event, code));
        }
        let name = self.global(Global::Output(port, event, false), format!("out_{name}"));
        let function = Function::plain(name, parameters);
        self.step_helper(function, |w, code| w.checked_output(port, event, code))
    }

    /// Reserves room for an output; the output is dropped if a bound was wrong.
    fn checked_output(&mut self, port: PortId, event: EventId, code: &mut Code) {
        let p = self.prefix.clone();
        let parameters = self.parameters(Target::Port(port), event);
        let message = self.stack.event(event).message.map(|m| parameters[m as usize].name.clone());
        let number = self.output_number(port, event);
        let head = self.head_of(port, event);
        if let (Some(head), Some(m)) = (&head, &message) {
            let longest = self.longest_head(self.stack.ports[port.index()].frames.unwrap_or(LayoutId(0)));
            code.line("uint8_t *head = step->out->bytes + step->bytes;");
            let room = self.call_support("can_make", &[&format!("{longest}u")]);
            code.line(format!("uint32_t size = {room} ? {head}({m}, head) : UINT32_MAX;"));
            self.without_head(m, code);
        }
        code.line(format!("struct nacre_output *output = {p}_output(step, {}, {number});", port.0));
        code.open(format!("if ({p}_UNLIKELY(output == NULL)) {{"));
        if let Some(m) = &message {
            code.line(format!("{p}_drop(step->pool, {m}.bytes);"));
        }
        code.line("return;");
        code.close("}");
        if let Some(session) = self.session(event, &parameters) {
            code.line(format!("output->session = {session};"));
        }
        self.fill_output(event, &parameters, "", code);
        self.fill_segments(event, &parameters, head.is_some(), code);
    }

    /// The parameter that names the session of an event.
    fn session<'p>(&self, event: EventId, parameters: &'p [Parameter]) -> Option<&'p str> {
        let at = self.stack.event(event).session?;
        Some(&parameters[at as usize].name)
    }

    /// A message whose head was not written is lost.
    fn without_head(&self, message: &str, code: &mut Code) {
        let p = &self.prefix;
        code.open(format!("if ({p}_UNLIKELY(size == UINT32_MAX)) {{"));
        code.line(format!("{p}_drop(step->pool, {message}.bytes);"));
        code.line(format!("step->counters[{p}_BROKEN]++;"));
        code.line("return;");
        code.close("}");
    }

    /// The number of an event that leaves, in the interface.
    pub fn output_number(&self, port: PortId, event: EventId) -> usize {
        let number =
            self.stack.interface().iter().position(|e| e.port == port && e.event == event && e.input.is_none());
        number.unwrap_or(u16::MAX as usize)
    }

    /// The function that writes heads, if the event leaves as a frame.
    fn head_of(&mut self, port: PortId, event: EventId) -> Option<String> {
        let layout = self.stack.ports[port.index()].frames.filter(|_| self.stack.event(event).message.is_some())?;
        Some(self.head_function(layout, Some(event)))
    }

    /// An output along the likely way: there is room for it.
    fn quick_output(&mut self, port: PortId, event: EventId, code: &mut Code) {
        let p = self.prefix.clone();
        let parameters = self.parameters(Target::Port(port), event);
        let number = self.output_number(port, event);
        code.line("struct nacre_output *output = &step->out->outputs[step->outputs];");
        self.fill_output(event, &parameters, "*", code);
        code.line(format!("output->port = {};", port.0));
        code.line(format!("output->event = {number};"));
        code.line(format!("output->session = {};", self.session(event, &parameters).unwrap_or("0")));
        match self.stack.event(event).message.map(|m| parameters[m as usize].name.clone()) {
            None => {
                code.line("output->len = output->segments_len = 0;");
                code.line("output->segments = NULL;");
            }
            Some(m) => {
                let (head, size) = match self.head_of(port, event) {
                    Some(head) => {
                        code.line("uint8_t *head = step->out->bytes + step->bytes;");
                        code.line(format!("uint32_t size = {head}({m}, head);"));
                        self.without_head(&m, code);
                        code.line("step->bytes += size;");
                        ("head", "size")
                    }
                    None => ("NULL", "0"),
                };
                code.line(format!("{p}_quick_segments(step, output, {head}, {size}, {m}.bytes);"));
            }
        }
        code.line("step->outputs++;");
    }

    /// The numbers and the address of an output; `of_address` is `*` where addresses are passed by reference.
    fn fill_output(&mut self, event: EventId, parameters: &[Parameter], of_address: &str, code: &mut Code) {
        let declared = self.stack.event(event);
        let (mut number, mut address) = (0, false);
        for (i, (parameter, Parameter { name, .. })) in declared.parameters.iter().zip(parameters).enumerate() {
            if declared.message == Some(i as u32) {
                continue;
            }
            match (&parameter.ty, self.scalar(&parameter.ty)) {
                (Type::Addr, _) if !address => {
                    address = true;
                    code.line(format!("output->address = {of_address}{name};"));
                }
                (Type::Timer, _) | (_, None) => code.line(format!("(void){name};")),
                (_, Some(_)) if number < 4 => {
                    code.line(format!("output->arguments[{number}] = (uint64_t){name};"));
                    number += 1;
                }
                _ => code.line(format!("(void){name};")),
            }
        }
    }

    fn fill_segments(&mut self, event: EventId, parameters: &[Parameter], frame: bool, code: &mut Code) {
        let p = self.prefix.clone();
        if let Some(message) = self.stack.event(event).message {
            let m = &parameters[message as usize].name;
            code.line("output->segments = step->out->segments + step->segments;");
            if frame {
                code.open("if (size > 0) {");
                code.open(format!("if ({p}_UNLIKELY(step->segments == step->out->segments_max)) {{"));
                code.line(format!("step->counters[{p}_BROKEN]++;"));
                code.turn("} else {");
                code.line("struct nacre_segment *segment = &step->out->segments[step->segments++];");
                code.line("segment->at = head;");
                code.line("segment->len = size;");
                code.line("output->segments_len = 1;");
                code.line("output->len = size;");
                code.line("step->bytes += size;");
                code.close("}");
                code.close("}");
            }
            code.line(format!("{p}_segments(step, output, {m}.bytes);"));
        }
    }
}
