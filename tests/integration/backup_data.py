"""Data for tests of backups: a row or more in every table, and the rows of all tables as they are."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

EVERY_TABLE = """
insert into golden_sets (tenant_id, set_id, name) values ('pruebas', '00000000-0000-0000-0000-00000000000a', 'default');
insert into golden_queries (tenant_id, query_id, set_id, query, query_hash, tags)
    values ('pruebas', '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-00000000000a', '¿qué ñandú?',
        sha256('q'), array['año', E'com"illa', E'ta\\tb', '']);
insert into golden_relevance (tenant_id, query_id, note_id)
    select 'pruebas', '00000000-0000-0000-0000-00000000000b', note_id from notes where tenant_id = 'pruebas' limit 1;
insert into evaluation_runs (tenant_id, run_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint,
        hit_rate_at_1, hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms,
        latency_p95_ms, latency_p99_ms, total_queries, degraded_queries, failed_queries)
    values ('pruebas', '00000000-0000-0000-0000-00000000000c', 'default', 1, 'h', '{"a": [1, 2.50, null]}', '{}', 'f',
        0.1, 0.3, 1.0 / 3, 1, 0.5, 0.25, 1, 1e-300, 0.1, 1e300, 1, 0, 0);
insert into evaluation_queries (tenant_id, run_id, query_id, query, category, difficulty, relevant_note_ids,
        ranked_note_ids, ndcg_at_10, recall_at_20, latency_ms, is_degraded)
    values ('pruebas', '00000000-0000-0000-0000-00000000000c', '00000000-0000-0000-0000-00000000000b', 'q', 'factual', 3,
        array[gen_random_uuid()], '{}', 0, 0, 1, false);
insert into evaluation_baselines (tenant_id, set_name, strategy, run_id, is_automatic)
    values ('pruebas', 'default', 'hybrid', '00000000-0000-0000-0000-00000000000c', true);
insert into rerankers (tenant_id, version, weights, fitted_on) values ('pruebas', '1', '{"w": 0.1}', '{}');
insert into golden_spans (tenant_id, query_id, note_id, start_char, end_char, quote)
    select tenant_id, query_id, note_id, 0, 3, 'Hoy' from golden_relevance where tenant_id = 'pruebas';
insert into golden_proposals (tenant_id, set_name, query, query_hash, note_id, start_char, end_char, quote, category, difficulty,
        method)
    select 'pruebas', 'default', '¿y?', sha256('y'), note_id, 0, 3, 'Hoy', 'factual', 3, 'template:date'
    from golden_relevance where tenant_id = 'pruebas';
insert into golden_proposal_places (tenant_id, proposal_id, note_id, start_char, end_char, quote)
    select tenant_id, proposal_id, note_id, 0, 3, 'Hoy' from golden_proposals where tenant_id = 'pruebas';
insert into evaluation_jobs (tenant_id, kind, state, result) values ('pruebas', 'evaluation', 'completed', '{"a": [1.50]}');
insert into configurations (tenant_id, configuration_id, number, override, reranker_version, origin)
    values ('pruebas', '00000000-0000-0000-0000-00000000000d', 1, '{"topK": {"retrieval": 30}}', '1', 'tuning');
insert into promotions (tenant_id, number, configuration_id, action)
    values ('pruebas', 1, '00000000-0000-0000-0000-00000000000d', 'promote'), ('pruebas', 2, null, 'reset');
insert into experiments (tenant_id, experiment_id, name, mode, share, control, candidate, candidate_configuration_id)
    values ('pruebas', '00000000-0000-0000-0000-00000000000e', 'prueba', 'interleave', 0.5, '{}', '{}',
        '00000000-0000-0000-0000-00000000000d');
insert into experiment_queries (tenant_id, query_id, experiment_id, arm, served_notes, teams)
    values ('pruebas', '00000000-0000-0000-0000-00000000000f', '00000000-0000-0000-0000-00000000000e', 'interleaved',
        array[gen_random_uuid()], array['candidate']);
insert into experiment_feedback (tenant_id, query_id, kind)
    values ('pruebas', '00000000-0000-0000-0000-00000000000f', 'helpful');
insert into folders (tenant_id, source, path, device, exclude) values ('pruebas', 'vault', '/notas', '1', array['*.tmp', 'a b']);
insert into originals (tenant_id, file_hash, content) values ('pruebas', sha256('x'), decode('00ff0a', 'hex'));
insert into documents (tenant_id, source, path, note_id, document_id, status, is_upload, file_hash, file_size, modified_ns, warnings)
    select 'pruebas', 'uploads', 'año.pdf', note_id, note_id, 'imported', true, sha256('x'), 3, 1, '["ñ"]'
    from notes where tenant_id = 'pruebas' limit 1;
