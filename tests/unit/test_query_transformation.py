from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from rag_core.configuration.schema import QueryTransformation
from rag_core.model.note import Language
from rag_core.query.transformation import query_language, transform

NOW = datetime(2025, 4, 16, 10, 30, tzinfo=ZoneInfo("Europe/Madrid"))
EVERYTHING = QueryTransformation()


def test_a_query_is_told_in_full() -> None:
    query = "¿Por qué discutí ayer?  ¿Y qué comí?"

    result = transform(query, language="es", now=NOW, config=EVERYTHING)

    assert result.original_query == query
    assert result.intent == "causal"
    assert result.direction == "causes"
    assert result.sub_queries == ("¿Por qué discutí ayer?", "¿qué comí?")
    assert [time.text for time in result.times] == ["ayer"]
    assert result.without_time == "¿Por qué discutí? ¿Y qué comí?"
    assert result.hyde_answer is None
    assert result.timestamp == datetime(2025, 4, 16, 8, 30, tzinfo=UTC)
    assert result.timestamp.tzinfo is UTC


def test_switched_off_only_the_intent_is_told() -> None:
    query = "¿Cuándo comí ayer? ¿Y qué bebí?"

    result = transform(query, language="es", now=NOW, config=QueryTransformation(enabled=False))

    assert result.intent == "temporal"
    assert result.sub_queries == (query,)
    assert result.times == ()
    assert result.without_time == query


def test_decomposition_can_be_switched_off_alone() -> None:
    query = "¿Qué comí ayer? ¿Qué bebí?"

    result = transform(query, language="es", now=NOW, config=QueryTransformation(enable_decomposition=False))

    assert result.sub_queries == (query,)
    assert len(result.times) == 1


def test_times_can_be_switched_off_alone() -> None:
    query = "¿Qué comí ayer? ¿Qué bebí?"

    result = transform(query, language="es", now=NOW, config=QueryTransformation(enable_time_expressions=False))

    assert result.times == ()
    assert len(result.sub_queries) == 2


def test_a_query_of_a_time_alone_leaves_nothing_without_it() -> None:
    assert transform("la semana pasada", language="es", now=NOW, config=EVERYTHING).without_time == ""


def test_a_blank_query_is_its_only_part() -> None:
    assert transform("  ", language="es", now=NOW, config=EVERYTHING).sub_queries == ("  ",)


def test_a_query_that_is_not_causal_has_no_direction() -> None:
    assert transform("¿Qué comí?", language="es", now=NOW, config=EVERYTHING).direction is None


@pytest.mark.parametrize(
    ("query", "known", "language"),
    [
        ("What did I eat with Ana?", ("es",), "en"),
        ("Was habe ich gegessen?", ("es", "en"), "de"),
        ("que comí con Ana", ("en",), "es"),
        ("¿Kubernetes?", ("de",), "es"),
        ("niño", ("de",), "es"),
        ("Straße", ("es",), "de"),
        ("Kubernetes Helm", ("de", "es"), "de"),
        ("Kubernetes Helm", (), "es"),
        ("no me", ("en", "es"), "en"),
        ("", ("en",), "en"),
    ],
)
def test_the_language_is_that_of_the_words_else_that_of_the_notes(
    query: str, known: tuple[Language, ...], language: Language
) -> None:
    assert query_language(query, known=known) == language
