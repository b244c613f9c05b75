import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from builders import make_source

from rag_core.answering.verification.citations import parse_citations
from rag_core.answering.verification.refusals import is_refusal
from rag_core.errors import ChatError
from rag_core.evaluation.runs.answers import answer_and_judge, summarise
from rag_core.model.answer import Citation, GeneratedAnswer, PromptContext
from rag_core.model.answer_metrics import AnswerRecord, parse_answer_metrics, parse_answer_record
from rag_core.model.answer_reading import Judgement
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import Retrieval

NOTE = NoteId(uuid.UUID(int=1))
NOW = datetime(2025, 3, 1, tzinfo=UTC)


class Answerer:
    """Says what was planted, from one source."""

    name = "planted"

    def __init__(self, text: str | None) -> None:
        self.text = text

    def answer(self, query, hits, *, language, timeout_seconds) -> GeneratedAnswer:
        if self.text is None:
            raise ChatError("no answer; expected one")
        source = make_source(
            "La inyección de Trufa costó 142 euros.",
            note_id=NOTE,
            chunk_id=ChunkId(uuid.UUID(int=2)),
            created_at=NOW,
            score=1.0,
        )
        citations: tuple[Citation, ...] = parse_citations(self.text)
        return GeneratedAnswer(
            text=self.text,
            language=language,
            context=PromptContext(sources=(source,), text="[…]"),
            citations=citations,
            is_refusal=is_refusal(self.text, language),
        )


class Judge:
    """Gives what was planted, and remembers what it was given."""

    name = "juez"

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement
        self.given: list[dict] = []

    def judge(self, **given) -> Judgement:
        self.given.append(given)
        return self.judgement


def golden(*, answer="142 euros", key_facts=("142 euros",), forbidden=("gratis",)) -> GoldenQuery:
    return GoldenQuery(
        id=uuid.UUID(int=3),
        external_id=None,
        query="¿Cuánto costó la inyección de Trufa?",
        relevance=(),
        expected_answer=answer,
        category="factual",
        difficulty=1,
        tags=(),
        created_at=NOW,
        updated_at=NOW,
        key_facts=key_facts,
        forbidden_content=forbidden,
    )


RETRIEVAL = Retrieval(query="", strategy="hybrid", hits=(), latency_ms=1, stages={})


def record(text: str | None, *, query: GoldenQuery | None = None, judge: Judge | None = None) -> AnswerRecord:
    made = answer_and_judge(query or golden(), RETRIEVAL, answerer=Answerer(text), judge=judge, timeout_seconds=1)
    assert made is not None
    return made


def test_a_good_answer_scores_full_marks_by_its_words() -> None:
    made = record("La inyección de Trufa costó 142 euros [1].")

    assert made.scores["lexical_groundedness"] == 1
    assert made.scores["key_facts_covered"] == 1
    assert made.scores["forbidden_content_found"] == 0
    assert made.scores["citation_existence"] == 1
    assert made.scores["citation_accuracy"] == 1
    assert made.scores["citation_completeness"] == 1
    assert [(source.note_id, source.is_cited) for source in made.sources] == [(NOTE, True)]


def test_without_a_judge_meaning_is_undefined() -> None:
    made = record("La inyección de Trufa costó 142 euros [1].")

    assert made.judge is None
    assert {made.scores[name] for name in ("groundedness", "answer_relevance", "hallucination_score")} == {None}


def test_a_number_of_a_citation_is_no_key_fact() -> None:
    made = record("Costó algo [142].", query=golden(key_facts=("142",)))

    assert made.missing_key_facts == ("142",)


def test_forbidden_content_is_named_and_makes_a_hallucination_of_what_is_grounded() -> None:
    made = record("La inyección fue gratis [1].", judge=Judge(Judgement(groundedness=1.0)))

    assert made.forbidden_content == ("gratis",)
    assert made.scores["forbidden_content_found"] == 1
    assert made.scores["hallucination_score"] == 1


@pytest.mark.parametrize(
    ("groundedness", "has_forbidden", "expected"),
    [(0.75, False, 0.25), (1.0, True, 1.0), (None, True, 1.0), (None, False, None)],
)
def test_hallucination_is_what_is_not_grounded(groundedness, has_forbidden, expected) -> None:
    text = "La inyección fue gratis [1]." if has_forbidden else "La inyección costó 142 euros [1]."

    made = record(text, judge=Judge(Judgement(groundedness=groundedness)))

    assert made.scores["hallucination_score"] == expected


def test_what_is_forbidden_counts_where_the_judge_failed_and_has_no_mean_where_nobody_judged() -> None:
    bad, good = "La inyección fue gratis [1].", "La inyección costó 142 euros [1]."

    alone = [record(text) for text in (bad, good)]
    judged = [record(bad, judge=Judge(Judgement())), record(good, judge=Judge(Judgement(groundedness=1.0)))]

    assert [one.scores["hallucination_score"] for one in alone] == [1, None]
    assert summarise(alone).means["hallucination_score"] is None
    assert summarise(judged).means["hallucination_score"] == 0.5


def test_a_refusal_claims_nothing_covers_nothing_and_is_not_shown_to_the_judge() -> None:
    judge = Judge(Judgement(groundedness=1.0))

    made = record("No he encontrado la respuesta en tus notas.", judge=judge)

    assert made.is_refusal
    assert judge.given == []
    assert made.scores["key_facts_covered"] == 0
    assert made.scores["answer_relevance"] == 0
    assert {made.scores[name] for name in ("lexical_groundedness", "citation_completeness", "groundedness")} == {None}


def test_the_judge_is_given_the_very_context_of_the_answerer_and_no_marks() -> None:
    judge = Judge(Judgement(groundedness=1.0))

    record("La inyección costó 142 euros [1].", judge=judge)

    assert judge.given[0]["context"] == "[…]"
    assert "[1]" not in judge.given[0]["answer"]


