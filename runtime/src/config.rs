//! What a host gives a stack when it opens a connection, by name.

use crate::ffi::NacreAddr;
use crate::region::Region;
use crate::stack::Stack;

/// The values that a connection is opened with.
#[derive(Debug)]
pub struct Config {
    pub(crate) stack: Stack,
    pub(crate) region: Region,
    /// Which givens were set, by index.
    set: Vec<bool>,
}

impl Config {
    /// The stack's own defaults.
    pub fn new(stack: &Stack) -> Config {
        let raw = stack.raw();
        let mut region = Region::new(raw.config_size as usize, 16).expect("16 is a power of two");
        // SAFETY: the region has the config's size; 16 is the strictest alignment of C's plain types.
        unsafe { (raw.config_default)(region.as_mut_ptr()) };
        Config { stack: stack.clone(), region, set: vec![false; stack.givens().len()] }
    }

    /// Sets a number by its name (`floor.cookie`), cut to the given's width; false if the stack has no such given.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let Some(at) = self.place(name) else {
            return false;
        };
        let bytes = value.to_ne_bytes();
        let to = &mut self.region.bytes_mut()[at];
        if to.len() > 8 {
            return false;
        }
        if cfg!(target_endian = "little") {
            to.copy_from_slice(&bytes[..to.len()]);
        } else {
            to.copy_from_slice(&bytes[8 - to.len()..]);
        }
        true
    }

    /// A number by its name, as it stands now; None if the stack has no such given or it is wider than 64 bits.
    pub fn number(&self, name: &str) -> Option<u64> {
        let given = self.stack.givens().iter().find(|given| given.name == name && given.size <= 8)?;
        let from = &self.region.bytes()[given.offset..given.offset + given.size];
        let mut bytes = [0; 8];
        if cfg!(target_endian = "little") {
            bytes[..from.len()].copy_from_slice(from);
        } else {
            bytes[8 - from.len()..].copy_from_slice(from);
        }
        Some(u64::from_ne_bytes(bytes))
    }

    /// Sets bytes by their name: as many as it has, exactly; false if the stack has no such given or its size differs.
    pub fn set_bytes(&mut self, name: &str, value: &[u8]) -> bool {
        match self.place(name) {
            Some(at) if at.len() == value.len() => {
                self.region.bytes_mut()[at].copy_from_slice(value);
                true
            }
            _ => false,
        }
    }

    /// Sets an address by its name (`floor.peer`); false if the stack has no such given.
    pub fn set_address(&mut self, name: &str, value: NacreAddr) -> bool {
        let mut bytes = [0; 20];
        bytes[..16].copy_from_slice(&value.ip);
        bytes[16..18].copy_from_slice(&value.port.to_ne_bytes());
        bytes[18..].copy_from_slice(&value.family.to_ne_bytes());
        self.set_bytes(name, &bytes)
    }

    /// The required givens that were not set.
    pub fn missing(&self) -> Vec<&str> {
        let givens = self.stack.givens().iter().zip(&self.set);
        givens.filter(|(given, set)| given.required && !**set).map(|(given, _)| given.name.as_str()).collect()
    }

    fn place(&mut self, name: &str) -> Option<std::ops::Range<usize>> {
        let index = self.stack.givens().iter().position(|given| given.name == name)?;
        self.set[index] = true;
        let given = &self.stack.givens()[index];
        Some(given.offset..given.offset + given.size)
    }
}
