"""The Markdown of a run."""

from uuid import UUID

from builders import make_query_result, make_run

from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.report.markdown import markdown_report
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId
from rag_core.model.run_comparison import Comparison

RELEVANT = NoteId(UUID(int=1))
OTHERS = tuple(NoteId(UUID(int=number)) for number in range(2, 22))


def result(
    query: str, rank: int | None, *, category="factual", error: str | None = None, number: int = 99
) -> QueryResult:
    ranked = OTHERS[:5] if rank is None else (*OTHERS[: rank - 1], RELEVANT)
    return make_query_result(
        number,
        query=query,
        category=category,
        relevant_note_ids=(RELEVANT,),
        ranked_note_ids=() if error else ranked,
        latency_ms=12.0,
        error=error,
    )


def report_of(*results: QueryResult, orphaned: int = 0, degraded: int = 0, comparison: Comparison | None = None) -> str:
    return markdown_report(
        make_run(results, set_version=3, degraded_queries=degraded, orphaned_queries=orphaned, comparison=comparison)
    )


def test_the_metrics_stand_in_a_table_in_all_and_by_category() -> None:
    text = report_of(result("a", 1), result("b", 2), result("c", 4, category="causal"))

    assert (
        "| category | queries | hit rate @1 | hit rate @3 | hit rate @5 | hit rate @10 | MRR | nDCG@10 | recall@20 |"
        in text
    )
    assert "| all | 3 | 0.333 | 0.667 | 1.000 | 1.000 | 0.583 | 0.687 | 1.000 |" in text
    assert "| factual | 2 | 0.500 | 1.000 | 1.000 | 1.000 | 0.750 | 0.815 | 1.000 |" in text
    assert "| causal | 1 | 0.000 | 0.000 | 1.000 | 1.000 | 0.250 | 0.431 | 1.000 |" in text


def test_the_worst_queries_come_first_and_those_at_rank_one_not_at_all() -> None:
    text = report_of(
        result("segunda", 2),
        result("perdida", None),
        result("primera", 1),
        result("décima", 10),
        result("rota", None, error="RetrievalFailedError"),
    )

    assert text.split("### Worst queries\n\n")[1] == (
        "| query | category | first relevant rank | error |\n"
        "| --- | --- | --- | --- |\n"
        "| perdida | factual | - |  |\n"
        "| rota | factual | - | RetrievalFailedError |\n"
        "| décima | factual | 10 |  |\n"
        "| segunda | factual | 2 |  |\n"
    )


def test_ten_of_the_worst_are_shown() -> None:
    text = report_of(*(result(f"perdida {number:02}", None) for number in range(30)))

    assert text.count("| perdida") == 10


def test_a_run_without_a_bad_query_says_so() -> None:
    assert report_of(result("a", 1)).endswith("Every query has a relevant note at rank 1.\n")


def test_a_query_cannot_break_its_table() -> None:
    text = report_of(result("uno | dos\n\ntres <b>", 2))

    assert "| uno \\| dos tres &lt;b> | factual | 2 |  |" in text


def test_a_long_query_is_shortened() -> None:
    text = report_of(result("palabra " * 40, 2))

    (row,) = [line for line in text.splitlines() if line.startswith("| palabra")]
    assert row.split(" | ")[0] == "| " + ("palabra " * 40)[:99] + "…"


def test_what_went_wrong_stands_at_the_top() -> None:
    text = report_of(result("a", 1), result("b", None, error="X"), orphaned=2, degraded=1)

    assert "2 queries, 1 degraded, 1 failed, 2 left out, their notes are deleted;" in text


def test_a_run_in_order_counts_its_queries_only() -> None:
    assert "\n1 query; configuration `00c0ffee00c0ffee`" in report_of(result("a", 1))


def test_a_comparison_stands_with_its_figures_and_the_queries_that_lost_most() -> None:
    before = [result(f"q{number}", 1, number=number) for number in range(11)]
    after = [result(f"q{number}", 2 if number else None, number=number) for number in range(10)]

    text = report_of(*after, comparison=compare(UUID(int=6), before, after))

    # nine queries from 1 to 0.631, one from 1 to 0: (9 * 0.63093) / 10
    assert f"Against the baseline `{UUID(int=6)}`: nDCG@10 0.568, was 1.000: -0.432 (" in text
    assert "one-sided p 0.0010, on 10 queries. Queries of one or the other that are not compared: 1." in text
    assert "### Queries that lost most\n\n| query | nDCG@10 then | now |" in text
    assert "| q0 | 1.000 | 0.000 | 1 | - |\n| q1 | 1.000 | 0.631 | 1 | 2 |" in text


def test_a_comparison_without_a_verdict_says_why_and_lists_no_query() -> None:
    before, after = [result("q", 1)], [result("q", 2)]

    text = report_of(*after, comparison=compare(UUID(int=6), before, after))

    assert "no verdict: 1 query in common with the baseline, 10 are needed" in text
    assert "lost most" not in text
