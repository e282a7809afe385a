//! How is the server reached from other machines? TLS from files, or a proxy before it that has TLS; always a password.
//!
//! - [`Remote`]: what the user says. - [`Peer`]: who is at the other end of a connection. - [`TlsListener`]: connections that have shaken hands.
//!
//! Hands are shaken in tasks of their own: one slow client must not keep the others waiting.

use crate::Error;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Connections that shake hands at the same time, and how long one may take.
const AT_ONCE: usize = 256;
const SLOWEST: Duration = Duration::from_secs(10);

/// Before the next try when the system gives no connection: it may have run out of files.
const PAUSE: Duration = Duration::from_millis(200);

pub struct Remote {
    /// Names that the server is reached by.
    pub names: Vec<String>,
    pub password: String,
    /// None: a proxy before the server has it, and says who asks in `X-Forwarded-For`.
    pub tls: Option<TlsFiles>,
}

/// PEM files.
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

impl Connected<IncomingStream<'_, TcpListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TcpListener>) -> Self {
        Self(*stream.remote_addr())
    }
}

impl Connected<IncomingStream<'_, TlsListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TlsListener>) -> Self {
        Self(*stream.remote_addr())
    }
}

pub struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    pub fn start(listener: TcpListener, files: &TlsFiles) -> Result<Self, Error> {
        let acceptor = TlsAcceptor::from(Arc::new(configured(files)?));
        let address = listener.local_addr().map_err(|cause| Error::Serve { address: "?".to_owned(), cause })?;
        let (shaken, ready) = mpsc::channel(AT_ONCE);
        tokio::spawn(accept_all(listener, acceptor, shaken));
        Ok(Self { ready, address })
    }
}

async fn accept_all(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    shaken: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    while !shaken.is_closed() {
        let Ok(turn) = turns.clone().acquire_owned().await else { return };
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let (acceptor, shaken) = (acceptor.clone(), shaken.clone());
        tokio::spawn(async move {
            if let Ok(Ok(stream)) = tokio::time::timeout(SLOWEST, acceptor.accept(stream)).await {
                let _ = shaken.send((stream, peer)).await; // The server ends.
            }
            drop(turn);
        });
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}

fn configured(files: &TlsFiles) -> Result<rustls::ServerConfig, Error> {
    let wrong = |path: &Path, cause: String| Error::Tls { path: path.display().to_string(), cause };
    let read = |path: &Path| std::fs::read(path).map_err(|error| wrong(path, error.to_string()));
    let text = read(&files.certificate)?;
    let chain: Result<Vec<CertificateDer>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|error| wrong(&files.certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(&files.certificate, "it holds no certificate".to_owned()));
    }
    let key =
        PrivateKeyDer::from_pem_slice(&read(&files.key)?).map_err(|error| wrong(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&files.certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| wrong(&files.key, error.to_string()))?;
    Ok(config)
}
