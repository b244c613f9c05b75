-- Written by `make schema` from the migrations; change those, not this.

CREATE SCHEMA brain;

CREATE FUNCTION brain.check_document_status() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception 'a document does not go from % to %', old.status, new.status using errcode = 'check_violation';
end $$;

CREATE FUNCTION brain.find_api_key(wanted text, hash bytea) RETURNS TABLE(tenant_id text, name text, scopes text[], departments text[], questions_per_minute integer, questions_per_hour integer, expires_at timestamp with time zone, revoked_at timestamp with time zone)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'brain', 'pg_temp'
    AS $$
    update api_keys k set last_used_at = now()
    where k.key_id = wanted and k.secret_hash = hash
        and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
    select k.tenant_id, k.name, k.scopes, k.departments, coalesce(k.questions_per_minute, t.questions_per_minute),
        coalesce(k.questions_per_hour, t.questions_per_hour), k.expires_at, k.revoked_at
    from api_keys k join tenants t using (tenant_id)
    where k.key_id = wanted and k.secret_hash = hash;
$$;

CREATE FUNCTION brain.fold_statistics(tenant text) RETURNS bigint
    LANGUAGE sql
    RETURN 0;

CREATE FUNCTION brain.forget_graph_of_deleted_chunks() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    delete from graph_notes g
    using (select distinct tenant_id, note_id from deleted) d
    where g.tenant_id = d.tenant_id and g.note_id = d.note_id;
    return null;
end $$;

CREATE FUNCTION brain.forget_original() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'brain'
    AS $$
begin
    delete from originals o
    where o.tenant_id = old.tenant_id and o.file_hash = old.file_hash and not exists (
        select from documents d where d.tenant_id = old.tenant_id and d.file_hash = old.file_hash and d.is_upload
    );
    return null;
end $$;

CREATE FUNCTION brain.forget_proposal_without_place() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    delete from golden_proposals where tenant_id = old.tenant_id and proposal_id = old.proposal_id;
    return null;
end $$;

CREATE FUNCTION brain.forget_spans() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    delete from blocks where tenant_id = new.tenant_id and note_id = new.note_id;
    delete from note_links where tenant_id = new.tenant_id and note_id = new.note_id;
    return null;
end $$;

CREATE FUNCTION brain.forget_unmentioned() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    perform pg_advisory_xact_lock(hashtextextended('brain.graph:' || old.tenant_id, 0));
    delete from entity_aliases a
    where a.tenant_id = old.tenant_id and a.alias_key = old.alias_key
        and not exists (select from mentions m where m.tenant_id = a.tenant_id and m.alias_key = a.alias_key);
    if not found then
        return null;
    end if;
    delete from entities e
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_aliases a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id);
    if found then
        return null;
    end if;
    update entities e set key = a.alias_key, name = a.name
    from (
        select alias_key, name from entity_aliases
        where tenant_id = old.tenant_id and entity_id = old.entity_id
        order by cardinality(stems), alias_key limit 1
    ) a
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_aliases o where o.tenant_id = e.tenant_id and o.alias_key = e.key);
    return null;
end $$;

CREATE FUNCTION brain.forget_unnamed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    perform pg_advisory_xact_lock(hashtextextended('brain.graph:' || old.tenant_id, 0));
    delete from entity_names a
    where a.tenant_id = old.tenant_id and a.kind = old.kind and a.name_key = old.name_key
        and not exists (
            select from named_mentions m where m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
        );
    return null;
end $$;

CREATE FUNCTION brain.forget_upload() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'brain'
    AS $$
begin
    delete from documents where tenant_id = old.tenant_id and note_id = old.note_id and is_upload;
    return old;
end $$;

CREATE FUNCTION brain.index_deleted_chunks() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
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

CREATE FUNCTION brain.index_inserted_chunks() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
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

CREATE FUNCTION brain.index_tags() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    if tg_op = 'UPDATE' then
        delete from note_tags where tenant_id = old.tenant_id and note_id = old.note_id;
    end if;
    insert into note_tags (tenant_id, tag, note_id)
    select new.tenant_id, k, new.note_id from keys_of_tags(new.tags) k;
    return null;
end $$;

CREATE FUNCTION brain.keep_version() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'brain', 'pg_temp'
    AS $$
begin
    if coalesce(nullif(current_setting('brain.version_days', true), ''), '0')::integer = 0
        or not exists (select from tenants where tenant_id = old.tenant_id) then
        return null;
    end if;
    insert into note_versions (
        tenant_id, note_id, is_deletion, source, external_id, title, content, language, metadata, created_at, dated_by
    ) values (
        old.tenant_id, old.note_id, tg_op = 'DELETE', old.source, old.external_id, old.title, old.content, old.language,
        old.metadata, old.created_at, old.dated_by
    );
    delete from note_versions v
    where v.tenant_id = old.tenant_id and v.note_id = old.note_id and v.changed_at <= (
        select changed_at from note_versions
        where tenant_id = old.tenant_id and note_id = old.note_id
        order by changed_at desc offset 30 limit 1
    );
    return null;
end $$;

CREATE FUNCTION brain.tag_key(tag text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(lower(NORMALIZE(tag, NFC)), 'ß'::text, 'ss'::text);

CREATE FUNCTION brain.keys_of_tags(tags text[]) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT DISTINCT brain.tag_key(t.t) AS tag_key
    FROM unnest(keys_of_tags.tags) t(t)
   WHERE ((char_length(t.t) >= 1) AND (char_length(t.t) <= 500));
END;

CREATE FUNCTION brain.plain_marks(content text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(content, ' ¡©«®»¿           ​‒–—―‘’‚‛“”„‟•…   ′″‹› ™←→　‐‑−­⁠﻿'::text, (repeat(' '::text, 45) || '---'::text));

CREATE FUNCTION brain.text_search_configuration(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language WHEN 'de'::text THEN 'german'::regconfig WHEN 'en'::text THEN 'english'::regconfig ELSE 'spanish'::regconfig END;

CREATE FUNCTION brain.lexemes_of(language text, title text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector(brain.text_search_configuration(language), brain.plain_marks((COALESCE((title || '
'::text), ''::text) || "left"(content, 100000))));

CREATE FUNCTION brain.metadata_after(stored jsonb, incoming jsonb, keeps_audience boolean) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (incoming IS NULL) THEN stored WHEN keeps_audience THEN (incoming || (SELECT COALESCE(jsonb_object_agg(jsonb_each.key, jsonb_each.value), '{}'::jsonb) AS "coalesce" FROM jsonb_each(metadata_after.stored) jsonb_each(key, value) WHERE (jsonb_each.key = ANY (ARRAY['visibility'::text, 'department'::text, 'departments'::text])))) ELSE incoming END;

CREATE FUNCTION brain.name_entity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    delete from named_entities e
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_names a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id);
    if not found then
        update named_entities e set name = a.name
        from (
            select name from entity_names where tenant_id = old.tenant_id and entity_id = old.entity_id
            order by char_length(name) desc, name_key limit 1
        ) a
        where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id and e.renamed_by is null and e.name <> a.name;
    end if;
    return null;
end $$;

CREATE FUNCTION brain.packed_posting(number integer, chunk_length bigint, term_frequency integer) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN int8send(((((number)::bigint << 32) | (chunk_length << 8)) | (term_frequency)::bigint));

CREATE FUNCTION brain.rebuild_postings() RETURNS void
    LANGUAGE sql
    SET search_path TO 'brain'
    AS $$
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

CREATE FUNCTION brain.record_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'brain'
    AS $$
begin
    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select distinct tenant_id, 'es', 0, 0 from changed;
    return null;
end $$;

CREATE FUNCTION brain.seen_departments() RETURNS text[]
    LANGUAGE sql STABLE
    RETURN CASE WHEN (current_setting('brain.departments'::text, true) ~~ '[%'::text) THEN ARRAY(SELECT jsonb_array_elements_text((current_setting('brain.departments'::text, true))::jsonb) AS jsonb_array_elements_text) ELSE NULL::text[] END;

CREATE FUNCTION brain.terms_in(lexemes tsvector) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT COALESCE(sum(cardinality(unnest.positions)), (0)::bigint) AS "coalesce" FROM unnest(terms_in.lexemes) unnest(lexeme, positions, weights));

CREATE FUNCTION brain.unpacked_postings(packed bytea) RETURNS TABLE(number integer, chunk_length integer, term_frequency smallint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT ((p.posting >> 32))::integer AS int4,
     (((p.posting >> 8) & (16777215)::bigint))::integer AS int4,
     ((p.posting & (255)::bigint))::smallint AS int2
    FROM ( SELECT ((('x'::text || encode(SUBSTRING(whole.bytes FROM (at.at + 1) FOR 8), 'hex'::text)))::bit(64))::bigint AS posting
            FROM (( SELECT (unpacked_postings.packed || '\x'::bytea) AS bytes
                  OFFSET 0) whole
              CROSS JOIN LATERAL generate_series(0, (octet_length(whole.bytes) - 8), 8) at(at))) p;
END;

CREATE TABLE brain.alerts (
    alert_id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id text,
    rule text NOT NULL,
    subject text NOT NULL,
    severity text NOT NULL,
    state text DEFAULT 'firing'::text NOT NULL,
    title text NOT NULL,
    message text NOT NULL,
    link text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    times_seen integer DEFAULT 1 NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp with time zone,
    notified_at timestamp with time zone,
    resolution_notified_at timestamp with time zone,
    CONSTRAINT alerts_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text]))),
    CONSTRAINT alerts_state_check CHECK ((state = ANY (ARRAY['firing'::text, 'resolved'::text]))),
    CONSTRAINT alerts_times_seen_check CHECK ((times_seen > 0))
);

CREATE TABLE brain.api_keys (
    key_id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    departments text[],
    questions_per_minute integer,
    questions_per_hour integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_key_id_check CHECK ((key_id ~ '^[a-z0-9]{12}$'::text)),
    CONSTRAINT api_keys_name_check CHECK ((name <> ''::text)),
    CONSTRAINT api_keys_questions_per_hour_check CHECK ((questions_per_hour > 0)),
    CONSTRAINT api_keys_questions_per_minute_check CHECK ((questions_per_minute > 0)),
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'write'::text, 'evaluate'::text, 'admin'::text]))),
    CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);

CREATE TABLE brain.batches (
    tenant_id text NOT NULL,
    batch_key text NOT NULL,
    sequence integer NOT NULL,
    registered_at timestamp with time zone DEFAULT now() NOT NULL,
    is_legacy boolean DEFAULT false NOT NULL,
    CONSTRAINT batches_sequence_check CHECK ((sequence >= 0))
);

CREATE TABLE brain.blocks (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    block_index integer NOT NULL,
    kind text NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    level smallint,
    page integer,
    box real[],
    confidence real,
    CONSTRAINT blocks_block_index_check CHECK ((block_index >= 0)),
    CONSTRAINT blocks_box_check CHECK ((cardinality(box) = 4)),
    CONSTRAINT blocks_check CHECK ((end_char > start_char)),
    CONSTRAINT blocks_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT blocks_kind_check CHECK ((kind = ANY (ARRAY['heading'::text, 'paragraph'::text, 'list'::text, 'table'::text, 'code'::text, 'image'::text]))),
    CONSTRAINT blocks_level_check CHECK (((level >= 1) AND (level <= 6))),
    CONSTRAINT blocks_page_check CHECK ((page > 0)),
    CONSTRAINT blocks_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.chunks (
    tenant_id text NOT NULL,
    chunk_id uuid NOT NULL,
    note_id uuid NOT NULL,
    chunk_index integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    title text,
    content text NOT NULL,
    context text,
    token_count integer NOT NULL,
    chunking_method text NOT NULL,
    language text NOT NULL,
    lexemes tsvector GENERATED ALWAYS AS (brain.lexemes_of(language, title, content)) STORED NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text DEFAULT 'text'::text NOT NULL,
    table_start integer,
    headers text[],
    caption text,
    number integer NOT NULL,
    CONSTRAINT chunks_bounds_valid CHECK ((end_char > start_char)),
    CONSTRAINT chunks_check CHECK (((kind = 'text'::text) = (table_start IS NULL))),
    CONSTRAINT chunks_check1 CHECK (((kind = 'text'::text) = (headers IS NULL))),
    CONSTRAINT chunks_chunk_index_check CHECK ((chunk_index >= 0)),
    CONSTRAINT chunks_chunking_method_check CHECK ((chunking_method <> ''::text)),
    CONSTRAINT chunks_content_fits_bounds CHECK ((char_length(content) = (end_char - start_char))),
    CONSTRAINT chunks_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'table'::text, 'table_segment'::text, 'table_summary'::text]))),
    CONSTRAINT chunks_language_check CHECK ((language = ANY (ARRAY['es'::text, 'de'::text, 'en'::text]))),
    CONSTRAINT chunks_start_char_check CHECK ((start_char >= 0)),
    CONSTRAINT chunks_table_start_check CHECK ((table_start >= 0)),
    CONSTRAINT chunks_token_count_check CHECK ((token_count > 0))
);

