-- Statistics for whoever sees a part of a tenant's notes: counted over these, because the kept ones tell of all. Each is the beginning of
-- a WITH, whose parts have the names of the tables they stand in for, so that a statement is the same for everybody.

-- name: seen_corpus
-- N and average lengths. Of many notes the chunks are read through, in the index chunks_of_note alone, of few
-- they are looked up by note; no more than {few} + 1 are looked for to know which. The average length of a language is that of
-- {sampled} chunks, the first by their ids: the lengths of 50,000 take 4 s.
seen_notes as materialized (
    select note_id from notes where tenant_id = %(tenant)s limit {few} + 1
), seen as materialized (
    select c.chunk_id, c.language, c.number
    from seen_notes n join chunks c on c.tenant_id = %(tenant)s and c.note_id = n.note_id
    where (select count(*) <= {few} from seen_notes)
    union all
    select chunk_id, language, number from chunks where tenant_id = %(tenant)s and (select count(*) > {few} from seen_notes)
), corpus_statistics as materialized (
    select %(tenant)s::text as tenant_id, s.language, s.documents, s.documents * l.average_length as total_length
    from (select language, count(*) as documents from seen group by language) s
    cross join lateral (
        select avg(terms_in(c.lexemes))::float8 as average_length
        from (select chunk_id from seen where language = s.language order by chunk_id limit {sampled}) f
        join chunks c on c.tenant_id = %(tenant)s and c.chunk_id = f.chunk_id
    ) l
),

-- name: seen_lexemes
-- Document frequencies.
posting_blocks as materialized (
    select %(tenant)s::text as tenant_id, w.language, w.lexeme collate "C" as lexeme, count(*) as document_frequency
    from (select distinct language, lexeme from ({terms}) t) w
    cross join lateral (
        select packed from brain.posting_blocks
        where tenant_id = %(tenant)s and language = w.language and lexeme = w.lexeme collate "C" and document_frequency > 0
        offset 0
    ) b
    cross join lateral unpacked_postings(b.packed) p
    join seen using (number)
    group by w.language, w.lexeme
),

-- name: terms_of_words
select l.language, t.lexeme
from unnest(%(languages)s::text[]) l (language)
cross join unnest(%(words)s::text[]) w (word)
cross join lateral unnest(to_tsvector(text_search_configuration(l.language), w.word)) t

-- name: terms_of_stems
select %(language)s::text as language, unnest(%(stems)s::text[]) as lexeme
