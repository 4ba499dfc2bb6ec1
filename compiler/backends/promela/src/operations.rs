//! Operations that change containers: an inline for each operation and type, and the assignment of its result.

use nacre_stack::operations::Operand;
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::refusal::{Construct, Container, Reason};
use crate::types::is_scalar;
use crate::writer::{Frame, Writer};

/// Parameters of the inlines: container, value, key, result, and whether the operation succeeded.
const PARAMETERS: [&str; 5] = ["X", "V", "K", "O", "D"];

impl Writer<'_> {
    /// Writes an operation on a container, the assignment of its result, and the return of its argument if it failed.
    pub fn operate(&mut self, operate: &Operate) {
        let Operate { operation, place, arguments, into, done, back } = operate;
        // Arguments are moved before the container changes.
        let takes = operation.row(&place.ty).map_or(&[][..], |row| row.takes);
        let values: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(at, e)| {
                if takes.get(at) == Some(&Operand::Slot) {
                    return self.count_simple(e);
                }
                let text = self.value(e);
                if self.is_inside(e, place) {
                    let apart = self.temporary(&e.ty);
                    self.copy(&e.ty, &apart, &text);
                    return apart;
                }
                self.simple(&text, &e.ty)
            })
            .collect();
        let found = self.find(place);
        let x = match found.guard() {
            None => found.text.clone(),
            Some(guard) => {
                // An operation on an absent container has the result of one on an empty container; its effect is lost.
                let lost = self.temporary(&place.ty);
                self.zero(&place.ty, &lost);
                self.when(&guard, |w| w.copy(&place.ty, &lost, &found.text));
                lost
            }
        };
        let gives = gives(*operation, &place.ty);
        let (out, did) = (self.temporary(&gives), self.temporary(&Type::Bool));
        let last = values.last().cloned().unwrap_or("0".into());
        let first = if values.len() > 1 { values[0].clone() } else { last.clone() };
        self.run_operation(*operation, &place.ty, [&x, &last, &first, &out, &did]);
        if let Some(guard) = found.guard() {
            self.when(&guard, |w| w.copy(&place.ty, &found.text, &x));
        }
        if let Some(into) = into {
            self.give(*into, &gives, &out, &did);
        }
        if let Some(done) = done {
            let local = self.local(*done);
            self.line(format!("{local} = {did};"));
        }
        if let (Some(back), Some(e)) = (back, arguments.last()) {
            let local = self.local(*back);
            self.when(&format!("!{did}"), |w| w.copy(&e.ty, &local, &last));
        }
    }

    /// Whether the argument is read from the container that the operation changes.
    fn is_inside(&self, e: &Expr, place: &Place) -> bool {
        !is_scalar(&e.ty) && e.any(|node| matches!(node, Node::Place(read) if read.root == place.root))
    }

    /// Sets a local to the result of an operation.
    pub fn give(&mut self, into: LocalId, gives: &Type, out: &str, did: &str) {
        let (local, ty) = (self.local(into), self.local_type(into));
        if let Type::Option(inner) = &ty {
            if inner.as_ref() != gives && !is_scalar(inner) {
                return self.refuse(Reason::Taken { given: gives.clone(), wanted: (**inner).clone() });
            }
            self.zero(&ty, &local);
            self.when(did, |w| {
                w.line(format!("{local}.some = 1;"));
                w.copy(inner, &format!("{local}.v"), out);
            });
            return;
        }
        if is_scalar(&ty) {
            return self.line(format!("{local} = ({did} -> {out} : 0);"));
        }
        self.zero(&ty, &local);
        self.when(did, |w| w.copy(&ty, &local, out));
    }

    fn run_operation(&mut self, operation: Operation, ty: &Type, arguments: [&str; 5]) {
        let of = self.type_name(ty);
        if let (Operation::Clear, true) = (operation, is_scalar(ty)) {
            return self.line(format!("{} = 0; {} = 1;", arguments[0], arguments[4]));
        }
        let key = format!("{operation:?}");
        let key = key.chars().flat_map(|c| if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] });
        let name = format!("{}_{of}", key.collect::<String>().trim_start_matches('_'));
        if self.inlines_known.insert(name.clone()) {
            let parameters = PARAMETERS.map(String::from);
            let frame = Frame { layer: self.frame.layer, ..Frame::default() };
            let text = self.inline(&name, &parameters, "", frame, |w| {
                w.line("D = 1;");
                w.operation(operation, ty);
            });
            self.helpers.push(text);
        }
        self.line(format!("{name}({});", arguments.join(", ")));
    }

    fn operation(&mut self, operation: Operation, ty: &Type) {
        match (operation, ty) {
            (Operation::Clear, ty) => self.zero(ty, "X"),
            (Operation::PassOver, ty) => {
                self.operation(Operation::SkipTo, ty);
                self.operation(Operation::Release, ty);
            }
            (_, Type::Ring(t, n)) => self.row(operation, t, *n, false),
            (_, Type::List(t, n)) => self.row(operation, t, *n, true),
            (_, Type::Window(t, n, bits)) => self.window(operation, t, *n, *bits),
            (_, Type::Pool(t, n)) => self.pool(operation, t, *n),
            (_, Type::Map(..)) => self.map(operation, ty),
            _ => self.refuse(Reason::Of(Construct::Operation(operation), ty.clone())),
        }
    }

    fn row(&mut self, operation: Operation, t: &Type, n: u32, is_list: bool) {
        match operation {
            Operation::Push => {
                self.line("if");
                self.option(format!("X.n < {n}"));
                self.copy(t, "X.v[X.n]", "V");
                self.line("X.n++");
                self.end_option();
                self.line(":: else -> D = 0");
                self.line("fi;");
            }
            Operation::Pop if is_list => {
                self.line("if");
                self.option("X.n > 0");
                self.line("X.n--;");
                self.copy(t, "O", "X.v[X.n]");
                self.zero(t, "X.v[X.n]");
                self.end_option();
                self.line(":: else -> D = 0");
                self.line("fi;");
            }
            Operation::Pop => {
                self.line("if");
                self.option("X.n > 0");
                self.copy(t, "O", "X.v[0]");
                self.close_gap(t, "0");
                self.end_option();
                self.line(":: else -> D = 0");
                self.line("fi;");
            }
            Operation::Remove => {
                let row = if is_list { Type::List(Box::new(t.clone()), n) } else { Type::Ring(Box::new(t.clone()), n) };
                let at = self.index_of(&row, "X", "V");
                self.line("if");
                self.option(format!("{at} >= 0"));
                self.copy(t, "O", &format!("X.v[{at}]"));
                self.close_gap(t, &at);
                self.end_option();
                self.line(":: else -> D = 0");
                self.line("fi;");
            }
            _ => self.refuse(Reason::Container(operation, Container::RingOrList)),
        }
    }

    /// Moves the entries after a place one forward.
    fn close_gap(&mut self, t: &Type, from: &str) {
        self.line(format!("i_at = {from};"));
        self.line("do");
        self.option("i_at + 1 < X.n");
        self.copy(t, "X.v[i_at]", "X.v[i_at + 1]");
        self.line("i_at++");
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        self.line("X.n--;");
        self.zero(t, "X.v[X.n]");
    }

    fn first_free(&mut self, n: u32) {
        self.line(format!("i_at = 0; do :: i_at < {n} && X.used[i_at] -> i_at++ :: else -> break od;"));
    }

    fn pool(&mut self, operation: Operation, t: &Type, n: u32) {
        match operation {
            Operation::Add => {
                self.first_free(n);
                self.line("if");
                self.option(format!("i_at < {n}"));
                self.line("X.used[i_at] = 1; O = i_at;");
                self.copy(t, "X.v[i_at]", "V");
                self.end_option();
                self.line(":: else -> D = 0");
                self.line("fi;");
            }
            Operation::Remove => self.remove_slot(t, None, n),
            _ => self.refuse(Reason::Container(operation, Container::Pool)),
        }
    }

    fn remove_slot(&mut self, t: &Type, key: Option<&Type>, n: u32) {
        self.line(format!("i_at = V; D = i_at >= 0 && i_at < {n} && (i_at >= 0 && i_at < {n} -> X.used[i_at] : 0);"));
        self.line("if");
        self.option("D");
        self.copy(t, "O", "X.v[i_at]");
        self.line("X.used[i_at] = 0;");
        self.zero(t, "X.v[i_at]");
        if let Some(key) = key {
            self.zero(key, "X.k[i_at]");
        }
        self.end_option();
        self.line(":: else");
        self.line("fi;");
    }

    fn map(&mut self, operation: Operation, ty: &Type) {
        let Type::Map(key, t, n) = ty else { return };
        match operation {
            Operation::Find => {
                let slot = self.index_of(ty, "X", "V");
                self.line(format!("D = {slot} >= 0; O = ({slot} >= 0 -> {slot} : 0);"));
            }
            Operation::Remove => self.remove_slot(t, Some(key), *n),
            Operation::Insert | Operation::Entry => {
                let slot = self.index_of(ty, "X", "K");
                self.first_free(*n);
                let over = if operation == Operation::Insert { "1" } else { "0" };
                self.line(format!("D = {slot} >= 0 || i_at < {n};"));
                self.line("if");
                self.option(format!("D && ({slot} < 0 || {over})"));
                self.line(format!("i_at = ({slot} >= 0 -> {slot} : i_at); X.used[i_at] = 1; O = i_at;"));
                self.copy(key, "X.k[i_at]", "K");
                self.copy(t, "X.v[i_at]", "V");
                self.end_option();
                self.line(format!(":: else -> O = ({slot} >= 0 -> {slot} : 0)"));
                self.line("fi;");
            }
            _ => self.refuse(Reason::Container(operation, Container::Map)),
        }
    }
}

/// The type of an operation's result; any type if it has none.
fn gives(operation: Operation, ty: &Type) -> Type {
    let slot = Type::UInt(32);
    match (operation, ty) {
        (Operation::Pop | Operation::Remove, Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _)) => (**t).clone(),
        (Operation::Remove, Type::Map(_, t, _)) => (**t).clone(),
        (Operation::Push, Type::Window(_, _, bits)) => Type::Seq(*bits),
        (Operation::TakeNext | Operation::Read, Type::Window(t, ..)) => (**t).clone(),
        (Operation::Hole | Operation::NewHole, Type::Window(_, _, bits)) => {
            Type::Tuple(vec![Type::Seq(*bits), Type::Seq(*bits)])
        }
        _ => slot,
    }
}
