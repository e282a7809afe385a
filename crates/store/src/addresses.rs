//! Which addresses are known? Those of pages that were fetched and of entities that were found.

use crate::stream::Rows;
use crate::{Result, Store};

const ADDRESSES: &str = "SELECT p.url AS url FROM pages p JOIN sites s ON s.id = p.site_id
        WHERE p.status BETWEEN 200 AND 299 AND (CAST($1 AS TEXT) IS NULL OR s.name = $1)
    UNION
    SELECT e.url FROM entities e JOIN classes c ON c.id = e.class_id JOIN sites s ON s.id = c.site_id
        WHERE e.gone_run IS NULL AND (CAST($1 AS TEXT) IS NULL OR s.name = $1)
    ORDER BY url";

impl Store {
    /// Of one site, or of all; sorted.
    pub async fn addresses(&self, site: Option<&str>) -> Result<Rows> {
        self.select(ADDRESSES, vec![site.into()]).await
    }
}
