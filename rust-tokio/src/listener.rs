//! The listener, as tasks use it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use nacre_runtime::instance::Config;
use nacre_runtime::{ConnectionId, Expect, ListenerStatistics, Options, Prepare, Stack};

use crate::connection::{wait, Connection};
use crate::core::Core;
use crate::driver::Driver;
use crate::error::{Ended, Error};
use crate::limits::Limits;
use crate::shared::Shared;
use crate::sorter::Notice;

/// Connections that share a socket, driven by a task of the tokio runtime that it was made in.
///
/// Dropping it refuses those that were not accepted, and peers that come later. Accepted ones go on; the task ends when
/// all their handles were dropped and they are closed.
pub struct Listener {
    shared: Arc<Shared>,
}

impl Listener {
    /// A listener on a UDP address; port 0 takes any, `[::]` serves IPv4 too.
    ///
    /// Errors: `Runtime` with `Io`.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time, as what tokio itself provides.
    pub fn bind(address: SocketAddr, options: Options) -> Result<Listener, Error> {
        Listener::over(nacre_runtime::Listener::bind(address, options)?, Limits::default())
    }

    /// Drives any listener that has a descriptor, over UDP, shared memory, or with faults. It has no connections yet.
    ///
    /// Errors: `Runtime` with `Invalid` if it has none, or with `Io` if it cannot be watched.
    ///
    /// # Panics
    /// As `bind`.
    pub fn over(listener: nacre_runtime::Listener, limits: Limits) -> Result<Listener, Error> {
        let invalid = |why: &str| nacre_runtime::Error::Invalid(why.into());
        let descriptor = listener.descriptor().ok_or_else(|| invalid("the transport has no descriptor to watch"))?;
        let mut core = Core::new(listener, limits);
        core.handles = 1;
        let shared = Shared::new(core);
        let driver = Driver::new(descriptor, shared.clone());
        let driver =
            driver.map_err(|cause| nacre_runtime::Error::Io { doing: "cannot watch the descriptor", cause })?;
        tokio::spawn(driver.run());
        Ok(Listener { shared })
    }

    /// The address that peers send to.
    pub fn local(&self) -> SocketAddr {
        self.shared.local
    }

    /// Lets peers begin connections with a stack.
    ///
    /// Errors: `Runtime` with `Invalid`; `Ended`.
    pub fn serve(&self, stack: &Stack) -> Result<(), Error> {
        self.serve_with(stack, None)
    }

    /// The same, with a function that sets the stack's own givens for each connection. It must not call this listener.
    ///
    /// Errors: as `serve`.
    pub fn serve_with(&self, stack: &Stack, prepare: Option<Prepare>) -> Result<(), Error> {
        Ok(self.shared.with(|core| core.listener.serve_with(stack, prepare))??)
    }

    /// The next connection that a peer has begun. One that has ended meanwhile is returned if it has messages.
    ///
    /// Cancel-safe: a call that is cancelled has taken nothing.
    ///
    /// Errors: `Stopped`.
    pub async fn accept(&self) -> Result<Connection, Ended> {
        tokio::task::coop::consume_budget().await;
        let slot = wait(&self.shared.arrivals, || match self.shared.with(Core::accept).and_then(|found| found) {
            Ok(found) => found.map(Ok),
            Err(ended) => Some(Err(ended)),
        });
        Ok(Connection::new(slot.await?, self.shared.clone()))
    }

    /// Connects to a peer: waits until the peer has answered, if the stack asks it to; otherwise not.
    ///
    /// A call that is cancelled ends the connection.
    ///
    /// Errors: `Runtime` with `Full` or `Invalid` (also for port 0, and an address of another family); `Ended`, with
    /// `Timeout` if the peer does not answer for `Options::timeout`.
    pub async fn connect(&self, to: SocketAddr, stack: &Stack) -> Result<Connection, Error> {
        self.begin(to, stack, |_| {})?.when_opened(stack).await
    }

    /// The same with a stack that has keys, and a peer that proves who it is.
    ///
    /// Errors: as `connect`.
    pub async fn connect_secure(&self, to: SocketAddr, stack: &Stack, expect: Expect) -> Result<Connection, Error> {
        let begin = |core: &mut Core| core.listener.connect_secure(to, stack, expect, |_| {});
        self.begin_by(to, begin)?.when_opened(stack).await
    }

