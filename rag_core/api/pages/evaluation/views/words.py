"""Names and formats of figures, metrics, categories and moments on the evaluation pages."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from rag_core.api.pages.texts import Texts, decimal, marked_decimal, spoken, tr
from rag_core.model.metrics.registry import title_of

MINUS = "\N{MINUS SIGN}"
UNDEFINED = "—"
CATEGORIES = Texts(
    {
        "factual": "de hechos",
        "causal": "causal",
        "temporal": "temporal",
        "comparative": "comparativa",
        "multi-part": "de varias partes",
        "procedural": "de procedimiento",
        "relational": "de relaciones",
        "aggregative": "de recuento",
        "multi_hop": "de varios pasos",
        "multi-step": "de varios pasos",
        "relations": "causas y relaciones",
    }
)
DIFFICULTIES = Texts({"easy": "fácil", "medium": "media", "hard": "difícil"})
STRATEGIES = Texts(
    {
        "semantic": "por significado",
        "fulltext": "por palabras",
        "hybrid": "híbrida",
        "hybrid+rerank": "híbrida y reordenada",
        "routed": "según la pregunta",
    }
)
STRATEGY_NUMBERS: Mapping[str, int] = {name: number for number, name in enumerate(STRATEGIES, 1)}
PURPOSES = Texts(
    {
        "manual": "a mano",
        "nightly": "de cada noche",
        "migration": "durante una migración",
        "model": "de un cambio de modelo",
        "gate": "de control",
        "promotion": "de prueba de una configuración",
        "benchmark": "de una comparación de modelos",
    }
)
CIRCUMSTANCES = Texts(
    {
        "configuration": "Configuración número",
        "role": "Papel en la prueba",
        "dagsterRun": "Ejecución de Dagster",
        "promotion": "Promoción",
        "concurrency": "Consultas a la vez",
        "orphaned_queries": "Consultas cuyas notas se borraron",
        "lost_spans": "Pasajes que ya no están en su nota",
        "migratedNotes": "Notas migradas",
        "notes": "Notas",
        "batches": "Lotes",
        "inputs.program": "Versión del programa",
        "inputs.notes": "Huella de las notas",
        "inputs.modelValues": "Huella de los valores del modelo",
    }
)
ORIGINS = Texts({"own": "Consultas propias", "proposed": "Consultas propuestas"})
INPUTS = Texts(
    {
        "notes": "las notas",
        "modelValues": "los umbrales y pesos propios de los modelos",
        "program": "la versión del programa",
        "configuration": "la configuración",
        "models": "los modelos",
        "pipeline": "la manera de hacer el índice",
        "goldenSet": "el conjunto de preguntas",
    }
)
"""Inputs of the rankings, by the names of ``comparability.changed_inputs``."""
ROLES = Texts({"served": "lo que se servía", "candidate": "la que se probaba"})
MODEL_ROLES = Texts(
    {
        "embedding": "significado",
        "similarityThreshold": "umbral de semejanza",
        "reranking": "reordenar",
        "chat": "redacción",
    }
)
ANSWERERS = Texts({"extractive": "frases de las propias notas"})
SETTINGS = Texts(
    {
        "strategy": "búsqueda",
        "hybridSearch.method": "manera de fundir",
        "hybridSearch.rrfK": "k de la fusión por puestos",
        "hybridSearch.semanticWeight": "peso del significado",
        "hybridSearch.fulltextWeight": "peso de las palabras",
        "hybridSearch.recencyWeight": "peso de lo reciente",
        "hybridSearch.threshold": "umbral de semejanza",
        "topK.retrieval": "candidatas buscadas",
        "topK.reranking": "candidatas reordenadas",
        "topK.final": "resultados",
        "reranking.enabled": "reordenar",
        "graphRAG.enabled": "causa y efecto",
        "graphRAG.weight": "peso de causa y efecto",
    }
)

STAGES = Texts(
    {
        "queryTransformation": "preparar la consulta",
        "retrieval": "buscar",
        "semantic": "por significado",
        "fulltext": "por palabras",
        "graph": "por causa y efecto",
        "fusion": "fundir",
        "reranking": "reordenar",
        "contextExpansion": "leer los pasajes",
        "embedding": "calcular el vector",
        "answer": "responder",
    }
)
STATES = Texts(
    {
        "queued": "en espera",
        "running": "en marcha",
        "completed": "terminado",
        "failed": "fallido",
        "cancelled": "cancelado",
        "stopped": "parado",
    }
)
WORK_STAGES = Texts(
    {
        "evaluating": "haciendo las consultas",
        "recording": "haciendo las consultas",
        "searching": "buscando configuraciones",
    }
)
SPOKEN: Mapping[object, str] = Texts({True: "sí", False: "no", None: "lo del modelo"})
JOB_KINDS = Texts(
    {
        "evaluation": "evaluación",
        "tuning": "ajuste",
        "embedding_benchmark": "comparación de modelos",
    }
)


def figure(value: float | None, *, decimals: int = 3) -> str:
    """``0,856``; a dash for what is undefined."""
    return UNDEFINED if value is None else decimal(value, decimals=decimals).replace("-", MINUS)


def tick(value: float) -> str:
    """A round value beside an axis, with no more digits than it needs."""
    return marked_decimal(f"{round(value, 9):g}").replace("-", MINUS)


def difference(value: float | None, *, decimals: int = 3) -> str:
    """``+0,012`` or with a minus sign, and ``0,000`` without any."""
    if value is None:
        return UNDEFINED
    written = decimal(value, decimals=decimals)
    if not written.strip("-0,."):
        return written.removeprefix("-")
    return written.replace("-", MINUS) if value < 0 else f"+{written}"


def signed_tick(value: float) -> str:
    """A round difference beside an axis."""
    return f"+{tick(value)}" if value > 0 else tick(value)


def milliseconds(value: float | None) -> str:
    """``12 ms``, with a decimal below ten."""
    return UNDEFINED if value is None else f"{decimal(value, decimals=1 if 0 < value < 10 else 0)} ms"


def percent(share: float | None) -> str:
    """``85 %``."""
    return UNDEFINED if share is None else tr("{share} %", share=decimal(100 * share))


def p_value(p: float | None) -> str:
    """A p with as many digits as ten thousand samples tell."""
    if p is None:
        return UNDEFINED
    return f"< {decimal(0.0002, decimals=4)}" if p < 0.0002 else figure(p, decimals=4 if p < 0.01 else 2)


def p_phrase(p: float) -> str:
    """``p = 0,03`` or ``p < 0,0002``."""
    written = p_value(p)
    return f"p {written}" if written.startswith("<") else f"p = {written}"


def moment(when: datetime, zone: ZoneInfo) -> str:
    """``22/11/2026, 01:35``, as it was there and then."""
    return when.astimezone(zone).strftime(tr("%d/%m/%Y, %H:%M"))


def exact_moment(when: datetime, zone: ZoneInfo) -> str:
    """``22/11/2026, 01:35:07``: runs are made several a minute."""
    return when.astimezone(zone).strftime(tr("%d/%m/%Y, %H:%M:%S"))


def setting(name: str, value: object) -> str:
    """A value of a configuration: ``k de la fusión por puestos (hybridSearch.rrfK): 20``; one without a name of ours as it is."""
    said = SPOKEN.get(value) if isinstance(value, bool | None) else value_words(value)
    return f"{SETTINGS[name]} ({name}): {said}" if name in SETTINGS else f"{name}: {said}"


def value_words(value: object) -> str:
    """A value with the decimal mark of the language."""
    return marked_decimal(str(value))


def metric(name: str) -> str:
    """The title of a metric."""
    return title_of(name, spoken())


def work_stage(stage: str | None) -> str:
    """Name of a job's stage; '' for an unnamed stage. A benchmark's stage names model, set and strategy."""
    if (told := re.fullmatch(r"(.+): (.+), ([a-z+]+)", stage or "")) and told[3] in STRATEGIES:
        return tr("{model}: «{name}», {strategy}", model=told[1], name=told[2], strategy=STRATEGIES[told[3]])
    if stage and stage.endswith(": time and memory"):
        return tr("{model}: tiempo y memoria", model=stage.removesuffix(": time and memory"))
    return WORK_STAGES.get(stage or "", "")


def axis_moment(stamp: float, zone: ZoneInfo, *, span_seconds: float) -> str:
    """A moment beside an axis: the day, or the time of day where the axis is no longer than one."""
    when = datetime.fromtimestamp(stamp, UTC).astimezone(zone)
    return (
        f"{when:%H:%M:%S}"
        if span_seconds < 300
        else f"{when:%H:%M}"
        if span_seconds < 86_400
        else when.strftime(tr("%d/%m/%y"))
    )


def category(name: str | None) -> str:
    """The category or joint group; one that is not known stays as it is."""
    return UNDEFINED if name is None else CATEGORIES.get(name, name)


def group(name: str) -> str:
    """A category, a joint group, or a difficulty in words or from 1 to 5."""
    if name in DIFFICULTIES:
        return tr("dificultad {level}", level=DIFFICULTIES[name])
    return CATEGORIES.get(name, name)


def strategy(name: str | None) -> str:
    """The strategy in words."""
    return UNDEFINED if name is None else STRATEGIES.get(name, name)


def rank(place: int | None) -> str:
    """``n.º 3``; a dash where nothing relevant was found."""
    return UNDEFINED if place is None else tr("n.º {rank}", rank=place)


def between(low: str, high: str) -> str:
    """An interval from its ends."""
    return tr("{low} a {high}", low=low, high=high)
