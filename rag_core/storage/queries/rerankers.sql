-- name: fetch_candidate_texts
-- The texts of chunks with what a re-ranker should know of them. A chunk is never as long as the limit; a note that is not
-- chunked yet can be, and is judged by its beginning.
select chunk_id, note_id, c.title, left(c.content, %(characters)s), c.language, n.metadata ->> 'classification'
from chunks c
join notes n using (tenant_id, note_id)
where tenant_id = %(tenant)s and chunk_id = any(%(chunks)s);

-- name: fetch_query_statistics
-- For every language of the tenant its number of chunks and, for each word, how many chunks have the rarest of the word's
-- lexemes; a stop word has no lexeme and no row of its own. A language without a known word has one row with null.
with {counts} corpora as (
    select language, sum(documents)::bigint as documents
    from corpus_statistics
    where tenant_id = %(tenant)s
    group by language having sum(documents) > 0
), frequencies as (
    select c.language, w.word, min(f.document_frequency) as document_frequency
    from corpora c
    cross join unnest(%(words)s::text[]) w (word)
    cross join lateral unnest(to_tsvector(text_search_configuration(c.language), w.word)) t
    cross join lateral (
        select greatest(coalesce(sum(l.document_frequency), 0), 0)::bigint as document_frequency
        from posting_blocks l
        where l.tenant_id = %(tenant)s and l.language = c.language and l.lexeme = t.lexeme collate "C"
    ) f
    group by c.language, w.word
)
select c.language, c.documents, f.word, f.document_frequency
from corpora c left join frequencies f using (language);
