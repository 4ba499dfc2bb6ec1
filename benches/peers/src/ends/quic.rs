//! QUIC by quinn: one stream for each connection, with messages behind their length. All of an end is in one thread.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::{ClientConfig, Connection, Endpoint, RecvStream, SendStream, ServerConfig, TransportConfig};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio::runtime::Runtime;

use super::tcp::{append, divide};
use crate::end::{End, Id, Result, Setup, Take};

/// One end, with connections.
pub struct Quic {
    to: Option<SocketAddr>,
    runtime: Runtime,
    endpoint: Endpoint,
    is_crowded: bool,
    streams: BTreeMap<Id, Stream>,
    buffer: Vec<u8>,
}

struct Stream {
    connection: Connection,
    send: SendStream,
    receive: RecvStream,
    waiting: Vec<u8>,
    partial: Vec<u8>,
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// quinn's defaults, but connections that do nothing for minutes stay.
fn transport() -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config.max_idle_timeout(Some(quinn::IdleTimeout::from(quinn::VarInt::from_u32(600_000))));
    Arc::new(config)
}

/// A certificate that the server makes up. The client trusts any: it is compared by nobody here, but all is encrypted.
fn server() -> Result<ServerConfig> {
    let made = rcgen::generate_simple_self_signed(vec!["peer".into()]).map_err(told)?;
    let key = PrivatePkcs8KeyDer::from(made.key_pair.serialize_der());
    let certificate = CertificateDer::from(made.cert);
    let mut config = ServerConfig::with_single_cert(vec![certificate], key.into()).map_err(told)?;
    config.transport_config(transport());
    Ok(config)
}

fn client() -> Result<ClientConfig> {
    let crypto = rustls::ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(any::Any))
        .with_no_client_auth();
    let crypto = quinn::crypto::rustls::QuicClientConfig::try_from(crypto).map_err(told)?;
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport());
    Ok(config)
}

impl Quic {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, setup: &Setup) -> Result<Quic> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().event_interval(8).build().map_err(told)?;
        let any = "0.0.0.0:0".parse().expect("an address");
        let inside = runtime.enter();
        let endpoint = match to {
            None => Endpoint::server(server()?, any).map_err(told)?,
            Some(_) => {
                let mut endpoint = Endpoint::client(any).map_err(told)?;
                endpoint.set_default_client_config(client()?);
                endpoint
            }
        };
        drop(inside);
        let is_crowded = setup.connections > 1;
        Ok(Quic { to, runtime, endpoint, is_crowded, streams: BTreeMap::new(), buffer: vec![0; 256 << 10] })
    }

    fn add(&mut self, (connection, send, receive): (Connection, SendStream, RecvStream)) -> Id {
        let id = self.streams.len() as Id;
        self.streams.insert(id, Stream { connection, send, receive, waiting: vec![], partial: vec![] });
        id
    }

    /// Accepts a connection and its stream, if they come in this time.
    fn accept(&mut self, wait: Duration) -> Result<Option<Id>> {
        let endpoint = &self.endpoint;
        let come = async {
            let connection = endpoint.accept().await.ok_or("the endpoint is closed")?.await.map_err(told)?;
            let (send, receive) = connection.accept_bi().await.map_err(told)?;
            Ok::<_, String>((connection, send, receive))
        };
        // The time begins within the runtime.
        match self.runtime.block_on(async { tokio::time::timeout(wait, come).await }) {
            Ok(all) => all.map(|all| Some(self.add(all))),
            Err(_) => Ok(None),
        }
    }
}

impl Stream {
    async fn read(&mut self, wait: Duration, buffer: &mut [u8]) -> Result<usize> {
        let read = self.receive.read(buffer);
        let got = if wait.is_zero() {
            tokio::select! { biased; got = read => Some(got), () = tokio::task::yield_now() => None }
        } else {
            tokio::time::timeout(wait, read).await.ok()
        };
        match got {
            None => Ok(0),
            Some(Ok(Some(got))) => Ok(got),
            Some(Ok(None)) => Err("the peer has ended the stream".into()),
            Some(Err(error)) => Err(told(error)),
        }
    }

