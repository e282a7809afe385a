-- docs/stages/store.md describes every table and view. Times are UTC, as in 2026-11-16T03:00:00.000Z.

CREATE TABLE sites (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    url        TEXT NOT NULL,
    first_seen TEXT NOT NULL
) STRICT;

CREATE TABLE classes (
    id         INTEGER PRIMARY KEY,
    site_id    INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    samples    TEXT NOT NULL,
    learned    TEXT,
    first_seen TEXT NOT NULL,
    UNIQUE (site_id, name)
) STRICT;

CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    site_id     INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    class_id    INTEGER REFERENCES classes (id) ON DELETE SET NULL,
    samples     TEXT NOT NULL,
    settings    TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
    stage       TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    batch       TEXT,
    owner       TEXT,
    lease_until INTEGER,
    queued_at   TEXT NOT NULL,
    started_at  TEXT,
    ended_at    TEXT,
    stats       TEXT,
    error       TEXT
) STRICT;

-- One run a site at a time, whoever does it.
CREATE UNIQUE INDEX runs_one_a_site ON runs (site_id) WHERE state = 'running';
CREATE INDEX runs_by_state ON runs (state, id);
CREATE INDEX runs_by_site ON runs (site_id, id);

CREATE TABLE pages (
    site_id      INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url          TEXT NOT NULL,
    status       INTEGER NOT NULL,
    hash         TEXT NOT NULL,
    content_type TEXT,
    bytes        INTEGER NOT NULL,
    address      TEXT,
    fetched_at   TEXT NOT NULL,
    run_id       INTEGER NOT NULL REFERENCES runs (id),
    archive      TEXT NOT NULL,
    position     INTEGER NOT NULL,
    PRIMARY KEY (site_id, url)
) STRICT, WITHOUT ROWID;

CREATE INDEX pages_by_url ON pages (url);

CREATE TABLE indexes (
    class_id INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url      TEXT NOT NULL,
    level    INTEGER NOT NULL,
    parent   TEXT,
    evidence TEXT NOT NULL,
    PRIMARY KEY (class_id, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    confidence REAL NOT NULL,
    via        TEXT,
    evidence   TEXT NOT NULL,
    unlinked   INTEGER NOT NULL CHECK (unlinked IN (0, 1)),
    first_run  INTEGER NOT NULL REFERENCES runs (id),
    gone_run   INTEGER REFERENCES runs (id),
    PRIMARY KEY (class_id, url)
) STRICT, WITHOUT ROWID;

CREATE INDEX entities_by_url ON entities (url);

CREATE TABLE templates (
    class_id INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    template TEXT NOT NULL,
    known    INTEGER NOT NULL,
    tried    INTEGER NOT NULL,
    found    INTEGER NOT NULL,
    ended    TEXT NOT NULL,
    run_id   INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (class_id, template)
) STRICT, WITHOUT ROWID;

CREATE TABLE wrappers (
    id         INTEGER PRIMARY KEY,
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    run_id     INTEGER NOT NULL REFERENCES runs (id),
    created_at TEXT NOT NULL,
    content    TEXT NOT NULL,
    drift      TEXT,
    UNIQUE (class_id, run_id)
) STRICT;

CREATE TABLE records (
    class_id    INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url         TEXT NOT NULL,
    nth         INTEGER NOT NULL,
    attributes  TEXT NOT NULL,
    evidence    TEXT NOT NULL,
    confidence  REAL NOT NULL,
    hash        TEXT NOT NULL,
    first_run   INTEGER NOT NULL REFERENCES runs (id),
    changed_run INTEGER NOT NULL REFERENCES runs (id),
    read_run    INTEGER NOT NULL REFERENCES runs (id),
    gone_run    INTEGER REFERENCES runs (id),
    PRIMARY KEY (class_id, url, nth)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_url ON records (url);
CREATE INDEX records_by_change ON records (changed_run);

CREATE TABLE record_history (
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    nth        INTEGER NOT NULL,
    attributes TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    confidence REAL NOT NULL,
    hash       TEXT NOT NULL,
    from_run   INTEGER NOT NULL REFERENCES runs (id),
    until_run  INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (class_id, url, nth, until_run)
) STRICT, WITHOUT ROWID;

CREATE INDEX record_history_by_run ON record_history (until_run);

CREATE TABLE skipped (
    run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    url    TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (run_id, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE watches (
    id          INTEGER PRIMARY KEY,
    site_id     INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    samples     TEXT NOT NULL UNIQUE,
    settings    TEXT NOT NULL,
    every_ms    INTEGER NOT NULL,
    next_ms     INTEGER NOT NULL,
    webhook     TEXT,
    command     TEXT,
    added_at    TEXT NOT NULL,
    last_run    INTEGER REFERENCES runs (id)
) STRICT;

-- When the next request to a host may start, for all who share this database; milliseconds since 1970.
CREATE TABLE hosts (
    name    TEXT PRIMARY KEY,
    next_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE locks (
    name     TEXT PRIMARY KEY,
    owner    TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW current_records AS
SELECT s.name AS site, c.name AS class, r.url, r.nth, r.attributes, r.confidence,
       f.started_at AS first_seen, h.started_at AS changed_at, e.unlinked
FROM records r
JOIN classes c ON c.id = r.class_id
JOIN sites s ON s.id = c.site_id
JOIN runs f ON f.id = r.first_run
JOIN runs h ON h.id = r.changed_run
LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url
WHERE r.gone_run IS NULL;

CREATE VIEW record_values AS
SELECT s.name AS site, c.name AS class, r.url, r.nth AS record, a.key AS attribute, v.key + 1 AS nth, v.value AS value
FROM records r
JOIN classes c ON c.id = r.class_id
JOIN sites s ON s.id = c.site_id,
json_each(r.attributes) a,
json_each(a.value) v
WHERE r.gone_run IS NULL;

CREATE VIEW changes AS
SELECT r.first_run AS run_id, r.class_id, r.url, r.nth, 'new' AS change FROM records r
UNION ALL
SELECT h.until_run, h.class_id, h.url, h.nth, 'changed' FROM record_history h
UNION ALL
SELECT r.gone_run, r.class_id, r.url, r.nth, 'gone' FROM records r WHERE r.gone_run IS NOT NULL;

CREATE VIEW record_attributes AS
SELECT DISTINCT r.class_id, a.key AS attribute FROM records r, json_each(r.attributes) a;
