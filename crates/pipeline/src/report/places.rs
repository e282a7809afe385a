//! Where is a host? Names → addresses by the system's resolver, addresses → countries by a GeoIP file.
//!
//! - [`Location`]: an address and perhaps a country. - [`GeoIp`]: the file. - [`locate`]: of many hosts, some at a time, each with a time limit.
//!
//! A host whose name leads nowhere has no location: that is no failure.

use crate::Error;
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

/// Where a host is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Its address.
    pub ip: String,
    /// The country of the address.
    pub country: Option<String>,
}

/// Names asked for at a time, and how long each may take.
const AT_A_TIME: usize = 16;
const LONGEST: Duration = Duration::from_secs(3);

/// A database of countries in MaxMind's format.
pub struct GeoIp(maxminddb::Reader<Vec<u8>>);

#[derive(Deserialize)]
struct Entry {
    country: Option<Country>,
}

#[derive(Deserialize)]
struct Country {
    iso_code: Option<String>,
}

impl GeoIp {
    /// Opens a country database in the format `.mmdb`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let told = |reason: String| Error::GeoIp { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|error| told(error.to_string()))?;
        maxminddb::Reader::from_source(bytes).map(Self).map_err(|error| told(error.to_string()))
    }

    /// Two letters, such as `FR`.
    pub fn country(&self, ip: IpAddr) -> Option<String> {
        self.0.lookup(ip).ok()?.decode::<Entry>().ok()??.country?.iso_code
    }
}

/// Looks up hosts; those that have no address are left out.
pub async fn locate(hosts: &[String], geoip: Option<&GeoIp>) -> BTreeMap<String, Location> {
    let asked = hosts.iter().map(|host| async move { Some((host.clone(), located(host, geoip).await?)) });
    let found: Vec<_> = futures::stream::iter(asked).buffer_unordered(AT_A_TIME).collect().await;
    found.into_iter().flatten().collect()
}

async fn located(host: &str, geoip: Option<&GeoIp>) -> Option<Location> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let ip = match bare.parse::<IpAddr>() {
        Ok(ip) => ip,
        Err(_) => {
            let asked = tokio::time::timeout(LONGEST, tokio::net::lookup_host((host, 80))).await;
            // The smallest, so that two reports of a host with many addresses agree.
            asked.ok()?.ok()?.map(|address| address.ip()).min()?
        }
    };
    Some(Location { ip: ip.to_string(), country: geoip.and_then(|geoip| geoip.country(ip)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&[0x40 | text.len() as u8], text.as_bytes()].concat()
    }

    fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let all = entries.iter().flat_map(|(name, value)| [text(name), value.clone()].concat());
        [0xe0 | entries.len() as u8].into_iter().chain(all).collect()
    }

    fn short(number: u16) -> Vec<u8> {
        [&[0xa2], &number.to_be_bytes()[..]].concat()
    }

    /// 127.0.0.0/8 is in France; the rest is nowhere. The format is MaxMind's, version 2.
    fn database() -> Vec<u8> {
        let (nodes, network) = (8u32, 127u8);
        let record = |number: u32| number.to_be_bytes()[1..].to_vec();
        let mut bytes = Vec::new();
        for bit in 0..nodes {
            let next = if bit == nodes - 1 { nodes + 16 } else { bit + 1 };
            let side = network >> (7 - bit) & 1;
            bytes.extend(
                [record(if side == 0 { next } else { nodes }), record(if side == 1 { next } else { nodes })].concat(),
            );
        }
        bytes.extend([0; 16]);
        bytes.extend(map(&[("country", map(&[("iso_code", text("FR"))]))]));
        bytes.extend(b"\xab\xcd\xefMaxMind.com");
        bytes.extend(map(&[
            ("node_count", [&[0xc4], &nodes.to_be_bytes()[..]].concat()),
            ("record_size", short(24)),
            ("ip_version", short(4)),
            ("database_type", text("Test")),
            ("languages", vec![0x00, 0x04]),
            ("binary_format_major_version", short(2)),
            ("binary_format_minor_version", short(0)),
            ("build_epoch", vec![0x01, 0x02, 0x01]),
            ("description", map(&[])),
        ]));
        bytes
    }

    #[tokio::test]
    async fn hosts_have_addresses_and_countries() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("country.mmdb");
        std::fs::write(&path, database()).unwrap();
        let geoip = GeoIp::open(&path).unwrap();
        let hosts = ["127.0.0.1".to_owned(), "[::1]".to_owned(), "no-such-host.invalid".to_owned()];
        let found = locate(&hosts, Some(&geoip)).await;
        assert_eq!(found["127.0.0.1"], Location { ip: "127.0.0.1".to_owned(), country: Some("FR".to_owned()) });
        assert_eq!((found["[::1]"].country.clone(), found.len()), (None, 2));
        std::fs::write(&path, "nonsense").unwrap();
        assert!(GeoIp::open(&path).err().unwrap().to_string().contains("country.mmdb"));
    }
}
