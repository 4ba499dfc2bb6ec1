//! The stacks that a listener knows, each with the pools of its connections.

use crate::error::{Error, StackName};
use crate::instance::Config;
use crate::options::Options;
use crate::pools::Pools;
use crate::stack::Stack;
use std::collections::HashMap;
use std::net::SocketAddr;

/// Sets a stack's own givens when a connection is opened (keys, sizes); the second argument is the peer.
pub type Prepare = Box<dyn FnMut(&mut Config, SocketAddr) + Send>;

/// A stack that this listener knows, with the pools of its connections.
pub(crate) struct Kind {
    pub stack: Stack,
    pub pools: Pools,
    /// Whether peers may begin connections with it.
    pub served: bool,
    pub prepare: Option<Prepare>,
}

/// The stacks by index, and by fingerprint.
#[derive(Default)]
pub(crate) struct Stacks {
    kinds: Vec<Kind>,
    by_fingerprint: HashMap<u64, usize>,
}

impl Stacks {
    /// The stack's index; it is entered if it is new.
    ///
    /// Errors: `Invalid` if it cannot share a port with those that are there, or is one of them emitted otherwise.
    pub(crate) fn enter(&mut self, stack: &Stack, options: &Options) -> Result<usize, Error> {
        match self.find(stack.fingerprint()) {
            Some(kind) if self.kinds[kind].stack.is(stack) => return Ok(kind),
            Some(_) => {
                let why = format!("{}: this listener runs it from another descriptor already", stack.description());
                return Err(Error::Invalid(why));
            }
            None => {}
        }
        if self.kinds.iter().any(|kind| !kind.stack.has_preamble() || !stack.has_preamble()) {
            let why = format!("{}: a stack without a preamble cannot share a port with others", stack.description());
            return Err(Error::Invalid(why));
        }
        let pools = Pools::new(stack, options);
        self.kinds.push(Kind { stack: stack.clone(), pools, served: false, prepare: None });
        self.by_fingerprint.insert(stack.fingerprint(), self.kinds.len() - 1);
        Ok(self.kinds.len() - 1)
    }

    /// The index of the stack with this fingerprint.
    pub(crate) fn find(&self, fingerprint: u64) -> Option<usize> {
        self.by_fingerprint.get(&fingerprint).copied()
    }

    /// The stack at an index that `enter` or `find` gave.
    #[inline]
    pub(crate) fn at(&self, kind: usize) -> &Kind {
        &self.kinds[kind]
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn at_mut(&mut self, kind: usize) -> &mut Kind {
        &mut self.kinds[kind]
    }

    /// The only stack, if its frames have no preamble.
    #[inline]
    pub(crate) fn without_preamble(&self) -> Option<&Kind> {
        self.kinds.first().filter(|kind| !kind.stack.has_preamble())
    }

    /// The stacks with which peers may begin connections.
    pub(crate) fn served(&self) -> Vec<StackName> {
        self.kinds.iter().filter(|kind| kind.served).map(|kind| kind.stack.to_name()).collect()
    }

    /// Whether a stack is served that is secure, or one that is not.
    pub(crate) fn serves(&self, is_secure: bool) -> bool {
        self.kinds.iter().any(|kind| kind.served && kind.stack.is_secure() == is_secure)
    }

    /// The stack with this fingerprint, for messages.
    pub(crate) fn name_of(&self, fingerprint: u64) -> StackName {
        match self.find(fingerprint) {
            Some(kind) => self.kinds[kind].stack.to_name(),
            None => StackName { fingerprint, description: None },
        }
    }
}
