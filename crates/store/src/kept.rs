//! What did a run find? Classes, pages, index pages, entities, templates, wrappers, skipped pages ↔ rows.
//!
//! Each of these is written so that writing it again changes nothing: a run that goes on after a crash may do so. Does not
//! know how anything was found.

use crate::backend::Statement;
use crate::records::CHUNK;
use crate::runs::{Run, written};
use crate::value::{Row, Value, fitting};
use crate::{Error, Result, Store};
use jiff::Timestamp;
use pagekin_core::pages::Skipped;
use url::Url;

/// A kind of pages of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    pub id: i64,
    pub name: String,
    /// What the last run learned of where its pages are linked, for a refresh.
    pub learned: Option<String>,
}

/// An answer that was kept in an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRow {
    pub url: String,
    pub status: u16,
    pub hash: String,
    pub content_type: Option<String>,
    pub bytes: usize,
    /// Of the server that answered.
    pub address: Option<String>,
    pub fetched_at: Timestamp,
    pub archive: String,
    pub position: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow {
    pub url: Url,
    pub level: usize,
    pub parent: Option<Url>,
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EntityRow {
    pub url: Url,
    pub confidence: f64,
    pub via: Option<Url>,
    pub evidence: String,
    /// No link is known that leads to it.
    pub unlinked: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateRow {
    pub template: String,
    pub known: usize,
    pub tried: usize,
    pub found: usize,
    pub ended: String,
}

pub type SkippedRow = Skipped;

/// Why a known page is not among those that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absence {
    /// It was asked for and is not there.
    Missing,
    /// It is there, and no list shows it any more.
    Unlinked,
    /// Nobody looked: the run was cut, or the page did not answer. It stays current.
    NotSeen,
}

impl Absence {
    pub const ALL: [Self; 3] = [Self::Missing, Self::Unlinked, Self::NotSeen];

    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unlinked => "unlinked",
            Self::NotSeen => "not-seen",
        }
    }

    /// As a person says it.
    pub fn told(self) -> &'static str {
        if self == Self::NotSeen { "not seen" } else { self.name() }
    }
}

const PAGE: &str = "INSERT INTO pages
        (site_id, url, status, hash, content_type, bytes, address, fetched_at, run_id, archive, position)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (site_id, {url}) DO UPDATE SET status = excluded.status, hash = excluded.hash,
        content_type = excluded.content_type, bytes = excluded.bytes, address = excluded.address,
        fetched_at = excluded.fetched_at, run_id = excluded.run_id, archive = excluded.archive,
        position = excluded.position";

const INDEX: &str = "INSERT INTO indexes (class_id, url, level, parent, evidence) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (class_id, {url}) DO UPDATE SET level = excluded.level, parent = excluded.parent,
        evidence = excluded.evidence";

/// A page seen again is not absent; one that a link leads to now is no longer unlinked.
const ENTITY: &str = "INSERT INTO entities (class_id, url, confidence, via, evidence, unlinked, first_run)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (class_id, {url}) DO UPDATE SET confidence = excluded.confidence, via = excluded.via,
        evidence = excluded.evidence, unlinked = excluded.unlinked,
        back_run = CASE WHEN entities.gone_run IS NULL THEN entities.back_run ELSE $7 END,
        was_gone = COALESCE(entities.gone_run, entities.was_gone),
        was_absence = CASE WHEN entities.gone_run IS NULL THEN entities.was_absence ELSE entities.absence END,
        gone_run = NULL, absence = NULL";

const TEMPLATE: &str = "INSERT INTO templates (class_id, template, known, tried, found, ended, run_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (class_id, {template}) DO UPDATE SET known = excluded.known, tried = excluded.tried,
        found = excluded.found, ended = excluded.ended, run_id = excluded.run_id";

const WRAPPER: &str = "INSERT INTO wrappers (class_id, run_id, created_at, content, drift) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (class_id, run_id) DO UPDATE SET content = excluded.content, drift = excluded.drift";

