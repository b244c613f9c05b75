-- name: analyse_query
-- The query's lexemes in every language the tenant writes in, each with how often it stands there. A compounding language (German)
-- puts words together, so each of its longest lexemes comes with the first most_longer of the corpus that begin with it (null: all); the "C" collation makes them
-- one range of the index.
with languages as (
    select language from corpus_statistics where tenant_id = %(tenant)s group by language having sum(documents) > 0
), lexemes as (
    select l.language, t.lexeme collate "C" as lexeme, cardinality(t.positions) as query_frequency,
        row_number() over (partition by l.language order by char_length(t.lexeme) desc, t.lexeme) as by_length
    from languages l
    cross join lateral unnest(lexemes_of(l.language, null, %(query)s)) t
)
select language, lexeme, query_frequency, case
    when language = any (%(compounding)s) and char_length(lexeme) >= %(least_letters)s and by_length <= 16 then array(
        select distinct s.lexeme
        from lexeme_statistics s
        where s.tenant_id = %(tenant)s and s.language = l.language and s.lexeme > l.lexeme
            and s.lexeme < l.lexeme || U&'\+10FFFF'
        order by 1
        limit %(most_longer)s
    )
    else '{}'
end
from lexemes l;

-- name: search_fulltext
-- BM25 (k1 = 1.2, b = 0.75) over posting lists. A family is one lexeme of the query with the other forms of its word; it counts
-- as one term: its frequency in a chunk is the weighted sum over its lexemes, its document frequency their sum, at most N.
-- idf = ln(1 + (N - df + 0.5) / (df + 0.5)), so it is never negative; N and the average length are a language's own. Only the
-- rarest families are looked up: in a long query the frequent ones decide nothing and have the longest lists. Of these the
-- rarest lead: their lists are read, until they have most_led entries and then up to most_postings; the best most_led chunks
-- get what the others add, looked up one by one. The third column is the score over the highest that a chunk of its language could
-- have: Σ idf · (k1 + 1) over all terms of the query, those that no chunk has included.
-- The best are told by rounded scores: terms are added in any order, and the last bits must not decide which of equal ones is left out.
-- Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
with {counts} {allowed} corpora as (
    select language, sum(documents)::float8 as n, sum(total_length)::float8 / sum(documents) as average_length
    from corpus_statistics
    where tenant_id = %(tenant)s
    group by language having sum(documents) > 0
), asked as materialized (
    select t.family, t.language, t.lexeme, t.weight, t.query_frequency, s.df
    from unnest(
        %(families)s::int[], %(term_languages)s::text[], %(lexemes)s::text[], %(weights)s::float8[], %(frequencies)s::int[]
    ) as t (family, language, lexeme, weight, query_frequency)
    cross join lateral (
        select coalesce(sum(document_frequency), 0)::float8 as df
        from lexeme_statistics l
        where l.tenant_id = %(tenant)s and l.language = t.language and l.lexeme = t.lexeme collate "C"
    ) s
), highest as materialized (
    select f.language, sum(2.2::float8 * f.query_frequency * ln(1 + (c.n - least(f.df, c.n) + 0.5) / (least(f.df, c.n) + 0.5))) as score
    from (
        select family, language, max(query_frequency) as query_frequency, sum(df) as df
        from asked
        group by family, language
    ) f
    join corpora c using (language)
    group by f.language
), terms as materialized (
    select * from asked where df > 0
), families as materialized (
    select f.family, f.language, f.lexemes, 0.9::float8 / greatest(c.average_length, 1) as length_factor,
        2.2::float8 * f.query_frequency * ln(1 + (c.n - least(f.df, c.n) + 0.5) / (least(f.df, c.n) + 0.5)) as weight,
        sum(f.df) over rarest_first - f.df < %(most_led)s or sum(f.df) over rarest_first <= %(most_postings)s as is_leading
    from (
        select family, language, max(query_frequency) as query_frequency, sum(df) as df, count(*) as lexemes
        from terms
        group by family, language
        order by sum(df), family
        limit %(most_families)s
    ) f
    join corpora c using (language)
    window rarest_first as (order by f.df, f.family)
), shares as (
    select p.chunk_id, f.language, f.weight * t.weight * p.term_frequency
        / (t.weight * p.term_frequency + 0.3::float8 + f.length_factor * p.chunk_length) as share
    from families f
    join terms t using (family)
    join postings p on p.tenant_id = %(tenant)s and p.language = t.language and p.lexeme = t.lexeme collate "C"
    where f.lexemes = 1 and f.is_leading
    union all
    select m.chunk_id, f.language, f.weight * m.frequency / (m.frequency + 0.3::float8 + f.length_factor * m.chunk_length)
    from (
        select t.family, p.chunk_id, sum(t.weight * p.term_frequency) as frequency, min(p.chunk_length) as chunk_length
        from families f
        join terms t using (family)
        join postings p on p.tenant_id = %(tenant)s and p.language = t.language and p.lexeme = t.lexeme collate "C"
        where f.lexemes > 1 and f.is_leading
        group by t.family, p.chunk_id
    ) m
    join families f using (family)
), led as (
    select chunk_id, language, sum(share) as score
    from shares
    group by chunk_id, language
    order by sum(share) desc, chunk_id
    limit case when (select bool_and(is_leading) from families) then null else %(most_led)s end
)
select chunk_id, score, score / (select h.score from highest h where h.language = best.language)
from (
    select l.chunk_id, round((l.score + coalesce(o.score, 0)) * 1e12::float8) / 1e12::float8 as score, l.language
    from led l
    left join lateral (
        select sum(f.weight * m.frequency / (m.frequency + 0.3::float8 + f.length_factor * m.chunk_length)) as score
        from (
            select t.family, sum(t.weight * p.term_frequency) as frequency, min(p.chunk_length) as chunk_length
            from families f
            join terms t using (family)
            cross join lateral (
                select term_frequency, chunk_length from postings p
                where p.tenant_id = %(tenant)s and p.language = t.language and p.lexeme = t.lexeme collate "C"
                    and p.chunk_id = l.chunk_id
                limit 1
            ) p
            where not f.is_leading
            group by t.family
        ) m
        join families f using (family)
    ) o on not (select bool_and(is_leading) from families)
    order by 2 desc, 1
    offset 0
) best
{passing}
limit %(limit)s;

