-- Notes, chunks, embeddings, the full-text index and evaluation, all by tenant.
--
-- Every table but embedding_models has tenant_id and a row-level security policy on it; the application role owns
-- nothing and cannot bypass the policies. Offsets are code points of notes.content, half-open.

-- Text search -------------------------------------------------------------------------------------------------------

-- The language is stored as text, because a regconfig column would block pg_upgrade.
create function text_search_configuration(language text) returns regconfig
    language sql immutable parallel safe
    return case language
        when 'de' then 'pg_catalog.german'::regconfig
        when 'en' then 'pg_catalog.english'::regconfig
        else 'pg_catalog.spanish'::regconfig
    end;

-- A tsvector holds at most 1 MB; 100,000 characters of four bytes, each a word or part of a compound, stay below it. Only a
-- note that is not chunked yet can be longer, and its tail is searchable once it is.
create function lexemes_of(language text, title text, content text) returns tsvector
    language sql immutable parallel safe
    return to_tsvector(
        text_search_configuration(language), coalesce(title || E'\n', '') || left(content, 100000)
    );

-- How many terms a text has, repetitions counted: the length that BM25 divides by.
create function terms_in(lexemes tsvector) returns bigint
    language sql immutable parallel safe
    return (select coalesce(sum(cardinality(positions)), 0) from unnest(lexemes));

-- Tenants and notes -------------------------------------------------------------------------------------------------