const SKIPPED: &str = "INSERT INTO skipped (run_id, url, reason, detail) VALUES ($1, $2, $3, $4)
    ON CONFLICT (run_id, {url}) DO UPDATE SET reason = excluded.reason, detail = excluded.detail";

impl Store {
    /// The class that one of these pages is a sample of, or was found to be of.
    pub async fn class_of(&self, site: i64, samples: &[Url]) -> Result<Option<Class>> {
        let sql = "SELECT id, name, learned FROM classes WHERE site_id = $1 AND samples = $2 ORDER BY id LIMIT 1";
        let same = self.one(sql, vec![site.into(), written(samples)?]).await?;
        if let Some(row) = same.rows.first() {
            return Ok(Some(class(row)));
        }
        let sql = "SELECT c.id, c.name, c.learned FROM classes c JOIN entities e ON e.class_id = c.id
            WHERE c.site_id = $1 AND e.url = $2 AND e.gone_run IS NULL ORDER BY c.id LIMIT 1";
        let each = samples.iter().map(|sample| vec![site.into(), sample.into()]).collect();
        let found = self.transact(vec![Statement::many(sql, each)]).await?;
        Ok(found.first().and_then(|outcome| outcome.rows.first()).map(class))
    }

    pub async fn class(&self, id: i64) -> Result<Option<Class>> {
        let found = self.one("SELECT id, name, learned FROM classes WHERE id = $1", vec![id.into()]).await?;
        Ok(found.rows.first().map(class))
    }

    /// A new class of a run, while it is that run's.
    pub async fn class_of_run(&self, run: &Run, name: &str) -> Result<Class> {
        self.transact_of(run, false, Vec::new()).await?;
        self.new_class(run.site_id, name, &run.samples).await
    }

    /// A new class. Where the name is taken, a number is put behind it.
    pub async fn new_class(&self, site: i64, name: &str, samples: &[Url]) -> Result<Class> {
        let sql = "INSERT INTO classes (site_id, name, samples, first_seen) VALUES ($1, $2, $3, $4)
            ON CONFLICT (site_id, name) DO UPDATE SET name = excluded.name WHERE classes.samples = excluded.samples
            RETURNING id, name, learned";
        let (now, samples, name) = (Timestamp::now(), written(samples)?, fitting(name));
        let mut number = 1;
        loop {
            let own = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            let made = self.one(sql, vec![site.into(), own.into(), samples.clone(), now.into()]).await?;
            if let Some(row) = made.rows.first() {
                return Ok(class(row));
            }
            number += 1;
        }
    }

    pub async fn set_learned(&self, run: &Run, class: i64, learned: &str) -> Result<()> {
        // What was known before the run is kept as long as the run may be held back.
        let sql = "UPDATE classes SET learned_run = $3, learned = $2,
                learned_before = CASE WHEN learned_run = $3 THEN learned_before ELSE learned END
            WHERE id = $1";
        let values = vec![class.into(), learned.into(), run.id.into()];
        self.transact_of(run, false, vec![Statement::new(sql, values)]).await
    }

    pub async fn put_pages(&self, run: &Run, pages: &[PageRow]) -> Result<()> {
        let row = |page: &PageRow| {
            vec![
                run.site_id.into(),
                page.url.as_str().into(),
                i64::from(page.status).into(),
                page.hash.as_str().into(),
                page.content_type.as_deref().into(),
                page.bytes.into(),
                page.address.as_deref().into(),
                page.fetched_at.into(),
                run.id.into(),
                page.archive.as_str().into(),
                Value::Int(page.position as i64),
            ]
        };
        self.put(run, PAGE, pages, |page| &page.url, row).await
    }

