"""Experiments on live queries, what both sides brought back, and what readers made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from rag_core.errors import ConflictError, NotFoundError
from rag_core.model.experiment import Experiment, ExperimentQuery, FeedbackKind, Mode, ReaderReaction
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value

_OPPOSITE: Mapping[FeedbackKind, FeedbackKind] = {"helpful": "unhelpful", "unhelpful": "helpful"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningExperiment:
    """The running experiment with the weights of both sides' re-rankers, None the shipped ones.

    ``has_other_model``: another embedding model was promoted since it began.
    """

    experiment: Experiment
    control_weights: Mapping[str, Any] | None
    candidate_weights: Mapping[str, Any] | None
    has_other_model: bool


def insert_experiment(
    connection: Connection,
    tenant: TenantId,
    *,
    name: str,
    mode: Mode,
    share: float,
    control: Mapping[str, Any],
    candidate: Mapping[str, Any],
    control_reranker: str | None = None,
    candidate_reranker: str | None = None,
    candidate_configuration_id: UUID | None = None,
) -> Experiment:
    """Begin an experiment.

    Raises:
        ConflictError: the name is taken, or another experiment is running.
    """
    values = {
        "experiment_id": uuid4(),
        "name": name,
        "mode": mode,
        "share": share,
        "control": control,
        "candidate": candidate,
        "control_reranker": control_reranker,
        "candidate_reranker": candidate_reranker,
        "candidate_configuration_id": candidate_configuration_id,
    }
    documents = {"control": Jsonb(dict(control)), "candidate": Jsonb(dict(candidate))}
    row = connection.execute(query("insert_experiment"), {"tenant": tenant, **values, **documents}).fetchone()
    if row is None:
        raise ConflictError(_why_not(connection, tenant, name))
    return find_experiment(connection, tenant, str(values["experiment_id"]))


def _why_not(connection: Connection, tenant: TenantId, name: str) -> str:
    known = [experiment for experiment, _ in list_experiments(connection, tenant)]
    if any(experiment.name == name for experiment in known):
        return f"there is an experiment {name!r} already; give another name"
    running = next((experiment.name for experiment in known if experiment.state == "running"), "another one")
    return (
        f"the experiment {running!r} is running, and one at a time can; end it with `brain experiment stop {running}`"
    )


def list_experiments(connection: Connection, tenant: TenantId) -> list[tuple[Experiment, int]]:
    """All experiments, newest first, each with how many live queries it has."""
    rows = connection.execute(query("list_experiments"), {"tenant": tenant}).fetchall()
    return [(_experiment(row[:-1]), row[-1]) for row in rows]


def find_experiment(connection: Connection, tenant: TenantId, name: str) -> Experiment:
    """The experiment of that name, or of that id.

    Raises:
        NotFoundError: the tenant has none.
    """
    row = connection.execute(query("find_experiment"), {"tenant": tenant, "name": name}).fetchone()
    if row is None:
        raise NotFoundError(f"no experiment is called {name!r}; `brain experiment list` shows those there are")
    return _experiment(row)


def fetch_running_experiment(connection: Connection, tenant: TenantId) -> RunningExperiment | None:
    """The experiment that live queries take part in, if there is one."""
    row = connection.execute(query("fetch_running_experiment"), {"tenant": tenant}).fetchone()
    if row is None:
        return None
    *columns, control_weights, candidate_weights, has_other_model = row
    return RunningExperiment(
        experiment=_experiment(tuple(columns)),
        control_weights=control_weights,
        candidate_weights=candidate_weights,
        has_other_model=has_other_model,
    )


def stop_experiment(connection: Connection, tenant: TenantId, experiment_id: UUID) -> datetime | None:
    """End an experiment; when it ended, None when it had ended before."""
    parameters = {"tenant": tenant, "experiment_id": experiment_id}
    stopped_at: datetime | None = fetch_value(connection, "stop_experiment", parameters)
    return stopped_at


def insert_experiment_query(connection: Connection, tenant: TenantId, asked: ExperimentQuery) -> None:
    """Record a live query."""
    connection.execute(
        query("insert_experiment_query"),
        {
            "tenant": tenant,
            "query_id": asked.id,
            "experiment_id": asked.experiment_id,
            "arm": asked.arm,
            "asked_at": asked.asked_at,
            "control_notes": None if asked.control_notes is None else list(asked.control_notes),
            "candidate_notes": None if asked.candidate_notes is None else list(asked.candidate_notes),
            "served_notes": list(asked.served_notes),
            "teams": None if asked.teams is None else list(asked.teams),
            "control_ms": asked.control_ms,
            "candidate_ms": asked.candidate_ms,
            "is_degraded": asked.is_degraded,
        },
    )


def fetch_experiment_query(connection: Connection, tenant: TenantId, query_id: UUID) -> ExperimentQuery:
    """One live query, without its feedback.

    Raises:
        NotFoundError: the tenant has no such query.
    """
    parameters = {"tenant": tenant, "query_id": query_id}
    row = connection.execute(query("fetch_experiment_query"), parameters).fetchone()
    if row is None:
        raise NotFoundError(f"no live query {query_id}; metadata.experiment of an answer names it")
    return _query(row)


def list_experiment_queries(connection: Connection, tenant: TenantId, experiment_id: UUID) -> list[ExperimentQuery]:
    """The live queries of an experiment with their feedback, in the order they were asked."""
    parameters = {"tenant": tenant, "experiment_id": experiment_id}
    rows = connection.execute(query("list_experiment_queries"), parameters).fetchall()
    return [_query(row) for row in rows]


def write_feedback(
    connection: Connection, tenant: TenantId, query_id: UUID, *, note_id: NoteId | None, kind: FeedbackKind
) -> bool:
    """Keep a reader's word, in place of the opposite one; whether it was not known yet."""
    parameters = {"tenant": tenant, "query_id": query_id, "note_id": note_id, "kind": kind}
    if kind in _OPPOSITE:
        connection.execute(query("withdraw_opposite_feedback"), {**parameters, "opposite": _OPPOSITE[kind]})
    return connection.execute(query("insert_experiment_feedback"), parameters).fetchone() is not None


def _experiment(row: tuple[Any, ...]) -> Experiment:
    experiment_id, name, mode, share, control, candidate, *rest = row
    control_reranker, candidate_reranker, configuration_id, state, started_at, stopped_at = rest
    return Experiment(
        id=experiment_id,
        name=name,
        mode=mode,
        share=share,
        control=control,
        candidate=candidate,
        control_reranker=control_reranker,
        candidate_reranker=candidate_reranker,
        candidate_configuration_id=configuration_id,
        state=state,
        started_at=started_at,
        stopped_at=stopped_at,
    )


def _query(row: tuple[Any, ...]) -> ExperimentQuery:
    query_id, experiment_id, arm, asked_at, control, candidate, served, teams, *rest = row
    control_ms, candidate_ms, is_degraded, notes, kinds = rest
    return ExperimentQuery(
        id=query_id,
        experiment_id=experiment_id,
        arm=arm,
        asked_at=asked_at,
        control_notes=None if control is None else tuple(control),
        candidate_notes=None if candidate is None else tuple(candidate),
        served_notes=tuple(served),
        teams=None if teams is None else tuple(teams),
        control_ms=control_ms,
        candidate_ms=candidate_ms,
        is_degraded=is_degraded,
        feedback=tuple(ReaderReaction(note_id=note, kind=kind) for note, kind in zip(notes, kinds, strict=True)),
    )
