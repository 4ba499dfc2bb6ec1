//! The calls, messages and tables that the harness and the world of an emitted stack share.

use std::fmt::Write;

use nacre_backend_promela::monitors;
use nacre_backend_promela::world::Form;
use nacre_specification::subset_construction::SubsetConstruction;
use nacre_stack::interpret::Value;
use nacre_worlds::calls::Call;
use nacre_worlds::setup::Setup;

use crate::environment;

/// The calls, messages and tables of a setup.
pub struct Known {
    pub calls: Vec<Call>,
    /// Message n is the string of bytes n + 1.
    pub messages: Vec<Vec<u8>>,
    /// For each automaton above, its table, if it needs one.
    pub tables: Vec<Option<SubsetConstruction>>,
}

impl Known {
    /// Returns the calls, messages and tables of a setup, or why they are not known.
    pub fn of(setup: &Setup) -> Result<Known, String> {
        let tables = environment::tables(setup)?;
        let messages = environment::world(setup, &tables, Form::Numbers, [0; 2]).messages();
        Ok(Known { calls: setup.calls(), messages, tables })
    }

    /// The file that the model includes.
    pub fn tables_in_c(&self) -> (String, String) {
        let tables = self.tables.iter().enumerate();
        let texts = tables.filter_map(|(at, table)| Some(monitors::rows(&format!("judge{at}"), table.as_ref()?)));
        ("tables.h".into(), texts.collect())
    }

    /// The tables of the harness.
    pub fn in_c(&self, setup: &Setup) -> String {
        let string = |bytes: &[u8]| match bytes {
            // Not a null pointer, which must not be copied from even if nothing is.
            [] => "(const uint8_t[]){0}, 0".to_string(),
            bytes => {
                let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
                format!("(const uint8_t[]){{{}}}, {}", list.join(", "), bytes.len())
            }
        };
        let numbers = |call: &Call| -> Vec<String> {
            let numbers = call.arguments.iter().filter(|v| matches!(v, Value::Num(_)));
            numbers.map(|v| v.num().to_string()).chain(["0".into()]).collect()
        };
        let most = self.calls.iter().map(|call| numbers(call).len()).fold(4, usize::max);
        let mut text = format!(
            "struct asked {{ uint32_t event; uint64_t arguments[{most}]; const uint8_t *at; uint32_t len; \
             bool numbers; }};\n\
             static const struct asked asked[] = {{\n",
        );
        for call in &self.calls {
            let numbers = numbers(call);
            let at = string(call.bytes.as_deref().unwrap_or_default());
            let _ = writeln!(text, "    {{{}, {{{}}}, {at}, {}}},", call.event, numbers.join(", "), numbers.len() > 1);
        }
        text += "    {0, {0}, NULL, 0, false},\n};\n";
        text += "static const struct message { const uint8_t *at; uint32_t len; } messages[] = {\n";
        for message in &self.messages {
            let _ = writeln!(text, "    {{{}}},", string(message));
        }
        let timers = setup.stack().timers.iter().map(|t| setup.bounds.rank(&t.name).to_string());
        let ranks: Vec<String> = timers.chain(["0".into()]).collect();
        text + &format!("    {{NULL, 0}},\n}};\nstatic const uint8_t ranks[] = {{{}}};\n", ranks.join(", "))
    }
}