-- name: allowed
-- The chunks that filters leave, counted up to few + 1: so many or fewer are looked at one by one. Begins a WITH.
allowed as materialized (
    select c.chunk_id
    from notes n join chunks c on c.tenant_id = n.tenant_id and c.note_id = n.note_id
    where n.tenant_id = %(tenant)s and {filters}
    limit %(few)s + 1
), size as materialized (
    select count(*) <= %(few)s as is_small from allowed
),

-- name: passing
-- Where few chunks are allowed, the best must be among them; otherwise each one's note is asked, best first, until enough
-- passed.
where case
    when (select is_small from size) then best.chunk_id in (select chunk_id from allowed)
    else (
        select true
        from chunks c join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
        where c.tenant_id = %(tenant)s and c.chunk_id = best.chunk_id and {filters}
    )
end

-- name: search_semantic
-- Cosine similarity, best first, and whether every vector was compared: up to few chunks of the tenant they are, beyond that the
-- model's HNSW index is walked; only one of the two branches runs. Model, kinds and dimensions are registry values and enter
-- as literals, so that the partial index can be used; the order by is the bare nearness for the same reason. OFFSET 0 keeps
-- the planner from walking the index for the exact branch too, which would then not be exact. What is found by a part of what
-- counts (an index of half precision, one of two kinds) is put in order by the whole.
with {mixed} size as materialized (
    select coalesce(sum(documents), 0) <= %(few)s as is_small from corpus_statistics where tenant_id = %(tenant)s
), nearest as materialized (
    (
        select chunk_id
        from (
            select e.chunk_id, {distance} {nearer} as distance
            from embeddings e
            where (select is_small from size) and e.tenant_id = %(tenant)s and e.model_id = {model} and e.kind = {kind}
            offset 0
        ) every
        order by distance, chunk_id
        limit %(candidates)s
    )
    union all
    (
        select e.chunk_id
        from embeddings e
        where not (select is_small from size) and e.tenant_id = %(tenant)s and e.model_id = {model} and e.kind = {kind}
        order by {nearness}
        limit %(candidates)s
    )
)
{in_order}

-- name: search_semantic_within
-- The same within filters: the chunks that they leave are compared when they are few. Otherwise the index is walked, nearest
-- first, and each chunk's note is asked, by a scalar sub-query because EXISTS may become a join that reads every note.
with {mixed} {allowed} walk as (
    select not is_small as is_wanted from size
), nearest as materialized (
    (
        select chunk_id
        from (
            select e.chunk_id, {distance} {nearer} as distance
            from allowed a join embeddings e
                on e.tenant_id = %(tenant)s and e.model_id = {model} and e.kind = {kind} and e.chunk_id = a.chunk_id
            where not (select is_wanted from walk)
            offset 0
        ) every
        order by distance, chunk_id
        limit %(candidates)s
    )
    union all
    (
        select e.chunk_id
        from embeddings e
        where (select is_wanted from walk) and e.tenant_id = %(tenant)s and e.model_id = {model} and e.kind = {kind}
            and (
                select true
                from chunks c join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
                where c.tenant_id = %(tenant)s and c.chunk_id = e.chunk_id and {filters}
            )
        order by {nearness}
        limit %(candidates)s
    )
)
{in_order}