ALTER TABLE brain.chunks ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME brain.chunks_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brain.configurations (
    tenant_id text NOT NULL,
    configuration_id uuid DEFAULT gen_random_uuid() NOT NULL,
    number integer NOT NULL,
    override jsonb NOT NULL,
    embedding_model text,
    reranker_version text,
    origin text NOT NULL,
    evidence jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT configurations_number_check CHECK ((number > 0)),
    CONSTRAINT configurations_origin_check CHECK ((origin = ANY (ARRAY['tuning'::text, 'manual'::text])))
);

CREATE TABLE brain.corpus_statistics (
    tenant_id text NOT NULL,
    language text NOT NULL,
    documents bigint NOT NULL,
    total_length bigint NOT NULL,
    is_folded boolean DEFAULT false NOT NULL,
    change_id bigint NOT NULL
);

ALTER TABLE brain.corpus_statistics ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME brain.corpus_statistics_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brain.documents (
    tenant_id text NOT NULL,
    source text NOT NULL,
    path text NOT NULL,
    note_id uuid,
    status text NOT NULL,
    is_upload boolean DEFAULT false NOT NULL,
    document_id uuid,
    job_id uuid,
    error text,
    format text,
    file_hash bytea,
    file_size bigint NOT NULL,
    modified_ns bigint NOT NULL,
    parser text,
    parser_confidence double precision,
    author text,
    pages integer,
    page_unit text DEFAULT 'page'::text NOT NULL,
    warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
    checked_at timestamp with time zone DEFAULT now() NOT NULL,
    url text,
    departments text[],
    uploaded_by text,
    archived_metadata jsonb,
    CONSTRAINT documents_archived CHECK (((status <> 'archived'::text) OR (is_upload AND (note_id IS NULL)))),
    CONSTRAINT documents_check CHECK (((status = ANY (ARRAY['queued'::text, 'imported'::text, 'archived'::text])) = (error IS NULL))),
    CONSTRAINT documents_check1 CHECK ((is_upload = (document_id IS NOT NULL))),
    CONSTRAINT documents_file_hash_check CHECK ((octet_length(file_hash) = 32)),
    CONSTRAINT documents_file_size_check CHECK ((file_size >= 0)),
    CONSTRAINT documents_page_unit_check CHECK ((page_unit = ANY (ARRAY['page'::text, 'slide'::text, 'sheet'::text, 'section'::text]))),
    CONSTRAINT documents_pages_check CHECK ((pages >= 0)),
    CONSTRAINT documents_parser_confidence_check CHECK (((parser_confidence >= (0)::double precision) AND (parser_confidence <= (1)::double precision))),
    CONSTRAINT documents_path_check CHECK ((path <> ''::text)),
    CONSTRAINT documents_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'imported'::text, 'refused'::text, 'failed'::text, 'archived'::text]))),
    CONSTRAINT documents_uploaded_by_check CHECK ((uploaded_by <> ''::text)),
    CONSTRAINT documents_url_check CHECK ((url <> ''::text))
);

CREATE TABLE brain.entity_names (
    tenant_id text NOT NULL,
    kind text NOT NULL,
    name_key text NOT NULL,
    entity_id uuid NOT NULL,
    name text NOT NULL,
    method text NOT NULL,
    score double precision NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamp with time zone DEFAULT now() NOT NULL,
    merged_from uuid,
    is_sure boolean NOT NULL,
    CONSTRAINT entity_names_decided_by_check CHECK ((decided_by <> ''::text)),
    CONSTRAINT entity_names_method_check CHECK ((method = ANY (ARRAY['exact'::text, 'initials'::text, 'surname'::text, 'first name'::text, 'legal form'::text, 'acronym'::text, 'spelling'::text, 'merge'::text, 'split'::text]))),
    CONSTRAINT entity_names_name_check CHECK ((name <> ''::text)),
    CONSTRAINT entity_names_name_key_check CHECK ((name_key <> ''::text)),
    CONSTRAINT entity_names_score_check CHECK (((score > (0)::double precision) AND (score <= (1)::double precision)))
);

