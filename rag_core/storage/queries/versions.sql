-- name: corpus_version
-- Another value after every committed change of what the tenant can find, whatever order transactions commit in: how
-- many numbered changes are visible, the highest, and a hash of which ones.
select count(*), coalesce(max(change_id), 0), coalesce(bit_xor(hashint8extended(change_id, 0)), 0)
from corpus_statistics
where tenant_id = %(tenant)s;
