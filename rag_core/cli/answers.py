"""What a run's answers are worth, as the terminal shows it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag_core.cli.app import say, table
from rag_core.model.counting import in_english

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
        [name.replace("_", " "), f"{mean:.3f}", str(answers.counts[name])]
        for name, mean in answers.means.items()
        if mean is not None
    ]
    table(f"{in_english(answers.answers, 'answer')} by {answers.answerer}", ["metric", "mean", "answers"], rows)
    _explain(answers)
    say(f"{answers.refusals} refused, {answers.failed} failed; judged by {answers.judge or 'nobody'}")
    refused = [result.query for result in run.queries if result.answer is not None and result.answer.is_refusal]
    for query in refused[:_LISTED]:
        say(f"  refused: {query}")
    if len(refused) > _LISTED:
        say(f"  and {len(refused) - _LISTED} more")


def _explain(answers: "AnswerMetrics") -> None:
    held = [name for name in answers.by_construction if answers.means[name] is not None]
    if held:
        say(
            f"by construction, as these answers quote and cite what they quote: {_listed(held)}. Whether an answer is right, "
            "expected answer overlap and key facts tell"
        )
    reasons: dict[str, list[str]] = {}
    for name, reason in answers.undefined.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        say(f"not measured, {reason}: {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)
