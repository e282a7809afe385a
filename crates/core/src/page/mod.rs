//! What is in these bytes? [`RawPage`] → document tree, links with link-paths, text leaves.
//!
//! - [`read`]: charset, tree, limits. - [`charset`], [`parser`], [`dom`]: those of the crate `pagekin-html`. - [`links`]: where it points. - [`embedded`]: where its data
//!   points. - [`paths`]: link-paths in all notations. - [`text`]: what it says. - [`address`]: when two addresses are one
//!   page. - [`sitemap`]: what the site says of its pages. - [`robots`]: what a page asks of robots. - [`posted`]: which addresses
//!   its forms do something at. - [`file_names`]: which addresses are those of files. - [`layout`]: where it stands when it is drawn.
//!
//! Knows nothing of sites, similarity or fetching.

pub mod address;
pub mod embedded;
pub mod file_names;
pub mod forward;
pub mod layout;
pub mod left_out;
pub mod links;
pub mod paths;
pub mod place;
pub mod posted;
pub mod robots;
pub mod shape;
pub mod sitemap;
pub mod state_changing;
pub mod text;

pub use links::{Link, Origin, Rel};
pub use pagekin_html::{Document, Limits, NodeId, Refused, charset, dom, parser};
pub use paths::{Notation, PathId, PathTable};

use crate::pages::RawPage;
use pagekin_html::names;

/// Decodes and parses a page.
pub fn read(raw: &RawPage, limits: &Limits) -> Result<Document, Refused> {
    let top_level_domain = raw.url.host_str().and_then(|host| host.rsplit('.').next());
    let text = charset::decode(&raw.body, raw.content_type.as_deref(), top_level_domain);
    let mut document = parser::parse(&text, limits)?;
    document.set_nofollow(raw.robots.nofollow);
    Ok(document)
}