-- name: nearest_in_order
select n.chunk_id, 1 - whole.distance, (select is_small from size)
from nearest n
cross join lateral (
    select avg(e.distance) {nearer} as distance
    from (
        select {distance} as distance
        from embeddings e
        where e.tenant_id = %(tenant)s and e.model_id = {model} and e.kind = any({kinds}) and e.chunk_id = n.chunk_id
    ) e
) whole
order by whole.distance, n.chunk_id
limit %(limit)s;

-- name: mixed
-- Whether the tenant writes in several languages. Begins a WITH.
languages as materialized (
    select count(*) > 1 as are_several
    from (
        select from corpus_statistics where tenant_id = %(tenant)s group by language having sum(documents) > 0
    ) spoken
),

-- name: nearer
-- Less for a chunk in another language than the query's: to this model texts of one language look alike.
- case
    when (select are_several from languages) then {gap} * (
        select (c.language <> %(language)s)::int
        from chunks c
        where c.tenant_id = %(tenant)s and c.chunk_id = {chunk}
    )
    else 0
end

-- name: distance_whole
-- Cosine distance of the query to a chunk's one vector of a kind.
(e.vector::vector({dimensions}) <=> %(vector)s::vector({dimensions}))

-- name: distance_nearest
-- Cosine distance of the query to the nearest of the vectors that stand one after another in one.
(
    select min(subvector(e.vector, first, {dimensions}) <=> %(vector)s::vector({dimensions}))
    from generate_series(1, vector_dims(e.vector), {dimensions}) first
)

-- name: indexed_whole
-- What the index of a model of up to 2,000 dimensions holds.
(vector::vector({dimensions})) vector_cosine_ops

-- name: nearness_whole
e.vector::vector({dimensions}) <=> %(vector)s::vector({dimensions})

-- name: indexed_halved
-- What the index of a model of more dimensions holds.
(subvector(vector, 1, {indexed})::halfvec({indexed})) halfvec_cosine_ops

-- name: nearness_halved
subvector(e.vector, 1, {indexed})::halfvec({indexed}) <=> subvector(%(vector)s::vector, 1, {indexed})::halfvec({indexed})

-- name: filter_since
n.created_at >= %(since)s

-- name: filter_until
n.created_at < %(until)s

-- name: filter_kinds
n.kind = any(%(kinds)s)

-- name: filter_sources
n.source = any(%(sources)s)

-- name: filter_languages
n.language = any(%(languages)s)

-- name: filter_document_types
-- Kinds of notes, or types that they, and no earlier text of theirs, were told to be of.
(
    n.kind = any(%(document_types)s) or (n.note_id, n.content_hash) in (
        select e.note_id, e.content_hash from note_enrichments e where e.tenant_id = %(tenant)s and e.document_type = any(%(document_types)s)
    )
)

-- name: filter_tags
-- A tag holds those below it: "curso" is found in "curso/x", "0" being the next character after "/".
n.note_id in (
    select t.note_id
    from keys_of_tags(%(tags)s) k
    join note_tags t on t.tenant_id = %(tenant)s
        and (t.tag = k or t.tag >= (k || '/') collate "C" and t.tag < (k || '0') collate "C")
)

-- name: filter_topics
-- Tags, as in filter_tags, or topics that were told of today's text.
(n.note_id in (
    select t.note_id
    from keys_of_tags(%(topics)s) k
    join note_tags t on t.tenant_id = %(tenant)s
        and (t.tag = k or t.tag >= (k || '/') collate "C" and t.tag < (k || '0') collate "C")
) or (n.note_id, n.content_hash) in (
    select e.note_id, e.content_hash from note_enrichments e
    where e.tenant_id = %(tenant)s and e.topic_keys && array(select keys_of_tags(%(topics)s))
))

-- name: filter_document_ids
n.note_id = any(%(document_ids)s)

-- name: filter_tables_only
-- On a chunk c.
c.kind <> 'text'

