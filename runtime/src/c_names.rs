//! Names of hosts: found while the program waits, or meanwhile, in a thread.

use crate::c_address::CAddress;
use crate::c_loan::Loan;
use crate::c_notice::{in_c, CNotice};
use crate::c_text::invalid;
use crate::error::Error;
use crate::waker::Waker;
use std::ffi::CString;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;

/// How many names are looked for at once.
const LOOKUPS_MAX: usize = 16;

/// How often a program looks that waits for the descriptor, while names are looked for, in nanoseconds.
const LOOK_AFTER: u64 = 10_000_000;

/// All addresses of a host, which may be a name or an address; IPv6 ones may have a scope (`fe80::1%eth0`).
pub(crate) fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Error> {
    let found: io::Result<Vec<SocketAddr>> = (host, port).to_socket_addrs().map(Iterator::collect);
    let found = found.map_err(Error::io("cannot find the host's address"))?;
    match found.is_empty() {
        true => Err(invalid(&format!("`{host}` has no address"))),
        false => Ok(found),
    }
}

/// The first result of a function of one address after the other that is no `Invalid`: an address of the wrong family.
pub(crate) fn first_of<T>(
    addresses: Vec<SocketAddr>,
    mut run: impl FnMut(SocketAddr) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut first = None;
    for address in addresses {
        match run(address) {
            Err(error @ (Error::Invalid(_) | Error::Io { .. })) => first = first.or(Some(error)),
            other => return other,
        }
    }
    Err(first.unwrap_or_else(|| invalid("the host has no address")))
}

/// What was found of a name that was asked for under a number.
type Found = (u64, Result<Vec<SocketAddr>, Error>);

/// Names that are looked for.
#[derive(Default)]
pub(crate) struct Lookups {
    results: Option<(Sender<Found>, Receiver<Found>)>,
    pending: usize,
    last: u64,
}

impl Lookups {
    /// Begins to look for a name; the waker is used when it is found.
    ///
    /// Errors: `Full`, `Io`.
    pub(crate) fn begin(&mut self, host: String, port: u16, waker: Waker) -> Result<u64, Error> {
        if self.pending == LOOKUPS_MAX {
            return Err(Error::Full("names that are looked for"));
        }
        let (sender, _) = self.results.get_or_insert_with(channel);
        let (sender, number) = (sender.clone(), self.last + 1);
        let look = move || {
            // The listener may be gone.
            let _ = sender.send((number, resolve(&host, port)));
            waker.wake();
        };
        thread::Builder::new().spawn(look).map_err(Error::io("cannot begin a thread"))?;
        (self.last, self.pending) = (number, self.pending + 1);
        Ok(number)
    }

    /// The notice of a name that has been found.
    pub(crate) fn take(&mut self, text: &mut CString, loan: &mut Loan) -> Option<CNotice> {
        let (number, found) = self.results.as_ref()?.1.try_recv().ok()?;
        self.pending -= 1;
        let mut notice = CNotice { kind: CNotice::RESOLVED, connection: number, ..CNotice::empty() };
        match found {
            Ok(found) => {
                let addresses: Vec<CAddress> = found.into_iter().map(CAddress::from).collect();
                notice.arguments[0] = addresses.len() as u64;
                (notice.data, notice.len) = loan.lend_addresses(&addresses);
            }
            Err(error) => {
                *text = in_c(&error.to_string());
                notice.text = text.as_ptr();
            }
        }
        Some(notice)
    }

    /// In how many nanoseconds to look, if the program waits for the descriptor.
    pub(crate) fn look_after(&self) -> u64 {
        if self.pending == 0 {
            u64::MAX
        } else {
            LOOK_AFTER
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_tried_until_one_is_not_invalid() {
        let all: Vec<SocketAddr> = (1..=3).map(|port| ([127, 0, 0, 1], port).into()).collect();
        let run = |most: u16| {
            let mut tried = Vec::new();
            let found = first_of(all.clone(), |address| {
                tried.push(address.port());
                if address.port() < most {
                    return Err(invalid(&address.to_string()));
                }
                Ok(address.port())
            });
            (found.map_err(|error| error.to_string()), tried)
        };
        assert_eq!(run(2), (Ok(2), vec![1, 2]));
        assert_eq!(run(9), (Err("127.0.0.1:1".into()), vec![1, 2, 3]));
        let stopped = first_of(all, |_| Err::<(), _>(Error::Full("connections")));
        assert!(matches!(stopped, Err(Error::Full(_))));
    }
}
