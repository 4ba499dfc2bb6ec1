//! Functions in C that take a step: their heads, and those of the support text.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::Code;
use crate::emitted::Level;
use crate::names::with_prefix;

/// How a function in C is linked: the word in front of its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Inlined at every call.
    InPlace,
    /// As the C compiler decides.
    Plain,
    /// Called, rarely.
    Cold,
}

impl Linkage {
    fn word(self) -> &'static str {
        match self {
            Linkage::InPlace => "_INLINE",
            Linkage::Plain => "_PLAIN",
            Linkage::Cold => "_COLD",
        }
    }
}

/// A type as it is declared: a type, or a pointer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CType {
    pub name: String,
    pub pointer: bool,
}

impl CType {
    /// A pointer to a type.
    pub fn pointer(to: impl Into<String>) -> CType {
        CType { name: to.into(), pointer: true }
    }

    /// The declaration of something of this type: `uint32_t name`, `const uint8_t *name`.
    pub fn declare(&self, name: &str) -> String {
        format!("{} {}{name}", self.name, if self.pointer { "*" } else { "" })
    }
}

impl<T: Into<String>> From<T> for CType {
    fn from(name: T) -> CType {
        CType { name: name.into(), pointer: false }
    }
}

/// A parameter of a function in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub ty: CType,
    pub name: String,
}

impl Parameter {
    /// A parameter of a type.
    pub fn new(ty: impl Into<CType>, name: impl Into<String>) -> Parameter {
        Parameter { ty: ty.into(), name: name.into() }
    }

    /// A pointer to a type.
    pub fn pointer(to: impl Into<String>, name: impl Into<String>) -> Parameter {
        Parameter::new(CType::pointer(to), name)
    }
}

/// The head of a function in C whose first parameter is the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub linkage: Linkage,
    /// Whether it cannot change the step.
    pub reads_only: bool,
    /// The type of the result; none: void.
    pub result: Option<CType>,
    pub name: String,
    /// The parameters after the step.
    pub parameters: Vec<Parameter>,
    /// The comment above it.
    pub comment: Option<String>,
}

impl Function {
    /// A function without result that is not inlined and may change the step.
    pub fn plain(name: impl Into<String>, parameters: Vec<Parameter>) -> Function {
        Function {
            linkage: Linkage::Plain,
            reads_only: false,
            result: None,
            name: name.into(),
            parameters,
            comment: None,
        }
    }

    /// Returns what its callers need to know.
    pub fn callee(&self) -> Callee {
        Callee { name: self.name.clone(), in_place: self.linkage == Linkage::InPlace }
    }

    /// The head as text, without `{` or `;`.
    pub fn head(&self, prefix: &str) -> String {
        self.head_as(prefix, self.linkage, &self.name)
    }

    fn declare(&self, name: &str) -> String {
        self.result.as_ref().map_or(format!("void {name}"), |ty| ty.declare(name))
    }

    fn head_as(&self, prefix: &str, linkage: Linkage, name: &str) -> String {
        let parameters = list(&self.parameters);
        format!(
            "{prefix}{} {}({}struct {prefix}_step *step{parameters})",
            linkage.word(),
            self.declare(name),
            if self.reads_only { "const " } else { "" },
        )
    }

    /// The function through which inlined code calls this one.
    fn aside(&self, prefix: &str) -> Code {
        let mut code = Code::new(0);
        code.open(format!("{} {{", self.head_as(prefix, Linkage::InPlace, &aside_name(&self.name))));
        code.line(format!("{}struct {prefix}_step aside = *step;", if self.reads_only { "const " } else { "" }));
        let call = format!("{}(&aside{})", self.name, names(&self.parameters));
        code.line(match &self.result {
            Some(ty) => format!("{} = {call};", ty.declare("result")),
            None => format!("{call};"),
        });
        if !self.reads_only {
            code.line(format!("{prefix}_back(step, &aside);"));
        }
        if self.result.is_some() {
            code.line("return result;");
        }
        code.close("}");
        code
    }
}

/// The properties of a function that its callers need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    pub name: String,
    pub in_place: bool,
}

/// The functions of a stack that take a step.
pub struct Calls {
    functions: BTreeMap<String, Function>,
    /// Functions whose asides are called.
    wanted: BTreeSet<String>,
    /// Whether the current code is inlined.
    pub in_place: bool,
}

/// A type in a template: its name, and whether it is a pointer to it.
type TemplateType = (&'static str, bool);
const BYTES: TemplateType = ("struct @_bytes", false);
const U32: TemplateType = ("uint32_t", false);
const U64: TemplateType = ("uint64_t", false);

/// A function of `support/*.c` that is not inlined.
struct Support {
    name: &'static str,
    reads_only: bool,
    result: Option<TemplateType>,
    parameters: &'static [(TemplateType, &'static str)],
}

const fn reads(
    name: &'static str,
    result: Option<TemplateType>,
    parameters: &'static [(TemplateType, &'static str)],
) -> Support {
    Support { name, reads_only: true, result, parameters }
}

const fn changes(
    name: &'static str,
    result: Option<TemplateType>,
    parameters: &'static [(TemplateType, &'static str)],
) -> Support {
    Support { name, reads_only: false, result, parameters }
}

