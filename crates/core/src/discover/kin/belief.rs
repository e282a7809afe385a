//! How likely is each address of the sample's kind? A small regression that is fitted anew on each site, from the pages looked at.
//!
//! The log-odds of an address are those of its prior ([`super::prior`]) and the sum of the effects of its nodes ([`super::nodes`]).
//! Effects have a normal prior whose variance was fitted on other sites; the pages looked at are observations whose label is itself a
//! probability, from content and address together (expectation maximisation). So nothing is decided by one page, one
//! list or one distance, and a node nobody has looked at says nothing.

use super::nodes::{NODE_KINDS, NodeId, NodeKind, Nodes};
use super::params::Params;
use rustc_hash::FxHashSet;

/// Rounds of expectation and maximisation; the effects change by less than 0.01 after the tenth on all open sites.
const ROUNDS: usize = 12;

/// The chance at the start of a page that stands in one list with a sample.
const ASSUMED: f64 = 0.9;

/// A page looked at.
pub struct Observation {
    pub nodes: Vec<(NodeId, f64)>,
    /// Log-odds before looks.
    pub prior: f64,
    pub label: Label,
    pub weight: f64,
}

#[derive(Debug, Clone, Copy)]
pub enum Label {
    Known(bool),
    /// Log-odds by content.
    Content(f64),
}

/// What was learned of the nodes of a site.
#[derive(Default)]
pub struct Belief {
    effects: Vec<f64>,
    cut: Cut,
}

/// Where content parts the kind from other pages on this site: the mean log-odds of both. Sites differ in it more than in anything else.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cut {
    kin: f64,
    other: f64,
    /// Of pages of one kind around their mean.
    variance: f64,
}

/// The strongest evidence that content alone may be.
const STRONGEST: f64 = 4.0;

impl Cut {
    fn new(params: &Params) -> Self {
        Self { kin: params.content_kin, other: params.content_other, variance: params.content_variance }
    }

    /// Means by the expected labels, with those of other sites as prior.
    fn update(&mut self, contents: impl Iterator<Item = (f64, f64)>, params: &Params) {
        let mut sums = [(params.content_kin / params.content_between, 1.0 / params.content_between); 2];
        sums[1].0 = params.content_other / params.content_between;
        for (content, label) in contents {
            // A very different page must not pull the cut down so far that moderately different pages pass.
            let content = content.max(params.content_other);
            for (sum, share) in sums.iter_mut().zip([label, 1.0 - label]) {
                sum.0 += share * content / params.content_variance;
                sum.1 += share / params.content_variance;
            }
        }
        self.kin = sums[0].0 / sums[0].1;
        self.other = (sums[1].0 / sums[1].1).min(self.kin - 1.0);
    }

