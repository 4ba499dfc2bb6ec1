//! Connections that are begun again when they are lost, for C programs; `include/nacre_runtime.h` says what each
//! function does.

use crate::c_connect::{CConnecting, Preparing, Whom};
use crate::c_interface::{with, CListener};
use crate::c_text::{invalid, text};
use crate::ffi::NacreStack;
use crate::instance::Config;
use crate::reconnect::{Backoff, How, Target};
use std::ffi::{c_char, c_int};
use std::net::SocketAddr;
use std::time::Duration;

/// `struct nacre_backoff`.
#[repr(C)]
pub struct CBackoff {
    pub size: u32,
    pub first_ms: u32,
    pub most_ms: u32,
    pub tries: u32,
    pub total_ms: u64,
    pub again_on: *const u32,
    pub again_on_len: usize,
}

impl CBackoff {
    /// # Safety
    /// `again_on` has `again_on_len` numbers.
    unsafe fn read(&self) -> Backoff {
        let usual = Backoff::default();
        let time = |ms: u32, usual| if ms == 0 { usual } else { Duration::from_millis(ms.into()) };
        let codes = match self.again_on.is_null() {
            true => &[][..],
            // SAFETY: the caller's promise.
            false => unsafe { std::slice::from_raw_parts(self.again_on, self.again_on_len) },
        };
        Backoff {
            first: time(self.first_ms, usual.first),
            most: time(self.most_ms, usual.most),
            tries: Some(self.tries).filter(|tries| *tries > 0),
            total: Some(Duration::from_millis(self.total_ms)).filter(|total| !total.is_zero()),
            again_on: codes.to_vec(),
        }
    }
}

/// # Safety
/// As `nacre_connect_with`; `backoff` is NULL or has the size that it states, and its codes. What `how` names for
/// `prepare` may be called with as long as the connection is begun again.
#[no_mangle]
pub unsafe extern "C" fn nacre_reconnect(
    listener: *mut CListener,
    host: *const c_char,
    port: u16,
    stack: *const NacreStack,
    how: *const CConnecting,
    backoff: *const CBackoff,
    connection: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let usual = CConnecting::usual();
            let how = CConnecting::read(how, &usual)?;
            let backoff = match backoff.as_ref() {
                None => Backoff::default(),
                Some(backoff) if (backoff.size as usize) < size_of::<CBackoff>() => {
                    return Err(invalid("nacre_backoff.size is not the struct's size"));
                }
                Some(backoff) => backoff.read(),
            };
            let first = how.address.as_ref().map(|address| address.to_socket_addr()).transpose()?;
            let to = match (first, text(host)?) {
                (_, Some(_)) if port == 0 => return Err(invalid("the port is 0")),
                (_, Some(host)) => Target::Name(host.to_string(), port),
                (Some(address), None) => Target::Address(address),
                (None, None) => return Err(invalid("the host is NULL")),
            };
            let place = connection.as_mut().ok_or_else(|| invalid("the place for the connection is NULL"))?;
            let preparing = Preparing { function: how.prepare, with: how.prepare_with };
            let prepare = move |config: &mut Config, to: SocketAddr| preparing.run(config, to);
            let expect = match Whom::read(how.expect, how.key)? {
                Whom::Usual => None,
                Whom::Stated(expect) => Some(expect),
            };
            let (user, stack) = (how.user, this.stack(stack)?);
            let how = How { expect, prepare: Some(Box::new(prepare)), first };
            let CListener { listener, reconnector, users, .. } = this;
            *place = reconnector.connect_with(listener, to, &stack, backoff, how)?.to_number();
            if !user.is_null() {
                users.insert(*place, user);
            }
            Ok(())
        })
    }
}
