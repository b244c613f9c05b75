"""Parts beside the runs on the first page: golden sets and what they lack, jobs, experiments, configurations."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import CONFIGURATIONS_ADDRESS, RUNS_ADDRESS, Table, table
from rag_core.api.pages.texts import Texts, counted, headings, tr
from rag_core.evaluation.golden.statistics import GoldenStatistics
from rag_core.model.experiment import Experiment
from rag_core.model.golden import DIFFICULTY_WORDS, Vocabulary
from rag_core.promotion.served_runs import ServingHistory
from rag_core.storage.jobs import Job

MODES = Texts({"split": "reparto", "shadow": "en la sombra", "interleave": "lista mezclada"})
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
    lacking = tr("faltan {count}", count=found.missing) if found.missing else tr("no falta ninguna")
    notes = [
        tr("versión {version}", version=version),
        counted("{count} consulta", "{count} consultas", found.total_queries),
        tr("mínimo {minimum}: {lacking}", minimum=found.minimum, lacking=lacking),
        tr("{count} verificadas por alguien", count=found.verified),
        tr("{count} con el pasaje señalado", count=found.with_spans),
    ]
    if found.lost_spans:
        notes.append(counted("{count} pasaje perdido", "{count} pasajes perdidos", found.lost_spans))
    if found.unanswerable:
        notes.append(tr("{count} sin respuesta en las notas, a propósito", count=found.unanswerable))
    if found.without_notes:
        notes.append(tr("{count} sin ninguna nota que las responda", count=found.without_notes))
    return SetCoverage(
        name=name,
        about=tr("{facts}. Vocabulario de {contract}.", facts="; ".join(notes), contract=_VOCABULARIES[vocabulary]),
        is_whole=not found.missing,
        table=table(
            (tr("categoría"), *(words.DIFFICULTIES.get(level) or tr("dificultad {level}", level=level) for level in levels),
             *headings("en total", "mínimo", "faltan")),
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
        about=tr("causa, en inglés: {reason}", reason=job.error)
        if job.error
        else words.work_stage(job.stage)
        if is_running
        else "",
        done=job.done if is_running else 0,
        total=(job.total or 0) if is_running else 0,
    )


def experiment_line(experiment: Experiment, queries: int, zone: ZoneInfo) -> Work:
    """An experiment on live queries."""
    return Work(
        name=experiment.name,
        address=f"/evaluation/experiments/{experiment.id}",
        state=words.STATES[experiment.state],
        when=words.moment(experiment.started_at, zone),
        about="; ".join(
            (
                f"{MODES[experiment.mode]}, {words.percent(experiment.share)}",
                counted("{count} consulta", "{count} consultas", queries),
            )
        ),
    )


def configuration_lines(history: ServingHistory, zone: ZoneInfo) -> list[Work]:
    """The numbered configurations, newest first, the one that is served named as such, one never served as well."""
    served = history.promotions[0].configuration if history.promotions else None
    once = {one.configuration for one in history.promotions}
    return [
        Work(
            name=tr("Configuración {number}", number=one.number),
            address=f"{CONFIGURATIONS_ADDRESS}/{one.number}",
            state=tr("en uso" if one.number == served else "estuvo en uso" if one.number in once else "nunca en uso"),
            when=words.moment(one.created_at, zone),
            about=tr("propuesta por el ajuste" if one.origin == "tuning" else "escrita a mano"),
        )
        for one in sorted(history.configurations.values(), key=lambda one: one.number, reverse=True)
    ]
