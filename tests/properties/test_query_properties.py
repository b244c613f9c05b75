import re
from datetime import UTC, date, datetime, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from properties.strategies import decomposed, spanish_text

from rag_core.configuration.schema import QueryTransformation
from rag_core.language import LANGUAGES
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.model.retrieval import Intent
from rag_core.query.analysis import causal_direction, classify
from rag_core.query.decomposition import MAX_PARTS, decompose
from rag_core.query.time_expressions import find_times, strip_times
from rag_core.query.transformation import transform

pytestmark = pytest.mark.slow

ZONES = ("Europe/Madrid", "America/Mexico_City", "America/Havana", "Africa/Cairo", "Pacific/Apia", "UTC")
QUESTION_WORDS = ("qué", "quién", "dónde", "cuándo", "cuál", "cómo", "por qué", "cuánto")
TOPICS = ("comí", "dormí", "compré pan", "vi a Ana", "pasó en Sueca", "costó el violín", "dijo la Dra. Vidal", "leí")
PIECES = (
    *("¿", "?", "???", "!", "¡", " ", " ", ", ", ". ", "\n", " y ", " y también ", " y además ", " e ", "también "),
    *QUESTION_WORDS,
    *TOPICS,
    *(
        " ayer ",
        " del lunes ",
        "en marzo",
        " de 2024",
        " hace tres semanas ",
        " antes de ",
        " entre 2018 y 2020 ",
        "hoy",
    ),
    *(
        "und auch ",
        " wann ",
        "letzte Woche",
        " and also ",
        " when ",
        "last week",
        " 31/12/2024",
        "2024-02-29",
        "\u0301",
    ),
)
languages = st.sampled_from(LANGUAGES)
moments = st.builds(
    lambda moment, zone: moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)),
    st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)),  # noqa: DTZ001 - it adds no zone itself
    st.sampled_from(ZONES),
)
collages = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
queries = st.one_of(collages, collages, spanish_text(max_blocks=2), st.text(max_size=40), collages.map(decomposed))


@pytest.mark.property(17)
@settings(max_examples=100)
@given(queries, languages)
def test_every_query_has_exactly_one_of_five_intents(query: str, language: Language) -> None:
    intent = classify(query, language=language)

    assert intent in {"factual", "causal", "temporal", "comparative", "abstract"}
    assert set(get_args(Intent)) == {"factual", "causal", "temporal", "comparative", "abstract"}
    assert (causal_direction(query, language=language) is not None) == (intent == "causal")


@pytest.mark.property(17)
@given(st.sampled_from(QUESTION_WORDS), st.sampled_from(TOPICS), st.booleans())
def test_the_intent_does_not_hang_on_how_an_accent_is_encoded(word: str, topic: str, capitals: bool) -> None:
    query = f"¿{word} {topic}?"

    written = decomposed(query.upper() if capitals else query)

    assert classify(written, language="es") == classify(query, language="es")


@pytest.mark.property(15)
@settings(max_examples=100)
@given(queries, languages, moments, st.booleans(), st.booleans(), st.booleans())
def test_the_original_query_is_kept_as_it_is(query, language, now, enabled, parts, times) -> None:
    config = QueryTransformation(enabled=enabled, enable_decomposition=parts, enable_time_expressions=times)

    assert transform(query, language=language, now=now, config=config).original_query == query


@pytest.mark.property(16)
@settings(max_examples=100)
@given(queries, languages, moments, st.booleans())
def test_a_transformation_has_all_its_fields(query, language, now, enabled) -> None:
    result = transform(query, language=language, now=now, config=QueryTransformation(enabled=enabled))

    assert result.original_query == query
    assert result.intent in get_args(Intent)
    assert result.sub_queries
    assert all(isinstance(part, str) and part for part in result.sub_queries) or not query.strip()
    assert result.hyde_answer is None
    assert result.timestamp == now.astimezone(UTC)
    assert result.timestamp.tzinfo is UTC