insert into blocks (tenant_id, note_id, block_index, kind, start_char, end_char, page, box, confidence)
    select 'pruebas', note_id, 0, 'table', 0, 3, 1, array[0.1, 2, 3, 4.5], 0.3 from documents where tenant_id = 'pruebas';
insert into note_names (tenant_id, note_id, source, name_key, rank)
    select 'pruebas', note_id, 'vault', 'año', 1 from documents where tenant_id = 'pruebas';
insert into note_links (tenant_id, note_id, link_index, kind, start_char, end_char, target, target_key, heading)
    select 'pruebas', note_id, 0, 'wiki', 0, 3, 'Año', 'año', 'Marzo' from documents where tenant_id = 'pruebas';
insert into entities (tenant_id, entity_id, key, name)
    select 'pruebas', md5(n::text)::uuid, 'k' || n, 'Nombre ' || n from generate_series(1, 2) n;
insert into entity_aliases (tenant_id, alias_key, entity_id, language, name, stems)
    select 'pruebas', 'a' || n, md5(n::text)::uuid, 'es', 'Alias', array['alias'] from generate_series(1, 2) n;
insert into entity_stems (tenant_id, language, stem, alias_key) values ('pruebas', 'es', 'alias', 'a1');
insert into mentions (tenant_id, note_id, start_char, end_char, alias_key, entity_id, chunk_id)
    select 'pruebas', note_id, 0, 3, 'a1', md5('1')::uuid, chunk_id from chunks where tenant_id = 'pruebas' limit 1;
insert into relations (tenant_id, relation_id, source_id, target_id, kind, note_id, chunk_id, evidence_start, evidence_end,
        confidence, extractor)
    select 'pruebas', gen_random_uuid(), md5('1')::uuid, md5('2')::uuid, 'CAUSES', note_id, chunk_id, 0, 3, 0.7, 'rules'
    from chunks where tenant_id = 'pruebas' limit 1;
insert into graph_notes (tenant_id, note_id, content_hash, fingerprint)
    select 'pruebas', note_id, content_hash, 'f' from notes where tenant_id = 'pruebas' limit 1;
insert into named_entities (tenant_id, entity_id, kind, name, renamed_by)
    values ('pruebas', '00000000-0000-0000-0000-000000000021', 'PERSON', 'Íñigo', 'ana');
insert into entity_names (tenant_id, kind, name_key, entity_id, name, method, score, decided_by, merged_from, is_sure)
    values ('pruebas', 'PERSON', 'inigo', '00000000-0000-0000-0000-000000000021', 'Íñigo', 'merge', 0.95, 'ana',
        '00000000-0000-0000-0000-000000000022', true);
insert into entity_name_blocks (tenant_id, kind, block, name_key) values ('pruebas', 'PERSON', 'inigo', 'inigo');
insert into named_mentions (tenant_id, note_id, start_char, end_char, kind, name_key, confidence, method)
    select 'pruebas', note_id, 0, 3, 'PERSON', 'inigo', 0.9, 'list' from notes where tenant_id = 'pruebas' limit 1;
insert into named_mentions (tenant_id, note_id, start_char, end_char, kind, name_key, confidence, method)
    select tenant_id, note_id, 4, 6, kind, name_key, 0.8, 'kinship' from named_mentions where tenant_id = 'pruebas';
insert into named_relations (tenant_id, note_id, source_start, target_start, kind, evidence_start, evidence_end, confidence, method)
    select distinct tenant_id, note_id, 0, 4, 'REPORTS_TO', 0, 6, 0.8, 'pattern' from named_mentions where tenant_id = 'pruebas';
insert into named_notes (tenant_id, note_id, content_hash, fingerprint)
    select 'pruebas', note_id, content_hash, 'f' from notes where tenant_id = 'pruebas' limit 1;
insert into note_versions (tenant_id, note_id, is_deletion, source, external_id, title, content, language, metadata, created_at,
        dated_by)
    select 'pruebas', note_id, false, source, external_id, 'Antes 🍅', 'Otra cosa', 'es', '{"tags": ["ñ"]}', created_at, 'given'
    from notes where tenant_id = 'pruebas' limit 1;
insert into note_summaries (tenant_id, content_hash, model, prompt_version, note_id, summary)
    select 'pruebas', content_hash, 'm', '1', note_id, 'De qué va 🍅' from notes where tenant_id = 'pruebas' limit 1;
