-- What a browser made of pages that show more in it: why, by which one, and where the document is kept.
CREATE TABLE renderings (
    site_id     BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url         TEXT COLLATE "C" NOT NULL,
    reason      TEXT NOT NULL,
    engine      TEXT NOT NULL,
    hash        TEXT NOT NULL,
    bytes       BIGINT NOT NULL,
    rendered_at TIMESTAMPTZ NOT NULL,
    run_id      BIGINT NOT NULL REFERENCES runs (id),
    archive     TEXT NOT NULL,
    position    BIGINT NOT NULL
);

CREATE UNIQUE INDEX renderings_key ON renderings (site_id, md5(url));