@pytest.mark.property(18)
@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.sampled_from(QUESTION_WORDS), st.sampled_from(TOPICS)), min_size=2, max_size=6, unique=True),
    st.sampled_from((" ", "", "\n", " y ", " Y también, ", " Además, ")),
    st.booleans(),
)
def test_distinct_questions_give_at_least_two_parts(questions, between, has_openings) -> None:
    opening = "¿" if has_openings else ""
    query = (between if has_openings else between or " ").join(f"{opening}{word} {topic}?" for word, topic in questions)

    parts = decompose(query, language="es")

    assert len(parts) == min(len(questions), MAX_PARTS)
    for part, (_, topic) in zip(parts, questions, strict=False):
        assert topic in part


@pytest.mark.property(18)
@settings(max_examples=100)
@given(st.sampled_from(QUESTION_WORDS), st.lists(st.sampled_from(TOPICS), min_size=2, max_size=2, unique=True))
def test_a_connector_parts_a_question(word: str, topics: list[str]) -> None:
    parts = decompose(f"¿{word} {topics[0]} y también {word} {topics[1]}?", language="es")

    assert parts == (f"¿{word} {topics[0]}?", f"¿{word} {topics[1]}?")


@pytest.mark.property(18)
@settings(max_examples=100)
@given(queries, languages)
@example("¿dónde? ¿qué también vi? ¿cuándo y?", "es")
def test_parts_are_few_clean_and_not_to_be_parted_again(query: str, language: Language) -> None:
    parts = decompose(query, language=language)

    assert len(parts) <= MAX_PARTS
    assert all(part and part == part.strip() for part in parts)
    assert [again for part in parts for again in decompose(part, language=language)] == list(parts)


@pytest.mark.property(18)
@settings(max_examples=100)
@given(queries, languages)
def test_no_word_but_a_connector_is_lost(query: str, language: Language) -> None:
    wording = language_of(language).questions
    connectors = set(re.findall(r"\w+", f"{wording.joining} {wording.leading}"))

    kept = {word for part in decompose(query, language=language) for word in re.findall(r"\w+", fold(part).text)}

    assert set(re.findall(r"\w+", fold(query).text)) - connectors <= kept


@settings(max_examples=100)
@given(queries, languages, moments)
def test_times_are_ordered_stretches_with_intervals_that_run_forwards(query, language, now) -> None:
    times = find_times(query, now=now, language=language)

    reached = 0
    for time in times:
        assert reached <= time.span[0] < time.span[1]
        assert time.text == query[slice(*time.span)]
        assert time.since.astimezone(UTC) < time.until.astimezone(UTC)
        assert time.since.tzinfo is time.until.tzinfo is now.tzinfo
        assert time.since.replace(tzinfo=None) <= now.replace(tzinfo=None)
        reached = time.span[1]


