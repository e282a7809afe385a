-- Rows of tables within pages: attributes called `table.column`, with a value for each row.
CREATE VIEW record_rows AS
SELECT r.class_id, r.url, r.nth,
       substr(a.key, 1, instr(a.key, '.') - 1) AS child,
       CAST(v.key AS INTEGER) + 1 AS position,
       substr(a.key, instr(a.key, '.') + 1) AS attribute,
       v.value AS value
FROM records r, json_each(r.attributes) a, json_each(a.value) v
WHERE instr(a.key, '.') > 0 AND v.value <> '';

-- What the first value of an attribute is: number, money, date, boolean, url, ...; `normal` is its normal form.
CREATE VIEW record_typed AS
SELECT t.class_id, t.url, t.nth, t.attribute, t.kind, t.normal,
       CASE t.kind WHEN 'number' THEN CAST(t.normal AS REAL)
                   WHEN 'money' THEN CAST(substr(t.normal, instr(t.normal, ' ') + 1) AS REAL) END AS number,
       CASE t.kind WHEN 'number' THEN nullif(ltrim(substr(t.normal, instr(t.normal || ' ', ' '))), '')
                   WHEN 'money' THEN substr(t.normal, 1, instr(t.normal, ' ') - 1) END AS unit,
       CASE WHEN t.kind = 'date' AND length(t.normal) = 10 THEN t.normal END AS day
FROM (SELECT r.class_id, r.url, r.nth, e.key AS attribute,
             json_extract(e.value, '$.type.kind') AS kind, json_extract(e.value, '$.type.normal') AS normal
      FROM records r, json_each(r.evidence) e) t
WHERE t.kind IS NOT NULL;
