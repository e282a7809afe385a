//! Have the figures dropped? Report, floors kept in the repository → which fell below.
//!
//! - [`Floors`]: the file of discovery, by method. - [`FigureFloors`]: the file of extraction, tables and runs, by figure. - [`Fall`],
//!   [`FigureFall`]: a figure below its floor.
//!
//! Floors only go up; lowering one needs a reason in the commit. Does not measure, and does not write the files.

use crate::Error;
use crate::report::{Report, Summary};
use pagekin::discover::Method;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// Hash of the sites the floors hold for.
    pub corpus: String,
    /// Samples of each kind they were measured with; none is all.
    pub samples: Option<usize>,
    /// By method.
    pub floors: BTreeMap<String, Floor>,
    /// How far below a floor is noise.
    pub margin: f64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    pub f1: f64,
    pub precision: f64,
    pub recall: f64,
}

/// A figure below its floor by more than the margin.
#[derive(Debug, Clone, PartialEq)]
pub struct Fall {
    pub method: Method,
    pub figure: &'static str,
    pub value: f64,
    pub floor: f64,
}

impl fmt::Display for Fall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}` is {:.4}, below its floor {:.4}", self.figure, self.method, self.value, self.floor)
    }
}

impl Floors {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        let wrong = |reason: String| Error::Floors { path: path.to_owned(), reason };
        let floors: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if floors.methods().count() != floors.floors.len() || floors.floors.is_empty() {
            return Err(wrong("its floors are not those of methods that exist".to_owned()));
        }
        Ok(floors)
    }

    pub fn methods(&self) -> impl Iterator<Item = Method> {
        self.floors.keys().filter_map(|name| name.parse().ok())
    }

    /// Figures on other sites cannot be compared.
    pub fn check_corpus(&self, measured: &str) -> Result<(), Error> {
        if measured == self.corpus {
            return Ok(());
        }
        Err(Error::CorpusChanged { measured: measured.to_owned(), expected: self.corpus.clone() })
    }

    /// Methods without a floor pass.
    pub fn check(&self, report: &Report) -> Result<Vec<Fall>, Error> {
        self.check_corpus(&report.corpus)?;
        Ok(report.methods.iter().flat_map(|summary| self.falls(summary)).collect())
    }

    fn falls(&self, summary: &Summary) -> Vec<Fall> {
        let Some(floor) = self.floors.get(summary.method.name()) else { return Vec::new() };
        let figures = [
            ("F1", summary.f1, floor.f1),
            ("precision", summary.precision, floor.precision),
            ("recall", summary.recall, floor.recall),
        ];
        let fallen = figures.into_iter().filter(|(_, value, floor)| *value < floor - self.margin);
        fallen.map(|(figure, value, floor)| Fall { method: summary.method, figure, value, floor }).collect()
    }
}

/// Floors of figures that no method is told by: extraction, tables, runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureFloors {
    /// By what is measured (`tables`, `extract-domain`, ...), by figure.
    pub floors: BTreeMap<String, BTreeMap<String, f64>>,
    /// How far below a floor is noise.
    pub margin: f64,
}

/// A figure below its floor by more than the margin, or one that was not measured.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureFall {
    pub figure: String,
    pub value: Option<f64>,
    pub floor: f64,
}

impl fmt::Display for FigureFall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "`{}` is {value:.4}, below its floor {:.4}", self.figure, self.floor),
            None => write!(f, "`{}` was not measured, and has the floor {:.4}", self.figure, self.floor),
        }
    }
}

impl FigureFloors {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        serde_json::from_str(&text).map_err(|error| Error::Floors { path: path.to_owned(), reason: error.to_string() })
    }

    /// What is measured under a name that the file does not hold passes.
    pub fn check(&self, measured: &str, figures: &[(&str, f64)]) -> Vec<FigureFall> {
        let floors = self.floors.get(measured).into_iter().flatten();
        let fall = |(name, floor): (&String, &f64)| {
            let value = figures.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
            let fallen = value.is_none_or(|value| value < floor - self.margin);
            fallen.then(|| FigureFall { figure: name.clone(), value, floor: *floor })
        };
        floors.filter_map(fall).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_below_their_floors_are_told() {
        let floors: FigureFloors =
            serde_json::from_str(r#"{"margin": 0.01, "floors": {"tables": {"f1": 0.8, "titles": 0.9}}}"#).unwrap();
        assert!(floors.check("tables", &[("f1", 0.795), ("titles", 1.0)]).is_empty());
        assert!(floors.check("run", &[("f1", 0.1)]).is_empty());
        let told: Vec<String> = floors.check("tables", &[("f1", 0.7)]).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["`f1` is 0.7000, below its floor 0.8000", "`titles` was not measured, and has the floor 0.9000"]
        );
    }
}
