from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from rag_core.evaluation.runs.lexical import Claim, claims_of, overlap_tokens, says, stated_claims
from rag_core.language.content_words import tokens_of
from rag_core.model.answer import GeneratedAnswer, PromptContext
from rag_core.model.answer_reading import AnswerReading
from rag_core.model.golden import GoldenQuery
from rag_core.model.metrics.registry import answer_metrics

NOW = datetime(2025, 3, 1, tzinfo=UTC)
ANSWER = GeneratedAnswer(
    text="", language="es", context=PromptContext(sources=(), text="[]"), citations=(), is_refusal=False
)


def golden_query(key_facts: tuple[str, ...] = ()) -> GoldenQuery:
    return GoldenQuery(
        id=UUID(int=1),
        external_id=None,
        query="¿Qué?",
        relevance=(),
        expected_answer="",
        category="factual",
        difficulty=1,
        tags=(),
        created_at=NOW,
        updated_at=NOW,
        key_facts=key_facts,
    )


def score(name: str, **read: Any) -> float | None:
    return answer_metrics()[name].figure(AnswerReading(answer=ANSWER, **{"query": golden_query()} | read))


def lexical_groundedness(claims: list[Claim], context: str) -> float | None:
    return score("lexical_groundedness", claims=stated_claims(claims, {1: context}, "es"))


def citation_scores(claims: list[Claim], sources: dict[int, str]) -> tuple[float | None, ...]:
    stated = stated_claims(claims, sources, "es")
    return tuple(score(f"citation_{name}", claims=stated) for name in ("existence", "accuracy", "completeness"))


@pytest.mark.parametrize(
    ("text", "phrase", "language", "expected"),
    [
        ("Die Frist läuft nach 30 Tagen ab.", "30 Tage", "de", True),
        ("Die Frist beträgt 130 Tage.", "30 Tage", "de", False),
        ("El plazo es de 3,5 días.", "5 días", "es", False),
        ("Cuesta 1.000 euros.", "1000 euros", "es", True),
        ("It costs 1,000 euros.", "1000 euros", "en", True),
        ("El alquiler es de 950 euros.", "alquiler 950 euros", "es", True),
        ("Tardó siete días.", "siete día", "es", True),
        ("La ALERGIA es al melón", "alergia", "es", True),
        ("Los alérgicos no vienen", "al", "es", False),
        ("Es gratis.", "gratis", "es", True),
        ("No es gratis.", "gratis", "es", False),
        ("No es gratis.", "no es gratis", "es", True),
        ("Er raucht nicht.", "raucht", "de", False),
        ("Er raucht.", "raucht", "de", True),
        ("Es kostet 30 Euro ohne Aufpreis.", "30 Euro", "de", True),
        ("Es kostet 30 Euro ohne Aufpreis.", "Aufpreis", "de", False),
        ("We don't smoke", "smoke", "en", False),
        ("Rebaja del 30 %", "30 %", "es", True),
        ("Fueron 30 euros", "30 %", "es", False),
        ("Sí, claro.", "sí", "es", True),
        ("Claro.", "", "es", False),
        ("", "claro", "es", False),
        ("Claro", "¿?", "es", False),
        ("-5 grados", "5 grados", "es", False),
        ("5 grados", "-5 grados", "es", False),
        ("Hubo −5 grados.", "-5 grados", "es", True),
        ("De 10-15 días", "15 días", "es", True),
        ("El 2024-03-12 fue la boda", "12.03.2024", "es", True),
        ("Am 12.03.2024 war es", "2024-03-12", "de", True),
        ("Programa en C++.", "C", "es", False),
        ("Programa en C++.", "C++", "es", True),
        ("Programa en C.", "C++", "es", False),
    ],
)
def test_a_phrase_is_found_by_whole_words_and_not_under_a_negation(text, phrase, language, expected) -> None:
    assert says(text, phrase, language) is expected


