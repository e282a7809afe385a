-- What contradicts what is known, with its history; docs/stages/store.md describes the columns.

CREATE TABLE findings (
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    nth        INTEGER NOT NULL,
    conclusion TEXT NOT NULL,
    rule       TEXT NOT NULL,
    severity   TEXT NOT NULL,
    lower      REAL,
    upper      REAL,
    finding    TEXT NOT NULL,
    first_seen TEXT NOT NULL,
    last_seen  TEXT NOT NULL,
    gone_at    TEXT,
    PRIMARY KEY (class_id, url, nth, conclusion)
) STRICT, WITHOUT ROWID;

-- Which values of a record were checked, and against what: the same need not be checked again.
CREATE TABLE checks (
    class_id INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url      TEXT NOT NULL,
    nth      INTEGER NOT NULL,
    hash     TEXT NOT NULL,
    against  TEXT NOT NULL,
    PRIMARY KEY (class_id, url, nth)
) STRICT, WITHOUT ROWID;
