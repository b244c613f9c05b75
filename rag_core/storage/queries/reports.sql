-- What the pages about evaluation show beside the runs themselves.

-- name: note_titles
-- Titles and dates of those notes that still exist.
select note_id, title, source, created_at from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s::uuid[]);

-- name: list_regression_alerts
-- The tenant's alerts that a nightly evaluation was worse; the table is the operator's, so this is for the owner's connection.
select title, message, first_seen_at, resolved_at
from brain.alerts
where tenant_id = %(tenant)s and rule = 'evaluation_regression'
order by first_seen_at desc
limit %(limit)s;
