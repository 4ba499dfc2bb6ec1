//! The output of the compiler's stages, as text.

use std::fmt::Write;

use nacre_diagnostics::SourceId;
use nacre_stack::{print, print_with_spans, Stack};
use nacre_syntax::{lexer, token::TokenKind};
use nacre_typed::Fragment;

use nacre_backend_c::Level;

use crate::passes::{passes, run_pass};
use crate::session::Session;
use crate::tree;

/// The names of the stages, in order. A pass of level `inline` has its own name and shows the stack IR after it.
pub fn stages() -> Vec<String> {
    let mut all: Vec<String> = ["tokens", "syntax", "typed", "fragments", "composed"].map(String::from).into();
    let passes = passes(Level::Inline).iter().chain(passes(Level::Bypass));
    passes.for_each(|pass| all.extend((!all.contains(&pass.name.to_string())).then(|| pass.name.to_string())));
    all.extend(Level::ALL.iter().map(|level| format!("c-{}", level.name())));
    all
}

impl Session {
    /// The output of a stage for a source and one of its stacks; None: there is no such stage. `spans`: print the
    /// spans of statements and expressions in stack IR.
    pub fn stage(&self, source: &str, stack: &Stack, stage: &str, spans: bool) -> Option<String> {
        let print = if spans { print_with_spans } else { print };
        match stage {
            "tokens" => return Some(tokens(source)),
            "syntax" => return Some(tree::show(&nacre_syntax::parse(SourceId(0), source).0)),
            "typed" => return Some(self.typed(&stack.name).join("\n")),
            "fragments" => return Some(self.fragments_as(&stack.name, print)),
            "composed" => return Some(print(stack)),
            _ => {}
        }
        if let Some(level) = Level::ALL.iter().find(|level| stage == format!("c-{}", level.name())) {
            return Some(self.emit(stack, *level, None).source);
        }
        let of = |level: Level| passes(level).iter().any(|pass| pass.name == stage).then_some(level);
        let level = of(Level::Inline).or(of(Level::Bypass))?;
        let mut now = stack.clone();
        for pass in passes(level) {
            run_pass(&mut now, pass);
            if pass.name == stage {
                break;
            }
        }
        Some(print(&now))
    }

    /// The typed trees of the layers of a stack, top first.
    pub fn trees(&self, stack: &str) -> Vec<nacre_typed::tree::Layer> {
        self.program.stack(stack).map_or_else(Vec::new, |declared| self.program.trees(declared))
    }

    /// The same as text.
    pub fn typed(&self, stack: &str) -> Vec<String> {
        self.trees(stack).iter().map(nacre_typed::tree::print).collect()
    }

    /// The typed tree of every layer alone, with the defaults of its parameters; also of layers with errors.
    pub fn typed_layers(&self) -> Vec<String> {
        self.program.layer_trees().iter().map(nacre_typed::tree::print).collect()
    }

    /// The layers of a stack as fragments of the stack IR, top first.
    pub fn fragments(&self, stack: &str) -> String {
        self.fragments_as(stack, print)
    }

    fn fragments_as(&self, stack: &str, print: fn(&Stack) -> String) -> String {
        let Some(declared) = self.program.stack(stack) else { return String::new() };
        let Ok((fragments, _)) = self.program.fragments_with(declared, &Default::default()) else {
            return String::new();
        };
        fragments.iter().map(|f| fragment(f, print)).collect::<Vec<_>>().join("\n")
    }
}

/// A layer in the text of the stack IR; its sides, which have no numbers before composition, are `port`s.
fn fragment(fragment: &Fragment, print: fn(&Stack) -> String) -> String {
    let mut text = format!("// {}\n", fragment.description);
    for reaction in &fragment.reactions {
        let (event, handler) = (&fragment.events[reaction.event.index()], &fragment.handlers[reaction.handler.index()]);
        let side = match reaction.side.index() {
            0 => "below",
            1 => "above",
            port => fragment.ports.get(port - 2).map_or("a port", String::as_str),
        };
        let _ = writeln!(text, "// {} from {side}: {}", event.name, handler.name);
    }
    text + &print(&fragment.as_stack())
}

/// The tokens of each line, with the text of those whose text varies.
pub fn tokens(text: &str) -> String {
    let lexed = lexer::lex(SourceId(0), text);
    let of = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or_default();
    let mut all: Vec<(u32, String)> =
        lexed.comments.iter().map(|c| (c.start, format!("Comment({})", of(c.start, c.end)))).collect();
    all.extend(lexed.tokens.iter().map(|token| {
        let text = of(token.start, token.end);
        let kind = format!("{:?}", token.kind);
        let kind = kind.split('(').next().unwrap_or_default();
        let varies = text.starts_with(|c: char| c.is_alphanumeric() || "_\"{".contains(c));
        let shown = varies && token.kind != TokenKind::OpenBrace;
        (token.start, if shown { format!("{kind}({text})") } else { kind.to_string() })
    }));
    all.sort_by_key(|(start, _)| *start);
    let mut lines = String::new();
    let mut begin = 0;
    for (number, line) in text.split_inclusive('\n').chain([""]).enumerate() {
        let end = begin + line.len() as u32;
        let is_last = line.is_empty();
        let here: Vec<&str> =
            all.iter().filter(|(at, _)| *at >= begin && (*at < end || is_last)).map(|(_, t)| t.as_str()).collect();
        if !here.is_empty() {
            let _ = writeln!(lines, "{:>3}  {}", number + 1, here.join(" "));
        }
        begin = end;
    }
    lines
}
