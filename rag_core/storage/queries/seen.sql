-- Statistics for whoever sees a part of a tenant's notes: counted over these, because the kept ones tell of all. Each is the beginning of
-- a WITH, whose parts have the names of the tables they stand in for, so that a statement is the same for everybody.

-- name: seen_statistics
-- N, average lengths and document frequencies. Of many notes the chunks are read through, in the index chunks_of_note alone, of few
-- they are looked up by note; no more than {few} + 1 are looked for to know which. The average length of a language is that of
-- {sampled} chunks, the first by their ids: the lengths of 50,000 take 4 s.
seen_notes as materialized (
    select note_id from notes where tenant_id = %(tenant)s limit {few} + 1
), seen as materialized (
    select c.chunk_id, c.language
    from seen_notes n join chunks c on c.tenant_id = %(tenant)s and c.note_id = n.note_id
    where (select count(*) <= {few} from seen_notes)
    union all
    select chunk_id, language from chunks where tenant_id = %(tenant)s and (select count(*) > {few} from seen_notes)
), corpus_statistics as materialized (
    select %(tenant)s::text as tenant_id, s.language, s.documents, s.documents * l.average_length as total_length
    from (select language, count(*) as documents from seen group by language) s
    cross join lateral (
        select avg(terms_in(c.lexemes))::float8 as average_length
        from (select chunk_id from seen where language = s.language order by chunk_id limit {sampled}) f
        join chunks c on c.tenant_id = %(tenant)s and c.chunk_id = f.chunk_id
    ) l
), lists as materialized (
    select p.*
    from (select distinct language, lexeme from ({terms}) t) w
    cross join lateral (
        select tenant_id, language, lexeme, chunk_id, term_frequency, chunk_length
        from brain.postings
        where tenant_id = %(tenant)s and language = w.language and lexeme = w.lexeme collate "C"
        offset 0
    ) p
), postings as materialized (
    select l.* from lists l join seen using (chunk_id)
), lexeme_statistics as materialized (
    select tenant_id, language, lexeme, count(*) as document_frequency from postings group by tenant_id, language, lexeme
),

-- name: terms_of_search
select language, lexeme from unnest(%(term_languages)s::text[], %(lexemes)s::text[]) t (language, lexeme)

-- name: terms_of_words
select l.language, t.lexeme
from unnest(%(languages)s::text[]) l (language)
cross join unnest(%(words)s::text[]) w (word)
cross join lateral unnest(to_tsvector(text_search_configuration(l.language), w.word)) t

-- name: terms_of_stems
select %(language)s::text as language, unnest(%(stems)s::text[]) as lexeme
