//! Is the way to the database encrypted, and is it really the database? The `ssl…` parameters of an address → a connector.
//!
//! - [`Encryption`]: what the address asks for, as libpq has it: `sslmode=disable`, `prefer` (where the server offers it; the
//!   default), `require` (or no connection), `verify-ca` and `verify-full` (and its certificate must be by a known authority, and
//!   be made out to the host); `sslrootcert=FILE` names the authority, else the system's are known.
//!
//! `verify-ca` is as strict as `verify-full` here.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encryption {
    pub mode: SslMode,
    verified: bool,
    /// File of certificates of authorities.
    root: Option<String>,
}

impl Encryption {
    /// Takes what is about encryption out of an address, which the client does not know all of.
    pub fn of(url: &str) -> Result<(String, Self), String> {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let mut own = Self { mode: SslMode::Prefer, verified: false, root: None };
        let mut rest: Vec<&str> = Vec::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("sslmode", mode)) => (own.mode, own.verified) = named(mode)?,
                Some(("sslrootcert", file)) => own.root = Some(file.replace("%2F", "/").replace("%20", " ")),
                _ => rest.push(part),
            }
        }
        // As libpq: who names an authority wants it to have signed.
        own.verified |= own.root.is_some() && own.mode == SslMode::Require;
        Ok((if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) }, own))
    }

    pub fn connector(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = if self.verified {
            let known = Arc::new(self.authorities()?);
            WebPkiServerVerifier::builder_with_provider(known, provider).build().map_err(|error| error.to_string())?
        } else {
            Arc::new(Anybody(provider))
        };
        let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }

    fn authorities(&self) -> Result<RootCertStore, String> {
        let mut known = RootCertStore::empty();
        match &self.root {
            Some(file) => {
                let wrong =
                    |error: &dyn std::fmt::Display| format!("cannot read the certificates of `{file}`: {error}");
                for one in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
                    known.add(one.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))?;
                }
            }
            // One that cannot be read signs nothing; the others may.
            None => {
                let _ = known.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        if known.is_empty() { Err("no certificate of an authority is known".to_owned()) } else { Ok(known) }
    }
}

fn named(mode: &str) -> Result<(SslMode, bool), String> {
    match mode {
        "disable" => Ok((SslMode::Disable, false)),
        "allow" | "prefer" => Ok((SslMode::Prefer, false)),
        "require" => Ok((SslMode::Require, false)),
        "verify-ca" | "verify-full" => Ok((SslMode::Require, true)),
        other => Err(format!("`{other}` is no sslmode: disable, prefer, require, verify-ca or verify-full")),
    }
}

/// `require` asks for encryption, not for who it is.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_encryption_is_taken_out_of_the_address() {
        let of = |text: &str| Encryption::of(text).map(|(url, own)| (url, own.mode, own.verified));
        let address = "postgres://u@h/d";
        assert_eq!(of(address), Ok((address.to_owned(), SslMode::Prefer, false)));
        assert_eq!(of("postgres://u@h/d?sslmode=require"), Ok((address.to_owned(), SslMode::Require, false)));
        assert_eq!(
            of("postgres://u@h/d?a=1&sslmode=verify-full&sslrootcert=/x.pem"),
            Ok((format!("{address}?a=1"), SslMode::Require, true))
        );
        assert!(of("postgres://u@h/d?sslmode=maybe").is_err());
    }
}
