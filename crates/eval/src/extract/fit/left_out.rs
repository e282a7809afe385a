//! What would a domain file say if its author had never seen the site? Domain, site, other sites → the file without what serves the site alone.
//!
//! - [`LeftOut`]: how much is taken away.

use super::observe::Seen;
use pagekin::extract::Domain;

/// How much of a domain file is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// Labels that stand before true values on this site and on no other.
    Labels,
    /// All but the names of the roles: no other labels, no patterns, no further roles.
    Strict,
}

pub fn without(domain: Domain, how: LeftOut, own: Option<&Seen>, others: &[&Seen]) -> Domain {
    match how {
        LeftOut::Strict => bare(domain),
        LeftOut::Labels => without_labels(domain, own, others),
    }
}

fn bare(mut domain: Domain) -> Domain {
    domain.roles.retain(|role| !role.extra);
    for role in &mut domain.roles {
        role.synonyms = vec![role.name.replace('_', " ")];
        (role.schema, role.value, role.typed) = (Vec::new(), None, None);
    }
    domain
}

fn without_labels(mut domain: Domain, own: Option<&Seen>, others: &[&Seen]) -> Domain {
    for role in &mut domain.roles {
        let has = |seen: &Seen, label: &str| seen.has_label(&role.name, label);
        let only_here =
            |label: &String| own.is_some_and(|own| has(own, label)) && !others.iter().any(|other| has(other, label));
        role.synonyms.retain(|label| !only_here(label));
    }
    domain
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::extract::domain::parse;
    use pagekin::extract::fitted::views::VIEWS;
    use std::collections::BTreeMap;

    fn seen(label: &str) -> Seen {
        let mut shares = vec![BTreeMap::new(); VIEWS.len()];
        shares[3].insert(format!("={label}"), 1.0);
        Seen { roles: BTreeMap::from([("price".to_owned(), shares)]), all: vec![BTreeMap::new(); VIEWS.len()] }
    }

    #[test]
    fn labels_of_this_site_alone_are_left_out() {
        let file = "[roles.price]\nsynonyms=['price', 'msrp', 'our price']\nvalue='\\d'\n[roles.tax]\nextra=true\nsynonyms=['tax']";
        let domain = || parse(file).unwrap();
        let labels = |domain: Domain| domain.role("price").unwrap().synonyms.clone();
        let (here, there) = (seen("msrp"), seen("price"));
        assert_eq!(labels(without(domain(), LeftOut::Labels, Some(&here), &[&there])), ["price", "our price"]);
        assert_eq!(labels(without(domain(), LeftOut::Labels, Some(&there), &[&there])).len(), 3);
        let bare = without(domain(), LeftOut::Strict, Some(&here), &[&there]);
        assert_eq!((bare.roles.len(), bare.roles[0].value.is_none()), (1, true));
    }
}
