//! PostgreSQL in a build without it: nothing of it can be opened, so nothing of it is ever called.
//!
//! - [`Postgres`]: has no value. The feature `postgres` puts the real one in its place.

use crate::backend::{Outcome, Statement};
use crate::stream::Sender;
use crate::value::{Row, Value};
use crate::{Error, Result};
use std::time::Duration;

#[derive(Clone)]
pub enum Postgres {}

impl Postgres {
    pub async fn open(url: &str, patience: Duration) -> Result<Self> {
        Self::connected(url, patience)
    }

    pub async fn open_to_read(url: &str, patience: Duration) -> Result<Self> {
        Self::connected(url, patience)
    }

    pub fn connected(_: &str, _: Duration) -> Result<Self> {
        Err(Error::Open {
            place: "postgres://…".to_owned(),
            reason: "this program was built without PostgreSQL".to_owned(),
            hint: "build it with the feature `postgres`, or give a SQLite file",
        })
    }

    pub fn apart(&self) -> Result<Self> {
        match *self {}
    }

    pub fn place(&self) -> &str {
        match *self {}
    }

    pub async fn transact(&self, _: &[Statement]) -> Result<Vec<Outcome>> {
        match *self {}
    }

    pub async fn fetch(&self, _: &str, _: &[Value], _: Duration) -> Result<(Vec<String>, Vec<Row>)> {
        match *self {}
    }

    pub async fn only_reads(&self) -> Result<()> {
        match *self {}
    }

    pub async fn define(&self, _: &str) -> Result<()> {
        match *self {}
    }

    pub fn stream(&self, _: String, _: Vec<Value>, _: Sender) {
        match *self {}
    }
}
