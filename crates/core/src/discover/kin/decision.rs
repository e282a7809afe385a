//! What is thought of an address: how likely it is kin, and why.

/// What is thought of an address.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decision {
    /// Probability of being kin.
    pub likely: f32,
    pub reason: Why,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Why {
    #[default]
    Unrelated,
    Looked,
    Verified,
    SiblingCells,
    Unverified,
    Rejected,
    SameNameRejected,
    Dead,
}

impl Decision {
    pub fn is_kin(self) -> bool {
        self.likely >= 0.5
    }

    pub fn why(self) -> &'static str {
        match self.reason {
            Why::Unrelated => "an address of another shape",
            Why::Looked => "looked at",
            Why::Verified => "verified by looks at other pages of its cell",
            Why::SiblingCells => "cells that differ in one folder were verified",
            Why::Unverified => "not verified",
            Why::Rejected => "other pages of its cell are of another kind",
            Why::Dead => "other pages of its cell do not answer",
            Why::SameNameRejected => "pages of this name are of another kind",
        }
    }

    pub fn new(likely: f64, reason: Why) -> Self {
        Self { likely: likely as f32, reason }
    }
}