CREATE TABLE brain.named_mentions (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    kind text NOT NULL,
    name_key text NOT NULL,
    confidence double precision NOT NULL,
    method text NOT NULL,
    CONSTRAINT named_mentions_check CHECK ((end_char > start_char)),
    CONSTRAINT named_mentions_confidence_check CHECK (((confidence > (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT named_mentions_method_check CHECK ((method = ANY (ARRAY['parser'::text, 'cue'::text, 'list'::text, 'corpus'::text, 'context'::text, 'kinship'::text]))),
    CONSTRAINT named_mentions_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.named_notes (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    fingerprint text NOT NULL,
    CONSTRAINT named_notes_content_hash_check CHECK ((octet_length(content_hash) = 32))
);

CREATE TABLE brain.named_relations (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    source_start integer NOT NULL,
    target_start integer NOT NULL,
    kind text NOT NULL,
    evidence_start integer NOT NULL,
    evidence_end integer NOT NULL,
    confidence double precision NOT NULL,
    method text NOT NULL,
    CONSTRAINT named_relations_check CHECK ((source_start <> target_start)),
    CONSTRAINT named_relations_check1 CHECK ((evidence_end > evidence_start)),
    CONSTRAINT named_relations_confidence_check CHECK (((confidence > (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT named_relations_evidence_start_check CHECK ((evidence_start >= 0)),
    CONSTRAINT named_relations_kind_check CHECK ((kind = ANY (ARRAY['WORKS_FOR'::text, 'MANAGES'::text, 'REPORTS_TO'::text, 'CREATED'::text, 'USES'::text, 'PART_OF'::text, 'APPROVED_BY'::text, 'COLLABORATES_WITH'::text]))),
    CONSTRAINT named_relations_method_check CHECK ((method = ANY (ARRAY['pattern'::text, 'spacy'::text, 'llm'::text])))
);

CREATE TABLE brain.note_links (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    link_index integer NOT NULL,
    kind text NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    target text NOT NULL,
    target_key text NOT NULL,
    heading text,
    CONSTRAINT note_links_check CHECK ((end_char > start_char)),
    CONSTRAINT note_links_kind_check CHECK ((kind = ANY (ARRAY['wiki'::text, 'relative'::text]))),
    CONSTRAINT note_links_link_index_check CHECK ((link_index >= 0)),
    CONSTRAINT note_links_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.note_names (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    source text NOT NULL,
    name_key text NOT NULL,
    rank smallint NOT NULL,
    CONSTRAINT note_names_rank_check CHECK (((rank >= 0) AND (rank <= 3)))
);

CREATE TABLE brain.notes (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    source text NOT NULL,
    external_id text NOT NULL,
    kind text DEFAULT 'note'::text NOT NULL,
    title text,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    language text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    batch_key text,
    indexed_fingerprint text,
    sentence_starts integer[],
    legacy_state text,
    chunked_at timestamp with time zone,
    departments text[],
    dated_by text DEFAULT 'given'::text NOT NULL,
    section_starts integer[],
    CONSTRAINT notes_content_check CHECK ((content <> ''::text)),
    CONSTRAINT notes_content_hash_check CHECK ((octet_length(content_hash) = 32)),
    CONSTRAINT notes_dated_by_check CHECK ((dated_by = ANY (ARRAY['given'::text, 'name'::text, 'heading'::text, 'file'::text, 'import'::text]))),
    CONSTRAINT notes_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT notes_kind_check CHECK ((kind = ANY (ARRAY['note'::text, 'document'::text]))),
    CONSTRAINT notes_language_check CHECK ((language = ANY (ARRAY['es'::text, 'de'::text, 'en'::text]))),
    CONSTRAINT notes_legacy_state_check CHECK ((legacy_state = ANY (ARRAY['pending'::text, 'migrated'::text]))),
    CONSTRAINT notes_source_check CHECK ((source <> ''::text))
);

CREATE TABLE brain.relations (
    tenant_id text NOT NULL,
    relation_id uuid NOT NULL,
    source_id uuid NOT NULL,
    target_id uuid NOT NULL,
    kind text NOT NULL,
    note_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    evidence_start integer NOT NULL,
    evidence_end integer NOT NULL,
    confidence double precision NOT NULL,
    extractor text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT relations_check CHECK ((evidence_end > evidence_start)),
    CONSTRAINT relations_confidence_check CHECK (((confidence > (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT relations_evidence_start_check CHECK ((evidence_start >= 0)),
    CONSTRAINT relations_kind_check CHECK ((kind = ANY (ARRAY['CAUSES'::text, 'TRIGGERS'::text, 'LEADS_TO'::text, 'WORKS_FOR'::text, 'MANAGES'::text, 'OWNS'::text, 'REFERENCES'::text, 'PART_OF'::text, 'RELATED_TO'::text, 'CREATED_BY'::text, 'APPROVED_BY'::text, 'REPORTS_TO'::text, 'COLLABORATES_WITH'::text, 'PREREQUISITE'::text, 'COMPARED_TO'::text, 'USES'::text, 'IMPLEMENTS'::text, 'EXAMPLE_OF'::text]))),
    CONSTRAINT relations_no_self_loop CHECK ((source_id <> target_id))
);

CREATE VIEW brain.edges WITH (security_invoker='true') AS
 SELECT r.tenant_id,
    r.kind,
    r.source_id,
    r.target_id,
    r.note_id,
    r.evidence_start,
    r.evidence_end,
    r.confidence,
    r.extractor AS method
   FROM brain.relations r
UNION ALL
 SELECT r.tenant_id,
    r.kind,
    a.entity_id AS source_id,
    b.entity_id AS target_id,
    r.note_id,
    r.evidence_start,
    r.evidence_end,
    r.confidence,
    r.method
   FROM ((((((brain.named_relations r
     JOIN brain.named_mentions s ON (((s.tenant_id = r.tenant_id) AND (s.note_id = r.note_id) AND (s.start_char = r.source_start))))
     JOIN brain.named_mentions t ON (((t.tenant_id = r.tenant_id) AND (t.note_id = r.note_id) AND (t.start_char = r.target_start))))
     JOIN brain.entity_names a ON (((a.tenant_id = s.tenant_id) AND (a.kind = s.kind) AND (a.name_key = s.name_key))))
     JOIN brain.entity_names b ON (((b.tenant_id = t.tenant_id) AND (b.kind = t.kind) AND (b.name_key = t.name_key))))
     JOIN brain.named_notes d ON (((d.tenant_id = r.tenant_id) AND (d.note_id = r.note_id))))
     JOIN brain.notes n ON (((n.tenant_id = d.tenant_id) AND (n.note_id = d.note_id) AND (n.content_hash = d.content_hash))))
  WHERE (a.entity_id <> b.entity_id)
UNION ALL
 SELECT m.tenant_id,
    'MENTIONS'::text AS kind,
    m.note_id AS source_id,
    a.entity_id AS target_id,
    m.note_id,
    m.start_char AS evidence_start,
    m.end_char AS evidence_end,
    m.confidence,
    m.method
   FROM (((brain.named_mentions m
     JOIN brain.entity_names a ON (((a.tenant_id = m.tenant_id) AND (a.kind = m.kind) AND (a.name_key = m.name_key))))
     JOIN brain.named_notes d ON (((d.tenant_id = m.tenant_id) AND (d.note_id = m.note_id))))
     JOIN brain.notes n ON (((n.tenant_id = d.tenant_id) AND (n.note_id = d.note_id) AND (n.content_hash = d.content_hash))))
UNION ALL
 SELECT l.tenant_id,
    'REFERENCES'::text AS kind,
    l.note_id AS source_id,
    k.note_id AS target_id,
    l.note_id,
    l.start_char AS evidence_start,
    l.end_char AS evidence_end,
    1 AS confidence,
    l.kind AS method
   FROM ((brain.note_links l
     JOIN brain.notes n ON (((n.tenant_id = l.tenant_id) AND (n.note_id = l.note_id))))
     CROSS JOIN LATERAL ( SELECT t.note_id
           FROM (brain.note_names k_1
             JOIN brain.notes t USING (tenant_id, note_id))
          WHERE ((k_1.tenant_id = l.tenant_id) AND (k_1.source = n.source) AND (k_1.name_key = l.target_key))
          ORDER BY k_1.rank, (char_length(t.external_id)), t.external_id
         LIMIT 1) k);

CREATE TABLE brain.embedding_cache (
    tenant_id text NOT NULL,
    input_hash bytea NOT NULL,
    note_id uuid NOT NULL,
    vector public.vector NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_cache_input_hash_check CHECK ((octet_length(input_hash) = 32))
)
WITH (toast_tuple_target='8160');

CREATE TABLE brain.embedding_models (
    model_id integer NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    version text NOT NULL,
    dimensions integer NOT NULL,
    query_prefix text DEFAULT ''::text NOT NULL,
    document_prefix text DEFAULT ''::text NOT NULL,
    context_tokens integer NOT NULL,
    similarity_threshold double precision,
    fusion_method text NOT NULL,
    semantic_weight double precision NOT NULL,
    fulltext_weight double precision NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    promoted_at timestamp with time zone,
    retired_at timestamp with time zone,
    searched_vectors text NOT NULL,
    CONSTRAINT embedding_models_check CHECK (((semantic_weight + fulltext_weight) > (0)::double precision)),
    CONSTRAINT embedding_models_context_tokens_check CHECK ((context_tokens > 0)),
    CONSTRAINT embedding_models_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4096))),
    CONSTRAINT embedding_models_fulltext_weight_check CHECK (((fulltext_weight >= (0)::double precision) AND (fulltext_weight <= (1)::double precision))),
    CONSTRAINT embedding_models_fusion_method_check CHECK ((fusion_method = ANY (ARRAY['rrf'::text, 'relative_score'::text, 'convex'::text]))),
    CONSTRAINT embedding_models_provider_check CHECK ((provider <> ''::text)),
    CONSTRAINT embedding_models_searched_vectors_check CHECK ((searched_vectors = ANY (ARRAY['standard'::text, 'contextual'::text, 'sentences'::text]))),
    CONSTRAINT embedding_models_semantic_weight_check CHECK (((semantic_weight >= (0)::double precision) AND (semantic_weight <= (1)::double precision))),
    CONSTRAINT embedding_models_similarity_threshold_check CHECK (((similarity_threshold >= (0)::double precision) AND (similarity_threshold <= (1)::double precision))),
    CONSTRAINT embedding_models_state_check CHECK ((state = ANY (ARRAY['candidate'::text, 'backfilling'::text, 'ready'::text, 'active'::text, 'retired'::text])))
);

ALTER TABLE brain.embedding_models ALTER COLUMN model_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME brain.embedding_models_model_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brain.embeddings (
    tenant_id text NOT NULL,
    model_id integer NOT NULL,
    kind text NOT NULL,
    chunk_id uuid NOT NULL,
    input_hash bytea NOT NULL,
    vector public.vector NOT NULL,
    CONSTRAINT embeddings_input_hash_check CHECK ((octet_length(input_hash) = 32)),
    CONSTRAINT embeddings_kind_check CHECK ((kind = ANY (ARRAY['standard'::text, 'contextual'::text])))
)
WITH (toast_tuple_target='8160');

CREATE TABLE brain.entities (
    tenant_id text NOT NULL,
    entity_id uuid NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT entities_key_check CHECK ((key <> ''::text)),
    CONSTRAINT entities_name_check CHECK ((name <> ''::text))
);

CREATE TABLE brain.entity_aliases (
    tenant_id text NOT NULL,
    alias_key text NOT NULL,
    entity_id uuid NOT NULL,
    language text NOT NULL,
    name text NOT NULL,
    stems text[] NOT NULL,
    CONSTRAINT entity_aliases_alias_key_check CHECK ((alias_key <> ''::text)),
    CONSTRAINT entity_aliases_language_check CHECK ((language = ANY (ARRAY['es'::text, 'de'::text, 'en'::text]))),
    CONSTRAINT entity_aliases_name_check CHECK ((name <> ''::text)),
    CONSTRAINT entity_aliases_stems_check CHECK ((cardinality(stems) > 0))
);

CREATE TABLE brain.entity_name_blocks (
    tenant_id text NOT NULL,
    kind text NOT NULL,
    block text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL
);

CREATE TABLE brain.entity_stems (
    tenant_id text NOT NULL,
    language text NOT NULL,
    stem text NOT NULL COLLATE pg_catalog."C",
    alias_key text NOT NULL
);

CREATE TABLE brain.evaluation_baselines (
    tenant_id text NOT NULL,
    set_name text NOT NULL,
    strategy text NOT NULL,
    run_id uuid NOT NULL,
    is_automatic boolean NOT NULL,
    promoted_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE brain.evaluation_jobs (
    tenant_id text NOT NULL,
    job_id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    parameters jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    stage text,
    done integer DEFAULT 0 NOT NULL,
    total integer,
    error text,
    result jsonb,
    is_cancel_wanted boolean DEFAULT false NOT NULL,
    worker text,
    heartbeat_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    asked_under jsonb,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    CONSTRAINT evaluation_jobs_done_check CHECK ((done >= 0)),
    CONSTRAINT evaluation_jobs_kind_check CHECK ((kind = ANY (ARRAY['evaluation'::text, 'tuning'::text, 'embedding_benchmark'::text, 'ingestion'::text]))),
    CONSTRAINT evaluation_jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT evaluation_jobs_total_check CHECK ((total >= 0))
);

CREATE TABLE brain.evaluation_queries (
    tenant_id text NOT NULL,
    run_id uuid NOT NULL,
    query_id uuid NOT NULL,
    query text NOT NULL,
    category text NOT NULL,
    difficulty smallint NOT NULL,
    relevant_note_ids uuid[] NOT NULL,
    ranked_note_ids uuid[] NOT NULL,
    first_relevant_rank integer,
    ndcg_at_10 double precision NOT NULL,
    recall_at_20 double precision NOT NULL,
    latency_ms double precision NOT NULL,
    is_degraded boolean NOT NULL,
    error text,
    relevance_grades smallint[],
    u_measure double precision,
    first_passage_rank integer,
    is_confident boolean,
    stages jsonb DEFAULT '{}'::jsonb NOT NULL,
    answer jsonb,
    CONSTRAINT evaluation_queries_first_passage_rank_check CHECK ((first_passage_rank > 0)),
    CONSTRAINT evaluation_queries_first_relevant_rank_check CHECK ((first_relevant_rank > 0)),
    CONSTRAINT evaluation_queries_grades_fit CHECK (((relevance_grades IS NULL) OR (cardinality(relevance_grades) = cardinality(relevant_note_ids)))),
    CONSTRAINT evaluation_queries_u_measure_check CHECK (((u_measure >= (0)::double precision) AND (u_measure <= (1)::double precision)))
);

CREATE TABLE brain.evaluation_runs (
    tenant_id text NOT NULL,
    run_id uuid DEFAULT gen_random_uuid() NOT NULL,
    set_name text NOT NULL,
    set_version integer NOT NULL,
    category text,
    config_hash text NOT NULL,
    config jsonb NOT NULL,
    models jsonb NOT NULL,
    pipeline_fingerprint text NOT NULL,
    hit_rate_at_1 double precision NOT NULL,
    hit_rate_at_3 double precision NOT NULL,
    hit_rate_at_5 double precision NOT NULL,
    hit_rate_at_10 double precision NOT NULL,
    mrr double precision NOT NULL,
    ndcg_at_10 double precision NOT NULL,
    recall_at_20 double precision NOT NULL,
    faithfulness double precision,
    answer_relevance double precision,
    latency_p50_ms double precision NOT NULL,
    latency_p95_ms double precision NOT NULL,
    latency_p99_ms double precision NOT NULL,
    total_queries integer NOT NULL,
    degraded_queries integer NOT NULL,
    failed_queries integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    purpose text DEFAULT 'manual'::text NOT NULL,
    strategy text,
    circumstances jsonb DEFAULT '{}'::jsonb NOT NULL,
    comparison jsonb,
    set_id uuid,
    set_vocabulary text,
    metrics jsonb DEFAULT '{}'::jsonb NOT NULL,
    latency_stages jsonb DEFAULT '{}'::jsonb NOT NULL,
    answers jsonb,
    CONSTRAINT evaluation_runs_answer_relevance_check CHECK (((answer_relevance >= (0)::double precision) AND (answer_relevance <= (1)::double precision))),
    CONSTRAINT evaluation_runs_check CHECK (((degraded_queries >= 0) AND (degraded_queries <= total_queries))),
    CONSTRAINT evaluation_runs_check1 CHECK (((failed_queries >= 0) AND (failed_queries <= total_queries))),
    CONSTRAINT evaluation_runs_faithfulness_check CHECK (((faithfulness >= (0)::double precision) AND (faithfulness <= (1)::double precision))),
    CONSTRAINT evaluation_runs_hit_rate_at_10_check CHECK (((hit_rate_at_10 >= (0)::double precision) AND (hit_rate_at_10 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_hit_rate_at_1_check CHECK (((hit_rate_at_1 >= (0)::double precision) AND (hit_rate_at_1 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_hit_rate_at_3_check CHECK (((hit_rate_at_3 >= (0)::double precision) AND (hit_rate_at_3 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_hit_rate_at_5_check CHECK (((hit_rate_at_5 >= (0)::double precision) AND (hit_rate_at_5 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_latency_order CHECK (((latency_p50_ms <= latency_p95_ms) AND (latency_p95_ms <= latency_p99_ms))),
    CONSTRAINT evaluation_runs_mrr_check CHECK (((mrr >= (0)::double precision) AND (mrr <= (1)::double precision))),
    CONSTRAINT evaluation_runs_ndcg_at_10_check CHECK (((ndcg_at_10 >= (0)::double precision) AND (ndcg_at_10 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_purpose_check CHECK ((purpose = ANY (ARRAY['manual'::text, 'nightly'::text, 'migration'::text, 'model'::text, 'gate'::text, 'promotion'::text, 'benchmark'::text]))),
    CONSTRAINT evaluation_runs_recall_at_20_check CHECK (((recall_at_20 >= (0)::double precision) AND (recall_at_20 <= (1)::double precision))),
    CONSTRAINT evaluation_runs_set_vocabulary_check CHECK ((set_vocabulary = ANY (ARRAY['brain_sync'::text, 'rag_v2'::text]))),
    CONSTRAINT evaluation_runs_total_queries_check CHECK ((total_queries > 0))
);

CREATE TABLE brain.experiment_feedback (
    tenant_id text NOT NULL,
    feedback_id uuid DEFAULT gen_random_uuid() NOT NULL,
    query_id uuid NOT NULL,
    note_id uuid,
    kind text NOT NULL,
    given_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT experiment_feedback_kind_check CHECK ((kind = ANY (ARRAY['open'::text, 'helpful'::text, 'unhelpful'::text])))
);

CREATE TABLE brain.experiment_queries (
    tenant_id text NOT NULL,
    query_id uuid DEFAULT gen_random_uuid() NOT NULL,
    experiment_id uuid NOT NULL,
    arm text NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    control_notes uuid[],
    candidate_notes uuid[],
    served_notes uuid[] NOT NULL,
    teams text[],
    control_ms double precision,
    candidate_ms double precision,
    is_degraded boolean DEFAULT false NOT NULL,
    CONSTRAINT experiment_queries_arm_check CHECK ((arm = ANY (ARRAY['control'::text, 'candidate'::text, 'interleaved'::text]))),
    CONSTRAINT experiment_queries_teams_fit CHECK (((teams IS NULL) OR (cardinality(teams) = cardinality(served_notes))))
);

CREATE TABLE brain.experiments (
    tenant_id text NOT NULL,
    experiment_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    mode text NOT NULL,
    share double precision NOT NULL,
    control jsonb NOT NULL,
    candidate jsonb NOT NULL,
    control_reranker text,
    candidate_reranker text,
    candidate_configuration_id uuid,
    state text DEFAULT 'running'::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    stopped_at timestamp with time zone,
    CONSTRAINT experiments_mode_check CHECK ((mode = ANY (ARRAY['split'::text, 'shadow'::text, 'interleave'::text]))),
    CONSTRAINT experiments_name_check CHECK ((name <> ''::text)),
    CONSTRAINT experiments_share_check CHECK (((share > (0)::double precision) AND (share <= (1)::double precision))),
    CONSTRAINT experiments_state_check CHECK ((state = ANY (ARRAY['running'::text, 'stopped'::text])))
);

CREATE TABLE brain.feedback (
    tenant_id text NOT NULL,
    feedback_id uuid DEFAULT gen_random_uuid() NOT NULL,
    query_id uuid NOT NULL,
    rating smallint NOT NULL,
    comment text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT feedback_comment_check CHECK ((char_length(comment) <= 2000)),
    CONSTRAINT feedback_rating_check CHECK (((rating >= 1) AND (rating <= 5)))
);

CREATE TABLE brain.folders (
    tenant_id text NOT NULL,
    source text NOT NULL,
    path text NOT NULL,
    device text NOT NULL,
    is_watched boolean DEFAULT false NOT NULL,
    exclude text[] DEFAULT '{}'::text[] NOT NULL,
    language text,
    problem text,
    most_notes integer DEFAULT 0 NOT NULL,
    most_notes_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    imported_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT folders_language_check CHECK ((language = ANY (ARRAY['es'::text, 'de'::text, 'en'::text]))),
    CONSTRAINT folders_most_notes_check CHECK ((most_notes >= 0)),
    CONSTRAINT folders_path_check CHECK ((path <> ''::text)),
    CONSTRAINT folders_source_check CHECK ((source <> ''::text))
);

CREATE TABLE brain.golden_proposal_places (
    tenant_id text NOT NULL,
    proposal_id uuid NOT NULL,
    note_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    quote text NOT NULL,
    CONSTRAINT golden_proposal_places_quote_fits CHECK (((end_char > start_char) AND (char_length(quote) = (end_char - start_char)))),
    CONSTRAINT golden_proposal_places_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.golden_proposals (
    tenant_id text NOT NULL,
    proposal_id uuid DEFAULT gen_random_uuid() NOT NULL,
    set_name text NOT NULL,
    query text NOT NULL,
    query_hash bytea NOT NULL,
    note_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    quote text NOT NULL,
    expected_answer text DEFAULT ''::text NOT NULL,
    category text NOT NULL,
    difficulty smallint NOT NULL,
    method text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_at timestamp with time zone,
    decided_by text,
    CONSTRAINT golden_proposals_difficulty_check CHECK (((difficulty >= 1) AND (difficulty <= 5))),
    CONSTRAINT golden_proposals_query_check CHECK ((query <> ''::text)),
    CONSTRAINT golden_proposals_query_hash_check CHECK ((octet_length(query_hash) = 32)),
    CONSTRAINT golden_proposals_quote_fits CHECK (((end_char > start_char) AND (char_length(quote) = (end_char - start_char)))),
    CONSTRAINT golden_proposals_set_name_check CHECK ((set_name <> ''::text)),
    CONSTRAINT golden_proposals_start_char_check CHECK ((start_char >= 0)),
    CONSTRAINT golden_proposals_state_check CHECK ((state = ANY (ARRAY['open'::text, 'accepted'::text, 'rejected'::text])))
);

CREATE TABLE brain.golden_queries (
    tenant_id text NOT NULL,
    query_id uuid DEFAULT gen_random_uuid() NOT NULL,
    set_id uuid NOT NULL,
    external_id text,
    query text NOT NULL,
    query_hash bytea NOT NULL,
    expected_answer text DEFAULT ''::text NOT NULL,
    category text DEFAULT 'factual'::text NOT NULL,
    difficulty smallint DEFAULT 3 NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    vocabulary text DEFAULT 'brain_sync'::text NOT NULL,
    key_facts text[] DEFAULT '{}'::text[] NOT NULL,
    forbidden_content text[] DEFAULT '{}'::text[] NOT NULL,
    created_by text,
    verified_by text,
    verified_at timestamp with time zone,
    is_answerable boolean DEFAULT true NOT NULL,
    CONSTRAINT golden_queries_difficulty_check CHECK (((difficulty >= 1) AND (difficulty <= 5))),
    CONSTRAINT golden_queries_in_vocabulary CHECK ((((vocabulary = 'brain_sync'::text) AND (category = ANY (ARRAY['factual'::text, 'causal'::text, 'temporal'::text, 'comparative'::text, 'multi-part'::text]))) OR ((vocabulary = 'rag_v2'::text) AND (difficulty = ANY (ARRAY[1, 3, 5])) AND (category = ANY (ARRAY['factual'::text, 'comparative'::text, 'procedural'::text, 'relational'::text, 'aggregative'::text, 'multi_hop'::text]))))),
    CONSTRAINT golden_queries_query_check CHECK ((query <> ''::text)),
    CONSTRAINT golden_queries_query_hash_check CHECK ((octet_length(query_hash) = 32))
);

CREATE TABLE brain.golden_relevance (
    tenant_id text NOT NULL,
    query_id uuid NOT NULL,
    note_id uuid NOT NULL,
    grade smallint DEFAULT 1 NOT NULL,
    CONSTRAINT golden_relevance_grade_check CHECK (((grade >= 1) AND (grade <= 3)))
);

CREATE TABLE brain.golden_sets (
    tenant_id text NOT NULL,
    set_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    vocabulary text DEFAULT 'brain_sync'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT golden_sets_name_check CHECK ((name <> ''::text)),
    CONSTRAINT golden_sets_vocabulary_check CHECK ((vocabulary = ANY (ARRAY['brain_sync'::text, 'rag_v2'::text])))
);

CREATE TABLE brain.golden_spans (
    tenant_id text NOT NULL,
    query_id uuid NOT NULL,
    note_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    quote text NOT NULL,
    CONSTRAINT golden_spans_quote_fits CHECK (((end_char > start_char) AND (char_length(quote) = (end_char - start_char)))),
    CONSTRAINT golden_spans_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.graph_notes (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    fingerprint text NOT NULL,
    read_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT graph_notes_content_hash_check CHECK ((octet_length(content_hash) = 32))
);

CREATE TABLE brain.legacy_notes (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    source text NOT NULL,
    external_id text NOT NULL,
    content_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    attached_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT legacy_notes_content_hash_check CHECK ((octet_length(content_hash) = 32))
);

CREATE TABLE brain.posting_blocks (
    tenant_id text NOT NULL,
    language text NOT NULL,
    lexeme text NOT NULL COLLATE pg_catalog."C",
    document_frequency bigint NOT NULL,
    first_number integer NOT NULL,
    last_number integer NOT NULL,
    is_folded boolean DEFAULT false NOT NULL,
    packed bytea NOT NULL
);
ALTER TABLE ONLY brain.posting_blocks ALTER COLUMN packed SET STORAGE EXTERNAL;

CREATE VIEW brain.lexeme_statistics WITH (security_invoker='true') AS
 SELECT tenant_id,
    language,
    lexeme,
    document_frequency,
    is_folded
   FROM brain.posting_blocks;

CREATE TABLE brain.mentions (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    alias_key text NOT NULL,
    entity_id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    CONSTRAINT mentions_check CHECK ((end_char > start_char)),
    CONSTRAINT mentions_start_char_check CHECK ((start_char >= 0))
);

CREATE TABLE brain.migration_failures (
    tenant_id text NOT NULL,
    source text NOT NULL,
    external_id text NOT NULL,
    note_id uuid,
    stage text NOT NULL,
    attempts integer DEFAULT 1 NOT NULL,
    reason text NOT NULL,
    origin text,
    first_failed_at timestamp with time zone DEFAULT now() NOT NULL,
    last_failed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT migration_failures_attempts_check CHECK ((attempts > 0)),
    CONSTRAINT migration_failures_stage_check CHECK ((stage = ANY (ARRAY['attachment'::text, 'chunking'::text, 'embedding'::text, 'publication'::text])))
);

CREATE TABLE brain.migrations (
    tenant_id text NOT NULL,
    state text NOT NULL,
    reason text,
    stopped_by_run uuid,
    origin text,
    evaluate_every integer DEFAULT 10 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT migrations_evaluate_every_check CHECK ((evaluate_every > 0)),
    CONSTRAINT migrations_state_check CHECK ((state = ANY (ARRAY['running'::text, 'stopped'::text, 'rolled_back'::text, 'finished'::text])))
);

CREATE TABLE brain.named_entities (
    tenant_id text NOT NULL,
    entity_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    renamed_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT named_entities_kind_check CHECK ((kind = ANY (ARRAY['PERSON'::text, 'ORG'::text, 'PROJECT'::text, 'PRODUCT'::text, 'REGULATION'::text, 'DATE'::text, 'MONEY'::text, 'LOCATION'::text, 'DOCUMENT'::text]))),
    CONSTRAINT named_entities_name_check CHECK ((name <> ''::text)),
    CONSTRAINT named_entities_renamed_by_check CHECK ((renamed_by <> ''::text))
);

CREATE TABLE brain.note_enrichments (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    rules_version text NOT NULL,
    made_by text NOT NULL,
    document_type text NOT NULL,
    type_confidence real,
    topics text[] NOT NULL,
    topic_keys text[] NOT NULL,
    key_phrases text[] NOT NULL,
    summary text,
    reading_ease real,
    words integer NOT NULL,
    sections integer NOT NULL,
    tables integer NOT NULL,
    images integer NOT NULL,
    enriched_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT note_enrichments_content_hash_check CHECK ((octet_length(content_hash) = 32)),
    CONSTRAINT note_enrichments_document_type_check CHECK ((document_type = ANY (ARRAY['contract'::text, 'invoice'::text, 'report'::text, 'manual'::text, 'presentation'::text, 'correspondence'::text, 'policy'::text, 'specification'::text, 'meeting_notes'::text, 'other'::text]))),
    CONSTRAINT note_enrichments_images_check CHECK ((images >= 0)),
    CONSTRAINT note_enrichments_made_by_check CHECK ((made_by <> ''::text)),
    CONSTRAINT note_enrichments_reading_ease_check CHECK (((reading_ease >= (0)::double precision) AND (reading_ease <= (100)::double precision))),
    CONSTRAINT note_enrichments_sections_check CHECK ((sections >= 0)),
    CONSTRAINT note_enrichments_tables_check CHECK ((tables >= 0)),
    CONSTRAINT note_enrichments_type_confidence_check CHECK (((type_confidence >= (0)::double precision) AND (type_confidence <= (1)::double precision))),
    CONSTRAINT note_enrichments_words_check CHECK ((words >= 0))
);

CREATE TABLE brain.note_findings (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    rules_version text NOT NULL,
    score double precision NOT NULL,
    spans jsonb DEFAULT '[]'::jsonb NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT note_findings_score_check CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision)))
);

CREATE TABLE brain.note_summaries (
    tenant_id text NOT NULL,
    content_hash bytea NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    note_id uuid NOT NULL,
    summary text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    document_type text,
    topics text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT note_summaries_content_hash_check CHECK ((octet_length(content_hash) = 32)),
    CONSTRAINT note_summaries_model_check CHECK ((model <> ''::text)),
    CONSTRAINT note_summaries_prompt_version_check CHECK ((prompt_version <> ''::text)),
    CONSTRAINT note_summaries_summary_check CHECK (((char_length(summary) >= 1) AND (char_length(summary) <= 200)))
);

CREATE TABLE brain.note_tags (
    tenant_id text NOT NULL,
    tag text NOT NULL COLLATE pg_catalog."C",
    note_id uuid NOT NULL
);

CREATE TABLE brain.note_versions (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    version_id uuid DEFAULT gen_random_uuid() NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    is_deletion boolean NOT NULL,
    source text NOT NULL,
    external_id text NOT NULL,
    title text,
    content text NOT NULL,
    language text NOT NULL,
    metadata jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    dated_by text NOT NULL
);

CREATE TABLE brain.originals (
    tenant_id text NOT NULL,
    file_hash bytea NOT NULL,
    content bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT originals_file_hash_check CHECK ((octet_length(file_hash) = 32))
);
ALTER TABLE ONLY brain.originals ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE VIEW brain.postings WITH (security_invoker='true') AS
 SELECT l.tenant_id,
    l.language,
    l.lexeme,
    c.chunk_id,
    l.term_frequency,
    l.chunk_length
   FROM (( SELECT b.tenant_id,
            b.language,
            b.lexeme,
            p.number,
            p.term_frequency,
            p.chunk_length
           FROM (brain.posting_blocks b
             CROSS JOIN LATERAL brain.unpacked_postings(b.packed) p(number, chunk_length, term_frequency))
          GROUP BY b.tenant_id, b.language, b.lexeme, p.number, p.term_frequency, p.chunk_length
         HAVING (sum(sign((b.document_frequency)::double precision)) > (0)::double precision)) l
     LEFT JOIN brain.chunks c ON (((c.tenant_id = l.tenant_id) AND (c.number = l.number))));

CREATE TABLE brain.promotions (
    tenant_id text NOT NULL,
    number integer NOT NULL,
    configuration_id uuid,
    action text NOT NULL,
    reason text,
    evidence jsonb DEFAULT '{}'::jsonb NOT NULL,
    promoted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT promotions_action_check CHECK ((action = ANY (ARRAY['promote'::text, 'return'::text, 'reset'::text]))),
    CONSTRAINT promotions_number_check CHECK ((number > 0))
);

CREATE TABLE brain.queries (
    tenant_id text NOT NULL,
    query_id uuid DEFAULT gen_random_uuid() NOT NULL,
    session_id uuid,
    contract text NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    user_hash text NOT NULL,
    query_hash text NOT NULL,
    language text NOT NULL,
    strategy_used text,
    answerer text,
    outcome text NOT NULL,
    reason text,
    confidence text,
    groundedness double precision,
    execution_time_ms double precision NOT NULL,
    semantic_hits integer DEFAULT 0 NOT NULL,
    fulltext_hits integer DEFAULT 0 NOT NULL,
    graph_hits integer DEFAULT 0 NOT NULL,
    prompt_tokens integer DEFAULT 0 NOT NULL,
    answer_tokens integer DEFAULT 0 NOT NULL,
    query_type text,
    is_multi_hop boolean,
    entities_found smallint,
    suggested_strategy text,
    routed_strategy text,
    CONSTRAINT queries_confidence_check CHECK ((confidence = ANY (ARRAY['high'::text, 'medium'::text, 'low'::text, 'insufficient'::text]))),
    CONSTRAINT queries_contract_check CHECK ((contract = ANY (ARRAY['chat'::text, 'query'::text, 'rag_v2'::text, 'page'::text, 'command'::text]))),
    CONSTRAINT queries_entities_found_check CHECK ((entities_found >= 0)),
    CONSTRAINT queries_groundedness_check CHECK (((groundedness >= (0)::double precision) AND (groundedness <= (1)::double precision))),
    CONSTRAINT queries_language_check CHECK ((language = ANY (ARRAY['es'::text, 'de'::text, 'en'::text]))),
    CONSTRAINT queries_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'refused'::text, 'blocked'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT queries_query_type_check CHECK ((query_type = ANY (ARRAY['factual'::text, 'comparative'::text, 'procedural'::text, 'relational'::text, 'aggregative'::text, 'temporal'::text]))),
    CONSTRAINT queries_routed_strategy_check CHECK ((routed_strategy = ANY (ARRAY['vector_only'::text, 'hybrid'::text, 'hybrid_with_graph_refinement'::text, 'table_focused'::text, 'multi_index'::text]))),
    CONSTRAINT queries_suggested_strategy_check CHECK ((suggested_strategy = ANY (ARRAY['vector_only'::text, 'hybrid'::text, 'hybrid_with_graph_refinement'::text, 'table_focused'::text, 'multi_index'::text])))
);

CREATE TABLE brain.rerankers (
    tenant_id text NOT NULL,
    version text NOT NULL,
    weights jsonb NOT NULL,
    fitted_on jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rerankers_version_check CHECK ((version <> ''::text))
);

CREATE TABLE brain.retrieval_metrics (
    tenant_id text NOT NULL,
    query_id uuid NOT NULL,
    vector_search_ms double precision,
    vector_result_count integer,
    vector_top_score double precision,
    vector_avg_score double precision,
    graph_traversal_ms double precision,
    graph_result_count integer,
    graph_max_depth integer,
    concepts_found integer,
    fusion_ms double precision,
    overlap_count integer,
    fusion_top_score double precision,
    rerank_ms double precision,
    rerank_top_score double precision,
    confidence_threshold_met boolean,
    final_context_tokens integer,
    citation_count integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE brain.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE brain.service_minutes (
    process text NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests integer NOT NULL,
    failed integer NOT NULL,
    degraded integer NOT NULL,
    latency_p50_ms double precision,
    latency_p95_ms double precision,
    is_last boolean DEFAULT false NOT NULL,
    CONSTRAINT service_minutes_degraded_check CHECK ((degraded >= 0)),
    CONSTRAINT service_minutes_failed_check CHECK ((failed >= 0)),
    CONSTRAINT service_minutes_requests_check CHECK ((requests >= 0))
);

CREATE TABLE brain.sessions (
    tenant_id text NOT NULL,
    session_id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_hash text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    last_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone
);

CREATE TABLE brain.staged_chunks (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    chunk_index integer NOT NULL,
    chunk_id uuid NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    content text NOT NULL,
    context text NOT NULL,
    token_count integer NOT NULL,
    chunking_method text NOT NULL,
    standard_hash bytea NOT NULL,
    contextual_hash bytea NOT NULL,
    kind text DEFAULT 'text'::text NOT NULL,
    table_start integer,
    headers text[],
    caption text,
    CONSTRAINT staged_chunks_check CHECK (((kind = 'text'::text) = (table_start IS NULL))),
    CONSTRAINT staged_chunks_check1 CHECK (((kind = 'text'::text) = (headers IS NULL))),
    CONSTRAINT staged_chunks_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'table'::text, 'table_segment'::text, 'table_summary'::text]))),
    CONSTRAINT staged_chunks_table_start_check CHECK ((table_start >= 0))
);

CREATE TABLE brain.staged_notes (
    tenant_id text NOT NULL,
    note_id uuid NOT NULL,
    content_hash bytea NOT NULL,
    fingerprint text NOT NULL,
    sentence_starts integer[] NOT NULL,
    staged_at timestamp with time zone DEFAULT now() NOT NULL,
    section_starts integer[] DEFAULT '{}'::integer[] NOT NULL
);

CREATE TABLE brain.tenants (
    tenant_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    max_notes integer,
    questions_per_minute integer,
    questions_per_hour integer,
    CONSTRAINT tenants_max_notes_check CHECK ((max_notes > 0)),
    CONSTRAINT tenants_questions_per_hour_check CHECK ((questions_per_hour > 0)),
    CONSTRAINT tenants_questions_per_minute_check CHECK ((questions_per_minute > 0)),
    CONSTRAINT tenants_tenant_id_check CHECK ((tenant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text))
);

CREATE TABLE brain.turns (
    tenant_id text NOT NULL,
    query_id uuid NOT NULL,
    session_id uuid NOT NULL,
    "position" integer NOT NULL,
    question text NOT NULL,
    standalone text,
    answer jsonb NOT NULL,
    CONSTRAINT turns_position_check CHECK (("position" >= 0))
);

ALTER TABLE ONLY brain.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (alert_id);

ALTER TABLE ONLY brain.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY brain.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (tenant_id, batch_key);

ALTER TABLE ONLY brain.batches
    ADD CONSTRAINT batches_tenant_id_sequence_key UNIQUE (tenant_id, sequence);

ALTER TABLE ONLY brain.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (tenant_id, note_id, block_index);

ALTER TABLE ONLY brain.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (tenant_id, chunk_id);

ALTER TABLE ONLY brain.chunks
    ADD CONSTRAINT chunks_tenant_id_note_id_chunk_index_key UNIQUE (tenant_id, note_id, chunk_index);

ALTER TABLE ONLY brain.configurations
    ADD CONSTRAINT configurations_pkey PRIMARY KEY (tenant_id, configuration_id);

ALTER TABLE ONLY brain.configurations
    ADD CONSTRAINT configurations_tenant_id_number_key UNIQUE (tenant_id, number);

ALTER TABLE ONLY brain.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, source, path);

ALTER TABLE ONLY brain.embedding_cache
    ADD CONSTRAINT embedding_cache_pkey PRIMARY KEY (tenant_id, input_hash);

ALTER TABLE ONLY brain.embedding_models
    ADD CONSTRAINT embedding_models_name_key UNIQUE (name);

ALTER TABLE ONLY brain.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (model_id);

ALTER TABLE ONLY brain.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (tenant_id, model_id, kind, chunk_id);

ALTER TABLE ONLY brain.entities
    ADD CONSTRAINT entities_pkey PRIMARY KEY (tenant_id, entity_id);

ALTER TABLE ONLY brain.entities
    ADD CONSTRAINT entities_tenant_id_key_key UNIQUE (tenant_id, key);

ALTER TABLE ONLY brain.entity_aliases
    ADD CONSTRAINT entity_aliases_pkey PRIMARY KEY (tenant_id, alias_key);

ALTER TABLE ONLY brain.entity_aliases
    ADD CONSTRAINT entity_aliases_tenant_id_alias_key_entity_id_key UNIQUE (tenant_id, alias_key, entity_id);

ALTER TABLE ONLY brain.entity_name_blocks
    ADD CONSTRAINT entity_name_blocks_pkey PRIMARY KEY (tenant_id, block, kind, name_key);

ALTER TABLE ONLY brain.entity_names
    ADD CONSTRAINT entity_names_pkey PRIMARY KEY (tenant_id, kind, name_key);

ALTER TABLE ONLY brain.entity_stems
    ADD CONSTRAINT entity_stems_pkey PRIMARY KEY (tenant_id, language, stem, alias_key);

ALTER TABLE ONLY brain.evaluation_baselines
    ADD CONSTRAINT evaluation_baselines_pkey PRIMARY KEY (tenant_id, set_name, strategy);

ALTER TABLE ONLY brain.evaluation_jobs
    ADD CONSTRAINT evaluation_jobs_pkey PRIMARY KEY (tenant_id, job_id);

ALTER TABLE ONLY brain.evaluation_queries
    ADD CONSTRAINT evaluation_queries_pkey PRIMARY KEY (tenant_id, run_id, query_id);

ALTER TABLE ONLY brain.evaluation_runs
    ADD CONSTRAINT evaluation_runs_pkey PRIMARY KEY (tenant_id, run_id);

ALTER TABLE ONLY brain.experiment_feedback
    ADD CONSTRAINT experiment_feedback_pkey PRIMARY KEY (tenant_id, feedback_id);

ALTER TABLE ONLY brain.experiment_feedback
    ADD CONSTRAINT experiment_feedback_tenant_id_query_id_note_id_kind_key UNIQUE NULLS NOT DISTINCT (tenant_id, query_id, note_id, kind);

ALTER TABLE ONLY brain.experiment_queries
    ADD CONSTRAINT experiment_queries_pkey PRIMARY KEY (tenant_id, query_id);

ALTER TABLE ONLY brain.experiments
    ADD CONSTRAINT experiments_pkey PRIMARY KEY (tenant_id, experiment_id);

ALTER TABLE ONLY brain.experiments
    ADD CONSTRAINT experiments_tenant_id_name_key UNIQUE (tenant_id, name);

ALTER TABLE ONLY brain.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (tenant_id, feedback_id);

ALTER TABLE ONLY brain.feedback
    ADD CONSTRAINT feedback_tenant_id_query_id_key UNIQUE (tenant_id, query_id);

ALTER TABLE ONLY brain.folders
    ADD CONSTRAINT folders_pkey PRIMARY KEY (tenant_id, source);

ALTER TABLE ONLY brain.golden_proposal_places
    ADD CONSTRAINT golden_proposal_places_pkey PRIMARY KEY (tenant_id, proposal_id, note_id, start_char, end_char);

ALTER TABLE ONLY brain.golden_proposals
    ADD CONSTRAINT golden_proposals_pkey PRIMARY KEY (tenant_id, proposal_id);

ALTER TABLE ONLY brain.golden_proposals
    ADD CONSTRAINT golden_proposals_tenant_id_set_name_query_hash_key UNIQUE (tenant_id, set_name, query_hash);

ALTER TABLE ONLY brain.golden_queries
    ADD CONSTRAINT golden_queries_pkey PRIMARY KEY (tenant_id, query_id);

ALTER TABLE ONLY brain.golden_queries
    ADD CONSTRAINT golden_queries_tenant_id_set_id_query_hash_key UNIQUE (tenant_id, set_id, query_hash);

ALTER TABLE ONLY brain.golden_relevance
    ADD CONSTRAINT golden_relevance_pkey PRIMARY KEY (tenant_id, query_id, note_id);

ALTER TABLE ONLY brain.golden_sets
    ADD CONSTRAINT golden_sets_pkey PRIMARY KEY (tenant_id, set_id);

ALTER TABLE ONLY brain.golden_sets
    ADD CONSTRAINT golden_sets_tenant_id_name_key UNIQUE (tenant_id, name);

ALTER TABLE ONLY brain.golden_sets
    ADD CONSTRAINT golden_sets_tenant_id_set_id_vocabulary_key UNIQUE (tenant_id, set_id, vocabulary);

ALTER TABLE ONLY brain.golden_spans
    ADD CONSTRAINT golden_spans_pkey PRIMARY KEY (tenant_id, query_id, note_id, start_char, end_char);

ALTER TABLE ONLY brain.graph_notes
    ADD CONSTRAINT graph_notes_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.legacy_notes
    ADD CONSTRAINT legacy_notes_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.legacy_notes
    ADD CONSTRAINT legacy_notes_tenant_id_source_external_id_key UNIQUE (tenant_id, source, external_id);

ALTER TABLE ONLY brain.mentions
    ADD CONSTRAINT mentions_pkey PRIMARY KEY (tenant_id, note_id, start_char, end_char);

ALTER TABLE ONLY brain.migration_failures
    ADD CONSTRAINT migration_failures_pkey PRIMARY KEY (tenant_id, source, external_id);

ALTER TABLE ONLY brain.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY brain.named_entities
    ADD CONSTRAINT named_entities_pkey PRIMARY KEY (tenant_id, entity_id);

ALTER TABLE ONLY brain.named_entities
    ADD CONSTRAINT named_entities_tenant_id_entity_id_kind_key UNIQUE (tenant_id, entity_id, kind);

ALTER TABLE ONLY brain.named_mentions
    ADD CONSTRAINT named_mentions_pkey PRIMARY KEY (tenant_id, note_id, start_char);

ALTER TABLE ONLY brain.named_notes
    ADD CONSTRAINT named_notes_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.named_relations
    ADD CONSTRAINT named_relations_pkey PRIMARY KEY (tenant_id, note_id, source_start, target_start, kind);

ALTER TABLE ONLY brain.note_enrichments
    ADD CONSTRAINT note_enrichments_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.note_findings
    ADD CONSTRAINT note_findings_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.note_links
    ADD CONSTRAINT note_links_pkey PRIMARY KEY (tenant_id, note_id, link_index);

ALTER TABLE ONLY brain.note_names
    ADD CONSTRAINT note_names_pkey PRIMARY KEY (tenant_id, note_id, name_key);

ALTER TABLE ONLY brain.note_summaries
    ADD CONSTRAINT note_summaries_pkey PRIMARY KEY (tenant_id, content_hash, model, prompt_version);

ALTER TABLE ONLY brain.note_tags
    ADD CONSTRAINT note_tags_pkey PRIMARY KEY (tenant_id, tag, note_id);

ALTER TABLE ONLY brain.note_versions
    ADD CONSTRAINT note_versions_pkey PRIMARY KEY (tenant_id, note_id, version_id);

ALTER TABLE ONLY brain.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.notes
    ADD CONSTRAINT notes_tenant_id_source_external_id_key UNIQUE (tenant_id, source, external_id);

ALTER TABLE ONLY brain.originals
    ADD CONSTRAINT originals_pkey PRIMARY KEY (tenant_id, file_hash);

ALTER TABLE ONLY brain.promotions
    ADD CONSTRAINT promotions_pkey PRIMARY KEY (tenant_id, number);

ALTER TABLE ONLY brain.queries
    ADD CONSTRAINT queries_pkey PRIMARY KEY (tenant_id, query_id);

ALTER TABLE ONLY brain.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (tenant_id, relation_id);

ALTER TABLE ONLY brain.rerankers
    ADD CONSTRAINT rerankers_pkey PRIMARY KEY (tenant_id, version);

ALTER TABLE ONLY brain.retrieval_metrics
    ADD CONSTRAINT retrieval_metrics_pkey PRIMARY KEY (tenant_id, query_id);

ALTER TABLE ONLY brain.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY brain.service_minutes
    ADD CONSTRAINT service_minutes_pkey PRIMARY KEY (process, minute);

ALTER TABLE ONLY brain.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, session_id);

ALTER TABLE ONLY brain.staged_chunks
    ADD CONSTRAINT staged_chunks_pkey PRIMARY KEY (tenant_id, note_id, chunk_index);

ALTER TABLE ONLY brain.staged_notes
    ADD CONSTRAINT staged_notes_pkey PRIMARY KEY (tenant_id, note_id);

ALTER TABLE ONLY brain.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY brain.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (tenant_id, query_id);

ALTER TABLE ONLY brain.turns
    ADD CONSTRAINT turns_tenant_id_session_id_position_key UNIQUE (tenant_id, session_id, "position");

CREATE INDEX alerts_last_seen_at ON brain.alerts USING btree (last_seen_at DESC);

CREATE UNIQUE INDEX alerts_one_firing ON brain.alerts USING btree (rule, subject) WHERE (state = 'firing'::text);

CREATE UNIQUE INDEX api_keys_name ON brain.api_keys USING btree (tenant_id, name) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX chunks_number ON brain.chunks USING btree (tenant_id, number);

CREATE INDEX chunks_of_note ON brain.chunks USING btree (tenant_id, note_id) INCLUDE (chunk_id, language, number);

CREATE INDEX chunks_tables ON brain.chunks USING btree (tenant_id, note_id, table_start, start_char) WHERE (kind <> 'text'::text);

CREATE UNIQUE INDEX corpus_statistics_change ON brain.corpus_statistics USING btree (tenant_id, change_id);

CREATE INDEX corpus_statistics_language ON brain.corpus_statistics USING btree (tenant_id, language) INCLUDE (documents, total_length);

CREATE UNIQUE INDEX documents_document ON brain.documents USING btree (tenant_id, document_id);

CREATE INDEX documents_hash ON brain.documents USING btree (tenant_id, file_hash) WHERE is_upload;

CREATE INDEX documents_job ON brain.documents USING btree (tenant_id, job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX documents_note ON brain.documents USING btree (tenant_id, note_id);

CREATE INDEX documents_uploads ON brain.documents USING btree (tenant_id, checked_at DESC, path) WHERE is_upload;

CREATE UNIQUE INDEX documents_url ON brain.documents USING btree (tenant_id, md5(url), departments) NULLS NOT DISTINCT WHERE (url IS NOT NULL);

CREATE INDEX embedding_cache_note ON brain.embedding_cache USING btree (tenant_id, note_id);

CREATE UNIQUE INDEX embedding_models_one_active ON brain.embedding_models USING btree ((true)) WHERE (state = 'active'::text);

CREATE INDEX embeddings_chunk ON brain.embeddings USING btree (tenant_id, chunk_id);

CREATE INDEX embeddings_input_hash ON brain.embeddings USING btree (tenant_id, input_hash);

CREATE INDEX entity_aliases_entity ON brain.entity_aliases USING btree (tenant_id, entity_id);

CREATE INDEX entity_name_blocks_name ON brain.entity_name_blocks USING btree (tenant_id, kind, name_key);

CREATE INDEX entity_names_entity ON brain.entity_names USING btree (tenant_id, entity_id);

CREATE INDEX entity_stems_alias ON brain.entity_stems USING btree (tenant_id, alias_key);

CREATE INDEX evaluation_jobs_created_at ON brain.evaluation_jobs USING btree (tenant_id, created_at DESC);

CREATE INDEX evaluation_jobs_open ON brain.evaluation_jobs USING btree (created_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX evaluation_jobs_started_at ON brain.evaluation_jobs USING btree (tenant_id, started_at);

CREATE INDEX evaluation_runs_config_hash ON brain.evaluation_runs USING btree (tenant_id, config_hash, created_at DESC);

CREATE INDEX evaluation_runs_created_at ON brain.evaluation_runs USING btree (tenant_id, created_at DESC);

CREATE INDEX evaluation_runs_purpose ON brain.evaluation_runs USING btree (tenant_id, purpose, created_at DESC);

CREATE INDEX experiment_queries_experiment ON brain.experiment_queries USING btree (tenant_id, experiment_id, asked_at);

CREATE UNIQUE INDEX experiments_one_running ON brain.experiments USING btree (tenant_id) WHERE (state = 'running'::text);

CREATE INDEX golden_proposal_places_note ON brain.golden_proposal_places USING btree (tenant_id, note_id);

CREATE INDEX golden_proposals_note ON brain.golden_proposals USING btree (tenant_id, note_id);

CREATE INDEX golden_queries_category ON brain.golden_queries USING btree (tenant_id, set_id, category);

CREATE INDEX golden_relevance_note ON brain.golden_relevance USING btree (tenant_id, note_id);

CREATE INDEX mentions_alias ON brain.mentions USING btree (tenant_id, alias_key);

CREATE INDEX mentions_chunk ON brain.mentions USING btree (tenant_id, chunk_id);

CREATE INDEX migration_failures_note ON brain.migration_failures USING btree (tenant_id, note_id);

CREATE INDEX named_entities_kind ON brain.named_entities USING btree (tenant_id, kind, name);

CREATE INDEX named_mentions_name ON brain.named_mentions USING btree (tenant_id, kind, name_key);

CREATE INDEX named_relations_target ON brain.named_relations USING btree (tenant_id, note_id, target_start);

CREATE INDEX note_enrichments_filters ON brain.note_enrichments USING btree (tenant_id, document_type) INCLUDE (note_id, topic_keys);

CREATE INDEX note_links_target ON brain.note_links USING btree (tenant_id, target_key);

CREATE INDEX note_names_key ON brain.note_names USING btree (tenant_id, source, name_key, rank);

CREATE INDEX note_summaries_note ON brain.note_summaries USING btree (tenant_id, note_id);

CREATE INDEX note_tags_note ON brain.note_tags USING btree (tenant_id, note_id);

CREATE INDEX note_versions_deletions ON brain.note_versions USING btree (tenant_id, changed_at DESC) WHERE is_deletion;

CREATE INDEX note_versions_note ON brain.note_versions USING btree (tenant_id, note_id, changed_at DESC);

CREATE INDEX notes_batch_key ON brain.notes USING btree (tenant_id, batch_key);

CREATE INDEX notes_chunked_at ON brain.notes USING btree (tenant_id, chunked_at) WHERE (chunked_at IS NOT NULL);

CREATE INDEX notes_created_at ON brain.notes USING btree (tenant_id, created_at DESC, note_id);

CREATE INDEX notes_departments ON brain.notes USING btree (tenant_id, note_id) INCLUDE (departments);

CREATE INDEX notes_external_id ON brain.notes USING btree (tenant_id, external_id);

CREATE INDEX notes_kind ON brain.notes USING btree (tenant_id, kind, note_id);

CREATE INDEX notes_language ON brain.notes USING btree (tenant_id, language, note_id);

CREATE INDEX notes_pending ON brain.notes USING btree (tenant_id, batch_key) WHERE (legacy_state = 'pending'::text);

CREATE INDEX notes_unassigned ON brain.notes USING btree (tenant_id, created_at DESC, note_id) WHERE (batch_key IS NULL);

CREATE INDEX posting_blocks_lexeme ON brain.posting_blocks USING btree (tenant_id, language, lexeme) INCLUDE (document_frequency);

CREATE INDEX posting_blocks_unfolded ON brain.posting_blocks USING btree (tenant_id, language, lexeme) WHERE (NOT is_folded);

CREATE INDEX queries_asked_at ON brain.queries USING btree (tenant_id, asked_at DESC);

CREATE INDEX queries_of_session ON brain.queries USING btree (tenant_id, session_id) WHERE (session_id IS NOT NULL);

CREATE INDEX relations_chunk ON brain.relations USING btree (tenant_id, chunk_id);

CREATE INDEX relations_note ON brain.relations USING btree (tenant_id, note_id);

CREATE INDEX relations_source ON brain.relations USING btree (tenant_id, source_id);

CREATE INDEX relations_target ON brain.relations USING btree (tenant_id, target_id);

CREATE INDEX service_minutes_minute ON brain.service_minutes USING btree (minute DESC);

CREATE INDEX sessions_last_at ON brain.sessions USING btree (tenant_id, last_at);

CREATE INDEX sessions_of_user ON brain.sessions USING btree (tenant_id, user_hash, last_at DESC);

CREATE TRIGGER chunks_deleted AFTER DELETE ON brain.chunks REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION brain.index_deleted_chunks();

CREATE TRIGGER chunks_deleted_from_graph AFTER DELETE ON brain.chunks REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION brain.forget_graph_of_deleted_chunks();

CREATE TRIGGER chunks_inserted AFTER INSERT ON brain.chunks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION brain.index_inserted_chunks();

CREATE TRIGGER documents_original_forgotten AFTER DELETE ON brain.documents FOR EACH ROW WHEN (old.is_upload) EXECUTE FUNCTION brain.forget_original();

CREATE TRIGGER documents_original_replaced AFTER UPDATE ON brain.documents FOR EACH ROW WHEN ((old.is_upload AND (old.file_hash IS DISTINCT FROM new.file_hash))) EXECUTE FUNCTION brain.forget_original();

CREATE TRIGGER documents_status BEFORE UPDATE ON brain.documents FOR EACH ROW WHEN ((((old.status = 'archived'::text) AND (new.status <> ALL (ARRAY['archived'::text, 'queued'::text]))) OR ((new.status = 'archived'::text) AND (old.status <> ALL (ARRAY['archived'::text, 'imported'::text]))))) EXECUTE FUNCTION brain.check_document_status();

CREATE TRIGGER embeddings_insert_recorded AFTER INSERT ON brain.embeddings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER entities_update_recorded AFTER UPDATE ON brain.entities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER entity_aliases_insert_recorded AFTER INSERT ON brain.entity_aliases REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER entity_names_left AFTER DELETE OR UPDATE OF entity_id ON brain.entity_names FOR EACH ROW EXECUTE FUNCTION brain.name_entity();

CREATE TRIGGER golden_proposal_places_deleted AFTER DELETE ON brain.golden_proposal_places FOR EACH ROW EXECUTE FUNCTION brain.forget_proposal_without_place();

CREATE CONSTRAINT TRIGGER mentions_deleted AFTER DELETE ON brain.mentions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION brain.forget_unmentioned();

CREATE CONSTRAINT TRIGGER named_mentions_deleted AFTER DELETE ON brain.named_mentions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION brain.forget_unnamed();

CREATE TRIGGER note_enrichments_insert_recorded AFTER INSERT ON brain.note_enrichments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER note_enrichments_update_recorded AFTER UPDATE ON brain.note_enrichments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER notes_changed_version AFTER UPDATE ON brain.notes FOR EACH ROW WHEN (((old.kind = 'note'::text) AND (((old.content_hash IS DISTINCT FROM new.content_hash) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.created_at IS DISTINCT FROM new.created_at)))) EXECUTE FUNCTION brain.keep_version();

CREATE TRIGGER notes_deleted_version AFTER DELETE ON brain.notes FOR EACH ROW WHEN ((old.kind = 'note'::text)) EXECUTE FUNCTION brain.keep_version();

CREATE TRIGGER notes_retagged AFTER UPDATE ON brain.notes FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION brain.index_tags();

CREATE TRIGGER notes_spans_forgotten AFTER UPDATE ON brain.notes FOR EACH ROW WHEN (((old.content_hash <> new.content_hash) AND (old.content <> new.content))) EXECUTE FUNCTION brain.forget_spans();

CREATE TRIGGER notes_tagged AFTER INSERT ON brain.notes FOR EACH ROW WHEN ((new.tags <> '{}'::text[])) EXECUTE FUNCTION brain.index_tags();

CREATE TRIGGER notes_update_recorded AFTER UPDATE ON brain.notes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER notes_upload_forgotten BEFORE DELETE ON brain.notes FOR EACH ROW WHEN ((old.kind = 'document'::text)) EXECUTE FUNCTION brain.forget_upload();

CREATE TRIGGER relations_delete_recorded AFTER DELETE ON brain.relations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

CREATE TRIGGER relations_insert_recorded AFTER INSERT ON brain.relations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION brain.record_change();

ALTER TABLE ONLY brain.alerts
    ADD CONSTRAINT alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.batches
    ADD CONSTRAINT batches_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.blocks
    ADD CONSTRAINT blocks_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.chunks
    ADD CONSTRAINT chunks_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.configurations
    ADD CONSTRAINT configurations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.configurations
    ADD CONSTRAINT configurations_tenant_id_reranker_version_fkey FOREIGN KEY (tenant_id, reranker_version) REFERENCES brain.rerankers(tenant_id, version);

ALTER TABLE ONLY brain.documents
    ADD CONSTRAINT documents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.documents
    ADD CONSTRAINT documents_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE SET NULL (note_id);

ALTER TABLE ONLY brain.embedding_cache
    ADD CONSTRAINT embedding_cache_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.embeddings
    ADD CONSTRAINT embeddings_model_id_fkey FOREIGN KEY (model_id) REFERENCES brain.embedding_models(model_id);

ALTER TABLE ONLY brain.embeddings
    ADD CONSTRAINT embeddings_tenant_id_chunk_id_fkey FOREIGN KEY (tenant_id, chunk_id) REFERENCES brain.chunks(tenant_id, chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.entities
    ADD CONSTRAINT entities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.entity_aliases
    ADD CONSTRAINT entity_aliases_tenant_id_entity_id_fkey FOREIGN KEY (tenant_id, entity_id) REFERENCES brain.entities(tenant_id, entity_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.entity_name_blocks
    ADD CONSTRAINT entity_name_blocks_tenant_id_kind_name_key_fkey FOREIGN KEY (tenant_id, kind, name_key) REFERENCES brain.entity_names(tenant_id, kind, name_key) ON DELETE CASCADE;

ALTER TABLE ONLY brain.entity_names
    ADD CONSTRAINT entity_names_tenant_id_entity_id_kind_fkey FOREIGN KEY (tenant_id, entity_id, kind) REFERENCES brain.named_entities(tenant_id, entity_id, kind) ON DELETE CASCADE;

ALTER TABLE ONLY brain.entity_stems
    ADD CONSTRAINT entity_stems_tenant_id_alias_key_fkey FOREIGN KEY (tenant_id, alias_key) REFERENCES brain.entity_aliases(tenant_id, alias_key) ON DELETE CASCADE;

ALTER TABLE ONLY brain.evaluation_baselines
    ADD CONSTRAINT evaluation_baselines_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES brain.evaluation_runs(tenant_id, run_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.evaluation_jobs
    ADD CONSTRAINT evaluation_jobs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.evaluation_queries
    ADD CONSTRAINT evaluation_queries_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES brain.evaluation_runs(tenant_id, run_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.evaluation_runs
    ADD CONSTRAINT evaluation_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.experiment_feedback
    ADD CONSTRAINT experiment_feedback_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES brain.experiment_queries(tenant_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.experiment_queries
    ADD CONSTRAINT experiment_queries_tenant_id_experiment_id_fkey FOREIGN KEY (tenant_id, experiment_id) REFERENCES brain.experiments(tenant_id, experiment_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.experiments
    ADD CONSTRAINT experiments_tenant_id_candidate_configuration_id_fkey FOREIGN KEY (tenant_id, candidate_configuration_id) REFERENCES brain.configurations(tenant_id, configuration_id);

ALTER TABLE ONLY brain.experiments
    ADD CONSTRAINT experiments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.feedback
    ADD CONSTRAINT feedback_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES brain.queries(tenant_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.folders
    ADD CONSTRAINT folders_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_proposal_places
    ADD CONSTRAINT golden_proposal_places_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_proposal_places
    ADD CONSTRAINT golden_proposal_places_tenant_id_proposal_id_fkey FOREIGN KEY (tenant_id, proposal_id) REFERENCES brain.golden_proposals(tenant_id, proposal_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_proposals
    ADD CONSTRAINT golden_proposals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_proposals
    ADD CONSTRAINT golden_proposals_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_queries
    ADD CONSTRAINT golden_queries_tenant_id_set_id_vocabulary_fkey FOREIGN KEY (tenant_id, set_id, vocabulary) REFERENCES brain.golden_sets(tenant_id, set_id, vocabulary) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_relevance
    ADD CONSTRAINT golden_relevance_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_relevance
    ADD CONSTRAINT golden_relevance_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES brain.golden_queries(tenant_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_sets
    ADD CONSTRAINT golden_sets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.golden_spans
    ADD CONSTRAINT golden_spans_tenant_id_query_id_note_id_fkey FOREIGN KEY (tenant_id, query_id, note_id) REFERENCES brain.golden_relevance(tenant_id, query_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.graph_notes
    ADD CONSTRAINT graph_notes_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.legacy_notes
    ADD CONSTRAINT legacy_notes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.mentions
    ADD CONSTRAINT mentions_tenant_id_alias_key_entity_id_fkey FOREIGN KEY (tenant_id, alias_key, entity_id) REFERENCES brain.entity_aliases(tenant_id, alias_key, entity_id);

ALTER TABLE ONLY brain.mentions
    ADD CONSTRAINT mentions_tenant_id_chunk_id_fkey FOREIGN KEY (tenant_id, chunk_id) REFERENCES brain.chunks(tenant_id, chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.migration_failures
    ADD CONSTRAINT migration_failures_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.migrations
    ADD CONSTRAINT migrations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.named_entities
    ADD CONSTRAINT named_entities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.named_mentions
    ADD CONSTRAINT named_mentions_tenant_id_kind_name_key_fkey FOREIGN KEY (tenant_id, kind, name_key) REFERENCES brain.entity_names(tenant_id, kind, name_key);

ALTER TABLE ONLY brain.named_mentions
    ADD CONSTRAINT named_mentions_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.named_notes
    ADD CONSTRAINT named_notes_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.named_relations
    ADD CONSTRAINT named_relations_tenant_id_note_id_source_start_fkey FOREIGN KEY (tenant_id, note_id, source_start) REFERENCES brain.named_mentions(tenant_id, note_id, start_char) ON DELETE CASCADE;

ALTER TABLE ONLY brain.named_relations
    ADD CONSTRAINT named_relations_tenant_id_note_id_target_start_fkey FOREIGN KEY (tenant_id, note_id, target_start) REFERENCES brain.named_mentions(tenant_id, note_id, start_char) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_enrichments
    ADD CONSTRAINT note_enrichments_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_findings
    ADD CONSTRAINT note_findings_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_links
    ADD CONSTRAINT note_links_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_names
    ADD CONSTRAINT note_names_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_summaries
    ADD CONSTRAINT note_summaries_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_tags
    ADD CONSTRAINT note_tags_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.note_versions
    ADD CONSTRAINT note_versions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.notes
    ADD CONSTRAINT notes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.originals
    ADD CONSTRAINT originals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.promotions
    ADD CONSTRAINT promotions_tenant_id_configuration_id_fkey FOREIGN KEY (tenant_id, configuration_id) REFERENCES brain.configurations(tenant_id, configuration_id);

ALTER TABLE ONLY brain.promotions
    ADD CONSTRAINT promotions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.queries
    ADD CONSTRAINT queries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.queries
    ADD CONSTRAINT queries_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES brain.sessions(tenant_id, session_id) ON DELETE SET NULL (session_id);

ALTER TABLE ONLY brain.relations
    ADD CONSTRAINT relations_tenant_id_chunk_id_fkey FOREIGN KEY (tenant_id, chunk_id) REFERENCES brain.chunks(tenant_id, chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.relations
    ADD CONSTRAINT relations_tenant_id_source_id_fkey FOREIGN KEY (tenant_id, source_id) REFERENCES brain.entities(tenant_id, entity_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.relations
    ADD CONSTRAINT relations_tenant_id_target_id_fkey FOREIGN KEY (tenant_id, target_id) REFERENCES brain.entities(tenant_id, entity_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.rerankers
    ADD CONSTRAINT rerankers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.retrieval_metrics
    ADD CONSTRAINT retrieval_metrics_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES brain.queries(tenant_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.sessions
    ADD CONSTRAINT sessions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES brain.tenants(tenant_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.staged_chunks
    ADD CONSTRAINT staged_chunks_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.staged_notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.staged_notes
    ADD CONSTRAINT staged_notes_tenant_id_note_id_fkey FOREIGN KEY (tenant_id, note_id) REFERENCES brain.notes(tenant_id, note_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.turns
    ADD CONSTRAINT turns_tenant_id_query_id_fkey FOREIGN KEY (tenant_id, query_id) REFERENCES brain.queries(tenant_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY brain.turns
    ADD CONSTRAINT turns_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES brain.sessions(tenant_id, session_id) ON DELETE CASCADE;

ALTER TABLE brain.alerts ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.api_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY audience ON brain.batches AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.blocks AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = blocks.tenant_id) AND (n.note_id = blocks.note_id))))));

CREATE POLICY audience ON brain.chunks AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = chunks.tenant_id) AND (n.note_id = chunks.note_id))))));

CREATE POLICY audience ON brain.documents AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = documents.tenant_id) AND (n.note_id = documents.note_id)))) OR ((note_id IS NULL) AND (departments && ( SELECT brain.seen_departments() AS seen_departments)))));

CREATE POLICY audience ON brain.embedding_cache AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.entities AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.entity_aliases a
  WHERE ((a.tenant_id = entities.tenant_id) AND (a.entity_id = entities.entity_id))))));

CREATE POLICY audience ON brain.entity_aliases AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.mentions m
  WHERE ((m.tenant_id = entity_aliases.tenant_id) AND (m.alias_key = entity_aliases.alias_key))))));

CREATE POLICY audience ON brain.entity_name_blocks AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.entity_names AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.named_mentions m
  WHERE ((m.tenant_id = entity_names.tenant_id) AND (m.kind = entity_names.kind) AND (m.name_key = entity_names.name_key))))));

CREATE POLICY audience ON brain.evaluation_baselines AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.evaluation_jobs AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR ((kind = 'ingestion'::text) AND (EXISTS ( SELECT
   FROM brain.documents d
  WHERE ((d.tenant_id = evaluation_jobs.tenant_id) AND (d.job_id = evaluation_jobs.job_id)))))));

CREATE POLICY audience ON brain.evaluation_queries AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.evaluation_runs AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.experiment_feedback AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.experiment_queries AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.experiments AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.folders AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_proposal_places AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_proposals AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_queries AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_relevance AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_sets AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.golden_spans AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.graph_notes AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.legacy_notes AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.mentions AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = mentions.tenant_id) AND (n.note_id = mentions.note_id))))));

CREATE POLICY audience ON brain.migration_failures AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.named_entities AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.entity_names a
  WHERE ((a.tenant_id = named_entities.tenant_id) AND (a.entity_id = named_entities.entity_id))))));

