"""Figures of a run's answers, for the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag_core.cli.app import say, table
from rag_core.cli.messages import amount, headings, language, localised, tr
from rag_core.model.metrics.registry import title_of

if TYPE_CHECKING:
    from rag_core.evaluation.runs.results import EvaluationRun
    from rag_core.model.answer_metrics import AnswerMetrics

_LISTED = 10


def show_answers(run: "EvaluationRun") -> None:
    """Means that are defined, which of them hold by construction, why the others are not there, and who was refused."""
    answers = run.answers
    if answers is None:
        return
    rows = [
        [title_of(name, language()), f"{mean:.3f}", str(answers.counts[name])]
        for name, mean in answers.means.items()
        if mean is not None
    ]
    table(
        tr("{answers} by {answerer}", answers=amount(answers.answers, "answer"), answerer=answers.answerer),
        headings("metric", "mean", "answers"),
        rows,
    )
    _explain(answers)
    say(
        tr(
            "{refusals} refused, {failed} failed; judged by {judge}",
            refusals=answers.refusals,
            failed=answers.failed,
            judge=answers.judge or tr("nobody"),
        )
    )
    refused = [result.query for result in run.queries if result.answer is not None and result.answer.is_refusal]
    for query in refused[:_LISTED]:
        say(tr("  refused: {query}", query=query))
    if len(refused) > _LISTED:
        say(tr("  and {refused} more", refused=len(refused) - _LISTED))


def _explain(answers: "AnswerMetrics") -> None:
    held = [name for name in answers.by_construction if answers.means.get(name) is not None]
    if held:
        say(
            tr(
                "by construction, because these answers quote their sources: {held}. Correctness is measured by expected "
                "answer overlap and key facts",
                held=_listed(held),
            )
        )
    reasons: dict[str, list[str]] = {}
    for name, reason in answers.undefined.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        say(tr("not measured, {reason}: {names}", reason=localised(reason), names=_listed(names)))


def _listed(names: Sequence[str]) -> str:
    return "; ".join(title_of(name, language()) for name in names)
