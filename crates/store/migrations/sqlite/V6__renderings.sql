-- What a browser made of pages that show more in it: why, by which one, and where the document is kept.
CREATE TABLE renderings (
    site_id     INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url         TEXT NOT NULL,
    reason      TEXT NOT NULL,
    engine      TEXT NOT NULL,
    hash        TEXT NOT NULL,
    bytes       INTEGER NOT NULL,
    rendered_at TEXT NOT NULL,
    run_id      INTEGER NOT NULL REFERENCES runs (id),
    archive     TEXT NOT NULL,
    position    INTEGER NOT NULL,
    PRIMARY KEY (site_id, url)
) STRICT, WITHOUT ROWID;