    /// Log-odds of content on this site.
    pub fn odds(&self, content: f64) -> f64 {
        let slope = (self.kin - self.other) / self.variance;
        (slope * (content - 0.5 * (self.kin + self.other))).clamp(-STRONGEST, STRONGEST)
    }
}

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Belief {
    /// Expectation maximisation finds the nearest of several answers that agree with themselves. So it starts twice: from what addresses and
    /// content say, and from "what stands in one list with a sample is of its kind"; the more likely of the two is kept.
    pub fn learn(nodes: &Nodes, observations: &[Observation], params: &Params) -> Self {
        let of_node = by_node(observations);
        let beside = beside_samples(nodes, observations);
        let plain = Self::learn_from(nodes, observations, params, &of_node, &[]);
        if beside.iter().all(|beside| !beside) {
            return plain.0;
        }
        let lists = Self::learn_from(nodes, observations, params, &of_node, &beside);
        if lists.1 > plain.1 { lists.0 } else { plain.0 }
    }

    /// What was learned, and how likely that makes the observations. `beside` are those taken for kin at the start.
    fn learn_from(
        nodes: &Nodes,
        observations: &[Observation],
        params: &Params,
        of_node: &[(NodeId, Vec<(usize, f64)>)],
        beside: &[bool],
    ) -> (Self, f64) {
        let mut belief = Self { effects: vec![0.0; nodes.count()], cut: Cut::new(params) };
        let mut odds: Vec<f64> = observations.iter().map(|one| one.prior).collect();
        for round in 0..ROUNDS {
            let assumed = |at: usize| round == 0 && beside.get(at).copied().unwrap_or(false);
            let expected = |(at, one): (usize, &Observation)| match one.label {
                Label::Content(_) if assumed(at) => ASSUMED,
                label => belief.expected(label, odds[at]),
            };
            let labels: Vec<f64> = observations.iter().enumerate().map(expected).collect();
            let contents = observations.iter().zip(&labels).filter_map(|(one, &label)| match one.label {
                Label::Content(content) => Some((content, label)),
                Label::Known(_) => None,
            });
            belief.cut.update(contents, params);
            for (node, seen) in of_node {
                let variance = params.variance[nodes.kind(*node) as usize].max(1e-6);
                let effect = belief.effects[*node as usize];
                let (mut slope, mut curve) = (effect / variance, 1.0 / variance);
                for &(at, x) in seen {
                    let p = sigmoid(odds[at]);
                    slope += observations[at].weight * x * (p - labels[at]);
                    curve += observations[at].weight * x * x * (p * (1.0 - p)).max(0.05);
                }
                let step = (slope / curve).clamp(-2.0, 2.0);
                belief.effects[*node as usize] -= step;
                for &(at, x) in seen {
                    odds[at] -= x * step;
                }
            }
        }
        let likelihood = belief.likelihood(nodes, observations, &odds, params);
        (belief, likelihood)
    }

    /// The logarithm, up to a constant: of the observations, and of effects and cut under their priors.
    fn likelihood(&self, nodes: &Nodes, observations: &[Observation], odds: &[f64], params: &Params) -> f64 {
        let of = |(one, &odds): (&Observation, &f64)| match one.label {
            Label::Known(known) => one.weight * sigmoid(if known { odds } else { -odds }).ln(),
            Label::Content(content) => {
                let content = content.max(params.content_other);
                let near = |mean: f64| (-0.5 * (content - mean).powi(2) / self.cut.variance).exp();
                let chance = sigmoid(odds);
                (chance * near(self.cut.kin) + (1.0 - chance) * near(self.cut.other)).max(1e-12).ln()
            }
        };
        let seen: f64 = observations.iter().zip(odds).map(of).sum();
        let effects = self.effects.iter().enumerate().filter(|(_, effect)| **effect != 0.0);
        let unlikely = |(node, effect): (usize, &f64)| {
            0.5 * effect * effect / params.variance[nodes.kind(node as NodeId) as usize].max(1e-6)
        };
        let cut = (self.cut.kin - params.content_kin).powi(2) + (self.cut.other - params.content_other).powi(2);
        seen - effects.map(unlikely).sum::<f64>() - 0.5 * cut / params.content_between
    }

    /// The chance that a page looked at is of the kind: content and address add in log-odds.
    pub fn expected(&self, label: Label, odds: f64) -> f64 {
        match label {
            Label::Known(known) => f64::from(u8::from(known)),
            Label::Content(content) => sigmoid(odds + self.cut.odds(content)),
        }
    }

    /// Log-odds that the nodes add.
    pub fn of(&self, weighed: impl Iterator<Item = (NodeId, f64)>) -> f64 {
        weighed.map(|(node, x)| x * self.effects.get(node as usize).copied().unwrap_or(0.0)).sum()
    }
}