CREATE POLICY audience ON brain.named_mentions AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = named_mentions.tenant_id) AND (n.note_id = named_mentions.note_id))))));

CREATE POLICY audience ON brain.named_notes AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = named_notes.tenant_id) AND (n.note_id = named_notes.note_id))))));

CREATE POLICY audience ON brain.named_relations AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = named_relations.tenant_id) AND (n.note_id = named_relations.note_id))))));

CREATE POLICY audience ON brain.note_enrichments AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_enrichments.tenant_id) AND (n.note_id = note_enrichments.note_id))))));

CREATE POLICY audience ON brain.note_findings AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_findings.tenant_id) AND (n.note_id = note_findings.note_id))))));

CREATE POLICY audience ON brain.note_links AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_links.tenant_id) AND (n.note_id = note_links.note_id))))));

CREATE POLICY audience ON brain.note_names AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_names.tenant_id) AND (n.note_id = note_names.note_id))))));

CREATE POLICY audience ON brain.note_summaries AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_summaries.tenant_id) AND (n.note_id = note_summaries.note_id))))));

CREATE POLICY audience ON brain.note_tags AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = note_tags.tenant_id) AND (n.note_id = note_tags.note_id))))));

CREATE POLICY audience ON brain.note_versions AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.notes AS RESTRICTIVE USING (((departments IS NULL) OR (( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (departments && ( SELECT brain.seen_departments() AS seen_departments))));

CREATE POLICY audience ON brain.originals AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.documents d
  WHERE ((d.tenant_id = originals.tenant_id) AND (d.file_hash = originals.file_hash))))));