const SUPPORT: &[Support] = &[
    reads("run", Some(("const uint8_t", true)), &[(BYTES, "b"), (U32, "at"), (("uint32_t", true), "n")]),
    changes("can_make", Some(("bool", false)), &[(U32, "n")]),
    reads("read", None, &[(BYTES, "b"), (("uint8_t", true), "to")]),
    reads("byte", Some(("uint8_t", false)), &[(BYTES, "b"), (U64, "at")]),
    changes("keep_made", Some(BYTES), &[(BYTES, "b")]),
    changes("keep_long", Some(BYTES), &[(BYTES, "b")]),
    changes("slice", Some(BYTES), &[(BYTES, "b"), (U64, "at"), (U64, "n")]),
    changes("long_rest", Some(BYTES), &[(BYTES, "b"), (U64, "n")]),
    reads("made", Some(BYTES), &[(U32, "from")]),
    changes("append", None, &[(("struct @_twine", true), "twine"), (BYTES, "b")]),
    changes("long_segments", None, &[(("struct nacre_output", true), "output"), (BYTES, "b")]),
    changes("long_flat", Some(("const uint8_t", true)), &[(BYTES, "b")]),
    reads("same_view", Some(("bool", false)), &[(BYTES, "a"), (BYTES, "b")]),
    reads(
        "next_run",
        Some(("const uint8_t", true)),
        &[(("struct @_reader", true), "reader"), (("uint32_t", true), "run")],
    ),
    changes("join_pieces", Some(BYTES), &[(("const struct @_bytes", true), "piece"), (U32, "pieces")]),
];

/// The functions whose asides the templates themselves call.
const CALLED_IN_TEMPLATES: &[&str] = &["keep_made", "keep_long", "long_rest", "long_segments", "long_flat"];

impl Calls {
    /// The functions of the support text alone.
    pub fn new(prefix: &str, level: Level) -> Calls {
        let own = |(name, pointer): TemplateType| CType { name: with_prefix(name, prefix), pointer };
        let support = SUPPORT.iter().map(|function| Function {
            reads_only: function.reads_only,
            result: function.result.map(own),
            ..Function::plain(
                format!("{prefix}_{}", function.name),
                function.parameters.iter().map(|(ty, name)| Parameter::new(own(*ty), *name)).collect(),
            )
        });
        let wanted = CALLED_IN_TEMPLATES.iter().filter(|_| level.is_quick());
        Calls {
            functions: support.map(|function| (function.name.clone(), function)).collect(),
            wanted: wanted.map(|name| format!("{prefix}_{name}")).collect(),
            in_place: false,
        }
    }

    /// Registers a function.
    pub fn insert(&mut self, function: Function) {
        self.functions.insert(function.name.clone(), function);
    }

    /// Whether a function is known.
    pub fn has(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Records a call of the aside of a function.
    pub fn want_aside(&mut self, name: &str) {
        self.wanted.insert(name.to_string());
    }

    /// Returns the aside of a function if it is called and not written yet.
    pub fn aside(&mut self, name: &str, prefix: &str) -> Option<Code> {
        self.wanted.remove(name).then(|| self.functions[name].aside(prefix))
    }
}

/// The name of the function through which inlined code calls another.
pub fn aside_name(name: &str) -> String {
    format!("{name}_aside")
}

/// Parameters as they are declared behind a first one.
pub fn list(parameters: &[Parameter]) -> String {
    parameters.iter().map(|p| format!(", {}", p.ty.declare(&p.name))).collect()
}

/// Parameters as arguments behind a first one.
pub fn names(parameters: &[Parameter]) -> String {
    parameters.iter().map(|p| format!(", {}", p.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATES: [&str; 3] =
        [include_str!("support/step.c"), include_str!("support/pool.c"), include_str!("support/out.c")];

    /// Functions that only some stacks need: their asides are written behind them.
    const OPTIONAL: &str = include_str!("support/views.c");

    #[test]
    fn the_table_of_support_functions_repeats_their_heads() {
        let text = TEMPLATES.concat();
        for Support { name, .. } in SUPPORT {
            let head = Calls::new("S", Level::Call).functions[&format!("S_{name}")].head("S").replace("S_", "@_");
            let cold = head.replace("@_PLAIN", "@_COLD");
            let has =
                |text: &str| text.lines().any(|line| [&head, &cold].into_iter().any(|h| line == format!("{h} {{")));
            assert!(has(&text) || has(OPTIONAL), "the templates have no `{head}`");
            assert!(
                has(OPTIONAL) || text.contains(&format!("/*@aside {name}@*/")),
                "the templates do not say where the aside of `{name}` is"
            );
        }
    }

    #[test]
    fn templates_call_asides_of_the_functions_that_are_listed() {
        let text = TEMPLATES.concat();
        let called = |name: &&str| text.contains(&format!("@_{name}@aside("));
        let names = SUPPORT.iter().map(|function| function.name);
        assert_eq!(names.filter(called).collect::<Vec<_>>(), CALLED_IN_TEMPLATES);
    }
}