    /// The endpoint's and the connection's own tasks run once, so that frames leave.
    async fn write(&mut self) -> Result<()> {
        self.send.write_all(&self.waiting).await.map_err(told)?;
        self.waiting.clear();
        tokio::task::yield_now().await;
        Ok(())
    }
}

impl End for Quic {
    fn connect(&mut self) -> Result<Id> {
        let to = self.to.ok_or("a server does not connect")?;
        let endpoint = &self.endpoint;
        let all = self.runtime.block_on(async {
            let connection = endpoint.connect(to, "peer").map_err(told)?.await.map_err(told)?;
            let (send, receive) = connection.open_bi().await.map_err(told)?;
            Ok::<_, String>((connection, send, receive))
        })?;
        Ok(self.add(all))
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        let stream = self.streams.get_mut(&to).ok_or("no such connection")?;
        append(&mut stream.waiting, message);
        Ok(true)
    }

    /// Waits for room in the stream, as calls of quinn do.
    fn flush(&mut self) -> Result<()> {
        // Of many connections only the last has anything to send.
        let Some(mut stream) = self.streams.last_entry() else { return Ok(()) };
        if stream.get().waiting.is_empty() {
            return Ok(());
        }
        self.runtime.block_on(stream.get_mut().write())
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        // Where there are many connections, each sends one message, one after the other.
        let accepts = self.to.is_none() && (self.is_crowded || self.streams.is_empty());
        // A handshake that is given up half way does not begin again, so even who polls waits for it.
        let wait = if accepts { Duration::from_secs(5) } else { wait };
        if accepts && self.accept(wait)?.is_none() {
            return Ok(());
        }
        let Some(mut entry) = self.streams.last_entry() else { return Ok(()) };
        let id = *entry.key();
        let stream = entry.get_mut();
        let got = self.runtime.block_on(stream.read(wait, &mut self.buffer))?;
        divide(&mut stream.partial, &self.buffer[..got], &mut |message| take(id, message));
        Ok(())
    }

    fn port(&self) -> u16 {
        self.endpoint.local_addr().map_or(0, |at| at.port())
    }

    fn counters(&self) -> String {
        let Some((_, stream)) = self.streams.last_key_value() else { return String::new() };
        let all = stream.connection.stats();
        format!(
            "sent_packets:{};lost_packets:{};congestion_events:{};cwnd:{};rtt_us:{};mtu:{};",
            all.path.sent_packets,
            all.path.lost_packets,
            all.path.congestion_events,
            all.path.cwnd,
            all.path.rtt.as_micros(),
            all.path.current_mtu,
        )
    }
}

/// Trusts every certificate.
mod any {
    use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
    use rustls::{DigitallySignedStruct, Error, SignatureScheme};

    /// Any certificate is accepted.
    #[derive(Debug)]
    pub struct Any;

    type Signed = Result<HandshakeSignatureValid, Error>;

    impl ServerCertVerifier for Any {
        fn verify_server_cert(
            &self,
            _: &CertificateDer<'_>,
            _: &[CertificateDer<'_>],
            _: &ServerName<'_>,
            _: &[u8],
            _: UnixTime,
        ) -> Result<ServerCertVerified, Error> {
            Ok(ServerCertVerified::assertion())
        }

        fn verify_tls12_signature(&self, _: &[u8], _: &CertificateDer<'_>, _: &DigitallySignedStruct) -> Signed {
            Ok(HandshakeSignatureValid::assertion())
        }

        fn verify_tls13_signature(&self, _: &[u8], _: &CertificateDer<'_>, _: &DigitallySignedStruct) -> Signed {
            Ok(HandshakeSignatureValid::assertion())
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
        }
    }
}
