//! Statements and expressions from text.

use super::implied::Scoped;
use super::names::Table;
use super::read::{fail, Reader, Result};
use super::words;
use crate::*;

/// Text nested deeper than this is refused.
const DEEPEST: u32 = 100;

impl Reader {
    /// Runs a part of the reader one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Reader) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail("too deep".into());
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The locals of the body that follows.
    pub fn set_locals(&mut self, locals: &[Local]) {
        self.locals = locals.to_vec();
        self.local_names = Table::default();
        locals.iter().for_each(|l| self.local_names.add(&l.name, ""));
    }

    /// Reads a reference to a local of the body: `%` and its name.
    pub fn local(&mut self) -> Result<LocalId> {
        self.sign('%')?;
        let table = std::mem::take(&mut self.local_names);
        let found = self.entry_of(&table);
        self.local_names = table;
        Ok(LocalId(found?))
    }

    fn local_after(&mut self, word: &str) -> Result<Option<LocalId>> {
        Ok(if self.is_word(word) { Some(self.local()?) } else { None })
    }

    /// Reads statements in braces.
    pub fn block(&mut self) -> Result<Block> {
        self.sign('{')?;
        let mut block = vec![];
        while !self.is_sign('}') {
            block.push(self.nested(Reader::statement)?);
        }
        Ok(block)
    }

    fn bound(&mut self) -> Result<u32> {
        self.expect("bound")?;
        self.small()
    }

    fn statement(&mut self) -> Result<Statement> {
        let (in_place, kind) = (self.is_word("in_place"), self.statement_kind()?);
        Ok(Statement { in_place, ..kind.at(self.mark()?) })
    }

    fn statement_kind(&mut self) -> Result<StatementKind> {
        let word = self.word()?;
        let kind = match word.as_str() {
            "if" => {
                let condition = self.expr()?;
                let likely = self.one_of(words::LIKELY);
                let then = self.block()?;
                let otherwise = if self.is_word("else") { self.block()? } else { vec![] };
                return Ok(StatementKind::If { condition, likely, then, otherwise });
            }
            "loop" => {
                let bound = self.bound()?;
                return Ok(StatementKind::Loop { bound, body: self.block()? });
            }
            "for" => {
                let variable = self.local()?;
                self.sign('=')?;
                let from = self.expr()?;
                self.expect("to")?;
                let to = self.expr()?;
                let bound = self.bound()?;
                return Ok(StatementKind::For { variable, from, to, bound, body: self.block()? });
            }
            "each" => {
                let walk = self.walk()?;
                let bound = self.bound()?;
                return Ok(StatementKind::Each { walk, bound, body: self.block()? });
            }
            "break" => StatementKind::Break,
            "impossible" => StatementKind::Impossible,
            "unreachable" => StatementKind::Unreachable,
            "reject" => StatementKind::Reject,
            "return" if self.at_sign(';') => StatementKind::Return(None),
            "return" => StatementKind::Return(Some(self.expr()?)),
            "drop" => StatementKind::Drop(self.expr()?),
            "yield" => StatementKind::Yield(self.expr()?),
            "cancel" => StatementKind::Cancel(self.place()?),
            "count" => {
                let counter = CounterId(self.named(|n| &n.counters)?);
                StatementKind::Count(counter, self.expr()?)
            }
            "assert" => {
                let condition = self.expr()?;
                StatementKind::Assert(condition, self.text()?)
            }
            "set" => {
                let place = self.place()?;
                self.sign('=')?;
                StatementKind::Store(place, self.expr()?)
            }
            "arm" => {
                let timer = self.place()?;
                self.expect("in")?;
                let delay = self.expr()?;
                StatementKind::Arm { timer, delay, unless_armed: self.is_word("unless_armed") }
            }
            "call" => {
                let function = FunctionId(self.named(|n| &n.functions)?);
                self.sign('(')?;
                let arguments = self.list(')', Reader::argument)?;
                StatementKind::Call { function, arguments, into: self.local_after("into")? }
            }
            "extern" => {
                let function = ExternId(self.named(|n| &n.externs)?);
                self.sign('(')?;
                let arguments = self.list(')', Reader::expr)?;
                StatementKind::CallExtern { function, arguments, into: self.local_after("into")? }
            }
            "do" => StatementKind::Operate(self.operate()?),
            "emit" => StatementKind::Emit(self.emit()?),
            _ => self.assigned(&word)?,
        };
        self.sign(';')?;
        Ok(kind)
    }

