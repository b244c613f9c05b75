-- name: insert_session
insert into sessions (tenant_id, session_id, user_hash)
values (%(tenant)s, %(session_id)s, %(user_hash)s)
returning session_id as id, started_at, last_at, ended_at, 0 as questions, '' as title;

-- name: drop_empty_sessions
-- Somebody's without a turn, but for the newest. One that is being spoken in is locked, and by then it is no longer old.
delete from sessions s
where s.tenant_id = %(tenant)s and s.user_hash = %(user_hash)s
    and not exists (select from turns t where t.tenant_id = s.tenant_id and t.session_id = s.session_id)
    and s.last_at <= (
        select e.last_at from sessions e
        where e.tenant_id = %(tenant)s and e.user_hash = %(user_hash)s
            and not exists (select from turns t where t.tenant_id = e.tenant_id and t.session_id = e.session_id)
        order by e.last_at desc
        offset %(kept)s
        limit 1
    );

-- name: list_sessions
-- Somebody's, the one spoken in last first, each with how many questions it has and the first of them; where only_spoken, none
-- that nothing was asked in.
select s.session_id as id, s.started_at, s.last_at, s.ended_at,
    (select count(*) from turns t where t.tenant_id = s.tenant_id and t.session_id = s.session_id) as questions,
    coalesce(
        (
            select t.question from turns t
            where t.tenant_id = s.tenant_id and t.session_id = s.session_id
            order by t.position
            limit 1
        ),
        ''
    ) as title
from sessions s
where s.tenant_id = %(tenant)s and s.user_hash = %(user_hash)s and s.last_at >= %(since)s
    and (
        not %(only_spoken)s
        or exists (select from turns t where t.tenant_id = s.tenant_id and t.session_id = s.session_id)
    )
order by s.last_at desc, s.session_id
limit %(limit)s;

-- name: find_session
-- Only its owner's, and only while it is kept.
select s.session_id as id, s.started_at, s.last_at, s.ended_at,
    (select count(*) from turns t where t.tenant_id = s.tenant_id and t.session_id = s.session_id) as questions,
    coalesce(
        (
            select t.question from turns t
            where t.tenant_id = s.tenant_id and t.session_id = s.session_id
            order by t.position
            limit 1
        ),
        ''
    ) as title
from sessions s
where s.tenant_id = %(tenant)s and s.session_id = %(session_id)s and s.user_hash = %(user_hash)s and s.last_at >= %(since)s;

-- name: fetch_turns
-- The last ones of a session, in their order, each with what its owner thought of it.
select query_id, position, asked_at, question, standalone, answer, rating, comment
from (
    select t.query_id, t.position, q.asked_at, t.question, t.standalone, t.answer, f.rating, f.comment
    from turns t
    join queries q using (tenant_id, query_id)
    left join feedback f using (tenant_id, query_id)
    where t.tenant_id = %(tenant)s and t.session_id = %(session_id)s
    order by t.position desc
    limit %(limit)s
) last_ones
order by position;

-- name: touch_session
-- That it was spoken in; locks it until the end of the transaction, so that turns come one by one. Nothing when it is gone.
update sessions set last_at = now(), ended_at = null
where tenant_id = %(tenant)s and session_id = %(session_id)s and user_hash = %(user_hash)s
returning session_id;

-- name: insert_turn
-- After the others of its session.
insert into turns (tenant_id, query_id, session_id, position, question, standalone, answer)
select %(tenant)s, %(query_id)s, %(session_id)s, coalesce(max(position) + 1, 0), %(question)s, %(standalone)s, %(answer)s
from turns
where tenant_id = %(tenant)s and session_id = %(session_id)s;

-- name: end_idle_sessions
-- Those that nobody has spoken in since, at their last question; somebody's, or everybody's. How many.
with ended as (
    update sessions set ended_at = last_at
    where tenant_id = %(tenant)s and ended_at is null and last_at < %(before)s
        and (%(user_hash)s::text is null or user_hash = %(user_hash)s)
    returning session_id
)
select count(*) from ended;

-- name: delete_session
-- With its turns; the figures of its questions stay, without any word.
delete from sessions
where tenant_id = %(tenant)s and session_id = %(session_id)s and user_hash = %(user_hash)s
returning session_id;

-- name: delete_empty_session
-- Unless something was asked in it.
delete from sessions s
where s.tenant_id = %(tenant)s and s.session_id = %(session_id)s and s.user_hash = %(user_hash)s
    and not exists (select from turns t where t.tenant_id = s.tenant_id and t.session_id = s.session_id);

-- name: purge_sessions
-- The oldest of a tenant's that nobody has spoken in since, so many at most; how many.
with gone as (
    delete from sessions
    where tenant_id = %(tenant)s and session_id in (
        select session_id from sessions
        where tenant_id = %(tenant)s and last_at < %(before)s
        order by last_at
        limit %(limit)s
        for update skip locked
    )
    returning session_id
)
select count(*) from gone;
