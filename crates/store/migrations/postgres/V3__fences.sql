-- May the site be at a private address? Only where the user said so when it was named.
ALTER TABLE sites ADD COLUMN private BOOLEAN NOT NULL DEFAULT FALSE;

-- How often it was begun since it last got further.
ALTER TABLE runs ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
