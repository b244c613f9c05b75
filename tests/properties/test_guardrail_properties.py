"""Properties of the guardrails for any text."""

import itertools

from builders import make_citation
from hypothesis import example, given
from hypothesis import strategies as st
from injection_texts import ATTACKS_IN_NOTES, ATTACKS_IN_QUESTIONS, HARMLESS_NOTES

from rag_core.answering.finishing import OutgoingGate, finish
from rag_core.answering.verification.citations import parse_citations
from rag_core.answering.verification.claims import cut_sentences
from rag_core.chunking import count_tokens, sentence_spans
from rag_core.errors import GuardrailError
from rag_core.guardrails import WARN_SCORE
from rag_core.guardrails.incoming import check_question, sanitised
from rag_core.guardrails.injection import scan
from rag_core.guardrails.neutral import neutralised
from rag_core.guardrails.outgoing import find_all, fitting_end, redact
from rag_core.model.answer import CheckedText

VALUES = (
    "ana@correo.example",
    "612 34 56 78",
    "+49 170 1234567",
    "ES91 2100 0418 4502 0005 1332",
    "12345678Z",
    "X1234567L",
    "86 095 742 719",
    "4111 1111 1111 1111",
    "sk-abcdefghijklmnopqrstuvwx",
    "hunter2",
)
WORDS = ("La contraseña es ", "Llama al ", "hoy ", "[1]", "[2, 3] ", ". ", "\n", "‹", "IBAN ", "y ", "1", "Ana ")
TEXTS = st.lists(st.sampled_from(VALUES + WORDS) | st.text(max_size=6), max_size=14).map("".join)
LANGUAGES = st.sampled_from(["es", "de", "en"])
SENTENCES = st.lists(
    st.sampled_from(
        [
            "Llovió [1]. ",
            "Su correo es ana@correo.example [2]. ",
            "La contraseña es: ",
            "hunter2. ",
            "Llama al 612 34 56 78. ",
        ]
    )
    | TEXTS,
    max_size=8,
)


def checked(text: str) -> CheckedText:
    return CheckedText(
        text=text,
        citations=tuple(
            make_citation(
                number=citation.numbers[0],
                mark=citation.span,
                claim=(0, citation.span[1]),
                support=0.0,
                is_supported=False,
            )
            for citation in parse_citations(text)
        ),
        uncited=((0, len(text)),) if text else (),
        removed=0,
    )


def marks(answer: CheckedText) -> list[str]:
    return [answer.text[slice(*citation.mark)] for citation in answer.citations]


@given(TEXTS, LANGUAGES)
def test_findings_stand_apart_and_in_the_texts_order(text, language) -> None:
    spans = [finding.span for finding in find_all(text, language)]

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))


@given(TEXTS, LANGUAGES)
def test_all_outside_the_findings_is_as_it_was(text, language) -> None:
    redacted = redact(text, language)

    at, rest = 0, redacted.text
    for finding, placeholder in zip(redacted.findings, redacted.placeholders, strict=True):
        kept = text[at : finding.span[0]]
        assert rest.startswith(kept + placeholder)
        rest, at = rest[len(kept) + len(placeholder) :], finding.span[1]
    assert rest == text[at:]


@given(TEXTS, LANGUAGES)
def test_what_is_not_hidden_is_found_where_it_was_moved_to(text, language) -> None:
    redacted = redact(text, language)

    hidden = {at for finding in redacted.findings for at in range(*finding.span)}
    for at in set(range(len(text))) - hidden:
        start, end = redacted.moved((at, at + 1))
        assert redacted.text[start:end] == text[at]
    for finding, placeholder in zip(redacted.findings, redacted.placeholders, strict=True):
        assert redacted.text[slice(*redacted.moved(finding.span))] == placeholder


PIECES = st.lists(st.sampled_from(["Llovió mucho. ", "[1]", " [2] ", "y ", "\n\n", "Fin. "]), max_size=60)


def plainly_cut(text: str, most: int, spans: list[tuple[int, int]]) -> int:
    """Where a text is cut, without regard to the time that it takes to say so."""

    def after_marks(end: int) -> int:
        for start, mark_end in spans:
            if start >= end and not text[end:start].strip():
                end = mark_end
        return end

    def last_fitting(ends: list[int]) -> int:
        return max((end for end in ends if count_tokens(text[:end]) <= most), default=0)

    word_ends = [at for at in range(1, len(text)) if text[at].isspace() and not text[at - 1].isspace()]
    free = [at for at in word_ends if not any(start < at < end for start, end in spans)]
    return last_fitting([after_marks(end) for _, end in sentence_spans(text, "es")]) or last_fitting(free)


