//! The numbers that were fitted: one readable file, written by `cargo xtask fit`, and the names in it.
//!
//! - [`Params`]: weights of what tells a kind by content ([`crate::features::kind`]), of what an address says before anything was
//!   looked at ([`super::prior`]), and how much the nodes of each kind may differ on a site ([`super::belief`]).

use super::answer::CONFIDENCE;
use super::belief::sigmoid;
use super::nodes::NODE_KINDS;
use super::prior::PRIORS;
use crate::features::kind::FEATURES;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Log-odds of "same kind" by content: bias, then for each feature its mean, deviation and weight.
    pub content_bias: f64,
    pub content: Vec<Feature>,
    /// Log-odds by content of pages of the kind and of others: their means, the variance around them on one site, and between sites.
    pub content_kin: f64,
    pub content_other: f64,
    pub content_variance: f64,
    pub content_between: f64,
    /// Log-odds of "same kind" by the address before anything was looked at.
    pub prior: Vec<f64>,
    /// Variance of the effect of a node, by its kind.
    pub variance: Vec<f64>,
    /// Looks that the sample counts for.
    pub sample_weight: f64,
    /// Log-odds that a page found is right, by what the whole search found ([`super::answer`]).
    pub confidence: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    pub mean: f64,
    pub deviation: f64,
    pub weight: f64,
}

static FITTED: LazyLock<Arc<Params>> = LazyLock::new(|| {
    let params: Params = serde_json::from_str(include_str!("params.json")).expect("`params.json` is tested");
    Arc::new(params)
});

impl Params {
    pub fn fitted() -> Arc<Self> {
        FITTED.clone()
    }

    /// Before anything was fitted: signs and sizes by hand, to begin with.
    pub fn unfitted() -> Self {
        let mut weights = [0.0; FEATURES];
        for at in [0, 1, 3, 4, 6, 7, 9, 10] {
            weights[at] = 0.25;
        }
        weights[20] = 0.5;
        weights[22] = 0.5;
        weights[25] = 0.5;
        weights[29] = -0.8;
        let content = weights.iter().map(|&weight| Feature { mean: 0.5, deviation: 0.25, weight }).collect();
        let mut prior = vec![0.0; PRIORS];
        prior[0] = -2.5;
        Self {
            content_bias: 0.0,
            content,
            content_kin: 2.0,
            content_other: -2.0,
            content_variance: 3.0,
            content_between: 2.0,
            prior,
            variance: vec![0.7; NODE_KINDS],
            sample_weight: 2.0,
            confidence: vec![1.0, 0.0, 0.0, 0.0, 0.0],
        }
    }

    pub fn content_odds(&self, features: &[f64]) -> f64 {
        let weighed = self.content.iter().zip(features);
        self.content_bias
            + weighed.map(|(one, x)| one.weight * ((x - one.mean) / one.deviation).clamp(-4.0, 4.0)).sum::<f64>()
    }

    /// How likely is a page found right?
    pub fn confidence(&self, features: &[f64; CONFIDENCE]) -> f64 {
        sigmoid(features.iter().zip(&self.confidence).map(|(x, weight)| x * weight).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_fitted_parameters_is_whole() {
        let params: Params = serde_json::from_str(include_str!("params.json")).unwrap();
        assert_eq!(*Params::fitted(), params);
        assert_eq!((params.content.len(), params.prior.len(), params.variance.len()), (FEATURES, PRIORS, NODE_KINDS));
        assert_eq!(params.confidence.len(), CONFIDENCE);
        assert!(params.variance.iter().all(|variance| *variance > 0.0));
        assert!(params.content.iter().all(|feature| feature.deviation > 0.0));
    }
}
