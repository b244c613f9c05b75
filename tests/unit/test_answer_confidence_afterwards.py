"""Confidence once the answer is there: what its citations and its refusals change."""

import pytest
from builders import make_citation

from rag_core.answering.confidence import (
    NO_EVIDENCE,
    Evidence,
    final_confidence,
    groundedness_of,
    holds_its_kind,
)
from rag_core.answering.verification.refusals import is_refusal
from rag_core.language.languages import language_of
from rag_core.model.answer import CheckedCitation, CheckedText


def citation(*, claim=(0, 10), is_supported: bool = True) -> CheckedCitation:
    return make_citation(
        mark=(6, 9),
        claim=claim,
        evidence=(0, 5) if is_supported else None,
        quote="texto" if is_supported else "",
        support=1.0 if is_supported else 0.0,
        is_supported=is_supported,
    )


def checked(*citations: CheckedCitation, uncited=()) -> CheckedText:
    return CheckedText(text="x" * 60, citations=citations, uncited=uncited, removed=0)


class TestAfterwards:
    def test_groundedness_is_the_share_of_claims_that_a_source_holds(self) -> None:
        held, elsewhere = citation(claim=(0, 10)), citation(claim=(10, 20))

        assert groundedness_of(checked(held)) == 1.0
        assert groundedness_of(checked(held, uncited=((20, 30),))) == 0.5
        assert groundedness_of(checked(held, elsewhere, uncited=((20, 30),))) == pytest.approx(2 / 3)

    def test_a_claim_that_two_sources_are_cited_for_counts_once_and_is_held_by_either(self) -> None:
        assert groundedness_of(checked(citation(), citation(is_supported=False))) == 1.0

    def test_a_citation_that_does_not_hold_counts_once_though_its_sentence_is_uncited_too(self) -> None:
        wrong = citation(claim=(20, 30), is_supported=False)

        assert groundedness_of(checked(citation(), wrong, uncited=((20, 31),))) == 0.5

    def test_a_part_of_a_sentence_that_does_not_hold_counts(self) -> None:
        assert groundedness_of(checked(citation(), citation(claim=(11, 20), is_supported=False))) == 0.5

    def test_what_claims_nothing_has_no_groundedness(self) -> None:
        assert groundedness_of(checked()) is None

    @pytest.mark.parametrize(
        ("text", "groundedness", "expected"),
        [
            (checked(citation()), 1.0, "high"),
            (checked(citation(), uncited=((20, 30),)), 0.8, "medium"),
            (checked(citation(), citation(claim=(20, 30), is_supported=False)), 0.8, "medium"),
            (checked(citation(), uncited=((20, 30),)), 0.69, "low"),
            (checked(citation(is_supported=False)), 1.0, "low"),
            (checked(), None, "low"),
        ],
        ids=["all held", "a claim uncited", "a citation fails", "too little held", "nothing held", "nothing claimed"],
    )
    def test_an_answer_lowers_the_confidence_of_its_evidence(self, text, groundedness, expected) -> None:
        evidence = Evidence(score=0.95, confidence="high", features={})

        assert final_confidence(evidence, text, groundedness, least_groundedness=0.7) == expected

    def test_an_answer_raises_nothing(self) -> None:
        for level in ("low", "medium", "high"):
            evidence = Evidence(score=0.5, confidence=level, features={})
            assert final_confidence(evidence, checked(citation()), 1.0, least_groundedness=0.7) == level

    def test_sentences_that_are_only_quoted_are_at_most_of_medium_worth(self) -> None:
        evidence = Evidence(score=0.95, confidence="high", features={})

        made = final_confidence(
            evidence, checked(citation()), 1.0, least_groundedness=0.7, is_quoted=True, is_of_kind=False
        )

        assert made == "medium"

    def test_an_answer_without_the_kind_of_thing_asked_for_is_of_little_worth(self) -> None:
        evidence = Evidence(score=0.95, confidence="high", features={})

        assert final_confidence(evidence, checked(citation()), 1.0, least_groundedness=0.7, is_of_kind=False) == "low"

    @pytest.mark.parametrize(
        ("query", "answer", "language", "expected"),
        [
            ("¿Cuánto cuesta la clase de guitarra?", "Primera clase de guitarra con Nacho.", "es", False),
            ("¿Cuánto cuesta la clase de guitarra?", "Cobra 20 euros la hora.", "es", True),
            ("¿Quién me arregló el coche?", "Llegué tarde por culpa del coche.", "es", False),
            ("¿Quién me arregló el coche?", "Llamé al taller de Paco.", "es", True),
            ("¿Quién es Julio?", "Hoy Julio ha vuelto tarde.", "es", False),
            ("Wer leitet das Projekt?", "es leitet niemand", "de", True),
            ("Wie viel kostet es?", "Es kostet viel.", "de", False),
            ("¿Por qué discutí?", "Porque no quería.", "es", True),
            ("When did it break?", "It broke.", "en", False),
            ("When did it break?", "It broke in May 2024.", "en", True),
            ("¿Cuándo se rompió?", "", "es", False),
        ],
    )
    def test_whether_an_answer_holds_what_is_asked_for(self, query, answer, language, expected) -> None:
        assert holds_its_kind(query, answer, language=language) is expected

    def test_an_answer_is_never_insufficient(self) -> None:
        answered = final_confidence(NO_EVIDENCE, checked(citation(), uncited=((1, 2),)), 0.9, least_groundedness=0.7)

        assert answered == "low"


@pytest.mark.parametrize("language", ["es", "de", "en"])
def test_the_fixed_refusal_is_known_for_one(language) -> None:
    assert is_refusal(language_of(language).messages.not_enough, language)
