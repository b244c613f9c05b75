"""A live query in an experiment: which side answers, and what is recorded of it.

Readers come first. When the candidate fails, lacks something, or is not done when half of the time is gone, the control answers;
when it fails often it is left alone for a minute. In its shadow it is not waited for at all.
"""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from uuid import UUID, uuid4

from rag_core.errors import RagError, SearchCancelledError
from rag_core.experiments.candidates import Candidates, Outcome, outcome_of
from rag_core.experiments.interleaving import team_draft
from rag_core.experiments.live_query import Answered, LiveQuery, LiveSearch, Participation, search
from rag_core.experiments.recording import Records, record_of, unique_notes
from rag_core.experiments.running import Contest, RunningExperiments
from rag_core.model.experiment import Arm, ExperimentQuery, Side
from rag_core.model.note import NoteId
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.retrieval.request import checked_query
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.experiments import fetch_experiment_query
from rag_core.telemetry.metrics import Metrics

CANDIDATE_SHARE = 0.5
"""Share of a request's time after which the control is searched instead of the candidate."""
LEAST_WAIT_MS = 100.0
"""An interleaved list waits for the candidate as long again as the control took, and at least so long."""
LOOK_UP_MS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class _Live:
    """Searches behind answers: the process's, and one for candidates that is counted apart."""

    database: Database
    metrics: Metrics
    search: LiveSearch
    search_apart: LiveSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """A query that takes part: under which id, on which side, and what was recorded when its reader saw the answer before."""

    live: _Live
    asked: LiveQuery
    contest: Contest
    query_id: UUID
    arm: Arm
    known: ExperimentQuery | None = None


