-- The passages that names stand in.

-- name: find_names
-- Chunks that have all words of a name one after another, at most a given number of each name, told by the name's place in the
-- list. The posting list of a name's rarest word is read; where all notes are seen, a word with too many entries is not looked up. A
-- chunk is read only where it has the name's second rarest word too, and not for a name of one word, which its posting tells: where
-- nothing is left out, one in more chunks than are told of any is not looked up.
with languages as (
    select language from corpus_statistics where tenant_id = %(tenant)s group by language having sum(documents) > 0
), wanted as materialized (
    select n.place, l.language, r.rarest[1] as lexeme, r.rarest[2] as further,
        sum(case when r.rarest[2] is null then r.df end) over (partition by n.place) as alone,
        phraseto_tsquery(text_search_configuration(l.language), plain_marks(n.name)) as phrase
    from unnest(%(names)s::text[]) with ordinality n (name, place)
    cross join languages l
    cross join lateral (
        select array_agg(f.lexeme order by f.df, f.lexeme) as rarest, min(f.df) as df
        from (
            select t.lexeme collate "C" as lexeme, coalesce(sum(s.document_frequency), 0) as df
            from unnest(lexemes_of(l.language, null, n.name)) t
            left join posting_blocks s
                on s.tenant_id = %(tenant)s and s.language = l.language and s.lexeme = t.lexeme collate "C"
            group by 1
        ) f
    ) r
    where r.df > 0 and (r.df <= %(most_postings)s or not %(sees_all)s)
)
select w.place::int - 1, f.chunk_id, f.note_id
from wanted w
cross join lateral (
    select c.chunk_id, c.note_id
    from (
        select p.number
        from posting_blocks b cross join lateral unpacked_postings(b.packed) p
        where b.tenant_id = %(tenant)s and b.language = w.language and b.lexeme = w.lexeme and b.document_frequency > 0
            and (w.further is null or exists (
                select from posting_blocks o
                where o.tenant_id = %(tenant)s and o.language = w.language and o.lexeme = w.further and o.document_frequency > 0
                    and p.number between o.first_number and o.last_number and position(int4send(p.number) in o.packed) > 0
            ))
        offset 0
    ) p
    join chunks c on c.tenant_id = %(tenant)s and c.number = p.number and (w.further is null or c.lexemes @@ w.phrase)
    join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
    where {filters}
    limit %(most_chunks)s
) f
where %(leaves_out)s or coalesce(w.alone, 0) < %(most_chunks)s;
