-- Rows of tables within pages: attributes called `table.column`, with a value for each row.
CREATE VIEW record_rows AS
SELECT r.class_id, r.url, r.nth,
       split_part(a.attribute, '.', 1) AS child,
       v.position,
       substr(a.attribute, strpos(a.attribute, '.') + 1) AS attribute,
       v.value
FROM records r, jsonb_each(r.attributes) a (attribute, entries),
     jsonb_array_elements_text(a.entries) WITH ORDINALITY v (value, position)
WHERE strpos(a.attribute, '.') > 0 AND v.value <> '';

-- What the first value of an attribute is: number, money, date, boolean, url, ...; `normal` is its normal form.
CREATE VIEW record_typed AS
SELECT t.class_id, t.url, t.nth, t.attribute, t.kind, t.normal,
       CASE t.kind WHEN 'number' THEN split_part(t.normal, ' ', 1)::DOUBLE PRECISION
                   WHEN 'money' THEN split_part(t.normal, ' ', 2)::DOUBLE PRECISION END AS number,
       CASE t.kind WHEN 'number' THEN nullif(ltrim(substr(t.normal, length(split_part(t.normal, ' ', 1)) + 1)), '')
                   WHEN 'money' THEN split_part(t.normal, ' ', 1) END AS unit,
       CASE WHEN t.kind = 'date' AND length(t.normal) = 10 THEN t.normal END AS day
FROM (SELECT r.class_id, r.url, r.nth, e.attribute, e.evidence -> 'type' ->> 'kind' AS kind,
             e.evidence -> 'type' ->> 'normal' AS normal
      FROM records r, jsonb_each(r.evidence) e (attribute, evidence)) t
WHERE t.kind IS NOT NULL;
