//! The givens with which a host opens a connection, by name.

use crate::ffi::NacreAddr;
use crate::region::Region;
use crate::stack::{Given, GivenRole, Stack};
use std::ops::Range;

/// The values that a connection is opened with. They are erased when it is dropped.
#[derive(Debug)]
pub struct Config {
    pub(crate) stack: Stack,
    pub(crate) region: Region,
    /// Which givens were set, by index.
    set: Vec<bool>,
    /// The program does not want the connection.
    refused: bool,
}

impl Config {
    /// The stack's own defaults.
    pub fn new(stack: &Stack) -> Config {
        let raw = stack.raw();
        let mut region = Region::new(raw.config_size as usize, 16).expect("memory for a config");
        // SAFETY: the region has the config's size; 16 is the strictest alignment of C's plain types.
        unsafe { (raw.config_default)(region.as_mut_ptr()) };
        Config { stack: stack.clone(), region, set: vec![false; stack.givens().len()], refused: false }
    }

    /// The connection is not to begin: a function that prepares it cannot set what it must. `connect_with` fails; a
    /// peer is not accepted.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.refused
    }

    /// Sets a number by its name (`floor.identity`), cut to the given's width; false if the stack has no such given or
    /// it is wider than 64 bits.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        self.find(name).is_some_and(|index| self.write(index, value))
    }

    /// Returns a number by its name; None if the stack has no such given or it is wider than 64 bits.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.read(self.find(name)?)
    }

    /// Sets bytes by their name: as many as it has, exactly; false if the stack has no such given or its size differs.
    pub fn set_bytes(&mut self, name: &str, value: &[u8]) -> bool {
        self.find(name).is_some_and(|index| self.write_bytes(index, value))
    }

    /// Sets an address by its name (`floor.peer`); false if the stack has no such given.
    pub fn set_address(&mut self, name: &str, value: NacreAddr) -> bool {
        self.set_bytes(name, &bytes_of(value))
    }

    /// Sets the peer's address wherever the stack is given it.
    pub(crate) fn set_peer(&mut self, value: NacreAddr) {
        let bytes = bytes_of(value);
        self.of_role(GivenRole::Peer).into_iter().for_each(|index| {
            self.write_bytes(index, &bytes);
        });
    }

    /// Sets all numbers of a role.
    pub(crate) fn set_role(&mut self, role: GivenRole, value: u64) {
        self.of_role(role).into_iter().for_each(|index| {
            self.write(index, value);
        });
    }

    /// Sets the bytes of all givens of a role (keys): as many as each has, exactly; false if the stack has no such
    /// given or its size differs.
    pub fn set_role_bytes(&mut self, role: GivenRole, value: &[u8]) -> bool {
        let all = self.of_role(role);
        !all.is_empty() && all.into_iter().all(|index| self.write_bytes(index, value))
    }

    /// The required givens that were not set, and that the driver does not set either.
    pub(crate) fn missing_of_user(&self) -> Vec<&str> {
        let givens = self.stack.givens().iter().zip(&self.set);
        let is_missing = |(given, set): &(&Given, &bool)| {
            let of_user = matches!(given.role, None | Some(GivenRole::SigningKey));
            given.required && !**set && of_user
        };
        givens.filter(is_missing).map(|(given, _)| given.name.as_str()).collect()
    }

    /// Returns the number of a role; None if the stack is given none.
    pub(crate) fn role(&self, role: GivenRole) -> Option<u64> {
        self.of_role(role).into_iter().find_map(|index| self.read(index))
    }

    /// Everything that a stack asks for, for tests.
    #[cfg(test)]
    pub(crate) fn filled(stack: &Stack, peer: NacreAddr, cookie: u32) -> Config {
        let mut config = Config::new(stack);
        config.set_peer(peer);
        config.set_role(GivenRole::Cookie, cookie.into());
        config.set_role(GivenRole::Incarnation, 1);
        config
    }

    /// The required givens that were not set.
    pub fn missing(&self) -> Vec<&str> {
        let givens = self.stack.givens().iter().zip(&self.set);
        givens.filter(|(given, set)| given.required && !**set).map(|(given, _)| given.name.as_str()).collect()
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.stack.givens().iter().position(|given| given.name == name)
    }

    fn of_role(&self, role: GivenRole) -> Vec<usize> {
        let givens = self.stack.givens().iter().enumerate();
        givens.filter(|(_, given)| given.role == Some(role)).map(|(index, _)| index).collect()
    }

    fn range(&self, index: usize) -> Range<usize> {
        let given = &self.stack.givens()[index];
        given.offset..given.offset + given.size
    }

    fn read(&self, index: usize) -> Option<u64> {
        let from = self.region.bytes().get(self.range(index)).filter(|from| from.len() <= 8)?;
        let mut bytes = [0; 8];
        if cfg!(target_endian = "little") {
            bytes[..from.len()].copy_from_slice(from);
        } else {
            bytes[8 - from.len()..].copy_from_slice(from);
        }
        Some(u64::from_ne_bytes(bytes))
    }

    fn write(&mut self, index: usize, value: u64) -> bool {
        let (len, bytes) = (self.range(index).len(), value.to_ne_bytes());
        if len > 8 {
            return false;
        }
        let from = if cfg!(target_endian = "little") { &bytes[..len] } else { &bytes[8 - len..] };
        self.write_bytes(index, from)
    }

    fn write_bytes(&mut self, index: usize, value: &[u8]) -> bool {
        let at = self.range(index);
        if at.len() != value.len() {
            return false;
        }
        self.set[index] = true;
        self.region.bytes_mut()[at].copy_from_slice(value);
        true
    }
}

/// Keys among the givens are erased.
impl Drop for Config {
    fn drop(&mut self) {
        self.region.erase();
    }
}

/// As `struct nacre_addr` lies in memory.
fn bytes_of(address: NacreAddr) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(&address.ip);
    bytes[16..18].copy_from_slice(&address.port.to_ne_bytes());
    bytes[18..].copy_from_slice(&address.family.to_ne_bytes());
    bytes
}
