//! Is this network address somewhere a public web site can be?
//!
//! - [`refusal`]: the name of the private or special range an address lies in.
//! - [`PublicOnly`]: the resolver of the HTTP client. It looks at the addresses that will be connected to, so neither a
//!   redirect nor a name that changes its address between two questions, or two runs, gets past it.
//! - [`is_at_home`]: hosts that are private by what they are called, and cannot come to be anywhere else.
//! - [`Anywhere`]: the same without a look at the addresses. - [`NoSuchName`]: there are none.
//! - [`Refused`]: the error it gives, found again in the client's error.
//!
//! Addresses written in a URL never reach a resolver: [`literal`] is for those.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

#[derive(Debug, Clone, thiserror::Error)]
#[error("`{host}` is at {address}, a {range} address")]
pub struct Refused {
    host: String,
    address: IpAddr,
    range: &'static str,
}

/// The range that makes the address unfit for the public web.
pub fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

/// The address written in the URL itself, when it must not be asked.
pub fn literal(url: &Url) -> Option<Refused> {
    let address = match url.host()? {
        Host::Ipv4(address) => IpAddr::V4(address),
        Host::Ipv6(address) => IpAddr::V6(address),
        Host::Domain(_) => return None,
    };
    refusal(address).map(|range| Refused { host: url.host_str().unwrap_or("").to_owned(), address, range })
}

/// Is it private by the way it is written? An address cannot move, and `localhost` is this machine everywhere (RFC 6761, 6.3).
/// Any other name is where its owner says, and that may be another place tomorrow.
pub fn is_at_home(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(_) => literal(url).is_some(),
        None => false,
    }
}

/// The special-purpose registry of IANA (RFC 6890 and its updates).
fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    let range = match address.octets() {
        [0, ..] => "unspecified",
        [127, ..] => "loopback",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private",
        [169, 254, ..] => "link-local",
        [100, 64..=127, ..] => "carrier-shared",
        [224..=239, ..] => "multicast",
        [240..=255, ..] => "reserved",
        [192, 0, 0, _] | [198, 18..=19, ..] => "special-purpose",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "documentation",
        _ => return None,
    };
    Some(range)
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = embedded_v4(address) {
        return refusal_v4(inner);
    }
    let range = match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => "loopback",
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0, ..] => "reserved",
        [0xfc00..=0xfdff, ..] => "private",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xfec0..=0xfeff, ..] => "site-local",
        [0xff00..=0xffff, ..] => "multicast",
        [0x64, 0xff9b, 1, ..] => "local translation (NAT64)",
        [0x100, 0, 0, 0, ..] => "discard",
        [0x2001, 0, ..] => "Teredo tunnel",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "documentation",
        _ => return None,
    };
    Some(range)
}

/// The IPv4 address that an IPv6 form stands for: mapped, NAT64, 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => (high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => (high, low),
        [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
}

/// Resolves by the system and drops every address that is not public.
pub struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move { public(name.as_str(), lookup(name.as_str()).await?) })
    }
}

/// Resolves by the system, wherever that leads.
pub struct Anywhere;

impl Resolve for Anywhere {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move { Ok(Box::new(lookup(name.as_str()).await?.into_iter()) as Addrs) })
    }
}

#[derive(Debug, Clone, thiserror::Error)]
#[error("the name `{host}` was not found: {reason}")]
pub struct NoSuchName {
    host: String,
    reason: String,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

async fn lookup(name: &str) -> Result<Vec<SocketAddr>, BoxError> {
    // Port 0: the client puts in the one of the URL.
    let found = tokio::net::lookup_host((name, 0)).await;
    Ok(found.map_err(|error| NoSuchName { host: name.to_owned(), reason: error.to_string() })?.collect())
}

fn public(host: &str, found: Vec<SocketAddr>) -> Result<Addrs, BoxError> {
    let (kept, dropped): (Vec<_>, Vec<_>) = found.into_iter().partition(|address| refusal(address.ip()).is_none());
    match (kept.is_empty(), dropped.first()) {
        (true, Some(first)) => {
            let range = refusal(first.ip()).unwrap_or("private");
            Err(Refused { host: host.to_owned(), address: first.ip(), range }.into())
        }
        _ => Ok(Box::new(kept.into_iter())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_special_ranges_are_refused_in_every_form() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.8",
            "198.18.0.1",
            "203.0.113.9",
            "::1",
            "::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:1::1",
            "2001:db8::1",
            "2001::1",
            "100::1",
        ] {
            assert!(refusal(text.parse().unwrap()).is_some(), "{text}");
        }
        for text in [
            "1.1.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.1.1",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert_eq!(refusal(text.parse().unwrap()), None, "{text}");
        }
    }

    #[test]
    fn addresses_in_urls_are_seen_in_every_spelling() {
        for text in
            ["http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://[::ffff:7f00:1]:8/", "http://0/"]
        {
            assert!(literal(&Url::parse(text).unwrap()).is_some(), "{text}");
        }
        assert!(literal(&Url::parse("http://localhost/").unwrap()).is_none());
        assert!(literal(&Url::parse("http://8.8.8.8/").unwrap()).is_none());
    }

    #[tokio::test]
    async fn names_are_resolved_to_public_addresses_only() {
        let error = PublicOnly.resolve("localhost".parse().unwrap()).await.err().expect("refused");
        assert!(error.downcast_ref::<Refused>().is_some(), "{error}");
    }

    #[test]
    fn only_addresses_and_localhost_are_at_home_by_their_name() {
        for (text, expected) in [
            ("http://10.0.0.1/", true),
            ("http://[::1]:8/", true),
            ("http://localhost:8/", true),
            ("http://shop.localhost/", true),
            ("http://localhost.example.org/", false),
            ("http://intranet/", false),
            ("http://8.8.8.8/", false),
        ] {
            assert_eq!(is_at_home(&Url::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_name_with_public_and_private_addresses_keeps_the_public_ones() {
        let found = vec!["10.0.0.1:0".parse().unwrap(), "1.1.1.1:0".parse().unwrap()];
        let kept: Vec<SocketAddr> = public("s", found).expect("some are public").collect();
        assert_eq!(kept, ["1.1.1.1:0".parse().unwrap()]);
    }
}
