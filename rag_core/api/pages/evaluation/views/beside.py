"""Parts beside the runs on the first page: golden sets and what they lack, jobs, experiments, configurations."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import CONFIGURATIONS_ADDRESS, RUNS_ADDRESS, Table, table
from rag_core.evaluation.golden.statistics import GoldenStatistics
from rag_core.model.experiment import Experiment
from rag_core.model.golden import DIFFICULTY_WORDS, Vocabulary
from rag_core.promotion.served_runs import ServingHistory
from rag_core.storage.jobs import Job

MODES = {"split": "reparto", "shadow": "en la sombra", "interleave": "lista mezclada"}
_VOCABULARIES = {"brain_sync": "Brain Sync", "rag_v2": "RAG V2"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCoverage:
    """A golden set: how many queries of which kind, beside how many there should be."""

    name: str
    about: str
    is_whole: bool
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job, an experiment or a configuration in its list; ``done`` of ``total`` while it is under way."""

    name: str
    address: str
    state: str
    when: str
    about: str
    done: int = 0
    total: int = 0


def set_coverage(name: str, version: int, vocabulary: Vocabulary, found: GoldenStatistics) -> SetCoverage:
    """Coverage of a set by category and difficulty, and what it lacks."""
    levels = ("1", "2", "3", "4", "5") if vocabulary == "brain_sync" else tuple(DIFFICULTY_WORDS)
    rows = [
        (
            words.category(one.category),
            *(str(one.by_difficulty.get(level, 0)) for level in levels),
            str(one.total),
            words.UNDEFINED if one.minimum is None else str(one.minimum),
            str(one.missing) if one.missing else words.UNDEFINED,
        )
        for one in found.coverage
    ]
    lacking = f"faltan {found.missing}" if found.missing else "no falta ninguna"
    notes = [
        f"versión {version}",
        words.counted(found.total_queries, "consulta", "consultas"),
        f"mínimo {found.minimum}: {lacking}",
        f"{found.verified} verificadas por alguien",
        f"{found.with_spans} con el pasaje señalado",
    ]
    if found.lost_spans:
        notes.append(words.counted(found.lost_spans, "pasaje perdido", "pasajes perdidos"))
    if found.unanswerable:
        notes.append(f"{found.unanswerable} sin respuesta en las notas, a propósito")
    if found.without_notes:
        notes.append(f"{found.without_notes} sin ninguna nota que las responda")
    return SetCoverage(
        name=name,
        about=f"{'; '.join(notes)}. Vocabulario de {_VOCABULARIES[vocabulary]}.",
        is_whole=not found.missing,
        table=table(
            ("categoría", *(words.DIFFICULTIES.get(level, f"dificultad {level}") for level in levels),
             "en total", "mínimo", "faltan"),
            rows,
        ),
    )  # fmt: skip


def job_line(job: Job, zone: ZoneInfo) -> Work:
    """A job of the server, linked to what it made."""
    address = {
        "evaluation": f"{RUNS_ADDRESS}/{job.job_id}",
        "tuning": f"/evaluation/tuning/{job.job_id}",
        "embedding_benchmark": f"/evaluation/benchmarks/{job.job_id}",
    }[job.kind]
    is_running = job.state == "running"
    return Work(
        name=words.JOB_KINDS[job.kind],
        address=address if job.state == "completed" else "",
        state=words.STATES[job.state],
        when=words.moment(job.created_at, zone),
        about=f"causa, en inglés: {job.error}" if job.error else words.work_stage(job.stage) if is_running else "",
        done=job.done if is_running else 0,
        total=(job.total or 0) if is_running else 0,
    )


def experiment_line(experiment: Experiment, queries: int, zone: ZoneInfo) -> Work:
    """An experiment on live queries."""
    return Work(
        name=experiment.name,
        address=f"/evaluation/experiments/{experiment.id}",
        state="en marcha" if experiment.state == "running" else "parado",
        when=words.moment(experiment.started_at, zone),
        about=f"{MODES[experiment.mode]}, {words.percent(experiment.share)}; {words.counted(queries, 'consulta', 'consultas')}",
    )


def configuration_lines(history: ServingHistory, zone: ZoneInfo) -> list[Work]:
    """The numbered configurations, newest first, the one that is served named as such, one never served as well."""
    served = history.promotions[0].configuration if history.promotions else None
    once = {one.configuration for one in history.promotions}
    return [
        Work(
            name=f"Configuración {one.number}",
            address=f"{CONFIGURATIONS_ADDRESS}/{one.number}",
            state="en uso" if one.number == served else "estuvo en uso" if one.number in once else "nunca en uso",
            when=words.moment(one.created_at, zone),
            about="propuesta por el ajuste" if one.origin == "tuning" else "escrita a mano",
        )
        for one in sorted(history.configurations.values(), key=lambda one: one.number, reverse=True)
    ]
