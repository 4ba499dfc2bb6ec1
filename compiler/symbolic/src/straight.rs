//! The code of a bypass: straight, of several layers.

use nacre_stack::*;

use crate::execute::Run;
use crate::state::{zero_of, Frame};
use crate::values::{Message, Value};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    /// An empty message, as it is in a layer.
    pub fn template(&mut self, layer: LayerId) -> Found<Message> {
        match zero_of(self.stack, &mut self.terms, layer.index(), &Type::Msg)? {
            Value::Message(message) => Ok(message),
            _ => Err(Unsupported::new("a message".into())),
        }
    }

    /// A message as it is in a layer: with the headers of the layers above only.
    pub fn carried(&mut self, message: Message, layer: LayerId) -> Found<Message> {
        let template = self.template(layer)?;
        let kinds = message.kinds.iter().zip(&template.kinds).enumerate();
        let kinds = kinds.map(|(at, (kind, none))| if at > layer.index() { *kind } else { *none }).collect();
        let fields = message.fields.into_iter().zip(template.fields);
        let fields = fields.map(|(own, zeros)| if own.len() == zeros.len() { own } else { zeros }).collect();
        Ok(Message { kinds, fields, ..message })
    }

    /// The condition of a bypass in the present state, that of its opening included. `values`: what is given, by local.
    pub fn condition_of(&mut self, bypass: &Bypass, values: &[Option<Value>]) -> Found<crate::terms::Term> {
        self.enter(bypass, values)?;
        let mut holds = self.term(&bypass.condition)?;
        if let Some(opening) = bypass.opening() {
            self.run_all(bypass, opening.code)?;
            let opened = self.term(opening.condition)?;
            holds = self.terms.and(&[holds, opened]);
        }
        self.frames.pop();
        Ok(holds)
    }

    /// Runs the body of a bypass. What leaves, and what is put off, is in the emissions.
    pub fn straight(&mut self, bypass: &Bypass, values: &[Option<Value>]) -> Found<()> {
        self.enter(bypass, values)?;
        let rest = match bypass.opening() {
            Some(opening) => {
                self.run_all(bypass, opening.code)?;
                opening.rest
            }
            None => &bypass.body,
        };
        self.run_all(bypass, rest)?;
        self.frames.pop();
        Ok(())
    }

    fn enter(&mut self, bypass: &Bypass, values: &[Option<Value>]) -> Found<()> {
        self.frames.push(given(bypass, values));
        let mut locals = bypass.parameters.iter().chain(bypass.fields.iter().flatten());
        locals.try_for_each(|local| self.bring_home(bypass, *local))
    }

    fn run_all(&mut self, bypass: &Bypass, code: &[Statement]) -> Found<()> {
        let always = self.terms.truth(true);
        for statement in code {
            self.layer = bypass.layer_of(self.stack, statement);
            if self.differs(statement) {
                return Err(Unsupported::new("what nothing determines".into()));
            }
            self.statement(statement, always)?;
            for local in statement.sets() {
                self.bring_home(bypass, local)?;
            }
        }
        Ok(())
    }

    /// Whether a statement can give something else each time.
    fn differs(&self, statement: &Statement) -> bool {
        if let StatementKind::CallExtern { function, .. } = statement.kind {
            return !self.stack.externs[function.index()].pure_;
        }
        matches!(statement.kind, StatementKind::Random { .. })
    }

    /// A message in a local carries the headers of the layers above its home only.
    fn bring_home(&mut self, bypass: &Bypass, local: LocalId) -> Found<()> {
        let Target::Layer(layer) = bypass.homes[local.index()] else { return Ok(()) };
        let Some(Value::Message(message)) = self.frame().values[local.index()].clone() else { return Ok(()) };
        let carried = self.carried(message, layer)?;
        self.frames.last_mut().expect("a frame").values[local.index()] = Some(Value::Message(carried));
        Ok(())
    }
}

fn given(bypass: &Bypass, values: &[Option<Value>]) -> Frame {
    let mut frame = Frame::new(&bypass.locals);
    frame.values.iter_mut().zip(values).for_each(|(place, value)| place.clone_from(value));
    frame
}