/// Which observations stand in one list with one that is known to be of the kind?
fn beside_samples(nodes: &Nodes, observations: &[Observation]) -> Vec<bool> {
    let lists = |one: &Observation| -> Vec<NodeId> {
        let of = one.nodes.iter().map(|(node, _)| *node);
        of.filter(|&node| nodes.kind(node) == NodeKind::List).collect()
    };
    let known = observations.iter().filter(|one| matches!(one.label, Label::Known(true)));
    let of_samples: FxHashSet<NodeId> = known.flat_map(lists).collect();
    observations.iter().map(|one| lists(one).iter().any(|list| of_samples.contains(list))).collect()
}

/// Observations by node, in the order of nodes.
fn by_node(observations: &[Observation]) -> Vec<(NodeId, Vec<(usize, f64)>)> {
    let mut all: Vec<(NodeId, usize, f64)> = Vec::new();
    for (at, one) in observations.iter().enumerate() {
        all.extend(one.nodes.iter().map(|&(node, x)| (node, at, x)));
    }
    all.sort_by_key(|&(node, at, _)| (node, at));
    let mut grouped: Vec<(NodeId, Vec<(usize, f64)>)> = Vec::new();
    for (node, at, x) in all {
        match grouped.last_mut() {
            Some((last, seen)) if *last == node => seen.push((at, x)),
            _ => grouped.push((node, vec![(at, x)])),
        }
    }
    grouped
}

/// Nodes of an address with their weights: those of one kind share one weight, however many they are.
pub fn weighed<'n>(
    nodes: &'n Nodes,
    of: impl Iterator<Item = &'n NodeId> + Clone + 'n,
) -> impl Iterator<Item = (NodeId, f64)> + 'n {
    let mut times = [0u32; NODE_KINDS];
    for &node in of.clone() {
        times[nodes.kind(node) as usize] += 1;
    }
    let shares: [f64; NODE_KINDS] = times.map(|times| 1.0 / f64::from(times.max(1)).sqrt());
    of.map(move |&node| (node, shares[nodes.kind(node) as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::kin::nodes::NodeKind;

    fn observed(node: NodeId, label: Label) -> Observation {
        Observation { nodes: vec![(node, 1.0)], prior: -1.0, label, weight: 1.0 }
    }

    #[test]
    fn a_node_that_nobody_looked_at_says_nothing() {
        let mut nodes = Nodes::default();
        let (seen, unseen) = (nodes.id(NodeKind::Folder, 1), nodes.id(NodeKind::Folder, 2));
        let belief = Belief::learn(&nodes, &[observed(seen, Label::Known(true))], &Params::unfitted());
        let (effect, none) = (belief.of([(seen, 1.0)].into_iter()), belief.of([(unseen, 1.0)].into_iter()));
        assert!(effect > 0.1 && none == 0.0, "{effect} {none}");
    }

    #[test]
    fn looks_that_agree_move_a_node_further_than_one() {
        let mut nodes = Nodes::default();
        let node = nodes.id(NodeKind::List, 1);
        let params = Params::unfitted();
        let effect = |looks: usize, kin: bool| {
            let observations: Vec<Observation> = (0..looks).map(|_| observed(node, Label::Known(kin))).collect();
            Belief::learn(&nodes, &observations, &params).of([(node, 1.0)].into_iter())
        };
        assert!(effect(4, true) > effect(1, true) && effect(1, true) > 0.0);
        assert!(effect(4, false) < effect(1, false) && effect(1, false) < 0.0);
    }

    #[test]
    fn content_and_address_add_and_the_chance_is_a_chance() {
        let (nodes, params) = (Nodes::default(), Params::fitted());
        let belief = Belief::learn(&nodes, &[], &params);
        let mut before = 0.0;
        for content in [-50.0, -5.0, 0.0, 5.0, 50.0] {
            let chance = belief.expected(Label::Content(content), 0.0);
            assert!((0.0..=1.0).contains(&chance) && chance >= before, "{content}: {chance}");
            assert!(belief.expected(Label::Content(content), 3.0) >= chance);
            before = chance;
        }
    }
}
