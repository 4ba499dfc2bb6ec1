//! A listener as a C program describes it.

use crate::c_names::{first_of, resolve};
use crate::c_text::{invalid, text};
use crate::capture::Captured;
use crate::error::Error;
use crate::faults::{Direction, Faults, Faulty};
use crate::listener::Listener;
use crate::options::{Options, Secret};
use crate::secure::keys::{Keys, Psk};
use crate::secure::signature::SigningKey;
use crate::transport::Transport;
use std::ffi::c_char;
use std::fs::File;
use std::io::BufWriter;
use std::net::{Ipv6Addr, SocketAddr};
use std::time::Duration;

/// `struct nacre_faults`.
#[repr(C)]
pub struct CFaults {
    pub loss: f64,
    pub duplicate: f64,
    pub reorder: f64,
    pub corrupt: f64,
    pub delay_ms: u32,
    pub jitter_ms: u32,
    pub seed: u64,
}

/// `struct nacre_options`.
#[repr(C)]
pub struct COptions {
    pub size: u32,
    pub connections: u32,
    pub connections_per_address: u32,
    pub unconfirmed: u32,
    pub unconfirmed_per_address: u32,
    pub retry_above: u32,
    pub identity: u64,
    pub pool_blocks: u32,
    pub ping_after_ms: u32,
    pub timeout_ms: u32,
    pub linger_ms: u32,
    pub faults: *const CFaults,
    pub capture: *const c_char,
    pub moves: u32,
    pub gather: u32,
    pub secret: *const [u8; 16],
    pub keys: *const [u8; 32],
    pub psk: *const [u8; 32],
    pub x25519_alone: u32,
    pub plain_beside_secure: u32,
    pub secure_stays: u32,
    pub reserved2: u32,
    pub signing: *const [u8; 32],
}

/// Creates `count` listeners on one address, configured by the options.
///
/// # Safety
/// `options` is NULL or has the size that it states, and what it points to is NULL or lives during the call.
pub(crate) unsafe fn listen(
    address: Option<&str>,
    port: u16,
    options: *const COptions,
    count: usize,
) -> Result<Vec<Listener>, Error> {
    let addresses = match address {
        Some(host) => resolve(host, port)?,
        None => vec![SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port)],
    };
    // SAFETY: the caller's promise.
    let Some(from) = (unsafe { options.as_ref() }) else {
        return first_of(addresses, |address| Listener::bind_shards(address, &Options::default(), count));
    };
    let mut options = to_options(from)?;
    // SAFETY: the caller's promise.
    options.secret = unsafe { from.secret.as_ref() }.copied().map(Secret);
    // SAFETY: the caller's promise.
    options.keys = unsafe { from.keys.as_ref() }.map(Keys::from_bytes);
    // SAFETY: the caller's promise.
    options.psk = unsafe { from.psk.as_ref() }.map(Psk::from_bytes);
    // SAFETY: the caller's promise.
    options.signing = unsafe { from.signing.as_ref() }.map(SigningKey::from_bytes);
    // SAFETY: the caller's promise.
    let (faults, file) = unsafe { (from.faults.as_ref(), text(from.capture)?) };
    if file.is_some() && count > 1 {
        return Err(invalid("several listeners cannot write one capture"));
    }
    let over = |udp| {
        let mut transport: Box<dyn Transport> = Box::new(udp);
        if let Some(file) = file {
            let open = File::create(file).and_then(|file| Captured::new(transport, BufWriter::new(file)));
            transport = Box::new(open.map_err(Error::io("cannot write the capture"))?);
        }
        if let Some(faults) = faults {
            let all = [faults.loss, faults.duplicate, faults.reorder, faults.corrupt];
            if !all.iter().all(|share| (0.0..=1.0).contains(share)) {
                return Err(invalid("a probability of nacre_faults is not from 0 to 1"));
            }
            transport = Box::new(Faulty::new(transport, to_faults(faults), Direction::Both));
        }
        Ok(transport)
    };
    first_of(addresses, |address| Listener::bind_shards_over(address, &options, count, over))
}

fn to_options(from: &COptions) -> Result<Options, Error> {
    if (from.size as usize) < std::mem::size_of::<COptions>() {
        return Err(invalid("nacre_options.size is not the struct's size"));
    }
    let default = Options::default();
    let or = |value: u32, default: usize| if value == 0 { default } else { value as usize };
    let ms = |value: u32, default: Duration| {
        if value == 0 {
            default
        } else {
            Duration::from_millis(value.into())
        }
    };
    Ok(Options {
        connections: or(from.connections, default.connections),
        connections_per_address: or(from.connections_per_address, default.connections_per_address),
        unconfirmed: or(from.unconfirmed, default.unconfirmed),
        unconfirmed_per_address: or(from.unconfirmed_per_address, default.unconfirmed_per_address),
        retry_above: if from.retry_above == u32::MAX { 0 } else { or(from.retry_above, default.retry_above) },
        identity: from.identity,
        pool_blocks: (from.pool_blocks != 0).then_some(from.pool_blocks),
        ping_after: ms(from.ping_after_ms, default.ping_after),
        timeout: ms(from.timeout_ms, default.timeout),
        linger: ms(from.linger_ms, default.linger),
        moves: from.moves != 0,
        gather: from.gather != 0,
        secure_moves: from.secure_stays == 0,
        hybrid: from.x25519_alone == 0,
        plain_beside_secure: from.plain_beside_secure != 0,
        ..default
    })
}

fn to_faults(from: &CFaults) -> Faults {
    Faults {
        loss: from.loss,
        duplicate: from.duplicate,
        reorder: from.reorder,
        corrupt: from.corrupt,
        delay: Duration::from_millis(from.delay_ms.into()),
        jitter: Duration::from_millis(from.jitter_ms.into()),
        seed: from.seed,
        ..Faults::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry_above(value: u32) -> usize {
        // SAFETY: all fields are numbers and pointers.
        let mut from: COptions = unsafe { std::mem::zeroed() };
        (from.size, from.retry_above) = (std::mem::size_of::<COptions>() as u32, value);
        to_options(&from).unwrap().retry_above
    }

    #[test]
    fn zero_is_the_default_and_the_greatest_number_always() {
        let default = Options::default().retry_above;
        assert_eq!([0, 1, u32::MAX].map(retry_above), [default, 1, 0]);
    }
}