def test_an_answerer_that_fails_gives_a_record_with_its_error() -> None:
    made = record(None)

    assert made.text is None
    assert made.error == "ChatError"
    assert dict(made.scores) == {}


def test_a_query_without_expected_answer_is_not_answered() -> None:
    query = golden(answer="")

    assert answer_and_judge(query, RETRIEVAL, answerer=Answerer("x"), judge=None, timeout_seconds=1) is None


def test_what_a_golden_query_does_not_ask_for_is_undefined() -> None:
    made = record("La inyección costó 142 euros [1].", query=golden(key_facts=(), forbidden=()))

    assert made.scores["key_facts_covered"] is None
    assert made.scores["forbidden_content_found"] is None


def test_means_are_over_what_is_defined_and_say_over_how_many() -> None:
    good = record("La inyección de Trufa costó 142 euros [1].", judge=Judge(Judgement(groundedness=0.5)))
    bare = record("Costó poco.", judge=Judge(Judgement(failures=("groundedness",))))
    refusal = record("No lo sé.", judge=Judge(Judgement()))
    failed = record(None, judge=Judge(Judgement()))

    metrics = summarise([good, bare, refusal, failed])

    assert metrics is not None
    assert metrics.answers == 4
    assert metrics.refusals == 1
    assert metrics.failed == 1
    assert metrics.judge_failures == 1
    assert metrics.means["key_facts_covered"] == 1 / 3
    assert metrics.counts["key_facts_covered"] == 3
    assert metrics.means["citation_completeness"] == 0.5
    assert metrics.counts["citation_completeness"] == 2
    assert metrics.faithfulness == 0.5
    assert metrics.counts["groundedness"] == 1
    assert metrics.answerer == "planted"
    assert metrics.judge == "juez"


def test_quotations_are_judged_by_their_notes_and_the_expected_answers() -> None:
    held, wrong = (
        record("La inyección de Trufa costó 142 euros [1]."),
        record("La inyección de Trufa costó 999 euros [1]."),
    )

    quoted = summarise([replace(one, answerer="extractive@4") for one in (held, wrong)])
    written = summarise([held, wrong])

    assert quoted is not None
    assert written is not None
    assert quoted.judged_by == "quotations"
    assert quoted.faithfulness == 0.5
    assert quoted.answer_relevance == quoted.means["expected_answer_overlap"]
    assert written.judged_by is None
    assert written.faithfulness is None
    assert written.answer_relevance is None


def test_no_record_has_no_metrics() -> None:
    assert summarise([]) is None


def test_records_and_metrics_survive_json() -> None:
    made = record("La inyección fue gratis [1].", judge=Judge(Judgement(groundedness=1.0, failures=("x",))))
    metrics = summarise([made])
    assert metrics is not None

    assert parse_answer_record(json.loads(json.dumps(made.to_json()))) == made
    assert parse_answer_metrics(json.loads(json.dumps(metrics.to_json()))) == metrics


def test_the_expected_answer_is_scored_by_its_words_and_a_refusal_says_nothing_of_it() -> None:
    right = record("Costó 142 euros [1].")
    wrong = record("Fue en Sueca [1].")
    refusal = record("No he encontrado la respuesta en tus notas.", query=golden(answer="la respuesta"))

    scores = [one.scores["expected_answer_overlap"] for one in (right, wrong, refusal)]

    assert scores == [pytest.approx(0.8), 0, 0]
    assert summarise([right, wrong]).means["expected_answer_overlap"] == pytest.approx(0.4)


def test_a_metric_without_mean_says_why() -> None:
    bare = golden(key_facts=(), forbidden=())
    alone = summarise([record("No he encontrado la respuesta en tus notas.", query=bare)])
    judged = summarise([record("Costó 142 euros.", query=bare, judge=Judge(Judgement(failures=("groundedness",))))])

    assert alone.undefined["key_facts_covered"] == "no answered query has key_facts"
    assert alone.undefined["forbidden_content_found"] == "no answered query has forbidden_content"
    assert alone.undefined["citation_accuracy"] == "no answer cites anything"
    assert alone.undefined["lexical_groundedness"] == "no answer states anything"
    assert alone.undefined["groundedness"] == "nobody judged: there is no chat model"
    assert judged.undefined["groundedness"] == "the judge gave no score"
    assert judged.undefined["key_facts_by_meaning"] == "no answered query has key_facts"
    assert "expected_answer_overlap" not in judged.undefined


def test_a_metric_that_a_stored_run_lacks_was_not_measured() -> None:
    metrics = summarise([record("Costó 142 euros [1].")])

    older = replace(metrics, means={name: mean for name, mean in metrics.means.items() if name != "citation_support"})

    assert older.undefined["citation_support"] == "not measured when the run was made"


def test_quotes_that_cite_themselves_score_by_construction() -> None:
    metrics = summarise([record("Costó 142 euros [1].")])

    assert metrics.by_construction == ()
    assert "citation_accuracy" in replace(metrics, answerer="extractive@4").by_construction
    assert "expected_answer_overlap" not in replace(metrics, answerer="extractive@4").by_construction


def test_a_citation_whose_source_says_something_else_exists_and_is_not_supported() -> None:
    held = record("La inyección de Trufa costó 142 euros [1].")
    wrong = record("La inyección de Trufa costó 99 euros [1].")

    assert held.scores["citation_existence"] == 1
    assert held.scores["citation_support"] == 1
    assert wrong.scores["citation_existence"] == 1
    assert wrong.scores["citation_support"] == 0
    assert record("No lo sé.").scores["citation_support"] is None
