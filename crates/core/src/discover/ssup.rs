//! .
use super::{Discovery, Error, Settings};
use crate::pages::Pages;
use crate::site::SiteSettings;
use url::Url;

pub async fn discover<P: Pages>(
    _pages: &P,
    samples: &[Url],
    _settings: &Settings,
    _site: SiteSettings,
) -> Result<Discovery, Error> {
    Err(Error::Sample(samples[0].clone(), String::new()))
}
