//! What runs on the hosts.

use nacre_runtime::{GivenRole, Stack};

use crate::service::Service;

/// A stack that hosts run, and what it promises.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The stack.
    pub stack: Stack,
    /// The same with another fingerprint: for the hosts, another stack.
    pub other: Stack,
    /// What the specification of the stack promises.
    pub service: Service,
}

impl Subject {
    /// Why hosts cannot run the stack between applications that send messages; none: they can.
    pub fn unfit(&self) -> Option<String> {
        if self.stack.input_event("send").is_none() {
            return Some("it has no call `send`".into());
        }
        if !self.stack.has_preamble() {
            let why =
                "it does not identify connections (no header has a field `at cookie`): for a host, all frames of \
                       one address belong to one connection, before and after a restart";
            return Some(why.into());
        }
        None
    }

    /// The name of the given value that is the identity of an end.
    pub(crate) fn identity(&self) -> Option<&str> {
        let given = self.stack.givens().iter().find(|given| given.role == Some(GivenRole::Identity));
        given.map(|given| given.name.as_str())
    }
}
