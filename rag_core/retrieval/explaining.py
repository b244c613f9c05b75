"""Explanation of a search for one note: the stage at which it was lost, its figures at each, and what would have to differ.

The search itself runs, with a record of what its stages gave; the legs run once more over the note alone, for its scores there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig
from rag_core.language.stemming import query_words
from rag_core.model.note import ChunkId, Note, NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.reranking.features import FEATURES, features
from rag_core.reranking.providers.embedded import EmbeddedReranker
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.legs import HYDE, LegResults
from rag_core.retrieval.look import Look
from rag_core.retrieval.losses import Facts, Remedy, Stage, Step, changes_of, lost_at, place_of, steps_of
from rag_core.retrieval.plan import IN_TIME
from rag_core.retrieval.ranking import leg_depth, parted, rerank_query, similarity_threshold
from rag_core.retrieval.rerank import MAX_CANDIDATES, to_score
from rag_core.retrieval.retrieve import retrieve
from rag_core.retrieval.searching import search
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Connection
from rag_core.storage.explaining import fetch_chunks_of_note, fetch_failing_filters, fetch_shared_lexemes
from rag_core.storage.notes import fetch_note, find_note_or_title, is_indexed
from rag_core.storage.rerankers import fetch_candidate_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class LegPlace:
    """The note in one search of a leg; ``place`` is None where the leg did not give it, ``score`` where it has none there.

    ``needed`` is the score of the last chunk given, or the similarity threshold where that is higher; None where any would do.
    """

    leg: str
    text: str
    place: int | None
    score: float | None
    given: int
    needed: float | None
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A feature of the embedded re-ranker: the note's passage, the one that came first, and the weight."""

    name: str
    note: float
    first: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Way of a note through a search. ``place`` is that of its first result; ``failing`` are the filters that it does not meet."""

    note: Note
    retrieval: Retrieval
    stage: Stage
    place: int | None
    is_indexed: bool
    failing: Sequence[str]
    legs: Sequence[LegPlace]
    steps: Sequence[Step]
    features: Sequence[Feature]
    changes: Sequence[Remedy]


def explain(
    engine: Engine,
    tenant: TenantId,
    text: str,
    name: str,
    *,
    config: RetrievalConfig,
    filters: Filters = NO_FILTERS,
    timeout_ms: int,
    now: datetime | None = None,
) -> Explanation:
    """Search, and tell what became of the note of this id, external id or title.

    Raises:
        NotFoundError: there is no such note, or the caller may not see it.
        AmbiguousNoteError: several notes have that name.
        RagError: see ``retrieve``.
    """
    database = engine.database
    note_id = database.read(
        tenant, lambda connection: find_note_or_title(connection, tenant, name), timeout_ms=timeout_ms
    )
    looks: list[Look] = []
    found = retrieve(
        engine,
        tenant,
        text,
        config=config,
        filters=filters,
        timeout_ms=timeout_ms,
        use_cache=False,
        now=now,
        record=looks.append,
    )
    look = next(
        one for one in reversed(looks) if one.plan.filters == filters
    )  # of a routed search not the one for tables
    known = database.read(tenant, lambda connection: _known(connection, look, note_id, engine), timeout_ms=timeout_ms)
    facts = Facts(note_id=note_id, chunks=known.chunks, failing=known.failing, created_at=known.note.created_at)
    places = [place for place, hit in enumerate(found.hits, 1) if hit.note_id == note_id]
    stage = "found" if places else lost_at(look, facts)
    legs = _leg_places(look, known, _alone(engine, look, note_id, timeout_ms), engine)
    needed = {leg.leg: (leg.score, leg.needed) for leg in legs}
    return Explanation(
        note=known.note,
        retrieval=found,
        stage=stage,
        place=min(places, default=None),
        is_indexed=known.is_indexed,
        failing=known.failing,
        legs=legs,
        steps=steps_of(look, facts),
        features=_features(engine, look, known.chunks, timeout_ms),
        changes=changes_of(stage, look, facts, needed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Facts on the note, read in one transaction; ``words`` are those it shares with each search, by its suffix."""

    note: Note
    chunks: frozenset[ChunkId]
    is_indexed: bool
    failing: Sequence[str]
    words: dict[str, list[str]]


