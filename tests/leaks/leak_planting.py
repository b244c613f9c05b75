"""Two tenants that have the same of everything, each in words of its own; what of one a reader of the other must never see.

What must not be seen is not listed by hand: it is every word, name and id in the one's rows that stands in none of the other's.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from psycopg import sql

from rag_core.access.keys import make_key
from rag_core.indexing.one_note import store_and_index
from rag_core.model.access import KeyGrant, Scope
from rag_core.model.note import TenantId
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine
from rag_core.storage.api_keys import insert_key
from rag_core.storage.batches import register_batches
from rag_core.storage.database import Connection, Database
from rag_core.storage.tenants import count_rows

WORDS = {
    "ana": ("Cervantina", "Baldomera", "mandolina", "Torrelodones", "acuarela"),
    "bruno": ("Quimbayesca", "Zorzalina", "xilofonista", "Wamburgesa", "jaculatoria"),
    "carla": ("Huapanguera", "Ñandubaya", "oboísticas", "Kilometranza", "gorgoritera"),
}
"""Of each tenant, and of the notes of the first one that most of its keys may not see, words that stand nowhere else."""
_TOKEN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^\W_]{5,}(?:[_-][^\W_]+)*", re.IGNORECASE)
_UNREADABLE = frozenset({"vector", "tsvector", "timestamptz", "bytea"})


def tokens_of(text: str) -> set[str]:
    """Words of five letters or more, names and ids; without what is a number only."""
    return {token.lower() for token in _TOKEN.findall(text) if not token.isdecimal()}


def note_texts(mark: str) -> list[tuple[str, str, str]]:
    """Name, title and text of a tenant's notes: a cause and its effect, and one that is long enough for several chunks."""
    person, place, thing, town, art = WORDS[mark]
    return [
        (f"{mark}-causa", f"Viaje de {person}", f"{person} no durmió bien porque tomó {thing} por la tarde."),
        (f"{mark}-efecto", f"Reunión en {place}", f"{person} llegó tarde a {town} por no haber dormido bien."),
        (
            f"{mark}-largo",
            f"Diario de {art}",
            " ".join(
                f"El día {day} hubo {art} en {place}, y la {thing} de {person} sonó en {town}." for day in range(1, 40)
            ),
        ),
    ]


def plant_notes(engine: Engine, tenant: TenantId, mark: str, *, visibility: Mapping[str, Any] | None = None) -> None:
    """Store and index a tenant's notes as the API does."""
    for name, title, text in note_texts(mark):
        note = parse_note(
            external_id=name,
            source=f"{mark}-diario",
            title=title,
            text=text,
            created_at="2025-03-10",
            language="es",
            metadata={"tags": [f"{mark}-etiqueta"], "author": WORDS[mark][0], **(visibility or {})},
            zone=ZoneInfo("Europe/Madrid"),
            max_characters=100_000,
        )
        store_and_index(engine.database, tenant, note, engine.pipeline)
    register_batches(engine.database, tenant)


def plant_key(
    database: Database, tenant: TenantId, scopes: tuple[Scope, ...], departments: tuple[str, ...] | None = None
) -> str:
    """A key's text."""
    new = make_key()
    grant = KeyGrant(tenant=tenant, name=f"{tenant}-{uuid4().hex[:6]}", scopes=scopes, departments=departments)
    with database.owner() as connection:
        insert_key(connection, grant, new.presented)
    return new.text


def plant_rows(database: Database, tenant: TenantId, mark: str) -> None:
    """Plant rows that people make beside notes, in each table that has none of the tenant's yet."""
    person, place, thing, town, art = WORDS[mark]
    values = {
        "mark": mark,
        "person": person,
        "place": place,
        "thing": thing,
        "town": town,
        "art": art,
        "tenant": tenant,
    }
    with database.owner() as connection:
        connection.execute("set search_path = brain, public")
        for statement in _ROWS.split(";\n"):
            connection.execute(statement.encode(), values)


