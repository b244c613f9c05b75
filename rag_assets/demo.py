"""``brain demo``: the main job once, on the demo notes: in, through every asset, measured, and asked three questions."""

from collections.abc import Iterator
from typing import Any

from rag_assets.indexing import OnEvent, opened_job, run_index
from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerEvent, AnswerRequest
from rag_core.errors import IndexingError
from rag_core.notes.importing import ImportReport
from rag_core.operation.demo_corpus import ANSWERABLE, load_demo
from rag_core.runtime.engine import DEMO_TENANT, Engine


def load_and_index(engine: Engine, *, on_event: OnEvent) -> ImportReport:
    """Import the demo notes and their golden set, and run notes → chunks → embeddings → full-text index over them."""
    report = load_demo(engine.database, engine.settings)
    run_index(engine, tenants=[DEMO_TENANT], is_full=False, on_event=on_event)
    return report


def materialise_report(engine: Engine, *, on_event: OnEvent) -> dict[str, float]:
    """Materialise the evaluation report through the pipeline's definitions; its figures by name.

    Raises:
        IndexingError: the run failed.
    """
    with opened_job(engine, "index_notes", on_event) as (job, instance):
        result = job.execute_in_process(
            instance=instance,
            asset_selection=_report_key(),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            raise_on_error=False,
        )
    if not result.success:
        raise IndexingError("the evaluation report could not be made; its run is in Dagster's UI")
    (event,) = result.get_asset_materialization_events()
    metadata: dict[str, Any] = dict(event.materialization.metadata)
    return {name: figure.value for name, figure in metadata.items() if isinstance(figure.value, float)}


def _report_key() -> Any:
    from rag_assets.evaluation_report import evaluation_report

    return [evaluation_report.key]


def answer_questions(engine: Engine) -> Iterator[tuple[str, Iterator[AnswerEvent]]]:
    """The three questions, each with its answer as it comes; nothing is written down of them."""
    for question in ANSWERABLE:
        request = AnswerRequest(question=question, contract="command", user_hash="", is_recorded=False)
        yield question, answer_events(engine, DEMO_TENANT, request)
