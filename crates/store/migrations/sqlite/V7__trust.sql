-- Why a page is not current any more, or was not looked at: it is missing, no list shows it, or the run was cut.
ALTER TABLE entities ADD COLUMN absence TEXT CHECK (absence IN ('missing', 'unlinked', 'not-seen'));
UPDATE entities SET absence = 'unlinked' WHERE gone_run IS NOT NULL;

-- The run that brought back what was absent, and since which run it had been: a run that is held back takes that back too.
ALTER TABLE entities ADD COLUMN back_run INTEGER REFERENCES runs (id);
ALTER TABLE entities ADD COLUMN was_gone INTEGER REFERENCES runs (id);
ALTER TABLE entities ADD COLUMN was_absence TEXT;
ALTER TABLE records ADD COLUMN back_run INTEGER REFERENCES runs (id);
ALTER TABLE records ADD COLUMN was_gone INTEGER REFERENCES runs (id);
ALTER TABLE classes ADD COLUMN learned_before TEXT;
ALTER TABLE classes ADD COLUMN learned_run INTEGER;

-- A run that missed what was expected of it is held back: what it read stands here until somebody accepts it.
ALTER TABLE runs ADD COLUMN quarantine TEXT CHECK (quarantine IN ('held', 'accepted'));

CREATE TABLE quarantined_records (
    run_id     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    nth        INTEGER NOT NULL,
    attributes TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    confidence REAL NOT NULL,
    hash       TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX quarantined_records_key ON quarantined_records (run_id, url, nth);

-- `absence`: the run found that the page is not there, or not linked; none: it found the page.
CREATE TABLE quarantined_pages (
    run_id     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    class_id   INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    confidence REAL NOT NULL,
    via        TEXT,
    evidence   TEXT NOT NULL,
    unlinked   INTEGER NOT NULL,
    absence    TEXT
) STRICT;

CREATE UNIQUE INDEX quarantined_pages_key ON quarantined_pages (run_id, url);

CREATE TABLE quarantined_classes (
    run_id   INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    class_id INTEGER NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    learned  TEXT,
    wrapper  TEXT,
    drift    TEXT
) STRICT;

DROP VIEW changes;

CREATE VIEW changes AS
SELECT r.first_run AS run_id, r.class_id, r.url, r.nth, 'new' AS change FROM records r
UNION ALL
SELECT h.until_run, h.class_id, h.url, h.nth, 'changed' FROM record_history h
UNION ALL
SELECT r.gone_run, r.class_id, r.url, r.nth, COALESCE(e.absence, 'unlinked') FROM records r
LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url
WHERE r.gone_run IS NOT NULL;
