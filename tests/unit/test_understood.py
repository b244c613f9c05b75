"""The line that says what was understood."""

from datetime import UTC, date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from builders import make_hit

from rag_core.model.graph import CausalDirection
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import Hit, Intent, Retrieval, TimeExpression, TransformedQuery
from rag_core.translation import MessageTranslator, core_catalogue
from rag_core.wire.understood import _EFFECTS, _INTENTS, causal_chain, days_between, understood

MADRID = ZoneInfo("Europe/Madrid")
TODAY = date(2025, 11, 20)
WEEK = (datetime(2025, 11, 10, tzinfo=MADRID), datetime(2025, 11, 17, tzinfo=MADRID))


def retrieval(
    *,
    intent: Intent = "factual",
    direction: CausalDirection | None = None,
    parts: tuple[str, ...] = ("q",),
    times: tuple[TimeExpression, ...] = (),
    interval: tuple[datetime, datetime] | None = None,
) -> Retrieval:
    query = TransformedQuery(
        original_query="q",
        intent=intent,
        sub_queries=parts,
        timestamp=datetime(2025, 11, 20, 12, tzinfo=UTC),
        direction=direction,
        times=times,
    )
    return Retrieval(
        query="q", strategy="hybrid", hits=(), latency_ms=1, stages={}, transformed=query, interval=interval
    )


def hit(names: tuple[str, ...] | None) -> Hit:
    return make_hit(
        "c",
        chunk_id=ChunkId(UUID(int=1)),
        note_id=NoteId(UUID(int=2)),
        score=1,
        fusion_score=1,
        method="graph",
        causal_path_names=names,
    )


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        ("2025-11-19T00:00", "2025-11-20T00:00", "19 nov"),
        ("2025-11-10T00:00", "2025-11-17T00:00", "10–16 nov"),
        ("2025-10-28T00:00", "2025-11-04T00:00", "28 oct – 3 nov"),
        ("2025-10-20T00:00", "2025-10-27T00:00", "20–26 oct"),
        ("2024-11-19T00:00", "2024-11-20T00:00", "19 nov 2024"),
        ("2024-03-01T00:00", "2024-04-01T00:00", "1–31 mar 2024"),
        ("2024-03-01T00:00", "2024-05-01T00:00", "1 mar – 30 abr 2024"),
        ("2024-12-28T00:00", "2025-01-04T00:00", "28 dic 2024 – 3 ene"),
        ("2023-12-28T00:00", "2024-01-04T00:00", "28 dic 2023 – 3 ene 2024"),
        ("2025-01-01T00:00", "2026-01-01T00:00", "2025"),
        ("2023-01-01T00:00", "2025-01-01T00:00", "2023–2024"),
        ("2025-11-19T20:00", "2025-11-20T06:00", "19 nov 20:00 – 20 nov 06:00"),
        ("1900-01-01T00:00", "2025-05-01T00:00", "hasta 30 abr"),
        ("2025-11-20T06:00", "2025-11-20T12:00", "20 nov 06:00–12:00"),
    ],
)
def test_an_interval_is_written_as_days(since: str, until: str, said: str) -> None:
    ends = [datetime.fromisoformat(end).replace(tzinfo=MADRID) for end in (since, until)]

    assert days_between(ends[0], ends[1], zone=MADRID, today=TODAY) == said


def test_a_query_that_was_not_transformed_is_not_explained() -> None:
    plain = Retrieval(query="q", strategy="hybrid", hits=(), latency_ms=1, stages={})

    assert understood(plain, zone=MADRID) is None


def test_the_kind_of_question_and_its_time_are_told_on_a_line() -> None:
    words = TimeExpression(span=(0, 16), text="la semana pasada", since=WEEK[0], until=WEEK[1], is_relative=True)

    said = understood(retrieval(intent="causal", direction="causes", times=(words,), interval=WEEK), zone=MADRID)

    assert said.line == "pregunta por las causas · la semana pasada = 10–16 nov"


def test_a_question_for_effects_is_told_as_such() -> None:
    assert understood(retrieval(intent="causal", direction="effects"), zone=MADRID).line == (
        "pregunta por las consecuencias"
    )


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("intent", [*_INTENTS.values(), _EFFECTS])
def test_every_kind_of_question_is_translated_alone_and_before_its_time(intent: str, language: str) -> None:
    translate = MessageTranslator(core_catalogue(language)).translate

    assert translate(intent) != intent
    assert translate(f"{intent} · ayer = 19. Nov.") == f"{translate(intent)} · ayer = 19. Nov."


def test_the_parts_of_a_question_are_told_when_there_are_several() -> None:
    one, two = retrieval(parts=("¿Qué comí?",)), retrieval(parts=("¿Qué comí?", "¿Dónde?"))

    assert understood(one, zone=MADRID).parts == ()
    assert understood(two, zone=MADRID).line == "pregunta por un dato · «¿Qué comí?» · «¿Dónde?»"


def test_a_time_that_restricted_nothing_is_not_told() -> None:
    words = TimeExpression(span=(0, 7), text="en 2019", since=WEEK[0], until=WEEK[1], is_relative=False)

    assert understood(retrieval(times=(words,)), zone=MADRID).line == "pregunta por un dato"


def test_a_chain_runs_from_the_cause_to_the_effect_whatever_was_asked() -> None:
    to_causes, to_effects = hit(("llegar tarde", "dormir mal", "café")), hit(("café", "dormir mal", "llegar tarde"))

    assert causal_chain(to_causes, "causes") == ("café", "dormir mal", "llegar tarde")
    assert causal_chain(to_effects, "effects") == ("café", "dormir mal", "llegar tarde")
    assert causal_chain(hit(None), "causes") == ()