    /// Statements that give to a local.
    fn assigned(&mut self, word: &str) -> Result<StatementKind> {
        if !["let", "fit", "random", "filter", "unpack", "join", "take"].contains(&word) {
            return self.fail(format!("`{word}` is not a statement"));
        }
        let into = self.local()?;
        self.sign('=')?;
        Ok(match word {
            "let" => StatementKind::Let(into, self.expr()?),
            "fit" => StatementKind::Fit { into, value: self.expr()? },
            "random" => StatementKind::Random { into, below: self.expr()? },
            "filter" => {
                let filter = FilterId(self.named(|n| &n.filters)?);
                StatementKind::Filter { into, filter, input: self.expr()? }
            }
            "unpack" => {
                let layout = self.layout_id()?;
                StatementKind::Unpack { into, layout, message: self.expr()? }
            }
            "join" => {
                let parts = self.place()?;
                StatementKind::Join { into, parts, last: self.expr()? }
            }
            _ => StatementKind::Take { into, place: self.place()? },
        })
    }

    fn layout_id(&mut self) -> Result<LayoutId> {
        self.sign('#')?;
        Ok(LayoutId(self.small()?))
    }

    fn walk(&mut self) -> Result<Walk> {
        let over = self.place()?;
        let (index, key) = (self.local_after("index")?, self.local_after("key")?);
        let value = self.local_after("value")?;
        let from = if self.is_word("from") { Some(self.expr()?) } else { None };
        let to = if self.is_word("to") { Some(self.expr()?) } else { None };
        Ok(Walk { over, index, key, value, from, to, drain: self.is_word("drain") })
    }

    fn argument(&mut self) -> Result<Argument> {
        Ok(if self.is_word("ref") { Argument::Reference(self.place()?) } else { Argument::Value(self.expr()?) })
    }

    fn operate(&mut self) -> Result<Operate> {
        let word = self.word()?;
        let Some(operation) = Operation::named(&word) else {
            return self.fail(format!("`{word}` is not an operation"));
        };
        let place = self.place()?;
        self.sign('(')?;
        let arguments = self.list(')', Reader::expr)?;
        let (into, done) = (self.local_after("into")?, self.local_after("done")?);
        Ok(Operate { operation, place, arguments, into, done, back: self.local_after("back")? })
    }

    /// Reads a place; a stated type overrides the one that follows from root and path.
    pub fn place(&mut self) -> Result<Place> {
        let root = if self.at_sign('%') {
            Root::Local(self.local()?)
        } else {
            self.sign('@')?;
            Root::Cell(CellId(self.named(|n| &n.cells)?))
        };
        let mut path = vec![];
        loop {
            if self.is_sign(':') {
                path.push(Step::Field(self.small()?));
            } else if self.is_sign('[') {
                path.push(Step::Index(self.expr()?));
                self.sign(']')?;
            } else if self.is_sign('!') {
                path.push(Step::Unwrap);
            } else {
                break;
            }
        }
        let known = Scoped { stack: &self.stack, locals: &self.locals }.place(root, &path);
        let ty = self.stated(known)?;
        Ok(Place { root, path, ty })
    }

    /// The type that is written, or the one that is known without.
    fn stated(&mut self, known: Option<Type>) -> Result<Type> {
        if self.is_sign('\'') {
            return self.ty();
        }
        match known {
            Some(ty) => Ok(ty),
            None => self.fail("a type is missing".into()),
        }
    }

    /// Reads an expression. An error if its type neither follows from the operands nor is stated.
    pub fn expr(&mut self) -> Result<Expr> {
        self.nested(|r| {
            let (kind, known) = r.kind()?;
            let known = known.or_else(|| Scoped { stack: &r.stack, locals: &r.locals }.expr(&kind));
            let ty = r.stated(known)?;
            Ok(Expr::new(kind, ty, r.mark()?))
        })
    }

    fn boxed(&mut self) -> Result<Box<Expr>> {
        Ok(Box::new(self.expr()?))
    }

    fn header_after_comma(&mut self) -> Result<HeaderId> {
        self.sign(',')?;
        Ok(HeaderId(self.named(|n| &n.headers)?))
    }

    fn next_boxed(&mut self) -> Result<Box<Expr>> {
        self.sign(',')?;
        self.boxed()
    }

