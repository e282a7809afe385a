-- What people said of findings.
CREATE TABLE reviews (
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    nth        INTEGER NOT NULL,
    conclusion TEXT NOT NULL,
    rule       TEXT NOT NULL,
    decision   TEXT NOT NULL CHECK (decision IN ('confirmed', 'rejected')),
    comment    TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    PRIMARY KEY (class_id, url, nth, conclusion)
) STRICT, WITHOUT ROWID;

-- Who changed what through the web pages.
CREATE TABLE audit (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL,
    client  TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;
