-- Posting lists packed in blocks, instead of a row a posting and a row a lexeme beside it.
--
-- Writers wait until all lists are made anew; searches go on and read the old ones until the end.

lock table chunks in share mode;

-- A list is in one or more rows, its postings those of all rows with a positive document_frequency without those of rows with a
-- negative one: whoever inserts or deletes chunks only appends, so writers neither wait for each other nor deadlock, and whoever
-- adds up document_frequency has BM25's. Folding makes blocks of the rows; a reader sees the same list before and after.
create table posting_blocks (
    tenant_id text not null,
    language text not null,
    lexeme text collate "C" not null,
    document_frequency bigint not null,
    -- Lowest and highest number of a chunk in it.
    first_number integer not null,
    last_number integer not null,
    is_folded boolean not null default false,
    -- Eight bytes a posting, most significant first: the chunk's number in 32 bits, its length in terms in 24, the term frequency in 8.
    packed bytea not null
);
alter table posting_blocks alter packed set storage external;

create function packed_posting(number integer, chunk_length bigint, term_frequency integer) returns bytea
    language sql immutable parallel safe
    return int8send((number::bigint << 32) | (chunk_length << 8) | term_frequency);

create function unpacked_postings(packed bytea) returns table (number integer, chunk_length integer, term_frequency smallint)
    language sql immutable parallel safe
    begin atomic
        select (p.posting >> 32)::integer, ((p.posting >> 8) & 16777215)::integer, (p.posting & 255)::smallint
        from (
            select ('x' || encode(substring(whole.bytes from at + 1 for 8), 'hex'))::bit(64)::bigint as posting
            from (select packed || ''::bytea as bytes offset 0) whole -- read from where it is stored once, not for every posting
            cross join lateral generate_series(0, octet_length(whole.bytes) - 8, 8) at
        ) p;
    end;

-- All lists, in blocks, from the lexemes of the chunks.
create function rebuild_postings() returns void language sql set search_path = brain as $$
    truncate posting_blocks;
    insert into posting_blocks (
        tenant_id, language, lexeme, document_frequency, first_number, last_number, is_folded, packed
    )
    select tenant_id, language, lexeme, count(*), min(number), max(number), true,
        string_agg(packed_posting(number, chunk_length, term_frequency), '' order by number)
    from (
        select c.tenant_id, c.language, t.lexeme collate "C" as lexeme, c.number, l.chunk_length,
            cardinality(t.positions) as term_frequency,
            (row_number() over (partition by c.tenant_id, c.language, t.lexeme collate "C" order by c.number) - 1) / 2048 as block
        from chunks c
        cross join lateral (select terms_in(c.lexemes) as chunk_length offset 0) l
        cross join lateral unnest(c.lexemes) t
    ) p
    group by tenant_id, language, lexeme, block
    order by tenant_id, language, lexeme;
$$;
select rebuild_postings();

create index posting_blocks_lexeme on posting_blocks (tenant_id, language, lexeme) include (document_frequency);
create index posting_blocks_unfolded on posting_blocks (tenant_id, language, lexeme) where not is_folded;

-- The index follows the chunks by trigger: whoever inserts or deletes a chunk, in whatever way, keeps it exact. The triggers stay and
-- get other functions, which locks no table: a new trigger would wait for readers that wait for this migration.
create or replace function index_inserted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    insert into posting_blocks (tenant_id, language, lexeme, document_frequency, first_number, last_number, packed)
    select c.tenant_id, c.language, t.lexeme collate "C", count(*), min(c.number), max(c.number),
        string_agg(packed_posting(c.number, l.chunk_length, cardinality(t.positions)), '')
    from inserted c
    cross join lateral (select terms_in(c.lexemes) as chunk_length offset 0) l
    cross join lateral unnest(c.lexemes) t
    group by 1, 2, 3;

    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select tenant_id, language, count(*), sum(terms_in(lexemes)) from inserted group by 1, 2;
    return null;
end $$;

-- A chunk that goes with its tenant leaves nothing to be kept up: the tenant's lists go as a whole.
create or replace function index_deleted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    if not exists (select from deleted d join tenants t on t.tenant_id = d.tenant_id) then
        return null;
    end if;

    insert into posting_blocks (tenant_id, language, lexeme, document_frequency, first_number, last_number, packed)
    select c.tenant_id, c.language, t.lexeme collate "C", -count(*), min(c.number), max(c.number),
        string_agg(packed_posting(c.number, l.chunk_length, cardinality(t.positions)), '')
    from deleted c
    cross join lateral (select terms_in(c.lexemes) as chunk_length offset 0) l
    cross join lateral unnest(c.lexemes) t
    group by 1, 2, 3;

    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select tenant_id, language, -count(*), -sum(terms_in(lexemes)) from deleted group by 1, 2;
    return null;
end $$;

alter table posting_blocks enable row level security;
create policy tenant on posting_blocks using (tenant_id = (select current_setting('brain.tenant', true)));
grant select, insert, delete on posting_blocks to brain_app;

set local lock_timeout = '10s'; -- what is done by now would be done anew
drop table postings, lexeme_statistics;

-- What was in the tables of these names, for programs of an earlier version that still serve.
create view lexeme_statistics with (security_invoker = true) as
select tenant_id, language, lexeme, document_frequency, is_folded from posting_blocks;
create view postings with (security_invoker = true) as
select l.tenant_id, l.language, l.lexeme, c.chunk_id, l.term_frequency, l.chunk_length
from (
    select b.tenant_id, b.language, b.lexeme, p.number, p.term_frequency, p.chunk_length
    from posting_blocks b cross join lateral unpacked_postings(b.packed) p
    group by b.tenant_id, b.language, b.lexeme, p.number, p.term_frequency, p.chunk_length
    having sum(sign(b.document_frequency)) > 0
) l
left join chunks c on c.tenant_id = l.tenant_id and c.number = l.number;
grant select on lexeme_statistics, postings to brain_app;
create or replace function fold_statistics(tenant text) returns bigint language sql return 0;