    /// Where the answers of these pages are kept: address, archive, position.
    pub async fn places(&self, site: i64, urls: &[Url]) -> Result<Vec<(Url, String, u64)>> {
        let sql = "SELECT url, archive, position FROM pages WHERE site_id = $1 AND url = $2";
        let mut places = Vec::new();
        for some in urls.chunks(CHUNK) {
            let each = some.iter().map(|url| vec![site.into(), url.into()]).collect();
            let found = self.transact(vec![Statement::many(sql, each)]).await?;
            let rows = found.iter().flat_map(|outcome| &outcome.rows);
            places.extend(
                rows.filter_map(|row| Some((row.text(0).parse().ok()?, row.text(1), row.int(2).max(0) as u64))),
            );
        }
        Ok(places)
    }

    /// The archive that holds the last answer of a page of a class.
    pub async fn archive_of(&self, class: i64, url: &str) -> Result<Option<String>> {
        let sql =
            "SELECT p.archive FROM pages p JOIN classes c ON c.site_id = p.site_id WHERE c.id = $1 AND p.url = $2";
        let rows = self.fetch(sql, vec![class.into(), url.into()]).await?;
        Ok(rows.first().map(|row| row.text(0)))
    }

    pub async fn put_indexes(&self, run: &Run, class: i64, indexes: &[IndexRow]) -> Result<()> {
        let row = |index: &IndexRow| {
            let IndexRow { url, level, parent, evidence } = index;
            vec![class.into(), url.into(), (*level).into(), parent.as_ref().into(), evidence.as_str().into()]
        };
        self.put(run, INDEX, indexes, |index| index.url.as_str(), row).await
    }

    pub async fn put_entities(&self, run: &Run, class: i64, entities: &[EntityRow]) -> Result<()> {
        let row = |entity: &EntityRow| {
            vec![
                class.into(),
                (&entity.url).into(),
                entity.confidence.into(),
                entity.via.as_ref().into(),
                entity.evidence.as_str().into(),
                entity.unlinked.into(),
                run.id.into(),
            ]
        };
        self.put(run, ENTITY, entities, |entity| entity.url.as_str(), row).await
    }

    /// They are no longer current, or were not seen: neither they nor their records are deleted.
    pub async fn put_absent(&self, run: &Run, class: i64, urls: &[Url], absence: Absence) -> Result<()> {
        let not_seen = "UPDATE entities SET absence = $3 WHERE class_id = $1 AND url = $2 AND gone_run IS NULL";
        let entity =
            "UPDATE entities SET absence = $3, gone_run = $4 WHERE class_id = $1 AND url = $2 AND gone_run IS NULL";
        let record = "UPDATE records SET gone_run = $3 WHERE class_id = $1 AND url = $2 AND gone_run IS NULL";
        let absent = |url: &Url| -> Vec<Value> { vec![class.into(), url.into(), absence.name().into()] };
        if absence == Absence::NotSeen {
            return self.put(run, not_seen, urls, Url::as_str, absent).await;
        }
        let gone = |url: &Url| [absent(url), vec![run.id.into()]].concat();
        self.put(run, entity, urls, Url::as_str, gone).await?;
        self.put(run, record, urls, Url::as_str, |url| vec![class.into(), url.into(), run.id.into()]).await
    }

    /// Every list was looked at: no page is unseen any more.
    pub async fn all_seen(&self, run: &Run, class: i64) -> Result<()> {
        let sql = "UPDATE entities SET absence = NULL WHERE class_id = $1 AND absence = 'not-seen'";
        self.transact_of(run, false, vec![Statement::new(sql, vec![class.into()])]).await
    }

    /// How many known pages the last runs did not see, because they were cut.
    pub async fn count_not_seen(&self, class: i64) -> Result<usize> {
        let sql = "SELECT COUNT(*) FROM entities WHERE class_id = $1 AND gone_run IS NULL AND absence = 'not-seen'";
        Ok(self.one(sql, vec![class.into()]).await?.rows.first().map_or(0, |row| row.int(0).max(0) as usize))
    }

    /// Sorted by address.
    pub async fn entities(&self, class: i64) -> Result<Vec<EntityRow>> {
        let sql = "SELECT url, confidence, via, evidence, unlinked FROM entities
            WHERE class_id = $1 AND gone_run IS NULL ORDER BY url";
        let rows = self.select(sql, vec![class.into()]).await?.all().await?;
        Ok(rows.iter().filter_map(entity).collect())
    }

