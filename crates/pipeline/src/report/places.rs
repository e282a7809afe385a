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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    pub ip: String,
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
