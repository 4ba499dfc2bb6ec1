//! Functions in C that take a step, and calls of them.
//!
//! At level `inline` a step stays in registers: inlined code never passes on the address of its step.
//! Where such code calls a function that is not inlined, it calls the function's *aside* instead, which hands on
//! a copy of the step in memory and copies back what the function may change (`back` in `support/pool.c`). Every
//! function that takes a step is registered here with its head, and every call of one is written by
//! [`Writer::call_step`], which knows of both sides whether they are inlined; asides are written from the
//! registered heads.

use crate::code::Code;
use crate::functions::{aside_name, Callee, Function};
use crate::names::comment;
use crate::writer::Writer;

impl Writer<'_> {
    /// Registers a function; returns its head.
    pub fn register(&mut self, function: Function) -> String {
        let head = function.head(&self.prefix);
        self.calls.insert(function);
        head
    }

    /// Writes a helper that takes a step once: `write` writes the body.
    pub fn step_helper(&mut self, function: Function, write: impl FnOnce(&mut Self, &mut Code)) -> Callee {
        let callee = function.callee();
        self.helper(callee.name.clone(), |w, _| {
            let caller = std::mem::replace(&mut w.calls.in_place, callee.in_place);
            let mut code = Code::new(0);
            function.comment.iter().for_each(|text| code.line(comment(text)));
            let mut body = Code::new(1);
            let head = w.register(function);
            write(w, &mut body);
            code.function(&head, &body);
            w.calls.in_place = caller;
            code
        });
        callee
    }

    /// A function of the support text that is not inlined.
    pub fn support_function(&self, name: &str) -> Callee {
        let name = format!("{}_{name}", self.prefix);
        assert!(self.calls.has(&name), "`{name}` is not in the table of support functions");
        Callee { name, in_place: false }
    }

    /// A call from the code that is being written; arguments are those behind the step.
    pub fn call_step(&mut self, callee: &Callee, arguments: &[impl AsRef<str>]) -> String {
        let arguments: String = arguments.iter().map(|argument| format!(", {}", argument.as_ref())).collect();
        if callee.in_place || !self.calls.in_place {
            return format!("{}(step{arguments})", callee.name);
        }
        self.calls.want_aside(&callee.name);
        format!("{}(step{arguments})", aside_name(&callee.name))
    }

    /// A call of a function of the support text.
    pub fn call_support(&mut self, name: &str, arguments: &[&str]) -> String {
        let callee = self.support_function(name);
        self.call_step(&callee, arguments)
    }

    /// Returns the aside of a function if it is called and not written yet; it must follow the function's declaration.
    pub fn aside(&mut self, name: &str) -> Option<Code> {
        self.calls.aside(name, &self.prefix)
    }
}
