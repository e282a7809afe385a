//! Columns in a build without them: no Parquet file can be written or read, and whoever tries is told why.
//!
//! - [`WordsFile`]: has no value. The feature `parquet` puts the real one in its place.

use crate::Error;
use pagekin_core::check::Reference;
use pagekin_fetch::Indexed;
use std::convert::Infallible;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;

const REASON: &str = "this program was built without the feature `parquet`";

/// A Parquet file, which is never begun.
pub struct WordsFile<W>(Infallible, PhantomData<W>);

impl<W: Write + Send> WordsFile<W> {
    /// Refuses, and says why.
    pub fn start(_: W, _: &[String]) -> Result<Self, Error> {
        Err(Error::Parquet(REASON.to_owned()))
    }

    /// Never called.
    pub fn write(&mut self, _: &[Vec<String>]) -> Result<(), Error> {
        match self.0 {}
    }

    /// Never called.
    pub fn finish(self) -> Result<W, Error> {
        match self.0 {}
    }
}

pub fn read_reference(path: &Path) -> Result<Reference, Error> {
    Err(Error::Reference { name: path.display().to_string(), reason: REASON.to_owned() })
}

pub fn read_index(path: &Path, _: &dyn Fn(&str) -> bool, _: &mut Indexed) -> Result<(), Error> {
    Err(Error::Index { path: path.to_owned(), reason: REASON.to_owned() })
}
