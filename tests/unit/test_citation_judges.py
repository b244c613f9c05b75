"""A model that judges citations sees every claim, and can add no figure to a source."""

from cited_texts import SOURCES, Judge, checked
from unit.citing import FIELD, VET

from rag_core.answering.verification.check import judged


def test_a_judge_sees_every_claim_with_its_source_and_has_the_last_word() -> None:
    judge = Judge(True, False)

    result = checked("Pagamos bastante al veterinario [1]. La caldera no arrancó [2].", judge=judge)

    assert judge.asked == [("Pagamos bastante al veterinario    .", VET), ("La caldera no arrancó    .", FIELD)]
    assert [(one.is_supported, one.verified_by) for one in result.citations] == [(True, "judge"), (False, "judge")]
    assert [result.text[slice(*span)] for span in result.uncited] == ["La caldera no arrancó [2]."]


def test_a_judge_cannot_put_a_figure_into_a_source() -> None:
    (citation,) = checked("La inyección costó 999 euros [1].", judge=Judge(True)).citations

    assert not citation.is_supported


def test_a_judge_that_fails_leaves_what_the_words_said() -> None:
    before = checked("La caldera no arrancó [2].")

    assert judged(before, SOURCES, judge=Judge(), language="es") == before


def test_nobody_is_asked_about_an_answer_without_citations() -> None:
    judge = Judge(True)

    checked("Nora lloraba.", judge=judge)

    assert judge.asked == []