_ROWS = """
insert into rerankers (tenant_id, version, weights, fitted_on) values (%(tenant)s, %(mark)s || '-pesos', '{}', '{}');
insert into golden_sets (tenant_id, name) values (%(tenant)s, 'default'), (%(tenant)s, %(mark)s || '-conjunto');
insert into golden_queries (tenant_id, set_id, query, query_hash, expected_answer, tags)
    select tenant_id, set_id, '¿Por qué durmió mal ' || %(person)s || '?', sha256(convert_to(name, 'UTF8')),
        'Por la ' || %(thing)s, array[%(mark)s || '-etiqueta']
    from golden_sets where tenant_id = %(tenant)s;
insert into golden_relevance (tenant_id, query_id, note_id)
    select q.tenant_id, q.query_id, n.note_id from golden_queries q
    join notes n on n.tenant_id = q.tenant_id and n.external_id = %(mark)s || '-causa' where q.tenant_id = %(tenant)s;
insert into golden_spans (tenant_id, query_id, note_id, start_char, end_char, quote)
    select tenant_id, query_id, note_id, 0, char_length(%(person)s), %(person)s from golden_relevance
    where tenant_id = %(tenant)s;
insert into golden_proposals (tenant_id, set_name, query, query_hash, note_id, start_char, end_char, quote, category, difficulty,
        method)
    select tenant_id, 'default', '¿Dónde está ' || %(town)s || '?', sha256('p'), note_id, 0, 5, left(content, 5), 'factual', 3,
        'template:date'
    from notes where tenant_id = %(tenant)s and external_id = %(mark)s || '-causa';
insert into golden_proposal_places (tenant_id, proposal_id, note_id, start_char, end_char, quote)
    select tenant_id, proposal_id, note_id, 0, 5, quote from golden_proposals where tenant_id = %(tenant)s;
insert into evaluation_runs (tenant_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint, hit_rate_at_1,
        hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms, latency_p95_ms,
        latency_p99_ms, total_queries, degraded_queries, failed_queries, strategy)
    select %(tenant)s, name, 1, md5(%(mark)s::text || n::text), '{}', jsonb_build_object('embedding', %(mark)s || '-modelo'), 'f',
        0, 0, 0, 1, 0.5, 0.25, 1, 1, 2, 3, 1, 0, 0, 'hybrid'
    from (values ('default'), (%(mark)s || '-conjunto')) s (name), generate_series(1, 2) n;
insert into evaluation_queries (tenant_id, run_id, query_id, query, category, difficulty, relevant_note_ids, ranked_note_ids,
        ndcg_at_10, recall_at_20, latency_ms, is_degraded)
    select r.tenant_id, r.run_id, q.query_id, q.query, 'factual', 3, '{}', array(
        select note_id from notes where tenant_id = r.tenant_id order by note_id
    ), 0, 0, 1, false
    from evaluation_runs r join golden_sets s on s.tenant_id = r.tenant_id and s.name = r.set_name
    join golden_queries q on q.tenant_id = s.tenant_id and q.set_id = s.set_id where r.tenant_id = %(tenant)s;
insert into evaluation_baselines (tenant_id, set_name, strategy, run_id, is_automatic)
    select distinct on (set_name) tenant_id, set_name, 'hybrid', run_id, true from evaluation_runs where tenant_id = %(tenant)s;
insert into evaluation_jobs (tenant_id, kind, state, result)
    select %(tenant)s, kind, 'failed', jsonb_build_object('reason', %(art)s::text)
    from unnest(array['evaluation', 'tuning', 'embedding_benchmark']) kind;
insert into configurations (tenant_id, number, override, reranker_version, origin)
    values (%(tenant)s, 1, '{"topK": {"retrieval": 30}}', %(mark)s || '-pesos', 'tuning');
insert into promotions (tenant_id, number, configuration_id, action, reason)
    select tenant_id, 1, configuration_id, 'promote', %(art)s from configurations where tenant_id = %(tenant)s;
insert into experiments (tenant_id, name, mode, share, control, candidate, candidate_configuration_id)
    select tenant_id, %(mark)s || '-ensayo', 'split', 0.5, '{}', '{}', configuration_id from configurations
    where tenant_id = %(tenant)s;
insert into experiment_queries (tenant_id, query_id, experiment_id, arm, served_notes)
    select e.tenant_id, gen_random_uuid(), e.experiment_id, 'control', array_agg(n.note_id) from experiments e
    join notes n using (tenant_id) where e.tenant_id = %(tenant)s group by 1, 3;
insert into experiment_feedback (tenant_id, query_id, kind)
    select tenant_id, query_id, 'helpful' from experiment_queries where tenant_id = %(tenant)s;
insert into migrations (tenant_id, state, reason, origin) values (%(tenant)s, 'finished', %(place)s, %(mark)s || '-tabla');
insert into legacy_notes (tenant_id, note_id, source, external_id, content_hash, created_at, updated_at)
    values (%(tenant)s, gen_random_uuid(), %(mark)s || '-viejo', %(mark)s || '-perdida', sha256('x'), now(), now());
insert into migration_failures (tenant_id, source, external_id, stage, reason)
    values (%(tenant)s, %(mark)s || '-viejo', %(mark)s || '-fallida', 'chunking', %(town)s);
insert into folders (tenant_id, source, path, device, problem)
    values (%(tenant)s, %(mark)s || '-carpeta', '/casa/' || %(place)s, '1', 'falta ' || %(town)s);
insert into originals (tenant_id, file_hash, content) values (%(tenant)s, sha256(convert_to(%(mark)s, 'UTF8')), '');
insert into documents (tenant_id, source, path, note_id, document_id, is_upload, status, file_hash, file_size, modified_ns, author,
        uploaded_by, warnings, format, pages)
    select tenant_id, 'uploads', %(mark)s || '-papeles.md', note_id, note_id, true, 'imported',
        sha256(convert_to(%(mark)s, 'UTF8')), 1, 1, %(person)s, %(person)s, jsonb_build_array('aviso de ' || %(thing)s), 'pdf', 1
    from notes where tenant_id = %(tenant)s and external_id = %(mark)s || '-causa';
insert into documents (tenant_id, source, path, status, error, file_size, modified_ns)
    values (%(tenant)s, %(mark)s || '-carpeta', 'factura de ' || %(art)s, 'refused', 'nada de ' || %(place)s, 1, 1);
insert into blocks (tenant_id, note_id, block_index, kind, start_char, end_char)
    select tenant_id, note_id, 0, 'paragraph', 0, 5 from documents where tenant_id = %(tenant)s and is_upload;
insert into note_names (tenant_id, note_id, source, name_key, rank)
    select tenant_id, note_id, %(mark)s || '-diario', lower(%(person)s), 2 from documents where tenant_id = %(tenant)s and is_upload;
insert into note_links (tenant_id, note_id, link_index, kind, start_char, end_char, target, target_key)
    select tenant_id, note_id, 0, 'wiki', 0, 5, %(person)s, lower(%(person)s) from documents
    where tenant_id = %(tenant)s and is_upload;
insert into named_relations (tenant_id, note_id, source_start, target_start, kind, evidence_start, evidence_end, confidence, method)
    select tenant_id, note_id, min(start_char), max(start_char), 'COLLABORATES_WITH', 0, 5, 0.9, 'pattern' from named_mentions
    where tenant_id = %(tenant)s group by 1, 2 having count(*) > 1;
insert into alerts (tenant_id, rule, subject, severity, title, message)
    values (%(tenant)s, 'stale', %(mark)s || '-alerta', 'critical', %(person)s, %(art)s);
insert into note_versions (tenant_id, note_id, is_deletion, source, external_id, title, content, language, metadata, created_at,
        dated_by)
    select tenant_id, v.note_id, v.is_deletion, source, external_id || '-antes', %(art)s, %(person)s, 'es', metadata, created_at,
        dated_by
    from notes n cross join lateral (values (n.note_id, false), (gen_random_uuid(), true)) v (note_id, is_deletion)
    where n.tenant_id = %(tenant)s;
insert into note_summaries (tenant_id, content_hash, model, prompt_version, note_id, summary)
    select tenant_id, content_hash, %(mark)s || '-modelo', '1', note_id, %(art)s from notes where tenant_id = %(tenant)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Secrets of somebody: all that must not be seen, and of it ids by the table they are of, names and words to ask with."""

    tokens: frozenset[str]
    ids: Mapping[str, UUID]
    names: tuple[str, ...]
    words: tuple[str, ...]

    def seen_in(self, answer: str, *, sent: str) -> set[str]:
        """Secrets that stand in an answer beside what the question itself said."""
        said = tokens_of(sent)
        return {token for token in tokens_of(_readable(answer)) & self.tokens if token not in said}


