//! Why can an archive not be written? Damage met while reading is no error but a part of the answer: [`Damage`](crate::Damage).

use std::path::PathBuf;

/// Each message names the file and ends with a hint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system says no.
    #[error("cannot write archive `{path}`: {source}\n\nhint: check the folder, its rights and the free disk space")]
    Write {
        /// The archive.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },

    /// A new archive was wanted.
    #[error("archive `{path}` is there already\n\nhint: choose another name, or append to it")]
    Exists {
        /// The archive.
        path: PathBuf,
    },

    /// The name says how to pack it.
    #[error("`{path}` is no name for an archive\n\nhint: let it end in `.warc`, `.warc.gz` or `.warc.zst`")]
    Name {
        /// The name.
        path: PathBuf,
    },

    /// There is no whole record behind which to go on.
    #[error(
        "cannot append to `{path}`: it is no WARC file, or was cut off and compressed as a whole\n\n\
         hint: choose another name; both files can be read together"
    )]
    NotContinuable {
        /// The file.
        path: PathBuf,
    },
}
