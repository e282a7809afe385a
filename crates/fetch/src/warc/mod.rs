//! What is in a WARC file, and how is one written? The format of stored pages (ISO 28500, WARC 1.0 and 1.1).
//!
//! From the bytes up: [`source`] reads at offsets, [`members`] undoes gzip and zstd, [`head`] understands the lines
//! of a record, [`read`] walks from record to record, [`http`] makes an exchange of a record. [`write`] is the way
//! back, [`check`] tells whether a file is as it was written. Nothing here knows which record answers an address: that is [`crate::archive`].

pub mod check;
pub mod digest;
pub mod head;
pub mod http;
pub mod members;
pub mod read;
pub mod source;
pub mod write;