    /// Begins a connection without waiting for the peer, with a function that sets givens of the stack and must not
    /// call this listener. Messages may be sent at once.
    ///
    /// Errors: as `connect`, but for `Timeout`.
    pub fn begin(&self, to: SocketAddr, stack: &Stack, prepare: impl FnOnce(&mut Config)) -> Result<Connection, Error> {
        self.begin_by(to, |core| core.listener.connect_with(to, stack, prepare))
    }

    /// The same with whom the connection expects; None: as `begin`.
    pub(crate) fn begin_expecting(
        &self,
        to: SocketAddr,
        stack: &Stack,
        expect: Option<Expect>,
    ) -> Result<Connection, Error> {
        self.begin_by(to, |core| match expect {
            None => core.listener.connect(to, stack),
            Some(expect) => core.listener.connect_secure(to, stack, expect, |_| {}),
        })
    }

    /// The time of the runtime's listener.
    pub(crate) fn now(&self) -> Result<u64, Ended> {
        self.shared.with(|core| core.listener.now())
    }

    fn begin_by(
        &self,
        to: SocketAddr,
        connect: impl FnOnce(&mut Core) -> Result<ConnectionId, nacre_runtime::Error>,
    ) -> Result<Connection, Error> {
        check_reachable(self.shared.local, to)?;
        let slot = self.shared.with(|core| {
            let id = connect(core)?;
            let slot = core.enter(id, to).ok_or(nacre_runtime::Error::NoConnection)?;
            core.handles += 1;
            Ok::<_, nacre_runtime::Error>(slot)
        })??;
        Ok(Connection::new(slot, self.shared.clone()))
    }

    /// The next event that concerns no connection of this listener. Of those that nobody asks for, the last 256 are
    /// kept.
    ///
    /// Errors: `Stopped`.
    pub async fn notice(&self) -> Result<Notice, Ended> {
        wait(&self.shared.notices, || match self.shared.with(Core::take_notice) {
            Ok(found) => found.map(Ok),
            Err(ended) => Some(Err(ended)),
        })
        .await
    }

    /// Numbers about all connections.
    ///
    /// Errors: `Stopped`.
    pub fn statistics(&self) -> Result<ListenerStatistics, Ended> {
        self.shared.with(|core| core.listener.statistics())
    }

    /// Accepts no connections any more, and waits until the handles of all accepted ones were dropped and they are
    /// closed.
    pub async fn finish(self) {
        let shared = self.shared.clone();
        drop(self);
        wait(&shared.over, || shared.is_over().then_some(())).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.shared.with(|core| {
            core.stop_accepting();
            core.handles -= 1;
        });
    }
}

/// Connects to a peer from any free port, with a listener that no one else uses. As [`Listener::connect`].
///
/// # Panics
/// As [`Listener::bind`].
pub async fn connect(to: SocketAddr, stack: &Stack) -> Result<Connection, Error> {
    let any: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let options = Options { connections: 1, ..Options::default() };
    Listener::bind(SocketAddr::new(any, 0), options)?.connect(to, stack).await
}

impl Connection {
    /// Waits until the peer has answered, if the stack greets it.
    async fn when_opened(self, stack: &Stack) -> Result<Connection, Error> {
        let greets = stack.events().iter().any(|event| event.input && event.port == 0 && event.name == "hello");
        if greets || stack.is_secure() {
            self.opened().await?;
        }
        Ok(self)
    }
}

/// Errors: `Invalid` for addresses to which no frame can be sent.
fn check_reachable(local: SocketAddr, to: SocketAddr) -> Result<(), nacre_runtime::Error> {
    let invalid = |why: String| Err(nacre_runtime::Error::Invalid(why));
    if to.port() == 0 {
        return invalid(format!("{to}: the port is 0"));
    }
    let serves_both = local.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    let is_same = SocketAddr::new(to.ip().to_canonical(), 0).is_ipv4() == local.is_ipv4();
    if !serves_both && !is_same {
        return invalid(format!("{to} has another address family than {local}"));
    }
    Ok(())
}
