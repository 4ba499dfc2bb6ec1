//! Functions that traverse a value: to release its messages, share them or copy them into the pool, or to compare two
//! values.

use nacre_stack::*;

use crate::functions::{Function, Parameter};
use crate::instances::{Act, Instance};
use crate::template;
use crate::term::Term;
use crate::writer::Writer;

const MESSAGES: &str = include_str!("support/messages.c");
const SAME: &str = include_str!("support/same.c");
const ORDER: &str = include_str!("support/order.c");

impl Writer<'_> {
    /// Returns a statement that releases the messages in a value; none: there are none in its type.
    pub fn drop_of(&mut self, ty: &Type, layer: usize, value: &Term) -> Option<String> {
        self.act_with(Act::Drop, ty, layer, value, "step->pool")
    }
    /// The same where there is no step.
    pub fn drop_in(&mut self, ty: &Type, layer: usize, value: &Term) -> Option<String> {
        self.act_with(Act::Drop, ty, layer, value, "pool")
    }
    /// Returns a statement that shares the messages in a value.
    pub fn share_of(&mut self, ty: &Type, layer: usize, value: &Term) -> Option<String> {
        self.act_with(Act::Share, ty, layer, value, "step->pool")
    }
    /// Returns a statement that copies the messages in a value into the pool.
    pub fn keep_of(&mut self, ty: &Type, layer: usize, value: &Term) -> Option<String> {
        self.act_with(Act::Keep, ty, layer, value, "step")
    }

    /// Returns a statement that acts on a part of a value, for a function that acts on the value.
    pub fn act_on(&mut self, act: Act, ty: &Type, layer: usize, value: &Term) -> Option<String> {
        self.act_with(act, ty, layer, value, if act == Act::Keep { "step" } else { "pool" })
    }

    fn act_with(&mut self, act: Act, ty: &Type, layer: usize, value: &Term, with: &str) -> Option<String> {
        let p = self.prefix.clone();
        if !self.stack.has_message(ty) {
            return None;
        }
        if *ty == Type::Msg {
            let bytes = value.member("bytes");
            return Some(match act {
                Act::Drop if with == "pool" => format!("{p}_drop_at({with}, {});", bytes.address()),
                Act::Drop => format!("{p}_drop({with}, {bytes});"),
                Act::Share => format!("{p}_share({with}, {bytes});"),
                Act::Keep => format!("{bytes} = {p}_keep({with}, {bytes});"),
            });
        }
        let word = match act {
            Act::Drop => "drop",
            Act::Share => "share",
            Act::Keep => "keep",
        };
        let (name, template) = (self.helper_name(word, ty, layer), template::function(MESSAGES, shape(ty)));
        let address = value.address();
        if act != Act::Keep {
            let name = self.instance(name, &template, Instance { ty, layer, act });
            return Some(format!("{name}({with}, {address});"));
        }
        let function = Function::plain(name, vec![Parameter::pointer(self.c_type(ty, layer), "value")]);
        let callee = function.callee();
        self.register(function);
        self.instance(callee.name.clone(), &template, Instance { ty, layer, act });
        Some(format!("{};", self.call_step(&callee, &[address])))
    }

    /// The same for each member of a struct or tuple.
    pub fn act_on_members(&mut self, of: Instance, value: &str) -> String {
        let members = self.member_types(of.ty).into_iter().enumerate().filter_map(|(i, ty)| {
            let member = format!("{value}->{}", self.member(of.ty, i as u32));
            self.act_on(of.act, &ty, of.layer, &member.into())
        });
        members.collect::<Vec<_>>().join("\n")
    }

    /// The types of the members of a struct or tuple.
    pub fn member_types(&self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().map(|field| field.ty.clone()).collect(),
            Type::Tuple(types) => types.clone(),
            other => unreachable!("{other:?} has no members"),
        }
    }

    /// The function that says whether two values without messages are equal.
    pub fn same(&mut self, ty: &Type, layer: usize) -> String {
        let template = match ty {
            Type::Bits(n) if *n > 512 => "words",
            Type::Bits(_) => "few_words",
            Type::Bytes(0) => "no_bytes",
            ty => shape(ty),
        };
        let name = self.helper_name("same", ty, layer);
        self.instance(name, &template::function(SAME, template), Instance::new(ty, layer))
    }

    /// Whether two numbers or values at places are equal.
    pub fn same_text(&mut self, ty: &Type, layer: usize, a: &str, b: &str) -> String {
        match self.scalar(ty) {
            Some(_) => format!("{a} == {b}"),
            None => {
                let [a, b] = [a, b].map(|value| Term::from(value).address());
                format!("{}({a}, {b})", self.same(ty, layer))
            }
        }
    }

    /// Whether all members of two structs or tuples are equal.
    pub fn same_members(&mut self, ty: &Type, layer: usize, a: &str, b: &str) -> String {
        let same = self.member_types(ty).into_iter().enumerate().map(|(i, t)| {
            let member = self.member(ty, i as u32);
            self.same_text(&t, layer, &format!("{a}->{member}"), &format!("{b}->{member}"))
        });
        let all: Vec<String> = same.collect();
        match all.as_slice() {
            [] => format!("{a}->nothing == {b}->nothing"),
            all => all.join(" && "),
        }
    }

    /// The function that orders two strings of bytes or addresses: below 0, 0, above.
    pub fn order(&mut self, ty: &Type, layer: usize) -> String {
        let name = self.helper_name("order", ty, layer);
        self.instance(name, &template::function(ORDER, shape(ty)), Instance::new(ty, layer))
    }

    /// Product and quotient of 128 bits.
    pub fn need_mul_div(&mut self) {
        self.optional_support("mul_div", include_str!("support/mul_div.c"));
    }
}

/// The name of the template for the kind of a type.
pub fn shape(ty: &Type) -> &'static str {
    match ty {
        Type::Struct(_) | Type::Tuple(_) => "members",
        Type::Option(_) => "option",
        Type::Array(..) => "array",
        Type::List(..) | Type::Ring(..) => "row",
        Type::Window(..) => "window",
        Type::Pool(..) | Type::Map(..) => "slots",
        Type::Bits(_) => "words",
        Type::Bytes(_) => "bytes",
        Type::Text(_) => "text",
        Type::Addr => "address",
        Type::Msg => "message",
        other => unreachable!("{other:?} is no value of several parts"),
    }
}
