-- Every check gives the same columns, at most 20 rows: how many violations there are in all, whose note it is, and what
-- is wrong. Without batches (null) it looks at the whole tenant. No words of notes are told: Dagster keeps what is told in its events.

-- name: check_content_hashes
-- Notes whose text is not the one their hash was made from: nothing would notice that they must be indexed again.
select count(*) over (), n.source || ':' || n.external_id, 'the hash is not that of its language, title and content'
from notes n
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and n.content_hash <> sha256(
        convert_to(n.language || chr(10) || coalesce(n.title, '') || chr(10) || n.content, 'UTF8')
    )
order by 2
limit 20;

-- name: check_staged_chunks
-- Staged generations that would not be whole: an index missing, a span outside the note, no chunk at all.
with generations as (
    select n.source || ':' || n.external_id as note, char_length(n.content) as characters, count(c.chunk_index) as chunks,
        min(c.chunk_index) as first, max(c.chunk_index) as last, min(c.start_char) as lowest, max(c.end_char) as highest,
        count(*) filter (where c.end_char <= c.start_char) as empty
    from staged_notes s
    join notes n using (tenant_id, note_id)
    left join staged_chunks c using (tenant_id, note_id)
    where s.tenant_id = %(tenant)s and s.content_hash = n.content_hash
        and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    group by n.tenant_id, n.note_id
)
select count(*) over (), note, format(
    '%%s chunks numbered %%s to %%s, spans from %%s to %%s of %%s characters, %%s of them empty',
    chunks, first, last, lowest, highest, characters, empty
)
from generations
where chunks = 0 or first <> 0 or last <> chunks - 1 or lowest < 0 or highest > characters or empty > 0
order by 2
limit 20;

-- name: check_staged_vectors
-- Staged chunks of which a vector is missing or cannot be one of the model's.
with inputs as (
    select n.source || ':' || n.external_id as note, c.chunk_index, k.kind, c.tenant_id, k.input_hash
    from staged_notes s
    join notes n using (tenant_id, note_id)
    join staged_chunks c using (tenant_id, note_id)
    cross join lateral (values ('standard', c.standard_hash), ('contextual', c.contextual_hash)) k (kind, input_hash)
    where s.tenant_id = %(tenant)s and s.content_hash = n.content_hash
        and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
), found as (
    select i.*, coalesce(
        (select v.vector from embedding_cache v where v.tenant_id = i.tenant_id and v.input_hash = i.input_hash),
        (select e.vector from embeddings e where e.tenant_id = i.tenant_id and e.input_hash = i.input_hash limit 1)
    ) as vector
    from inputs i
)
select count(*) over (), note, format(
    'chunk %%s, %%s vector: %%s dimensions of norm %%s', chunk_index, kind,
    coalesce(vector_dims(vector)::text, 'no'), coalesce(round(vector_norm(vector)::numeric, 4)::text, 'none')
)
from found
where vector is null or vector_dims(vector) %% %(dimensions)s <> 0 or not vector_norm(vector) > 0
    or (kind = 'contextual' or not %(has_sentences)s) and vector_dims(vector) <> %(dimensions)s
order by 2, chunk_index, kind
limit 20;

-- name: check_chunk_bounds
-- P6: a chunk has a note, and its bounds lie in it. Length is taken once a note, because a long one is read whole for it.
with note_lengths as materialized (
    select note_id, source || ':' || external_id as note, char_length(content) as characters
    from notes
    where tenant_id = %(tenant)s and (%(batches)s::text[] is null or batch_key = any(%(batches)s))
)
select count(*) over (), coalesce(l.note, c.note_id::text), format(
    'chunk %%s: %%s to %%s of %%s', c.chunk_index, c.start_char, c.end_char,
    coalesce(l.characters || ' characters', 'a note that does not exist')
)
from chunks c left join note_lengths l using (note_id)
where c.tenant_id = %(tenant)s and (%(batches)s::text[] is null or l.note_id is not null)
    and (l.note_id is null or c.start_char < 0 or c.end_char <= c.start_char or c.end_char > l.characters)