CREATE POLICY audience ON brain.relations AS RESTRICTIVE USING (((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM brain.notes n
  WHERE ((n.tenant_id = relations.tenant_id) AND (n.note_id = relations.note_id))))));

CREATE POLICY audience ON brain.staged_chunks AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

CREATE POLICY audience ON brain.staged_notes AS RESTRICTIVE USING ((( SELECT current_setting('brain.departments'::text, true) AS current_setting) = '*'::text));

ALTER TABLE brain.batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.configurations ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.corpus_statistics ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.embedding_cache ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.embeddings ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.entity_aliases ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.entity_name_blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.entity_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.entity_stems ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.evaluation_baselines ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.evaluation_jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.evaluation_queries ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.evaluation_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.experiment_feedback ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.experiment_queries ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.experiments ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.feedback ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.folders ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_proposal_places ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_proposals ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_queries ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_relevance ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_sets ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.golden_spans ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.graph_notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.legacy_notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.mentions ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.migration_failures ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.migrations ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.named_entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.named_mentions ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.named_notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.named_relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_enrichments ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_findings ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_summaries ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_tags ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.note_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.originals ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.posting_blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.promotions ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.queries ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.rerankers ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.retrieval_metrics ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.service_minutes ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.staged_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.staged_notes ENABLE ROW LEVEL SECURITY;

