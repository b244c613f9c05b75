-- name: search_fulltext
-- BM25 (k1 = 1.2, b = 0.75) over the posting lists of every language the tenant writes in.
-- idf = ln(1 + (N - df + 0.5) / (df + 0.5)), so it is never negative; N, df and the average length are a language's own.
-- Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
with corpora as (
    select language, sum(documents)::float8 as n, sum(total_length)::float8 / sum(documents) as average_length
    from corpus_statistics
    where tenant_id = %(tenant)s
    group by language having sum(documents) > 0
), terms as (
    select c.language, c.n, c.average_length, t.lexeme collate "C" as lexeme, cardinality(t.positions) as query_frequency
    from corpora c
    cross join lateral unnest(to_tsvector(text_search_configuration(c.language), %(query)s)) t
), weighted as materialized (
    select t.language, t.lexeme,
        2.2::float8 * t.query_frequency * ln(1 + (t.n - s.df + 0.5) / (s.df + 0.5)) as weight,
        0.9::float8 / greatest(t.average_length, 1) as length_factor
    from terms t
    cross join lateral (
        select coalesce(sum(document_frequency), 0)::float8 as df
        from lexeme_statistics l
        where l.tenant_id = %(tenant)s and l.language = t.language and l.lexeme = t.lexeme
    ) s
    where s.df > 0
)
select p.chunk_id,
    sum(
        w.weight * p.term_frequency / (p.term_frequency + 0.3::float8 + w.length_factor * p.chunk_length)
    ) as score
from weighted w
join postings p on p.tenant_id = %(tenant)s and p.language = w.language and p.lexeme = w.lexeme
group by p.chunk_id
order by score desc, p.chunk_id
limit %(limit)s;

-- name: search_semantic_exact
-- Cosine similarity against every vector of the tenant; model and dimensions are registry integers.
select chunk_id, 1 - distance
from (
    select chunk_id, vector::vector({dimensions}) <=> %(vector)s::vector({dimensions}) as distance
    from embeddings
    where tenant_id = %(tenant)s and model_id = {model} and kind = {kind}
    order by distance, chunk_id
    limit %(limit)s
) nearest;

-- name: search_semantic_index
-- The same through the model's HNSW index; the order by is the bare distance so that the index is used.
select chunk_id, 1 - distance
from (
    select chunk_id, vector::vector({dimensions}) <=> %(vector)s::vector({dimensions}) as distance
    from embeddings
    where tenant_id = %(tenant)s and model_id = {model} and kind = {kind}
    order by vector::vector({dimensions}) <=> %(vector)s::vector({dimensions})
    limit %(limit)s
) nearest
order by distance, chunk_id;

-- name: fetch_spans
-- Where chunks stand, and the window of sentences around each, by the sentence starts stored with the note.
select c.chunk_id, c.note_id, c.chunk_index, c.start_char, c.end_char, c.chunking_method,
    coalesce(
        n.sentence_starts[greatest(1, width_bucket(c.start_char, n.sentence_starts) - %(before)s)], c.start_char
    ),
    coalesce(
        n.sentence_starts[width_bucket(c.end_char - 1, n.sentence_starts) + %(after)s + 1], char_length(n.content)
    ),
    n.content_hash
from chunks c join notes n using (tenant_id, note_id)
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s);

-- name: fetch_windows
-- The texts of windows, each a slice of its note, with what a reader needs to know of the note. A note whose text
-- changed since the spans were read is left out.
select w.position, n.external_id, n.source, n.title, n.created_at, n.language,
    substring(n.content from w.start_char + 1 for w.end_char - w.start_char)
from unnest(%(positions)s::int[], %(notes)s::uuid[], %(hashes)s::bytea[], %(starts)s::int[], %(ends)s::int[])
    as w (position, note_id, content_hash, start_char, end_char)
join notes n on n.tenant_id = %(tenant)s and n.note_id = w.note_id and n.content_hash = w.content_hash
order by w.position;

-- name: corpus_size
-- Chunks of the tenant, from the statistics.
select coalesce(sum(documents), 0)::bigint from corpus_statistics where tenant_id = %(tenant)s;