@pytest.mark.parametrize(
    ("text", "phrase", "language", "expected"),
    [
        ("No, es gratis.", "gratis", "es", True),
        ("¿Hay que pagar? No. Es gratis.", "gratis", "es", True),
        ("No. Cuesta 30 euros.", "cuesta 30 euros", "es", True),
        ("No: gratis", "gratis", "es", True),
        ("No – es gratis", "gratis", "es", True),
        ("No, no es gratis.", "gratis", "es", False),
        ("Die Frist beträgt 30 Tage, nicht 14.", "30 Tage", "de", True),
        ("Die Frist beträgt 30 Tage, nicht 14.", "14", "de", False),
        ("Es sind 30 Tage. Nicht länger.", "30 Tage", "de", True),
        ("Es sind nicht 30 Tage, sondern 14.", "30 Tage", "de", False),
        ("No, it costs 30 euros", "30 euros", "en", True),
        ("No cuesta 3,5 euros", "cuesta 3,5 euros", "es", False),
    ],
)
def test_a_negation_reaches_as_far_as_its_clause(text, phrase, language, expected) -> None:
    assert says(text, phrase, language) is expected


def test_dates_numbers_and_signs_are_tokens() -> None:
    assert tokens_of("El 03.02.2025: 1.000,50 € (3,5 %)", "es") == [
        "el", "3", "2", "2025", "1000.5", "€", "3.5", "%"
    ]  # fmt: skip


def test_the_share_of_no_key_facts_is_undefined() -> None:
    assert score("key_facts_covered") is None
    assert score("key_facts_covered", query=golden_query(("llueve", "nieva")), said_key_facts=("llueve",)) == 0.5


def test_questions_headings_and_bare_marks_claim_nothing() -> None:
    claims = claims_of("¿Y qué pasó? En resumen:\n\nLlovió en Sueca [1]. [2]", "es")

    assert [(claim.text, claim.cited) for claim in claims] == [("Llovió en Sueca    .", (1, 2))]


def test_a_claim_is_grounded_when_most_of_its_words_stand_in_the_context() -> None:
    claims = claims_of("Trufa comió chocolate en casa. El presidente viajó a Marte.", "es")

    assert lexical_groundedness(claims, "Trufa se ha comido el chocolate de casa: comió mucho.") == 0.5


def test_a_number_that_is_not_in_the_context_makes_a_claim_ungrounded() -> None:
    context = "La inyección de Trufa costó 142 euros en la clínica."

    assert lexical_groundedness(claims_of("La inyección de Trufa costó 142 euros.", "es"), context) == 1
    assert lexical_groundedness(claims_of("La inyección de Trufa costó 42 euros.", "es"), context) == 0


def test_a_negative_number_is_not_in_a_context_with_the_positive_one() -> None:
    claims = claims_of("En Sueca hubo -5 grados por la noche.", "es")

    assert lexical_groundedness(claims, "En Sueca hubo 5 grados por la noche.") == 0
    assert lexical_groundedness(claims, "En Sueca hubo -5 grados por la noche.") == 1


def test_an_answer_that_claims_nothing_has_no_groundedness() -> None:
    assert lexical_groundedness([], "algo") is None


def test_citations_are_judged_one_by_one() -> None:
    claims = claims_of("Trufa comió chocolate [1, 2]. Nora toca el violín [7]. Llovió en Sueca.", "es")
    sources = {1: "Trufa comió el chocolate de Nora", 2: "Hoy nada nuevo en la oficina"}

    scores = citation_scores(claims, sources)

    assert scores == (2 / 3, 1 / 3, 2 / 3)


def test_without_citations_accuracy_is_undefined_and_completeness_nothing() -> None:
    scores = citation_scores(claims_of("Llovió en Sueca.", "es"), {1: "Llovió en Sueca"})

    assert scores == (None, None, 0)


def test_without_claims_every_citation_score_is_undefined() -> None:
    scores = citation_scores([], {1: "Llovió"})

    assert scores == (None, None, None)


@pytest.mark.parametrize(
    ("answer", "expected", "overlap"),
    [
        ("Costó 142 euros.", "142 euros", 0.8),
        ("142 Euros", "142 euros", 1.0),
        ("Fue en Sueca.", "142 euros", 0.0),
        ("", "142 euros", 0.0),
        ("Rocky, Rocky, Rocky", "Rocky", 0.5),
        ("Sí, claro", "Sí", 2 / 3),
        ("Algo", "…", None),
    ],
)
def test_the_overlap_with_the_expected_answer_is_f1_of_the_content(answer, expected, overlap) -> None:
    tokens, expected_tokens = overlap_tokens(answer, expected, "es")

    found = score("expected_answer_overlap", tokens=tokens, expected_tokens=expected_tokens)

    assert found == (None if overlap is None else pytest.approx(overlap))