CREATE POLICY tenant ON brain.batches USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.blocks USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.chunks USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.configurations USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.corpus_statistics USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.documents USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.embedding_cache USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.embeddings USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.entities USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.entity_aliases USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.entity_name_blocks USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.entity_names USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.entity_stems USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.evaluation_baselines USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.evaluation_jobs USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.evaluation_queries USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.evaluation_runs USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.experiment_feedback USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.experiment_queries USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.experiments USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.feedback USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.folders USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_proposal_places USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_proposals USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_queries USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_relevance USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_sets USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.golden_spans USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.graph_notes USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.legacy_notes USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.mentions USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.migration_failures USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.migrations USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.named_entities USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.named_mentions USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.named_notes USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.named_relations USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_enrichments USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_findings USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_links USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_names USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_summaries USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_tags USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.note_versions USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.notes USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.originals USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.posting_blocks USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.promotions USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.queries USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.relations USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.rerankers USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.retrieval_metrics USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.sessions USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.staged_chunks USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.staged_notes USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.tenants USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

CREATE POLICY tenant ON brain.turns USING ((tenant_id = ( SELECT current_setting('brain.tenant'::text, true) AS current_setting)));

ALTER TABLE brain.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE brain.turns ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA brain TO brain_app;

REVOKE ALL ON FUNCTION brain.find_api_key(wanted text, hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION brain.find_api_key(wanted text, hash bytea) TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.batches TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.blocks TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.chunks TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.configurations TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.corpus_statistics TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.documents TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.entity_names TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.named_mentions TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.named_notes TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.named_relations TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.note_links TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.note_names TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.notes TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.relations TO brain_app;

GRANT SELECT ON TABLE brain.edges TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.embedding_cache TO brain_app;

GRANT SELECT ON TABLE brain.embedding_models TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.embeddings TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.entities TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.entity_aliases TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.entity_name_blocks TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.entity_stems TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.evaluation_baselines TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.evaluation_jobs TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.evaluation_queries TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.evaluation_runs TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.experiment_feedback TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.experiment_queries TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.experiments TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.feedback TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.folders TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_proposal_places TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_proposals TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_queries TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_relevance TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_sets TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.golden_spans TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.graph_notes TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.legacy_notes TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.posting_blocks TO brain_app;

GRANT SELECT ON TABLE brain.lexeme_statistics TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.mentions TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.migration_failures TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.migrations TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.named_entities TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.note_enrichments TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.note_findings TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.note_summaries TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.note_tags TO brain_app;

GRANT SELECT,DELETE ON TABLE brain.note_versions TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.originals TO brain_app;

GRANT SELECT ON TABLE brain.postings TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.promotions TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.queries TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.rerankers TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.retrieval_metrics TO brain_app;

GRANT SELECT ON TABLE brain.schema_migrations TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.sessions TO brain_app;

GRANT SELECT,INSERT,DELETE ON TABLE brain.staged_chunks TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.staged_notes TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.tenants TO brain_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE brain.turns TO brain_app;