insert into note_enrichments (tenant_id, note_id, content_hash, rules_version, made_by, document_type, type_confidence, topics,
        topic_keys, key_phrases, summary, reading_ease, words, sections, tables, images)
    select 'pruebas', note_id, content_hash, '0', 'rules', 'other', 0.7, array['año', 'a b'], array['año'], array['ñu'], 'Sí. 🍅', 71.5,
        3, 0, 1, 2
    from notes where tenant_id = 'pruebas' limit 1
    on conflict do nothing;
insert into embedding_cache (tenant_id, input_hash, note_id, vector)
    select 'pruebas', sha256('x'), note_id, '[0.1,-2e-20,3e20]' from notes where tenant_id = 'pruebas' limit 1;
insert into staged_notes (tenant_id, note_id, content_hash, fingerprint, sentence_starts)
    select 'pruebas', note_id, content_hash, 'f', array[0, 7] from notes where tenant_id = 'pruebas' limit 1;
insert into staged_chunks (tenant_id, note_id, chunk_index, chunk_id, start_char, end_char, content, context, token_count,
        chunking_method, standard_hash, contextual_hash)
    select 'pruebas', note_id, 0, gen_random_uuid(), 0, 3, 'Hoy', '', 1, 'sentence', sha256('a'), sha256('b')
    from staged_notes where tenant_id = 'pruebas';
insert into migrations (tenant_id, state, reason) values ('pruebas', 'stopped', 'para mañana');
insert into legacy_notes (tenant_id, note_id, source, external_id, content_hash, created_at, updated_at)
    values ('pruebas', gen_random_uuid(), 'viejo', '1', sha256('x'), 'infinity', '0044-03-15 BC');
insert into migration_failures (tenant_id, source, external_id, stage, reason)
    values ('pruebas', 'viejo', '2', 'chunking', E'una\\nlínea \\\\N');
insert into api_keys (key_id, tenant_id, name, secret_hash, scopes, departments)
    values ('abcdefghijkl', 'pruebas', 'portátil', sha256('x'), array['read'], array['ventas']);
insert into note_findings (tenant_id, note_id, content_hash, rules_version, score, spans)
    select 'pruebas', note_id, content_hash, '1', 0.9, '[[0, 3]]' from notes where tenant_id = 'pruebas' limit 1;
insert into sessions (tenant_id, session_id, user_hash) values ('pruebas', '00000000-0000-0000-0000-000000000011', 'h');
insert into queries (tenant_id, query_id, session_id, contract, user_hash, query_hash, language, outcome, execution_time_ms)
    values ('pruebas', '00000000-0000-0000-0000-000000000012', '00000000-0000-0000-0000-000000000011', 'chat', 'h', 'q', 'es',
        'answered', 1.5);
insert into turns (tenant_id, query_id, session_id, position, question, answer)
    values ('pruebas', '00000000-0000-0000-0000-000000000012', '00000000-0000-0000-0000-000000000011', 0, '¿y?', '{"ñ": 1}');
insert into retrieval_metrics (tenant_id, query_id) values ('pruebas', '00000000-0000-0000-0000-000000000012');
insert into feedback (tenant_id, query_id, rating, comment)
    values ('pruebas', '00000000-0000-0000-0000-000000000012', 5, 'bien');
insert into alerts (tenant_id, rule, subject, severity, title, message, details)
    values (null, 'r', 's', 'warning', 't', 'm', '{"ñ": "é"}');
insert into service_minutes (process, minute, requests, failed, degraded, latency_p50_ms)
    values ('p', '2025-03-01 10:00+01', 1, 0, 0, 'NaN');
"""


def rows_of(conninfo: str, *, kinds: str = "r") -> dict[str, list[str]]:
    """Every row of every table of schema brain as text, the generated columns too, sorted, by table.

    The catalogue says which tables there are, so that none can be forgotten; ``kinds`` are "r" and, for views too, "rv".
    """
    with psycopg.connect(conninfo) as connection:
        connection.execute("set timezone = 'UTC'; set search_path = brain, public; set extra_float_digits = 1")
        tables = connection.execute(
            "select relname from pg_class where relnamespace = 'brain'::regnamespace and relkind = any(%s)",
            (list(kinds),),
        ).fetchall()
        return {
            name: sorted(
                row
                for (row,) in connection.execute(
                    sql.SQL("select t::text from {} t").format(sql.Identifier("brain", name))
                ).fetchall()
            )
            for (name,) in tables
        }


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The tables that do not hold the same rows."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