create table tenants (
    tenant_id text primary key check (tenant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at timestamptz not null default now()
);

create table notes (
    tenant_id text not null references tenants on delete cascade,
    note_id uuid not null,
    source text not null check (source <> ''),
    external_id text not null check (external_id <> ''),
    kind text not null default 'note' check (kind in ('note', 'document')),
    title text,
    content text not null check (content <> ''),
    -- SHA-256 of language, title and content: what chunks and vectors are made from.
    content_hash bytea not null check (octet_length(content_hash) = 32),
    language text not null check (language in ('es', 'de', 'en')),
    tags text[] not null default '{}',
    metadata jsonb not null default '{}',
    created_at timestamptz not null,
    updated_at timestamptz not null default now(),
    -- The partition the note belongs to, fixed once given.
    batch_key text,
    -- What the live chunks were made from and by; null while the note is one whole-note chunk.
    indexed_fingerprint text,
    -- Where each sentence starts, ascending, the first 0: windows are cut by these.
    sentence_starts integer[],
    primary key (tenant_id, note_id),
    unique (tenant_id, source, external_id)
);
create index notes_external_id on notes (tenant_id, external_id);
create index notes_created_at on notes (tenant_id, created_at desc, note_id);
create index notes_batch_key on notes (tenant_id, batch_key);

create table batches (
    tenant_id text not null references tenants on delete cascade,
    batch_key text not null,
    sequence integer not null check (sequence >= 0),
    registered_at timestamptz not null default now(),
    primary key (tenant_id, batch_key),
    unique (tenant_id, sequence)
);

-- Chunks ------------------------------------------------------------------------------------------------------------

-- A note that is not chunked yet has one chunk of method 'whole_note' with the note's own id, so that search has one path.
create table chunks (
    tenant_id text not null,
    chunk_id uuid not null,
    note_id uuid not null,
    chunk_index integer not null check (chunk_index >= 0),
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    title text,
    content text not null,
    -- Where the chunk stands in its note, in words: embedded before the content.
    context text,
    token_count integer not null check (token_count > 0),
    chunking_method text not null
        check (chunking_method in ('sentence', 'semantic', 'late', 'fixed', 'table', 'whole_note')),
    language text not null check (language in ('es', 'de', 'en')),
    lexemes tsvector not null generated always as (lexemes_of(language, title, content)) stored,
    created_at timestamptz not null default now(),
    primary key (tenant_id, chunk_id),
    unique (tenant_id, note_id, chunk_index),
    foreign key (tenant_id, note_id) references notes on delete cascade,
    constraint chunks_bounds_valid check (end_char > start_char),
    constraint chunks_content_fits_bounds check (char_length(content) = end_char - start_char)
);

-- Posting lists: term frequency and chunk length (in terms) beside the key, so that BM25 reads the index alone.
create table postings (
    tenant_id text not null,
    language text not null,
    lexeme text collate "C" not null,
    chunk_id uuid not null,
    term_frequency smallint not null,
    chunk_length integer not null,
    primary key (tenant_id, language, lexeme, chunk_id) include (term_frequency, chunk_length)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

-- BM25's counts as sums of changes: a writer only ever appends, so writers neither wait for each other nor deadlock.
-- fold_statistics adds the changes up; a reader sees the same sums before and after.
create table corpus_statistics (
    tenant_id text not null,
    language text not null,
    documents bigint not null,
    total_length bigint not null,
    is_folded boolean not null default false
);
create index corpus_statistics_language on corpus_statistics (tenant_id, language)
    include (documents, total_length);

create table lexeme_statistics (
    tenant_id text not null,
    language text not null,
    lexeme text collate "C" not null,
    document_frequency bigint not null,
    is_folded boolean not null default false
);
create index lexeme_statistics_lexeme on lexeme_statistics (tenant_id, language, lexeme)
    include (document_frequency);
create index lexeme_statistics_unfolded on lexeme_statistics (tenant_id, language, lexeme) where not is_folded;

-- The index follows the chunks by trigger: whoever inserts or deletes a chunk, in whatever way, keeps it exact.
-- Chunks are never updated in place; the application role may not.
create function index_inserted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    with terms as materialized (
        select c.tenant_id, c.language, t.lexeme collate "C" as lexeme, c.chunk_id,
            cardinality(t.positions) as term_frequency,
            sum(cardinality(t.positions)) over (partition by c.chunk_id) as chunk_length
        from inserted c cross join lateral unnest(c.lexemes) t
    ), counted as (
        insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency)
        select tenant_id, language, lexeme, count(*) from terms group by 1, 2, 3
    )
    insert into postings (tenant_id, language, lexeme, chunk_id, term_frequency, chunk_length)
    select tenant_id, language, lexeme, chunk_id, term_frequency, chunk_length
    from terms order by tenant_id, language, lexeme;

    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select tenant_id, language, count(*), sum(terms_in(lexemes)) from inserted group by 1, 2;
    return null;
end $$;

-- The planner's figures for these tables are stale just when a bulk load needs them: as a plain join this took 26 s for
-- 2,000 notes. LIMIT in a lateral query leaves it no choice but a look-up by primary key for every term.
create function index_deleted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    delete from postings where ctid = any (array(
        select p.ctid
        from deleted c
        cross join lateral unnest(c.lexemes) t
        cross join lateral (
            select ctid from postings
            where tenant_id = c.tenant_id and language = c.language and lexeme = t.lexeme collate "C"
                and chunk_id = c.chunk_id
            limit 1
        ) p
    ));

    insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency)
    select c.tenant_id, c.language, t.lexeme, -count(*)
    from deleted c cross join lateral unnest(c.lexemes) t
    group by 1, 2, 3;

    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select tenant_id, language, -count(*), -sum(terms_in(lexemes)) from deleted group by 1, 2;
    return null;
end $$;

create trigger chunks_inserted after insert on chunks
    referencing new table as inserted for each statement execute function index_inserted_chunks();
create trigger chunks_deleted after delete on chunks
    referencing old table as deleted for each statement execute function index_deleted_chunks();

-- Adds up one tenant's changes; how many rows it replaced. Two folds of a tenant at once would replace rows twice,
-- so the second one leaves at once with 0.
create function fold_statistics(tenant text) returns bigint language plpgsql set search_path = brain as $$
declare
    replaced bigint;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('brain.fold_statistics:' || tenant, 0)) then
        return 0;
    end if;
    with changed as (
        select distinct s.language, s.lexeme from lexeme_statistics s
        where s.tenant_id = tenant and not s.is_folded
    ), gone as (
        delete from lexeme_statistics where ctid = any (array(
            select r.ctid
            from changed c
            cross join lateral (
                select s.ctid from lexeme_statistics s
                where s.tenant_id = tenant and s.language = c.language and s.lexeme = c.lexeme
                offset 0 -- one look-up a lexeme: as a plain join with stale figures this took 29 s for 13,000
            ) r
        ))
        returning language, lexeme, document_frequency
    ), kept as (
        insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency, is_folded)
        select tenant, language, lexeme, sum(document_frequency), true
        from gone group by language, lexeme having sum(document_frequency) <> 0
    )
    select count(*) into replaced from gone;
    with gone as (
        delete from corpus_statistics s
        where s.tenant_id = tenant
            and exists (select from corpus_statistics u where u.tenant_id = tenant and not u.is_folded)
        returning s.language, s.documents, s.total_length
    )
    insert into corpus_statistics (tenant_id, language, documents, total_length, is_folded)
    select tenant, language, sum(documents), sum(total_length), true
    from gone group by language having sum(documents) <> 0;
    return replaced;
