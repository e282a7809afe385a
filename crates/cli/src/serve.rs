//! `pagekin serve`: the whole job in a browser, on this machine or, with TLS and a password, from others.

use crate::args::FetchArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::report::published;
use crate::run::args::{DbArgs, PagesArgs};
use crate::run::opened;
use crate::talk::Talk;
use anyhow::{Context, Result, bail};
use clap::Args;
use pagekin::Stop;
use pagekin_web::serve::remote::{Remote, TlsFiles};
use pagekin_web::serve::secrets::Secrets;
use pagekin_web::serve::{Settings, serve};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tokio::net::TcpListener;

#[derive(Debug, Args)]
#[command(after_help = "\
Only this machine can reach it. The address that is printed holds a token; whoever opens it is logged in.
Programs send the token as `Authorization: Bearer`; /api/openapi.json says what they can ask.
Watches that are due are run while it serves.

With --allow-remote other machines reach it by --hostname, and people log in with a password: the first line of
--password-file, or PAGEKIN_PASSWORD. It needs TLS: from files, or of a proxy before it (--behind-proxy), which has to
set X-Forwarded-For.

Examples:
  pagekin serve
  pagekin serve --db drivers.db --port 0 --open
  pagekin serve --allow-remote --hostname data.example.org --port 443 --tls-cert chain.pem --tls-key key.pem \\
    --password-file password.txt
  pagekin serve --allow-remote --hostname data.example.org --behind-proxy --password-file password.txt")]
pub struct ServeArgs {
    /// Port to serve on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub port: u16,
    /// Open the address in the browser
    #[arg(long)]
    pub open: bool,
    /// Sites that are worked on at the same time
    #[arg(long, value_name = "N", value_parser = crate::args::positive, default_value = "2")]
    pub sites: usize,
    #[command(flatten)]
    pub remote: RemoteArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
    #[command(flatten)]
    pub fetch: FetchArgs,
}

/// Shortest password that is taken: what five guesses in a quarter of an hour never find.
const SHORTEST: usize = 12;

#[derive(Debug, Args)]
pub struct RemoteArgs {
    /// Let other machines reach it; needs --hostname, a password, and TLS files or --behind-proxy
    #[arg(long, requires = "hostname")]
    pub allow_remote: bool,
    /// Name that it is reached by, as browsers write it; repeatable
    #[arg(long, value_name = "NAME", requires = "allow_remote")]
    pub hostname: Vec<String>,
    /// Address to listen on [default: 0.0.0.0 with TLS files, else 127.0.0.1]
    #[arg(long, value_name = "IP", requires = "allow_remote")]
    pub bind: Option<IpAddr>,
    /// PEM file with the certificate and those that vouch for it
    #[arg(long, value_name = "FILE", requires_all = ["allow_remote", "tls_key"], conflicts_with = "behind_proxy")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with its key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// A proxy before it has TLS, and says who asks in X-Forwarded-For
    #[arg(long, requires = "allow_remote")]
    pub behind_proxy: bool,
    /// File with the password in its first line; else PAGEKIN_PASSWORD
    #[arg(long, value_name = "FILE", requires = "allow_remote")]
    pub password_file: Option<PathBuf>,
}

impl RemoteArgs {
    /// None without `--allow-remote`.
    fn remote(&self) -> Result<Option<Remote>> {
        if !self.allow_remote {
            return Ok(None);
        }
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }),
            _ if self.behind_proxy => None,
            _ => bail!(
                "`--allow-remote` needs TLS: passwords would be readable on the way\n\n\
                 hint: give --tls-cert and --tls-key, or --behind-proxy where a proxy has TLS"
            ),
        };
        Ok(Some(Remote { names: self.hostname.clone(), password: self.password()?, tls }))
    }

    fn password(&self) -> Result<String> {
        let given = match &self.password_file {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read `{}`\n\nhint: its first line is the password", path.display()))?,
            None => std::env::var("PAGEKIN_PASSWORD").unwrap_or_default(),
        };
        let password = given.lines().next().unwrap_or_default().to_owned();
        if password.chars().count() < SHORTEST {
            bail!(
                "`--allow-remote` needs a password of {SHORTEST} letters or more\n\n\
                 hint: put it into a file and give that with --password-file, or set PAGEKIN_PASSWORD"
            );
        }
        Ok(password)
    }

    fn bind(&self) -> IpAddr {
        let usual = if self.tls_cert.is_some() { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        self.bind.unwrap_or(usual.into())
    }
}

pub async fn run(args: &ServeArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let remote = args.remote.remote()?;
    let store = opened(&args.db, true).await?;
    let listener = TcpListener::bind((args.remote.bind(), args.port)).await.with_context(|| {
        format!("cannot serve on port {}\n\nhint: is it taken? `--port 0` takes a free one", args.port)
    })?;
    let address = listener.local_addr().context("the port has no address\n\nhint: try again")?;
    let secrets = Secrets::new().context("the system gives no random numbers\n\nhint: try again")?;
    let url = match &remote {
        Some(remote) => remote.names.first().map(|name| format!("https://{name}/")).unwrap_or_default(),
        None => format!("http://{address}/?token={}", secrets.token()),
    };
    talk.say(format_args!("serving `{}` until Ctrl-C:\n\n  {url}\n", store.place()));
    if remote.is_some() {
        talk.say(format_args!("listening on {address}; programs send `Authorization: Bearer {}`\n", secrets.token()));
    }
    if args.open {
        open(&url, talk);
    }
    let source = config.fetch(&args.fetch, 0, stop.clone());
    let settings = Settings {
        store,
        pages: args.kept.folder(&args.db),
        secrets,
        local: config.local(&source),
        source,
        publish: Some(published(config.privacy.ready()?)),
        privacy: config.privacy.clone(),
        stop,
        at_once: args.sites,
        remote,
    };
    serve(listener, settings).await?;
    Ok(Exit::Done)
}

fn open(url: &str, talk: &Talk) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        talk.say(format_args!("hint: `{program}` cannot open it ({error}); copy the address into a browser"));
    }
}