def _readable(answer: str) -> str:
    """The answer, and beside it what it means where its letters are escaped."""
    escaped = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), answer)
    return f"{answer}\n{escaped}"


def secrets_of(database: Database, tenant: TenantId, mark: str, *, beside: TenantId) -> Secrets:
    """Everything in the tenant's rows that stands in none of the other's."""
    with database.owner() as connection:
        mine, theirs = _tokens(connection, tenant), _tokens(connection, beside)
        ids = _ids(connection, tenant)
    words = WORDS[mark]
    return Secrets(
        tokens=frozenset(mine - theirs),
        ids=ids,
        names=(tenant, f"{mark}-conjunto", f"{mark}-ensayo", f"{mark}-causa", f"{mark}-diario", f"{mark}-etiqueta"),
        words=(f"¿Por qué durmió mal {words[0]}?", words[2], words[3]),
    )


def secrets_in_notes(database: Database, tenant: TenantId, mark: str) -> Secrets:
    """Everything in rows of notes for one department, and of what was made of them, that stands in none of the other notes'."""
    with database.owner() as connection:
        rows = connection.execute(
            "select note_id, departments is null from brain.notes where tenant_id = %s", (tenant,)
        ).fetchall()
        hidden, open_ = ({note for note, is_open in rows if is_open is wanted} for wanted in (False, True))
        mine, theirs = (_tokens_of_notes(connection, tenant, notes) for notes in (hidden, open_))
    words = WORDS[mark]
    return Secrets(
        tokens=frozenset(mine - theirs),
        ids={"notes": min(hidden)},
        names=(f"{mark}-causa", f"{mark}-diario", f"{mark}-etiqueta", "direccion"),
        words=(f"¿Por qué durmió mal {words[0]}?", words[2], words[3]),
    )


