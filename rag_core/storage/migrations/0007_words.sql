-- Words are told from the marks around them.
--
-- Where the database's character type is C, which is so in every embedded one, PostgreSQL's parser takes each character beyond
-- ASCII for a letter: «casa», “casa”, ¿casa and —casa were words of their own, and nobody found them by "casa". So such marks
-- become spaces before the text is parsed, hyphens the ASCII one, and what is invisible goes. Letters and emoji stay.

create function plain_marks(content text) returns text
    language sql immutable parallel safe
    return translate(
        content,
        E'\u00a0\u00a1\u00a9\u00ab\u00ae\u00bb\u00bf\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008'
            '\u2009\u200a\u200b\u2012\u2013\u2014\u2015\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2022'
            '\u2026\u2028\u2029\u202f\u2032\u2033\u2039\u203a\u205f\u2122\u2190\u2192\u3000\u2010\u2011\u2212\u00ad\u2060\ufeff',
        repeat(' ', 45) || '---'
    );

-- Chunks with such marks, as the index knows them until now; all others keep their lexemes.
create temporary table misread on commit drop as
    select tenant_id, chunk_id, language, lexemes from chunks
    where content <> plain_marks(content) or title <> plain_marks(title);

delete from postings where ctid = any (array(
    select p.ctid
    from misread m
    cross join lateral unnest(m.lexemes) t
    cross join lateral (
        select ctid from postings
        where tenant_id = m.tenant_id and language = m.language and lexeme = t.lexeme collate "C"
            and chunk_id = m.chunk_id
        limit 1
    ) p
));
insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency)
select m.tenant_id, m.language, t.lexeme, -count(*)
from misread m cross join lateral unnest(m.lexemes) t
group by 1, 2, 3;
insert into corpus_statistics (tenant_id, language, documents, total_length)
select tenant_id, language, -count(*), -sum(terms_in(lexemes)) from misread group by 1, 2;

create or replace function lexemes_of(language text, title text, content text) returns tsvector
    language sql immutable parallel safe
    return to_tsvector(
        text_search_configuration(language), plain_marks(coalesce(title || E'\n', '') || left(content, 100000))
    );
update chunks c set content = c.content
from misread m where c.tenant_id = m.tenant_id and c.chunk_id = m.chunk_id;

insert into postings (tenant_id, language, lexeme, chunk_id, term_frequency, chunk_length)
select c.tenant_id, c.language, t.lexeme collate "C", c.chunk_id, cardinality(t.positions), terms_in(c.lexemes)
from misread m join chunks c using (tenant_id, chunk_id) cross join lateral unnest(c.lexemes) t
order by 1, 2, 3;
insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency)
select c.tenant_id, c.language, t.lexeme collate "C", count(*)
from misread m join chunks c using (tenant_id, chunk_id) cross join lateral unnest(c.lexemes) t
group by 1, 2, 3;
insert into corpus_statistics (tenant_id, language, documents, total_length)
select c.tenant_id, c.language, count(*), sum(terms_in(c.lexemes))
from misread m join chunks c using (tenant_id, chunk_id) group by 1, 2;
