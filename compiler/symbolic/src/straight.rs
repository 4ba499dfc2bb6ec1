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

    /// The condition of a bypass in the present state. `values`: what is given, by local.
    pub fn condition_of(&mut self, bypass: &Bypass, values: &[Option<Value>]) -> Found<crate::terms::Term> {
        self.frames.push(given(bypass, values));
        let holds = self.term(&bypass.condition);
        self.frames.pop();
        holds
    }

    /// Runs the body of a bypass. What leaves, and what is put off, is in the emissions.
    pub fn straight(&mut self, bypass: &Bypass, values: &[Option<Value>]) -> Found<()> {
        let always = self.terms.truth(true);
        self.frames.push(given(bypass, values));
        for local in bypass.parameters.iter().chain(bypass.fields.iter().flatten()) {
            self.bring_home(bypass, *local)?;
        }
        for statement in &bypass.body {
            self.layer = bypass.layer_of(self.stack, statement);
            if self.differs(statement) {
                return Err(Unsupported::new("what nothing determines".into()));
            }
            self.statement(statement, always)?;
            for local in statement.sets() {
                self.bring_home(bypass, local)?;
            }
        }
        self.frames.pop();
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
