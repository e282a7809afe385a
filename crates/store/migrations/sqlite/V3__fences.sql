-- May the site be at a private address? Only where the user said so when it was named.
ALTER TABLE sites ADD COLUMN private INTEGER NOT NULL DEFAULT 0;

-- How often it was begun since it last got further.
ALTER TABLE runs ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