class LiveExperiments:
    """The experiments of one process: which runs, the candidates' places, and the records; threads may share it."""

    def __init__(self, executor: ThreadPoolExecutor, *, coin: Callable[[], float] = random.random) -> None:
        self.running = RunningExperiments()
        self.candidates = Candidates(executor)
        self._records = Records()
        self._coin = coin

    def answer(self, engine: Engine, asked: LiveQuery) -> Answered:
        """Answer a live query, in an experiment where one runs and the draw says so.

        Whoever sees a part of the notes takes no part: what is recorded of a query is for those who see them all.

        Raises:
            InvalidInputError, DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: see ``retrieve``; a candidate's
                errors are not among them.
            SearchCancelledError: its reader does not wait any more; nothing is recorded of what nobody saw.
        """
        checked_query(asked.text)
        began, served = time.monotonic(), engine.served(asked.tenant)
        if engine.database.departments is not None:
            return Answered(retrieval=search(engine, asked, served))
        contest = self.running.of(
            engine.database, asked.tenant, served=served, model=engine.model, timeout_ms=asked.timeout_ms
        )
        spent_ms = int(1000 * (time.monotonic() - began))
        asked = replace(asked, timeout_ms=max(1, asked.timeout_ms - spent_ms))
        if contest is None:
            return Answered(retrieval=search(engine, asked, served))
        live = _Live(
            database=engine.database,
            metrics=engine.metrics,
            search=partial(search, engine),
            search_apart=self.candidates.search_of(engine),
        )
        draw = self._drawn(live, asked, contest)
        if draw is None:
            return Answered(retrieval=search(engine, asked, contest.control))
        if draw.arm == "interleaved":
            return self._interleaved(draw)
        if contest.experiment.mode == "shadow":
            return self._shadow(draw)
        return self._by_control(draw) if draw.arm == "control" else self._by_candidate(draw)

    def _drawn(self, live: _Live, asked: LiveQuery, contest: Contest) -> _Draw | None:
        """Draw the side of a query; a returning reader gets the side, and the draft, of the first time."""
        experiment = contest.experiment
        known = None if asked.repeated is None else self._known(live.database, asked, contest, asked.repeated)
        if known is not None:
            return _Draw(live=live, asked=asked, contest=contest, query_id=known.id, arm=known.arm, known=known)
        is_drawn = self._coin() < experiment.share
        if not is_drawn and experiment.mode != "split":
            return None
        arms: dict[str, Arm] = {"shadow": "control", "interleave": "interleaved"}
        arm = arms.get(experiment.mode, "candidate" if is_drawn else "control")
        return _Draw(live=live, asked=asked, contest=contest, query_id=uuid4(), arm=arm)

    @staticmethod
    def _known(database: Database, asked: LiveQuery, contest: Contest, query_id: UUID) -> ExperimentQuery | None:
        try:
            known = database.read(
                asked.tenant,
                lambda connection: fetch_experiment_query(connection, asked.tenant, query_id),
                timeout_ms=LOOK_UP_MS,
            )
        except RagError:
            return None
        return known if known.experiment_id == contest.experiment.id else None

    def _by_control(self, draw: _Draw) -> Answered:
        """Recorded while a place is free only, as the candidate's queries are: both arms see the same times of day."""
        with self.candidates.place() as is_free:
            found = draw.live.search(draw.asked, draw.contest.control)
        return self._recorded(draw, found, control=found) if is_free else Answered(retrieval=found)

    def _by_candidate(self, draw: _Draw) -> Answered:
        future = self.candidates.begin(draw.live.search_apart, draw.asked, draw.contest)
        if future is None:
            return Answered(retrieval=draw.live.search(draw.asked, draw.contest.control))
        began = time.monotonic()
        outcome = outcome_of(
            future,
            within_seconds=CANDIDATE_SHARE * draw.asked.timeout_ms / 1000,
            cancellation=draw.asked.cancellation,
        )
        if outcome.retrieval is not None and outcome.is_whole:
            return self._recorded(draw, _counted(draw.live.metrics, outcome.retrieval), candidate=outcome)
        return self._rescued(draw, future, spent_ms=1000 * (time.monotonic() - began))

    def _rescued(self, draw: _Draw, future: Future[Outcome], *, spent_ms: float) -> Answered:
        """The control answers in the candidate's place, unless the candidate's answer is the better one there is."""
        left = replace(draw.asked, timeout_ms=max(1, int(draw.asked.timeout_ms - spent_ms)))
        control, problem = None, None
        try:
            control = draw.live.search(left, draw.contest.control)
        except SearchCancelledError:
            raise  # there is nobody to rescue
        except RagError as error:
            problem = error
        outcome = outcome_of(future, within_seconds=0, cancellation=draw.asked.cancellation)
        found = outcome.retrieval
        if found is not None and (control is None or (control.is_degraded and not found.is_degraded)):
            return self._recorded(draw, _counted(draw.live.metrics, found), candidate=outcome)
        if control is None:
            assert problem is not None  # without an answer there is an error
            raise problem
        return self._recorded(draw, control, control=control, candidate=Outcome(ms=outcome.ms))

    def _shadow(self, draw: _Draw) -> Answered:
        """The control's answer; once it is there the candidate is asked too, and nobody waits."""
        control = draw.live.search(draw.asked, draw.contest.control)
        record = record_of(draw.query_id, draw.contest.experiment.id, "control", served=control, control=control)

        def compare() -> Outcome:
            outcome = self.candidates.ask(draw.live.search_apart, draw.asked, draw.contest, use_cache=False)
            found = outcome.retrieval
            notes = None if found is None else unique_notes(found.hits)
            is_degraded = record.is_degraded or (found is not None and found.is_degraded)
            whole = replace(record, candidate_notes=notes, candidate_ms=outcome.ms, is_degraded=is_degraded)
            self._records.write(draw.live.database, draw.asked.tenant, whole)
            self._records.write_waiting(draw.live.database)
            return outcome

        if self.candidates.run(compare) is None:
            self._records.keep_for_later(draw.asked.tenant, record)
        return Answered(retrieval=control)

    def _interleaved(self, draw: _Draw) -> Answered:
        """Both sides at once, as one list; the control's alone when the candidate is not there in time, or lacks something."""
        future = self.candidates.begin(draw.live.search_apart, draw.asked, draw.contest)
        began = time.monotonic()
        control = draw.live.search(draw.asked, draw.contest.control)
        if future is None:
            return Answered(retrieval=control)
        spent_ms = 1000 * (time.monotonic() - began)
        wait_ms = max(0.0, min(max(LEAST_WAIT_MS, spent_ms), draw.asked.timeout_ms - spent_ms))
        outcome = outcome_of(future, within_seconds=wait_ms / 1000, cancellation=draw.asked.cancellation)
        if outcome.retrieval is None or (outcome.retrieval.is_degraded and not control.is_degraded):
            return self._recorded(draw, control, control=control, candidate=Outcome(ms=outcome.ms))
        depth = draw.asked.config(draw.contest.control).top_k.final
        hits, teams = interleaved(control.hits, outcome.retrieval.hits, depth=depth, query_id=draw.query_id)
        served = replace(
            control, hits=hits, latency_ms=control.latency_ms + 1000 * (time.monotonic() - began) - spent_ms
        )
        return self._recorded(draw, served, control=control, candidate=outcome, teams=teams)

    def _recorded(
        self,
        draw: _Draw,
        served: Retrieval,
        *,
        control: Retrieval | None = None,
        candidate: Outcome | None = None,
        teams: Sequence[Side] | None = None,
    ) -> Answered:
        """The answer with the id that feedback goes by, once there is a record that it can go to.

        Who comes back with an id to other notes, such as those of another query, gets them without it: their word is not on
        what is recorded.

        Raises:
            SearchCancelledError: its reader has gone.
        """
        if draw.asked.cancellation is not None and draw.asked.cancellation.is_cancelled:
            raise SearchCancelledError("nobody waits for the answer any more")
        record = record_of(
            draw.query_id,
            draw.contest.experiment.id,
            draw.arm,
            served=served,
            control=control,
            candidate=candidate,
            teams=teams,
        )
        if draw.known is None:
            is_recorded = self._records.write(draw.live.database, draw.asked.tenant, record)
        else:
            is_recorded = record.served_notes == draw.known.served_notes
        if not is_recorded:
            return Answered(retrieval=served)
        return Answered(retrieval=served, participation=Participation(query_id=draw.query_id, arm=draw.arm))


def _counted(metrics: Metrics, found: Retrieval) -> Retrieval:
    """A candidate's answer that a reader gets counts as the service's."""
    metrics.record("total", found.latency_ms)
    metrics.count_answer(is_degraded=found.is_degraded)
    return found


def interleaved(
    control: Sequence[Hit], candidate: Sequence[Hit], *, depth: int, query_id: UUID
) -> tuple[tuple[Hit, ...], tuple[Side, ...]]:
    """One list of two, at most ``depth`` hits, and which side put each of its unique notes there.

    Notes are drafted, each with the drafting side's best passage of it; where there is room left, that side's other passages
    of the drafted notes follow. The coins are the query id's, so that the same query gives the same list again.
    """
    coins = Random(query_id.int)  # noqa: S311  nobody gains by guessing them
    draft = team_draft(unique_notes(control), unique_notes(candidate), depth=depth, random=coins)
    passages = {"control": _by_note(control), "candidate": _by_note(candidate)}
    best = [passages[side][note][0] for note, side in draft]
    others = [hit for note, side in draft for hit in passages[side][note][1:]]
    return tuple([*best, *others][:depth]), tuple(side for _, side in draft)


def _by_note(hits: Sequence[Hit]) -> dict[NoteId, list[Hit]]:
    grouped: dict[NoteId, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.note_id, []).append(hit)
    return grouped
