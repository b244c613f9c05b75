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
        from posting_blocks s
        where s.tenant_id = %(tenant)s and s.language = l.language and s.lexeme > l.lexeme
            and s.lexeme < l.lexeme || U&'\+10FFFF'
        order by 1
        limit %(most_longer)s
    )
    else '{}'
end
from lexemes l;

-- name: fetch_corpora
-- The languages that the tenant writes in, each with its number of chunks, their average length in terms and, for whoever sees a part of
-- the notes, the numbers of the chunks that are seen.
with {counts} corpora as (
    select language, sum(documents)::bigint as documents, sum(total_length)::float8 / sum(documents) as average_length
    from corpus_statistics
    where tenant_id = %(tenant)s
    group by language having sum(documents) > 0
)
select c.language, c.documents, c.average_length, {numbers} from corpora c;

-- name: numbers_seen
(select string_agg(int4send(s.number), '') from seen s where s.language = c.language)

-- name: fetch_postings
-- The document frequency of each term, and the blocks of those in the rarest families; null: in all. A block is to be added or removed.
with asked as materialized (
    select t.family, t.language, t.lexeme, t.term, s.df
    from unnest(%(families)s::int[], %(term_languages)s::text[], %(lexemes)s::text[])
        with ordinality as t (family, language, lexeme, term)
    cross join lateral (
        select coalesce(sum(document_frequency), 0)::bigint as df
        from posting_blocks b
        where b.tenant_id = %(tenant)s and b.language = t.language and b.lexeme = t.lexeme collate "C"
    ) s
), rarest as materialized (
    select family from asked group by family having sum(df) > 0 order by sum(df), family limit %(most_families)s
)
select a.term::int - 1, a.df, b.document_frequency > 0, b.packed
from asked a
left join lateral (
    select document_frequency, packed
    from posting_blocks
    where a.family in (select family from rarest)
        and tenant_id = %(tenant)s and language = a.language and lexeme = a.lexeme collate "C"
    offset 0
) b on true;

-- name: fetch_allowed
-- The numbers of the chunks that filters leave; null where they are many.
with {allowed} held as (select number from allowed where (select is_small from size))
select case when is_small then coalesce((select string_agg(int4send(number), '') from held), '') end from size;

-- name: fetch_ranked
-- Of scored chunks the best that are seen and pass the filters.
select c.chunk_id, s.score, c.language
from unnest(%(numbers)s::int[], %(scores)s::float8[]) s (number, score)
join chunks c on c.tenant_id = %(tenant)s and c.number = s.number {passing}
order by s.score desc, c.chunk_id
limit %(limit)s;

-- name: passing
and (select true from notes n where n.tenant_id = c.tenant_id and n.note_id = c.note_id and {filters})

-- name: allowed
-- The chunks that filters leave, counted up to few + 1: so many or fewer are looked at one by one. Begins a WITH.
allowed as materialized (
    select c.chunk_id, c.number
    from notes n join chunks c on c.tenant_id = n.tenant_id and c.note_id = n.note_id
    where n.tenant_id = %(tenant)s and {filters}
    limit %(few)s + 1
), size as materialized (
    select count(*) <= %(few)s as is_small from allowed
),

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