end $$;

-- Embeddings --------------------------------------------------------------------------------------------------------

-- The registry: global, without a tenant. One model is active: the one queries are embedded with.
create table embedding_models (
    model_id integer generated always as identity primary key,
    name text not null unique,
    provider text not null check (provider in ('hashing', 'ollama')),
    version text not null,
    dimensions integer not null check (dimensions between 1 and 4096),
    query_prefix text not null default '',
    document_prefix text not null default '',
    context_tokens integer not null check (context_tokens > 0),
    similarity_threshold double precision check (similarity_threshold between 0 and 1),
    fusion_method text not null check (fusion_method in ('rrf', 'relative_score')),
    semantic_weight double precision not null check (semantic_weight between 0 and 1),
    fulltext_weight double precision not null check (fulltext_weight between 0 and 1),
    uses_contextual boolean not null,
    state text not null check (state in ('candidate', 'backfilling', 'ready', 'active', 'retired')),
    created_at timestamptz not null default now(),
    check (semantic_weight + fulltext_weight > 0)
);
create unique index embedding_models_one_active on embedding_models ((true)) where state = 'active';

-- Vectors of live chunks. They stay in the row up to 2,000 dimensions: an exact scan of toasted ones takes three times as long.
create table embeddings (
    tenant_id text not null,
    model_id integer not null references embedding_models,
    kind text not null check (kind in ('standard', 'contextual')),
    chunk_id uuid not null,
    input_hash bytea not null check (octet_length(input_hash) = 32),
    vector vector not null,
    primary key (tenant_id, model_id, kind, chunk_id),
    foreign key (tenant_id, chunk_id) references chunks on delete cascade
) with (toast_tuple_target = 8160);
create index embeddings_chunk on embeddings (tenant_id, chunk_id);
create index embeddings_input_hash on embeddings (tenant_id, input_hash);

-- Vectors computed for a note but not live: staged, or of chunks that an edit replaced. They go with their note.
create table embedding_cache (
    tenant_id text not null,
    input_hash bytea not null check (octet_length(input_hash) = 32),
    note_id uuid not null,
    vector vector not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, input_hash),
    foreign key (tenant_id, note_id) references notes on delete cascade
) with (toast_tuple_target = 8160);
create index embedding_cache_note on embedding_cache (tenant_id, note_id);