-- name: fetch_sentence_vectors
-- Chunks that have a part in one of the windows, with their standard vectors.
select distinct on (c.chunk_id) c.note_id, c.start_char, e.vector,
    c.content, c.context, c.title, c.language, c.chunking_method, c.kind, c.headers, c.caption
from unnest(%(notes)s::uuid[], %(starts)s::integer[], %(ends)s::integer[]) w (note_id, starts, ends)
join chunks c on c.tenant_id = %(tenant)s and c.note_id = w.note_id and c.start_char < w.ends and c.end_char > w.starts
join embeddings e on e.tenant_id = c.tenant_id and e.chunk_id = c.chunk_id
    and e.model_id = %(model)s and e.kind = 'standard'
order by c.chunk_id;

-- name: fetch_spans
-- Where chunks stand, and the stored sentence starts around each: of the sentence it starts in and of those before, and
-- of those after the one it ends in. The length of the note is read only where these reach its end: it takes the text.
-- Bounds of the section and of the tables around a chunk, null where the note's bounds are its; of a part of a table, the table's.
-- Then where the last chunk ends, and where the section that the chunk begins in does.
select c.chunk_id, c.note_id, c.chunk_index, c.start_char, c.end_char, c.chunking_method,
    n.sentence_starts[greatest(1, s.first - %(before)s):s.first]
        || n.sentence_starts[s.last + 1:s.last + %(after)s + 1],
    case when cardinality(n.sentence_starts) <= s.last + %(after)s then char_length(n.content) end,
    n.content_hash,
    case when c.kind = 'text' then greatest(b.low, last_until.end_char) else first_from.start_char end,
    case when c.kind = 'text' then least(b.high, first_from.start_char) else last_until.end_char end,
    (
        select l.end_char from chunks l
        where l.tenant_id = c.tenant_id and l.note_id = c.note_id order by l.chunk_index desc limit 1
    ),
    b.low, c.kind, c.table_start, c.headers, c.caption
from chunks c join notes n using (tenant_id, note_id)
cross join lateral (
    select width_bucket(c.start_char, n.sentence_starts), width_bucket(c.end_char - 1, n.sentence_starts)
) as s (first, last)
cross join lateral (
    select n.section_starts[width_bucket(c.start_char, nullif(n.section_starts, '{}'))],
        n.section_starts[width_bucket(c.end_char - 1, nullif(n.section_starts, '{}')) + 1]
) as b (low, high)
-- Of the chunks of tables, in their order, that of a text the last before it and the first after it; of a table its own first and last.
left join lateral (
    select t.start_char, t.end_char from chunks t
    where t.tenant_id = c.tenant_id and t.note_id = c.note_id and t.kind <> 'text' and t.table_start <= coalesce(c.table_start, c.start_char)
    order by t.table_start desc, t.start_char desc limit 1
) as last_until on true
left join lateral (
    select t.start_char, t.end_char from chunks t
    where t.tenant_id = c.tenant_id and t.note_id = c.note_id and t.kind <> 'text' and t.table_start >= coalesce(c.table_start, c.start_char)
    order by t.table_start, t.start_char limit 1
) as first_from on true
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s);

-- name: fetch_windows
-- The texts of windows, each a slice of its note, with what a reader needs to know of the note: of a document also the blocks
-- with pages that hold the window, from the last one that begins before it. A note whose text changed since the spans were read
-- is left out.
select w.position, n.external_id, n.source, n.title, n.created_at, n.dated_by, n.language,
    substring(n.content from w.start_char + 1 for w.end_char - w.start_char), b.blocks,
    case when n.kind = 'document' then (
        select d.page_unit from documents d where d.tenant_id = %(tenant)s and d.note_id = n.note_id limit 1
    ) end
from unnest(%(positions)s::int[], %(notes)s::uuid[], %(hashes)s::bytea[], %(starts)s::int[], %(ends)s::int[])
    as w (position, note_id, content_hash, start_char, end_char)
join notes n on n.tenant_id = %(tenant)s and n.note_id = w.note_id and n.content_hash = w.content_hash
left join lateral (
    select jsonb_agg(jsonb_build_array(block_index, start_char, end_char, page, box) order by block_index) as blocks
    from blocks
    where tenant_id = %(tenant)s and note_id = n.note_id and page is not null and start_char < w.end_char and start_char >= coalesce(
        (
            select max(start_char) from blocks
            where tenant_id = %(tenant)s and note_id = n.note_id and page is not null and start_char <= w.start_char
        ), 0
    )
) b on n.kind = 'document'
order by w.position;