def _tokens(connection: Connection, tenant: TenantId) -> set[str]:
    return {
        token
        for table in count_rows(connection, tenant)
        for row in _rows(connection, table, "tenant_id = %s", tenant)
        for token in row
    }


def _tokens_of_notes(connection: Connection, tenant: TenantId, notes: Iterable[UUID]) -> set[str]:
    of_notes = ("notes", "chunks", "mentions", "relations", "note_summaries", "note_enrichments")
    return {
        token
        for table in of_notes
        for row in _rows(connection, table, "note_id = any(%s)", list(notes))
        for token in row
    }


def _rows(connection: Connection, table: str, condition: str, value: object) -> list[set[str]]:
    """The tokens of each row of a table, those of columns that people read."""
    columns = connection.execute(
        "select attname::text, format_type(atttypid, null) from pg_attribute "
        "where attrelid = %s::regclass and attnum > 0 and not attisdropped",
        (f"brain.{table}",),
    ).fetchall()
    kept = [name for name, kind in columns if kind not in _UNREADABLE and name != "tenant_id"]
    statement = sql.SQL("select {} from {} where {}").format(
        sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(name)) for name in kept),
        sql.Identifier("brain", table),
        sql.SQL(condition),  # type: ignore[arg-type]
    )
    found = connection.execute(statement, (value,)).fetchall()
    return [{token for cell in row if cell is not None for token in tokens_of(cell)} for row in found]


_KEYS = {
    "notes": "note_id",
    "golden_queries": "query_id",
    "golden_proposals": "proposal_id",
    "evaluation_runs": "run_id",
    "evaluation_jobs": "job_id",
    "experiments": "experiment_id",
    "experiment_queries": "query_id",
    "sessions": "session_id",
    "queries": "query_id",
    "chunks": "chunk_id",
    "golden_sets": "set_id",
    "configurations": "configuration_id",
    "named_entities": "entity_id",
    "note_versions": "version_id",
}


def _ids(connection: Connection, tenant: TenantId) -> dict[str, UUID]:
    """One id of each kind of thing that somebody could ask for."""
    found: dict[str, UUID] = {}
    for table, column in _KEYS.items():
        statement = sql.SQL("select {} from {} where tenant_id = %s order by 1 limit 1").format(
            sql.Identifier(column), sql.Identifier("brain", table)
        )
        row = connection.execute(statement, (tenant,)).fetchone()
        assert row is not None, f"nothing was planted in {table}"
        found[table] = row[0]
    return found


def rows_of_tenant(database: Database, tenant: TenantId) -> dict[str, list[str]]:
    """Every row of the tenant as text, by table; without keys, which are written to when they are used."""
    with database.owner() as connection:
        return {
            table: sorted(
                row
                for (row,) in connection.execute(
                    sql.SQL("select t::text from {} t where tenant_id = %s").format(sql.Identifier("brain", table)),
                    (tenant,),
                ).fetchall()
            )
            for table in count_rows(connection, tenant)
            if table != "api_keys"
        }