    fn rest(&mut self) -> Result<Vec<Expr>> {
        let mut list = vec![];
        while self.is_sign(',') {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    /// The form of an expression, and its type if the form determines it.
    fn kind(&mut self) -> Result<(ExprKind, Option<Type>)> {
        if self.at_sign('%') {
            return Ok((ExprKind::Local(self.local()?), None));
        }
        if self.at_sign('@') {
            return Ok((ExprKind::Load(Box::new(self.place()?)), None));
        }
        if self.is_sign('(') {
            return self.infix();
        }
        if let Some(n) = self.is_number() {
            return Ok((ExprKind::Const(n), None));
        }
        let word = self.word()?;
        let plain = match word.as_str() {
            "true" => return Ok((ExprKind::Const(1), Some(Type::Bool))),
            "false" => return Ok((ExprKind::Const(0), Some(Type::Bool))),
            "zero" => ExprKind::Zero,
            "none" => ExprKind::None,
            "now" => ExprKind::Now,
            "fingerprint" => ExprKind::Fingerprint,
            "room" => ExprKind::Room,
            "empty" => ExprKind::Empty,
            word => {
                self.sign('(')?;
                let kind = self.form(word)?;
                self.sign(')')?;
                kind
            }
        };
        Ok((plain, None))
    }

    fn infix(&mut self) -> Result<(ExprKind, Option<Type>)> {
        let left = self.boxed()?;
        if self.is_word("as") {
            let ty = self.ty()?;
            self.sign(')')?;
            return Ok((ExprKind::Convert(left), Some(ty)));
        }
        let sign = self.operator()?;
        let Some(op) = BinaryOp::named(&sign) else {
            return self.fail(format!("`{sign}` is not an operator"));
        };
        let right = self.boxed()?;
        self.sign(')')?;
        Ok((ExprKind::Binary(op, left, right), None))
    }

    /// `word(` has been read; everything up to `)`.
    fn form(&mut self, word: &str) -> Result<ExprKind> {
        if let Some(op) = UnaryOp::named(word) {
            return Ok(ExprKind::Unary(op, self.boxed()?));
        }
        if let Some(query) = Query::named(word) {
            let place = Box::new(self.place()?);
            return Ok(ExprKind::Query(query, place, self.rest()?));
        }
        Ok(match word {
            "literal" => {
                let text = self.text()?;
                let byte = |i: usize| text.get(i..i + 2).and_then(|b| u8::from_str_radix(b, 16).ok());
                let bytes: Option<Vec<u8>> = (0..text.len().div_ceil(2)).map(|i| byte(i * 2)).collect();
                match bytes {
                    Some(bytes) => ExprKind::Literal(bytes),
                    None => return self.fail("bytes are not two digits each".into()),
                }
            }
            "load" => ExprKind::Load(Box::new(self.place()?)),
            "borrow" => ExprKind::Borrow(Box::new(self.place()?)),
            "if" => ExprKind::If(self.boxed()?, self.next_boxed()?, self.next_boxed()?),
            "mul_div" => ExprKind::MulDiv(self.boxed()?, self.next_boxed()?, self.next_boxed()?),
            "make" => ExprKind::Struct(self.list_until(')', Reader::expr)?),
            "tuple" => ExprKind::Tuple(self.list_until(')', Reader::expr)?),
            "array" => ExprKind::Array(self.list_until(')', Reader::expr)?),
            "concat" => ExprKind::Concat(self.list_until(')', Reader::expr)?),
            "some" => ExprKind::Some(self.boxed()?),
            "is_some" => ExprKind::IsSome(self.boxed()?),
            "unwrap" => ExprKind::Unwrap(self.boxed()?),
            "field" => ExprKind::Field(self.boxed()?, self.after_comma()?),
            "index" => ExprKind::Index(self.boxed()?, self.next_boxed()?),
            "part" => ExprKind::Part(self.boxed()?, self.next_boxed()?, self.next_boxed()?),
            "bytes_of" => ExprKind::BytesOf(self.boxed()?),
            "view" => ExprKind::View(self.boxed()?),
            "through" => ExprKind::Through(FilterId(self.named(|n| &n.filters)?), self.next_boxed()?),
            "extern" => ExprKind::Extern(ExternId(self.named(|n| &n.externs)?), self.rest()?),
            "share" => ExprKind::Share(self.boxed()?),
            "length" => ExprKind::Length(self.boxed()?),
            "is" => ExprKind::Head(self.boxed()?, Head::Is(self.header_after_comma()?)),
            "field_of" => {
                let (message, header) = (self.boxed()?, self.header_after_comma()?);
                ExprKind::Head(message, Head::Field(header, self.after_comma()?))
            }
            "is_data" => ExprKind::Head(self.boxed()?, Head::Data),
            "push" => {
                let (message, header) = (self.boxed()?, self.header_after_comma()?);
                ExprKind::Push(message, header, self.rest()?)
            }
            "slice" => ExprKind::Slice(self.boxed()?, self.next_boxed()?, self.next_boxed()?),
            "rest" => ExprKind::Rest(self.boxed()?, self.next_boxed()?),
            "pack" => ExprKind::Pack(self.layout_id()?, self.next_boxed()?),
            "pack_view" => ExprKind::PackView(self.layout_id()?, self.next_boxed()?),
            word => return fail(self.line(), format!("`{word}` is not an expression")),
        })
    }
}