def _known(connection: Connection, look: Look, note: NoteId, engine: Engine) -> _Known:
    tenant, sees_all = look.plan.tenant, engine.database.departments is None
    chunks = fetch_chunks_of_note(connection, tenant, note)
    return _Known(
        note=fetch_note(connection, tenant, note),
        chunks=frozenset(chunks),
        is_indexed=is_indexed(connection, tenant, note, fingerprint=engine.pipeline.fingerprint),
        failing=fetch_failing_filters(connection, tenant, note, look.plan.filters),
        words={
            one.suffix: fetch_shared_lexemes(connection, tenant, chunks, one.text, sees_all=sees_all)
            for one in look.plan.searches
        },
    )


def _alone(engine: Engine, look: Look, note: NoteId, timeout_ms: int) -> LegResults:
    """The legs over the note alone, whatever the filters: they leave scores as they are."""
    only = replace(NO_FILTERS, document_ids=(note,))
    searches = [replace(one, filters=only) for one in look.plan.searches if one.suffix != IN_TIME]
    return search(
        replace(look.plan, filters=only, searches=searches, deadline=Deadline.after_ms(timeout_ms)),
        database=engine.database,
        executors=engine.executors,
        model=engine.model,
        embedder=engine.query_embedder_of(look.plan.tenant),
        chat=None,
    )


def _leg_places(look: Look, known: _Known, alone: LegResults, engine: Engine) -> list[LegPlace]:
    threshold = similarity_threshold(look.plan.config, engine.model)
    return [_leg_place(leg, look, known, alone, threshold) for leg in look.legs.rankings]


def _leg_place(leg: str, look: Look, known: _Known, alone: LegResults, threshold: float) -> LegPlace:
    kind = leg.partition(":")[0]
    suffix, ranking = leg.removeprefix(kind), look.legs.rankings[leg]
    texts = {search.suffix: search.text for search in look.plan.searches} | {HYDE: look.legs.hyde_answer or ""}
    place = next((place for place, (chunk, _) in enumerate(ranking, 1) if chunk in known.chunks), None)
    own = [*alone.rankings.get(leg, ()), *alone.below_threshold.get(leg, ())]
    score = max((score for _, score in own), default=None) if place is None else ranking[place - 1][1]
    least = [threshold] if kind == "semantic" and suffix != IN_TIME and not look.legs.is_low_confidence else []
    last = [ranking[-1][1]] if len(ranking) >= leg_depth(look.plan.config) else []
    return LegPlace(
        leg=leg,
        text=texts.get(suffix, ""),
        place=place,
        score=score,
        given=len(ranking),
        needed=max([*least, *last], default=None),
        words=known.words.get(suffix, []) if kind == "fulltext" else [],
    )


def _features(engine: Engine, look: Look, chunks: frozenset[ChunkId], timeout_ms: int) -> list[Feature]:
    """Features of the note's best passage among those that were re-ranked, where the embedded re-ranker did it."""
    plan, (pool, _) = look.plan, parted(look.fused, look.plan.config)
    reranker, place = plan.reranker, place_of(look.ordered, chunks)
    if not isinstance(reranker, EmbeddedReranker) or place is None or look.ordered[place - 1].rerank_score is None:
        return []
    query = rerank_query(plan.transformed, plan.query)
    head = pool[:MAX_CANDIDATES]
    texts, statistics = fetch_candidate_texts(
        engine.database,
        plan.tenant,
        [item.chunk_id for item in head],
        words=query_words(query),
        timeout_ms=timeout_ms,
    )
    passages = to_score(head, texts, {leg: dict(ranking) for leg, ranking in look.legs.rankings.items()})
    rows = dict(zip((one.chunk_id for one in passages), features(query, passages, statistics).tolist(), strict=True))
    own, first = (rows.get(look.ordered[at].chunk_id) for at in (place - 1, 0))
    if own is None or first is None:
        return []
    named = zip(FEATURES, own, first, reranker.weights.coefficients, strict=True)
    return [Feature(name=name, note=note, first=best, weight=weight) for name, note, best, weight in named]