    pub async fn put_templates(&self, run: &Run, class: i64, templates: &[TemplateRow]) -> Result<()> {
        let row = |one: &TemplateRow| {
            let TemplateRow { template, known, tried, found, ended } = one;
            let counts = [*known, *tried, *found].map(Value::from);
            let before = vec![class.into(), template.as_str().into()];
            [before, counts.to_vec(), vec![ended.as_str().into(), run.id.into()]].concat()
        };
        self.put(run, TEMPLATE, templates, |one| &one.template, row).await
    }

    pub async fn put_wrapper(
        &self,
        run: &Run,
        class: i64,
        content: &str,
        drift: Option<&serde_json::Value>,
    ) -> Result<()> {
        let drift = drift.map(Value::json).transpose()?.unwrap_or(Value::Null);
        let values = vec![class.into(), run.id.into(), Timestamp::now().into(), content.into(), drift];
        self.transact_of(run, true, vec![Statement::new(WRAPPER, values)]).await
    }

    /// The newest wrapper of a class, and the run that made it.
    pub async fn wrapper(&self, class: i64) -> Result<Option<(String, i64)>> {
        let sql = "SELECT content, run_id FROM wrappers WHERE class_id = $1 ORDER BY run_id DESC LIMIT 1";
        let found = self.one(sql, vec![class.into()]).await?;
        Ok(found.rows.first().map(|row| (row.text(0), row.int(1))))
    }

    pub async fn put_skipped(&self, run: &Run, skipped: &[Skipped]) -> Result<()> {
        let row = |one: &Skipped| {
            let reason = serde_json::to_value(one.reason).ok();
            let reason = reason.as_ref().and_then(|reason| reason.as_str()).unwrap_or_default().to_owned();
            vec![run.id.into(), (&one.url).into(), reason.into(), one.detail.as_str().into()]
        };
        self.put(run, SKIPPED, skipped, |one| one.url.as_str(), row).await
    }

    pub(crate) async fn put<T>(
        &self,
        run: &Run,
        sql: &'static str,
        all: &[T],
        address: impl Fn(&T) -> &str,
        row: impl Fn(&T) -> Vec<Value>,
    ) -> Result<()> {
        let statements = |some: &[T]| Ok(vec![Statement::many(sql, some.iter().map(&row).collect())]);
        self.put_each(run, false, all, address, statements).await
    }

    /// In transactions of a bearable size. What the database does not take is a skipped row with the reason, and the rest is
    /// stored.
    pub(crate) async fn put_each<T>(
        &self,
        run: &Run,
        further: bool,
        all: &[T],
        address: impl Fn(&T) -> &str,
        statements: impl Fn(&[T]) -> Result<Vec<Statement>>,
    ) -> Result<()> {
        for some in all.chunks(CHUNK) {
            match self.transact_of(run, further, statements(some)?).await {
                Err(Error::Data { .. }) => {}
                done => {
                    done?;
                    continue;
                }
            }
            for one in some {
                let alone = self.transact_of(run, further, statements(std::slice::from_ref(one))?).await;
                let Err(Error::Data { reason, .. }) = alone else {
                    alone?;
                    continue;
                };
                let values = vec![run.id.into(), address(one).into(), "not-stored".into(), reason.into()];
                self.transact_of(run, false, vec![Statement::new(SKIPPED, values)]).await?;
            }
        }
        Ok(())
    }
}

fn class(row: &Row) -> Class {
    Class { id: row.int(0), name: row.text(1), learned: row.maybe_text(2) }
}

fn entity(row: &Row) -> Option<EntityRow> {
    Some(EntityRow {
        url: row.text(0).parse().ok()?,
        confidence: row.real(1),
        via: row.maybe_text(2).and_then(|via| via.parse().ok()),
        evidence: row.text(3),
        unlinked: row.int(4) != 0,
    })
}