FIRST_DAYS = st.dates(max_value=date.min + timedelta(days=400))
LAST_DAYS = st.dates(min_value=date.max - timedelta(days=400))
any_days = st.one_of(st.dates(), FIRST_DAYS, LAST_DAYS, st.sampled_from((date.min, date.max)))
DATED: dict[Language, tuple[str, ...]] = {
    "es": ("{d}/{m}/{y}", "{y}-{m}-{d}", "el {d} de {month} de {y}", "{month} de {y}", "en {y}", "invierno de {y}"),
    "de": ("{d}.{m}.{y}", "{y}-{m}-{d}", "am {d}. {month} {y}", "{month} {y}", "im Jahr {y}", "Winter {y}"),
    "en": ("{d}/{m}/{y}", "{y}-{m}-{d}", "{d} {month} {y}", "{month} {y}", "in {y}", "winter {y}"),
}
UNDATED: dict[Language, tuple[str, ...]] = {
    "es": ("anteayer", "anoche", "mañana", "el lunes", "el viernes", "este fin de semana", "la semana pasada",
           "el año pasado", "hace 9999 años", "hace 9 días", "los últimos 3 meses", "últimamente", "este mes",
           "enero", "noviembre", "el 31 de diciembre", "en Navidad", "Semana Santa", "este invierno"),
    "de": ("vorgestern", "heute Nacht", "am Montag", "Freitag", "dieses Wochenende", "letzte Woche", "letztes Jahr",
           "vor 9999 Jahren", "vor 9 Tagen", "die letzten 3 Monate", "neulich", "diesen Monat", "Januar", "November",
           "am 31. Dezember", "an Weihnachten", "Ostern", "diesen Winter"),
    "en": ("the day before yesterday", "last night", "on Monday", "Friday", "this weekend", "last week", "last year",
           "9999 years ago", "9 days ago", "the last 3 months", "recently", "this month", "January", "November",
           "on 31 December", "at Christmas", "Easter", "this winter"),
}  # fmt: skip
PHRASES: dict[Language, tuple[str, ...]] = {
    "es": ("{0}", "{0} y {1}", "entre {0} y {1}", "desde {0}", "antes de {0}", "después de {0}", "a finales de {0}"),
    "de": ("{0}", "{0} und {1}", "zwischen {0} und {1}", "seit {0}", "vor {0}", "nach {0}", "Ende {0}"),
    "en": ("{0}", "{0} and {1}", "between {0} and {1}", "since {0}", "before {0}", "after {0}", "at the end of {0}"),
}


@st.composite
def dated_questions(draw: st.DrawFn, language: Language) -> str:
    months = {number: name for name, number in language_of(language).times.months.items()}

    def named() -> str:
        if draw(st.booleans()):
            return draw(st.sampled_from(UNDATED[language]))
        day = draw(any_days)
        written = {"d": f"{day.day:02}", "m": f"{day.month:02}", "y": f"{day.year:04}", "month": months[day.month]}
        return draw(st.sampled_from(DATED[language])).format(**written)

    return draw(st.sampled_from(PHRASES[language])).format(named(), named())


@settings(max_examples=100)
@given(
    languages.flatmap(lambda language: st.tuples(st.just(language), dated_questions(language))),
    any_days,
    st.integers(0, 23),
    st.sampled_from(ZONES),
)
@example(("es", "diciembre de 9999"), date(2025, 4, 16), 9, "Europe/Madrid")
@example(("es", "diciembre y marzo de 9999"), date.max, 9, "UTC")
@example(("es", "entre noviembre y enero"), date(9999, 12, 9), 9, "UTC")
@example(("es", "entre el 30/12/9999 y enero"), date(2025, 4, 16), 9, "Europe/Madrid")
@example(("en", "since yesterday"), date.max, 9, "UTC")
def test_any_day_of_the_calendar_may_be_named_and_may_be_now(asked, day: date, hour: int, zone: str) -> None:
    language, question = asked
    now = datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone))

    for found in find_times(question, now=now, language=language):
        assert found.since < found.until


@settings(max_examples=100)
@given(st.sampled_from(sorted(language_of("es").times.months)), st.integers(1900, 2100), st.integers(-3, 40), moments)
def test_any_day_of_any_month_has_an_interval_or_none(month: str, year: int, day: int, now: datetime) -> None:
    for query in (
        f"el {day} de {month}",
        f"el {day} de {month} de {year}",
        f"entre {month} y mayo",
        f"en {month} de {year}",
    ):
        for time in find_times(query, now=now, language="es"):
            assert time.since < time.until


@settings(max_examples=100)
@given(queries, languages, moments)
def test_without_its_times_a_query_is_tidy_and_adds_nothing(query, language, now) -> None:
    times = find_times(query, now=now, language=language)

    left = strip_times(query, times)

    if times:
        assert left == left.strip()
        assert "  " not in left
        assert not left or any(character.isalpha() for character in left)
        assert set(re.findall(r"\w+", left)) <= set(re.findall(r"\w+", query))
    else:
        assert left == query
