//! Does what leaves pagekin hold up? Files for people, what of people is kept, and proofs, each held against a program that nobody
//! here wrote.

#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "mcp")]
mod agents;
mod outputs;
mod people;
mod proofs;
mod support;