order by 2, c.chunk_index
limit 20;

-- name: check_chunk_indices
-- P7: the chunks of a note are numbered 0 to N-1.
select count(*) over (), n.source || ':' || n.external_id, format(
    '%%s chunks numbered %%s to %%s', count(*), min(c.chunk_index), max(c.chunk_index)
)
from notes n join chunks c using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
group by n.tenant_id, n.note_id
having min(c.chunk_index) <> 0 or max(c.chunk_index) <> count(*) - 1 or count(distinct c.chunk_index) <> count(*)
order by 2
limit 20;

-- name: check_chunk_contents
-- P8: a chunk's text is the slice of its note that its bounds name.
select count(*) over (), n.source || ':' || n.external_id, format(
    'chunk %%s: its %%s characters are not those of the note from %%s to %%s',
    c.chunk_index, char_length(c.content), c.start_char, c.end_char
)
from notes n join chunks c using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and c.content is distinct from substring(n.content from c.start_char + 1 for greatest(c.end_char - c.start_char, 0))
order by 2, c.chunk_index
limit 20;

-- name: check_vectors
-- Chunks of indexed notes without both vectors of the model, or with one that is of another length or has no direction.
-- pgvector itself refuses what is not a finite number.
select count(*) over (), n.source || ':' || n.external_id, format(
    'chunk %%s, %%s vector: %%s dimensions of norm %%s', c.chunk_index, k.kind,
    coalesce(vector_dims(e.vector)::text, 'no'), coalesce(round(vector_norm(e.vector)::numeric, 4)::text, 'none')
)
from notes n
join chunks c using (tenant_id, note_id)
cross join (values ('standard'), ('contextual')) k (kind)
left join embeddings e on e.tenant_id = c.tenant_id and e.model_id = %(model)s and e.kind = k.kind and e.chunk_id = c.chunk_id
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and c.chunking_method <> 'whole_note'
    and (
        e.chunk_id is null or vector_dims(e.vector) %% %(dimensions)s <> 0 or not vector_norm(e.vector) > 0
        or (k.kind = 'contextual' or not %(has_sentences)s) and vector_dims(e.vector) <> %(dimensions)s
    )
order by 2, c.chunk_index, k.kind
limit 20;

-- name: check_postings
-- Chunks of which a lexeme has no posting, or one with another term frequency or chunk length. A posting too many is
-- found by check_statistics. Of a list only the blocks around the chunks are read.
with expected as materialized (
    select n.source || ':' || n.external_id as note, c.chunk_index, c.number, c.language,
        t.lexeme collate "C" as lexeme, cardinality(t.positions) as term_frequency, l.chunk_length
    from notes n
    join chunks c using (tenant_id, note_id)
    cross join lateral (
        select coalesce(sum(cardinality(positions)), 0) as chunk_length from unnest(c.lexemes)
    ) l
    cross join lateral unnest(c.lexemes) t
    where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
), posted as materialized (
    select w.language, w.lexeme, p.number, p.term_frequency, p.chunk_length
    from (select language, lexeme, min(number) as first, max(number) as last from expected group by language, lexeme) w
    cross join lateral (
        select packed from posting_blocks
        where tenant_id = %(tenant)s and language = w.language and lexeme = w.lexeme and document_frequency > 0
            and first_number <= w.last and last_number >= w.first
        offset 0
    ) b
    cross join lateral unpacked_postings(b.packed) p
)
select count(*) over (), e.note, format(
    'chunk %%s, a lexeme: %%s', e.chunk_index, coalesce(
        format(
            'frequency %%s of %%s instead of %%s of %%s',
            p.term_frequency, p.chunk_length, e.term_frequency, e.chunk_length
        ),
        'no posting'
    )
)
from expected e left join posted p using (language, lexeme, number)
where p.number is null or p.term_frequency <> e.term_frequency or p.chunk_length <> e.chunk_length
order by 2, e.chunk_index, e.lexeme
limit 20;

