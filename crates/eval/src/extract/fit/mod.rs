//! Fits what values of a role look like: sites with truth → [`FittedRoles`], of all sites or without a fold of them.
//!
//! ```text
//! site ─► observe (tokens of true values, and of all texts) ─► tables ─┐
//! site, tables of the other sites ─► signals of all candidates ────────┴─► weights
//! ```
//!
//! - [`Observed`]: all sites, seen. - [`Fold`]: the sites that are left out: the n-th of each vertical. - [`left_out`]: domain files without
//!   what serves only the site that is measured.
//!
//! Signals of a site come from tables that were made without it, so that weights are those of unseen sites. Same data, same file.

pub mod left_out;
mod observe;
mod tables;
mod weights;

use super::truth::Site;
use crate::Error;
use left_out::LeftOut;
use observe::{Aligned, Seen};
use pagekin::extract::Domain;
use pagekin::extract::fitted::weigh::Weights;
use pagekin::extract::fitted::{FittedRoles, Tables};
use rayon::prelude::*;
use std::collections::BTreeMap;
use weights::Group;

/// So many folds; SWDE has six sites of each vertical here.
pub const FOLDS: usize = 6;

/// The sites of one place in their verticals, or none.
pub type Fold = Option<usize>;

/// All sites, seen.
pub struct Observed<'s> {
    sites: &'s [Site],
    domains: &'s BTreeMap<String, Domain>,
    seen: Vec<Seen>,
    folds: Vec<usize>,
}

impl<'s> Observed<'s> {
    pub fn new(sites: &'s [Site], domains: &'s BTreeMap<String, Domain>) -> Result<Self, Error> {
        let seen = sites.par_iter().map(|site| Ok(Seen::of(&Aligned::new(site)?))).collect::<Result<_, Error>>()?;
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        let folds = sites.iter().map(|site| {
            let n = times.entry(site.vertical()).or_default();
            *n += 1;
            (*n - 1) % FOLDS
        });
        Ok(Self { sites, domains, seen, folds: folds.collect() })
    }

    /// The fold that leaves a site out.
    pub fn fold_of(&self, site: &str) -> Fold {
        self.sites.iter().position(|one| one.id == site).map(|at| self.folds[at])
    }

    /// The domain file of a site without what serves it alone.
    pub fn domain(&self, site: &Site, how: LeftOut) -> Domain {
        let domain = self.domains.get(site.vertical()).cloned().unwrap_or_default();
        let others = |other: &Site| other.id != site.id && other.vertical() == site.vertical();
        let own = self.sites.iter().position(|one| one.id == site.id).map(|at| &self.seen[at]);
        let others: Vec<&Seen> =
            self.sites.iter().zip(&self.seen).filter(|(other, _)| others(other)).map(|(_, seen)| seen).collect();
        left_out::without(domain, how, own, &others)
    }

    /// What is fitted on all sites.
    pub fn fit_all(&self) -> Result<FittedRoles, Error> {
        let folds: Vec<Fold> = std::iter::once(None).chain((0..FOLDS).map(Some)).collect();
        Ok(self.fit(&folds)?.remove(0))
    }

    /// What is fitted without each fold, in their order.
    pub fn fit_folds(&self) -> Result<Vec<FittedRoles>, Error> {
        self.fit(&(0..FOLDS).map(Some).collect::<Vec<_>>())
    }

    /// What is fitted with each of these folds left out; confidence is that of all folds but the own.
    fn fit(&self, folds: &[Fold]) -> Result<Vec<FittedRoles>, Error> {
        let of_site = |at: usize| self.groups(at, folds);
        let groups: Vec<Vec<Vec<Group>>> =
            (0..self.sites.len()).into_par_iter().map(of_site).collect::<Result<_, Error>>()?;
        let fitted = folds.par_iter().enumerate().map(|(number, fold)| {
            let kept = groups.iter().enumerate().filter(|(at, _)| Some(self.folds[*at]) != *fold);
            let own: Vec<&Group> = kept.flat_map(|(_, of_site)| &of_site[number]).collect();
            let weights = |title: bool| -> Weights {
                weights::fit(&own.iter().copied().filter(|group| group.title == title).collect::<Vec<_>>())
            };
            let of_vertical = |vertical: &String| (vertical.clone(), self.tables(vertical, *fold, None));
            let trades = self.domains.keys().map(of_vertical).collect();
            FittedRoles { title: weights(true), other: weights(false), trades }
        });
        let mut fitted: Vec<FittedRoles> = fitted.collect();
        self.settle(&mut fitted, folds, &groups);
        Ok(fitted)
    }

    /// When the file decides and how sure a choice is, as the sites show that each of the other folds left out.
    fn settle(&self, fitted: &mut [FittedRoles], folds: &[Fold], groups: &[Vec<Vec<Group>>]) {
        let known = fitted.to_vec();
        for (own, one) in folds.iter().zip(fitted) {
            for title in [true, false] {
                let others = (0..folds.len()).filter(|number| folds[*number].is_some() && folds[*number] != *own);
                let left_out: Vec<(&Group, &Weights)> = others
                    .flat_map(|number| {
                        let weights = if title { &known[number].title } else { &known[number].other };
                        let sites = (0..groups.len()).filter(move |at| Some(self.folds[*at]) == folds[number]);
                        let all = sites.flat_map(move |at| &groups[at][number]);
                        all.filter(move |group| group.title == title).map(move |group| (group, weights))
                    })
                    .collect();
                let weights = if title { &mut one.title } else { &mut one.other };
                weights::settle(weights, &left_out);
            }
        }
    }

    /// The tables of a vertical without a fold and a site.
    fn tables(&self, vertical: &str, fold: Fold, without: Option<usize>) -> BTreeMap<String, Tables> {
        let kept = |at: &usize| {
            self.sites[*at].vertical() == vertical && Some(self.folds[*at]) != fold && Some(*at) != without
        };
        let seen: Vec<&Seen> = (0..self.sites.len()).filter(kept).map(|at| &self.seen[at]).collect();
        let roles = self.domains.get(vertical).into_iter().flat_map(Domain::wanted);
        roles.map(|role| (role.name.clone(), tables::of_role(&seen, &role.name))).collect()
    }

    /// The candidates of a site for each fold, seen with tables that were made without it.
    fn groups(&self, at: usize, folds: &[Fold]) -> Result<Vec<Vec<Group>>, Error> {
        let site = &self.sites[at];
        let aligned = Aligned::new(site)?;
        let of_fold = |fold: &Fold| {
            let tables = self.tables(site.vertical(), *fold, Some(at));
            let fitted = FittedRoles {
                trades: BTreeMap::from([(site.vertical().to_owned(), tables)]),
                ..FittedRoles::default()
            };
            let ways = [LeftOut::Labels, LeftOut::Strict];
            ways.into_iter()
                .flat_map(|how| weights::groups(&aligned, &self.domain(site, how).with_fitted(&fitted)))
                .collect()
        };
        Ok(folds.iter().map(of_fold).collect())
    }
}
