//! How many bytes of addresses may a site fill? Links beyond the budget are counted, not kept.
//!
//! Bytes are letters. A method keeps an address as a key, as an address and with what is known of its form: in memory that is about four times its
//! letters, and 200 bytes more.
//!
//! - [`AddressBudget`]: what is left of it, and what was left out. A page has a budget of its own
//!   ([`page::links`](crate::page::links)); whoever works on several sites at a time gives each its share of
//!   [`PROCESS_ADDRESS_BYTES`]. Links that one of these budgets left out are counted
//!   for the whole process ([`links_left_out`](crate::page::left_out::links_left_out)).

use crate::page::left_out::count_left_out;
use crate::pages::{Reason, Skipped};
use url::Url;

/// Bytes of the addresses of one site: a million addresses of 250 letters.
pub const SITE_ADDRESS_BYTES: usize = 256 << 20;

/// Bytes of the addresses of all sites that one process works on at a time.
pub const PROCESS_ADDRESS_BYTES: usize = 1 << 30;

/// The budget of each of so many sites that are worked on at a time.
pub fn share_of_process(sites: usize) -> usize {
    SITE_ADDRESS_BYTES.min(PROCESS_ADDRESS_BYTES / sites.max(1))
}

#[derive(Debug)]
pub struct AddressBudget {
    bytes: usize,
    left: usize,
    left_out: usize,
    /// The page whose links were left out first.
    first: Option<Url>,
}

impl AddressBudget {
    pub fn new(bytes: usize) -> Self {
        Self { bytes, left: bytes, left_out: 0, first: None }
    }

    /// May an address of so many bytes, not known yet, be kept? It is counted either way. `page` shows it.
    pub fn admits(&mut self, bytes: usize, page: &Url) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => {
                self.left_out += 1;
                count_left_out(1);
                self.first.get_or_insert_with(|| page.clone());
                return false;
            }
        }
        true
    }

    /// A row that tells what was left out.
    pub fn skipped(&self) -> Option<Skipped> {
        let detail = format!("{} links left out: addresses of the site fill {} bytes", self.left_out, self.bytes);
        self.first.as_ref().map(|page| Skipped::new(page, Reason::TooManyAddresses, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::left_out::links_left_out;

    #[test]
    fn what_does_not_fit_is_counted() {
        let page = Url::parse("http://s.org/list").unwrap();
        let (mut budget, before) = (AddressBudget::new(100), links_left_out());
        assert!(budget.admits(60, &page) && budget.skipped().is_none());
        assert!(!budget.admits(60, &page) && !budget.admits(41, &page));
        assert!(budget.admits(40, &page), "a shorter one still fits");
        let row = budget.skipped().unwrap();
        assert_eq!((row.url, row.reason), (page, Reason::TooManyAddresses));
        assert!(links_left_out() >= before + 2, "and in the number of the process");
        assert_eq!(row.detail, "2 links left out: addresses of the site fill 100 bytes");
    }

    #[test]
    fn sites_worked_on_together_share_the_budget_of_the_process() {
        assert_eq!(share_of_process(1), SITE_ADDRESS_BYTES);
        assert_eq!(share_of_process(16) * 16, PROCESS_ADDRESS_BYTES);
        assert_eq!(share_of_process(0), SITE_ADDRESS_BYTES);
    }
}