-- The generation beside the live one: published a note at a time, in one transaction.
create table staged_notes (
    tenant_id text not null,
    note_id uuid not null,
    content_hash bytea not null,
    fingerprint text not null,
    sentence_starts integer[] not null,
    staged_at timestamptz not null default now(),
    primary key (tenant_id, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create table staged_chunks (
    tenant_id text not null,
    note_id uuid not null,
    chunk_index integer not null,
    chunk_id uuid not null,
    start_char integer not null,
    end_char integer not null,
    -- The text that was staged: what the hashes are of, whatever becomes of the note meanwhile.
    content text not null,
    context text not null,
    token_count integer not null,
    chunking_method text not null,
    standard_hash bytea not null,
    contextual_hash bytea not null,
    primary key (tenant_id, note_id, chunk_index),
    foreign key (tenant_id, note_id) references staged_notes on delete cascade
);

-- Evaluation --------------------------------------------------------------------------------------------------------

create table golden_sets (
    tenant_id text not null references tenants on delete cascade,
    set_id uuid not null default gen_random_uuid(),
    name text not null check (name <> ''),
    -- Grows with every change of the set, so that runs on different contents are not compared.
    version integer not null default 1,
    created_at timestamptz not null default now(),
    primary key (tenant_id, set_id),
    unique (tenant_id, name)
);

create table golden_queries (
    tenant_id text not null,
    query_id uuid not null default gen_random_uuid(),
    set_id uuid not null,
    external_id text,
    query text not null check (query <> ''),
    -- SHA-256 of the normalised query: text too long for a B-tree is still unique.
    query_hash bytea not null check (octet_length(query_hash) = 32),
    expected_answer text not null default '',
    category text not null default 'factual'
        check (category in ('factual', 'causal', 'temporal', 'comparative', 'multi-part')),
    difficulty smallint not null default 3 check (difficulty between 1 and 5),
    tags text[] not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, query_id),
    unique (tenant_id, set_id, query_hash),
    foreign key (tenant_id, set_id) references golden_sets on delete cascade
);

create table golden_relevance (
    tenant_id text not null,
    query_id uuid not null,
    note_id uuid not null,
    primary key (tenant_id, query_id, note_id),
    foreign key (tenant_id, query_id) references golden_queries on delete cascade,
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create index golden_relevance_note on golden_relevance (tenant_id, note_id);

create table evaluation_runs (
    tenant_id text not null references tenants on delete cascade,
    run_id uuid not null default gen_random_uuid(),
    set_name text not null,
    set_version integer not null,
    category text,
    config_hash text not null,
    config jsonb not null,
    models jsonb not null,
    pipeline_fingerprint text not null,
    hit_rate_at_1 double precision not null check (hit_rate_at_1 between 0 and 1),
    hit_rate_at_3 double precision not null check (hit_rate_at_3 between 0 and 1),
    hit_rate_at_5 double precision not null check (hit_rate_at_5 between 0 and 1),
    hit_rate_at_10 double precision not null check (hit_rate_at_10 between 0 and 1),
    mrr double precision not null check (mrr between 0 and 1),
    ndcg_at_10 double precision not null check (ndcg_at_10 between 0 and 1),
    recall_at_20 double precision not null check (recall_at_20 between 0 and 1),
    faithfulness double precision check (faithfulness between 0 and 1),
    answer_relevance double precision check (answer_relevance between 0 and 1),
    latency_p50_ms double precision not null,
    latency_p95_ms double precision not null,
    latency_p99_ms double precision not null,
    total_queries integer not null check (total_queries > 0),
    degraded_queries integer not null check (degraded_queries between 0 and total_queries),
    failed_queries integer not null check (failed_queries between 0 and total_queries),
    created_at timestamptz not null default now(),
    primary key (tenant_id, run_id),
    constraint evaluation_runs_latency_order
        check (latency_p50_ms <= latency_p95_ms and latency_p95_ms <= latency_p99_ms)
);
create index evaluation_runs_created_at on evaluation_runs (tenant_id, created_at desc);
create index evaluation_runs_config_hash on evaluation_runs (tenant_id, config_hash, created_at desc);

create table evaluation_queries (
    tenant_id text not null,
    run_id uuid not null,
    query_id uuid not null,
    query text not null,
    category text not null,
    difficulty smallint not null,
    relevant_note_ids uuid[] not null,
    -- Unique notes, best first, to depth 20.
    ranked_note_ids uuid[] not null,
    first_relevant_rank integer check (first_relevant_rank > 0),
    ndcg_at_10 double precision not null,
    recall_at_20 double precision not null,
    latency_ms double precision not null,
    is_degraded boolean not null,
    error text,
    primary key (tenant_id, run_id, query_id),
    foreign key (tenant_id, run_id) references evaluation_runs on delete cascade
);

-- Isolation ---------------------------------------------------------------------------------------------------------

do $$
declare
    table_name text;
begin
    foreach table_name in array array[
        'tenants', 'notes', 'batches', 'chunks', 'postings', 'corpus_statistics', 'lexeme_statistics', 'embeddings',
        'embedding_cache', 'staged_notes', 'staged_chunks', 'golden_sets', 'golden_queries', 'golden_relevance',
        'evaluation_runs', 'evaluation_queries'
    ] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, delete on %I to brain_app', table_name);
    end loop;
end $$;
grant select on embedding_models, schema_migrations to brain_app;
grant update on notes, golden_sets, golden_queries, staged_notes, embedding_cache, tenants to brain_app;

insert into embedding_models (
    name, provider, version, dimensions, context_tokens, similarity_threshold, fusion_method, semantic_weight,
    fulltext_weight, uses_contextual, state
) values ('hashing', 'hashing', '1', 768, 1000000, null, 'relative_score', 0.25, 0.75, true, 'active');
