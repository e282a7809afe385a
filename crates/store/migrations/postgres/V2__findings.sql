-- What contradicts what is known, with its history; docs/stages/store.md describes the columns.

CREATE TABLE findings (
    class_id   BIGINT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url        TEXT COLLATE "C" NOT NULL,
    nth        BIGINT NOT NULL,
    conclusion TEXT COLLATE "C" NOT NULL,
    rule       TEXT NOT NULL,
    severity   TEXT NOT NULL,
    lower      DOUBLE PRECISION,
    upper      DOUBLE PRECISION,
    finding    JSONB NOT NULL,
    first_seen TIMESTAMPTZ NOT NULL,
    last_seen  TIMESTAMPTZ NOT NULL,
    gone_at    TIMESTAMPTZ
);

CREATE UNIQUE INDEX findings_key ON findings (class_id, md5(url), nth, conclusion);

-- Which values of a record were checked, and against what: the same need not be checked again.
CREATE TABLE checks (
    class_id BIGINT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    url      TEXT COLLATE "C" NOT NULL,
    nth      BIGINT NOT NULL,
    hash     TEXT NOT NULL,
    against  TEXT NOT NULL
);

CREATE UNIQUE INDEX checks_key ON checks (class_id, md5(url), nth);