@given(PIECES, st.data())
def test_a_cut_takes_the_marks_behind_it_and_none_in_two(parts, data) -> None:
    text = "".join(parts)
    most = data.draw(st.integers(0, count_tokens(text)))
    spans = [citation.span for citation in parse_citations(text)]

    end = fitting_end(text, "es", max_tokens=most, marks=spans)

    assert end == (len(text) if count_tokens(text) <= most else plainly_cut(text, most, spans))


@given(st.sampled_from(VALUES[:-1]), TEXTS, LANGUAGES)
def test_a_value_that_stands_by_itself_never_comes_out(value, text, language) -> None:
    assert value not in redact(f"{text.replace(value, '')}\n\n{value}\n\n", language).text


@given(TEXTS, LANGUAGES)
def test_marks_of_citations_survive_whatever_is_hidden(text, language) -> None:
    before = checked(text)

    answer = finish(before, language=language, policy="redact").checked

    assert marks(answer) == marks(before)
    assert all(0 <= start <= end <= len(answer.text) for start, end in answer.uncited)


@given(SENTENCES, LANGUAGES)
@example(["ana@correo.example" * 2 + "612 34 56 78", "ana@correo.example"], "es")
def test_sentence_by_sentence_nothing_comes_out_that_the_whole_would_hide(bits, language) -> None:
    gate = OutgoingGate(language=language, policy="redact")
    parts = list(cut_sentences(bits, language))
    shown = [gate.let_out(checked(part)) for part in parts]

    whole = "".join(part.text for part in shown if part is not None)

    values = ("ana@correo.example", "612 34 56 78", "hunter2")
    hidden = redact("".join(parts), language).text
    assert not [value for value in values if whole.count(value) > hidden.count(value)]
    assert [mark for part in shown if part for mark in marks(part)] == [
        m for part in parts for m in marks(checked(part))
    ]


@given(SENTENCES, LANGUAGES, st.integers(60, 160))
def test_an_answer_is_never_longer_than_it_may_be(parts, language, most) -> None:
    answer = finish(checked("".join(parts)), language=language, policy="warn", groundedness=0.0, max_tokens=most)

    assert count_tokens(answer.checked.text) <= most
    assert all(mark.startswith("[") and mark.endswith("]") for mark in marks(answer.checked))


@given(st.lists(st.sampled_from(ATTACKS_IN_NOTES + HARMLESS_NOTES) | st.text(max_size=30), max_size=6).map("\n".join))
def test_spans_of_a_scan_stand_apart_each_with_its_score(text) -> None:
    found = scan(text, profile="note")

    assert 0 <= found.score <= 1
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
    assert all(one[1] <= other[0] for one, other in zip(found.spans, found.spans[1:], strict=False))
    assert all(WARN_SCORE <= score <= found.score for score in found.scores)
    assert len(found.scores) == len(found.spans)
    assert bool(found.spans) == (found.score >= WARN_SCORE)


@given(st.sampled_from(ATTACKS_IN_NOTES), st.sampled_from(HARMLESS_NOTES), st.sampled_from(HARMLESS_NOTES))
def test_an_attack_is_found_wherever_it_stands_among_harmless_text(attack, before, after) -> None:
    assert scan(f"{before}\n\n{attack}\n\n{after}", profile="note").spans


@given(st.sampled_from(ATTACKS_IN_QUESTIONS[:31]), st.data())
def test_invisible_characters_and_capitals_hide_no_attack(attack, data) -> None:
    at = data.draw(st.integers(0, len(attack)))
    character = data.draw(st.sampled_from(["\u200b", "\u2060", "\u00ad", "\ufeff"]))
    changed = attack[:at] + character + attack[at:]

    assert scan(changed).score >= WARN_SCORE
    assert scan(changed.upper()).score >= WARN_SCORE


@given(st.lists(st.sampled_from(ATTACKS_IN_NOTES + HARMLESS_NOTES), max_size=5).map("\n\n".join), LANGUAGES)
def test_what_a_model_reads_holds_no_sure_order(text, language) -> None:
    found = scan(text, profile="note")

    shown = neutralised(text, found, language=language)

    for (start, end), score in zip(found.spans, found.scores, strict=True):
        if score >= 0.8 and text.count(text[start:end]) == 1:
            assert text[start:end] not in shown


@given(st.text(max_size=60))
def test_cleaning_twice_is_cleaning_once(text) -> None:
    assert sanitised(sanitised(text)) == sanitised(text)


@given(st.text(max_size=2_100))
def test_any_question_is_taken_or_refused_for_a_reason(text) -> None:
    try:
        question = check_question(text, minimum=3)
    except GuardrailError as error:
        assert error.kind in {"empty", "too_short", "too_long", "injection"}
    else:
        assert 3 <= len(question.text) <= 2_000
        assert question.text == question.text.strip()