-- name: check_statistics
-- Lexemes whose document frequency, as recomputed from the chunks, is not that of the postings and of the statistics;
-- with some of the notes that have them or postings of them. ts_stat takes less than half of unnest's time: 0.12 s against 0.29 s
-- for 7,600 chunks.
with recomputed as (
    select l.language, s.word collate "C" as lexeme, s.ndoc as documents
    from unnest(%(languages)s::text[]) l (language)
    cross join lateral ts_stat(
        format('select lexemes from chunks where tenant_id = %%L and language = %%L', %(tenant)s::text, l.language)
    ) s
), counted as (
    select language, lexeme, sum(document_frequency) as documents,
        sum(sign(document_frequency) * octet_length(packed) / 8) as posted
    from posting_blocks where tenant_id = %(tenant)s
    group by language, lexeme having sum(document_frequency) <> 0
), wrong as (
    select count(*) over () as violations, language, lexeme, coalesce(r.documents, 0) as recomputed,
        coalesce(c.posted, 0) as posted, coalesce(c.documents, 0) as counted
    from recomputed r full join counted c using (language, lexeme)
    where r.documents is distinct from c.documents or r.documents is distinct from c.posted
    order by language, lexeme
    limit 20
)
select violations, coalesce(f.notes, '(no note has it)'), format(
    'a lexeme (%%s): %%s chunks, %%s postings, statistics say %%s chunks', language, recomputed, posted, counted
)
from wrong w left join lateral (
    select string_agg(note, ', ') as notes
    from (
        select distinct n.source || ':' || n.external_id as note
        from chunks c
        join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
        where c.tenant_id = %(tenant)s and c.language = w.language and (
            w.lexeme = any (tsvector_to_array(c.lexemes)) or c.number in (
                select p.number
                from posting_blocks b cross join lateral unpacked_postings(b.packed) p
                where b.tenant_id = %(tenant)s and b.language = w.language and b.lexeme = w.lexeme
            )
        )
        order by 1
        limit 5
    ) some_notes
) f on true
order by language, lexeme;

-- name: check_corpus_statistics
-- Languages whose number of chunks or total length is not what the chunks add up to.
with recomputed as (
    select c.language, count(*) as documents, coalesce(sum(l.length), 0) as total_length
    from chunks c cross join lateral (
        select sum(cardinality(positions)) as length from unnest(c.lexemes)
    ) l
    where c.tenant_id = %(tenant)s
    group by c.language
), counted as (
    select language, sum(documents) as documents, sum(total_length) as total_length
    from corpus_statistics where tenant_id = %(tenant)s
    group by language having sum(documents) <> 0 or sum(total_length) <> 0
)
select count(*) over (), '(all notes in ' || language || ')', format(
    '%%s chunks of %%s terms, statistics say %%s of %%s', coalesce(r.documents, 0), coalesce(r.total_length, 0),
    coalesce(c.documents, 0), coalesce(c.total_length, 0)
)
from recomputed r full join counted c using (language)
where (r.documents, r.total_length) is distinct from (c.documents, c.total_length)
order by 2;

-- name: check_lost_notes
-- Notes nobody can find: without a single chunk.
select count(*) over (), n.source || ':' || n.external_id, 'no chunk'
from notes n
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and not exists (select from chunks c where c.tenant_id = n.tenant_id and c.note_id = n.note_id)
order by 2
limit 20;

-- name: check_staged_leftovers
-- Notes whose next generation was made and did not go live. Without batches what was staged in the last hour is left out:
-- a run that is under way will publish it.
select count(*) over (), n.source || ':' || n.external_id, format(
    'staged at %%s, %%s', to_char(s.staged_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), case
        when s.content_hash <> n.content_hash then 'its text changed afterwards'
        else 'not published'
    end
)
from staged_notes s join notes n using (tenant_id, note_id)
where s.tenant_id = %(tenant)s and case
    when %(batches)s::text[] is null then s.staged_at < now() - interval '1 hour'
    else n.batch_key = any(%(batches)s)
end
order by 2
limit 20;
