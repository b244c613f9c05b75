"""Messages that the core composes of parts, in Spanish: the gate's, an experiment's, a validator's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from builders import make_embedding_model, make_query_result, make_run
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from rag_core.cli.messages import localised
from rag_core.configuration.schema import configure
from rag_core.embedding.providers import e5, use
from rag_core.errors import ConfigurationError, PromotionRefusedError
from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.gate import GateTargets, judge_gate
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.experiments.report import conclusion_on
from rag_core.experiments.statistics import (
    ArmFigures,
    InterleavingFigures,
    Latency,
    RateTest,
    ShadowFigures,
    SplitFigures,
)
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId
from rag_core.model.retrieval import Strategy
from rag_core.promotion.trial import objection_to
from rag_core.settings import read_settings

ENGLISH = re.compile(r"\b(the|of|is|are|was|were|which|with|by|on|and|to|not|query|queries|should|search)\b")
NOTES = tuple(NoteId(UUID(int=number)) for number in range(1, 41))
RELEVANT, OTHERS = NOTES[0], NOTES[1:]
TARGETS = GateTargets(hit_rate_at_10=0.85, latency_p95_ms=2000)
NO_LATENCY = Latency(queries=0, p50_ms=None, p95_ms=None)


@pytest.fixture(autouse=True)
def _spanish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")


def queries(ranks: Sequence[int], *, others: Sequence[NoteId] = OTHERS, **more: Any) -> list[QueryResult]:
    """A query a rank, its relevant note found there among the others."""
    return [
        make_query_result(
            number,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=(*others[: rank - 1], RELEVANT, *others[rank - 1 : 19]),
            **{"latency_ms": 5.0, **more},
        )
        for number, rank in enumerate(ranks)
    ]


def run(found: list[QueryResult], baseline: list[QueryResult] | None, changed: tuple[str, ...] | None) -> EvaluationRun:
    compared = None if baseline is None else compare(UUID(int=6), baseline, found, changed_inputs=changed)
    return make_run(found, comparison=compared)


def runs(
    found: Mapping[Strategy, list[QueryResult]],
    baseline: list[QueryResult] | None,
    changed: tuple[str, ...] | None = (),
) -> dict[Strategy, EvaluationRun]:
    return {name: run(results, baseline, changed) for name, results in found.items()}


BEST, SECOND, THIRD = queries([1] * 20), queries([2] * 20), queries([3] * 20, others=OTHERS[5:])
ALL: dict[Strategy, list[QueryResult]] = {
    "fulltext": SECOND,
    "semantic": THIRD,
    "hybrid": queries([1] * 20, others=OTHERS[2:]),
    "hybrid+rerank": BEST,
}
FEW = {name: results[:5] for name, results in ALL.items()}
SITUATIONS: dict[str, dict[Strategy, EvaluationRun]] = {
    "better": runs(ALL, THIRD),
    "worse": runs(dict.fromkeys(ALL, queries([9] * 20)), BEST),
    "no baseline": runs(ALL, None),
    "changed": runs(ALL, SECOND, ("notes", "program")),
    "unknown inputs": runs(ALL, SECOND, None),
    "few queries": runs(FEW, SECOND[:5]),
    "outdated baseline": runs(ALL, SECOND[:5]),
    "disturbed": runs(dict.fromkeys(ALL, queries([1] * 20, is_degraded=True)), BEST),
    "slow": runs({name: [replace(one, latency_ms=9000.0) for one in found] for name, found in ALL.items()}, BEST),
    "one leg": runs({**ALL, "hybrid": SECOND}, BEST),
    "no legs": runs({"hybrid": BEST}, BEST),
    "no hybrid": runs({"fulltext": BEST}, BEST),
    "nothing": {},
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_gates_reasons_are_in_spanish(situation: str) -> None:
    report = judge_gate(SITUATIONS[situation], TARGETS)

    told = {check.name: localised(check.message) for check in report.checks}

    assert {name: text for name, text in told.items() if ENGLISH.search(text)} == {}


def test_a_verdict_of_several_sentences_is_translated_part_by_part() -> None:
    (check,) = (one for one in judge_gate(SITUATIONS["outdated baseline"], TARGETS).checks if "drop" in one.name)

    assert "fulltext: referencia anticuada; sin veredicto: 5 consultas en común con la referencia" in localised(
        check.message
    )
    assert ". Juzgado con 5 de 20 consultas; para comparar con estas evaluaciones" in localised(check.message)


def test_a_refused_promotion_is_told_in_spanish() -> None:
    served, candidate = run(BEST, None, None), run(queries([9] * 20), BEST, ())
    error = PromotionRefusedError(
        f"configuration 3 was not promoted: {objection_to(served, candidate, latency_ms=2000)}. Nothing changed; --force "
        "promotes it all the same",
        evidence={},
    )

    told = localised(str(error))

    assert told.startswith("la configuración 3 no se promovió: es peor que lo servido: nDCG@10 ")
    assert not ENGLISH.search(told)


def conclusions() -> Iterator[InterleavingFigures | SplitFigures | ShadowFigures]:
    sides = {"queries": 40, "ties": 0, "undecided": 5, "failed_candidates": 0, "interval": (0.4, 0.8)}
    for wins, p_value, more in ((20, 0.2, 50), (30, 0.001, 0), (5, 0.001, 0), (3, 0.7, None), (0, None, None)):
        preference = None if p_value is None else wins / 35
        yield InterleavingFigures(
            **sides, wins=wins, losses=35 - wins, preference=preference, p_value=p_value, more_queries=more
        )
    arm = ArmFigures(queries=20, opened=3, judged=4, helpful=2, degraded=0, failed=0, latency=NO_LATENCY)
    rates = [
        RateTest(difference=None, p_value=None, more_queries=None),
        RateTest(difference=0.05, p_value=0.6, more_queries=900),
        RateTest(difference=-0.3, p_value=0.01, more_queries=0),
    ]
    for helpful, opened in zip(rates, reversed(rates), strict=True):
        yield SplitFigures(control=arm, candidate=arm, helpful=helpful, opened=opened)
    for overlap in (None, 0.83):
        yield ShadowFigures(
            queries=9,
            compared=8,
            dropped=0,
            failed_candidates=0,
            degraded=0,
            rank_biased_overlap=overlap,
            overlap_at_10=overlap,
            same_top=overlap,
            control_latency=NO_LATENCY,
            candidate_latency=NO_LATENCY,
            more_queries=None,
        )


@pytest.mark.parametrize("figures", conclusions(), ids=lambda figures: type(figures).__name__)
def test_the_conclusion_of_an_experiment_is_in_spanish(figures: Any) -> None:
    assert not ENGLISH.search(localised(conclusion_on(figures)).replace("rank-biased overlap", ""))


@pytest.mark.parametrize("provider", [e5, use])
def test_a_missing_package_of_weights_and_its_remedy_are_told_in_spanish(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {"installed_weights", "find_spec"} & set(vars(provider)):
        monkeypatch.setattr(provider, name, lambda *_: None)
    model = make_embedding_model(name="local")

    told = localised(provider._fault(model))

    assert told.startswith("local no se puede usar: el paquete ")
    assert not re.search(r"\b(cannot|the|with|Install|alone|or)\b", told)


def test_an_answer_stopped_by_a_filter_is_told_in_whole_sentences() -> None:
    said = localised(
        "http://a/v1, model m, was stopped by the server's content filter. Ask differently, or another model."
    )

    assert said.startswith("http://a/v1, model m, fue detenido por el filtro de contenido del servidor. Pregunta")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = ""


class Whole(BaseModel):
    name: str


INVALID: dict[str, tuple[Any, Any]] = {
    "missing": (Whole, {}),
    "extra_forbidden": (Closed, {"other": 1}),
    "int_type": (int, []),
    "int_parsing": (int, "x"),
    "int_from_float": (int, 1.5),
    "float_type": (float, []),
    "float_parsing": (float, "x"),
    "finite_number": (Annotated[float, Field(allow_inf_nan=False)], float("inf")),
    "bool_type": (bool, []),
    "bool_parsing": (bool, "perhaps"),
    "string_type": (str, 1),
    "string_too_short": (Annotated[str, Field(min_length=3)], "x"),
    "string_too_long": (Annotated[str, Field(max_length=3)], "words"),
    "greater_than": (Annotated[int, Field(gt=3)], 3),
    "greater_than_equal": (Annotated[int, Field(ge=3)], 2),
    "less_than": (Annotated[int, Field(lt=3)], 3),
    "less_than_equal": (Annotated[int, Field(le=3)], 4),
    "literal_error": (Literal["open", "keys"], "x"),
    "list_type": (list, 1),
    "dict_type": (dict, 1),
}


@pytest.mark.parametrize("kind", INVALID)
def test_a_validators_message_is_in_spanish(kind: str) -> None:
    wanted, given = INVALID[kind]
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(wanted).validate_python(given)
    (problem,) = caught.value.errors()
    assert problem["type"] == kind

    told = localised(problem["msg"])

    assert told != problem["msg"]
    assert not re.search(r"\b(should|valid|be|input|or|unable|at)\b", told, re.IGNORECASE)


def test_a_validators_message_of_another_kind_stays_english() -> None:
    assert localised("Input should be a valid UUID, invalid length") == "Input should be a valid UUID, invalid length"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("BRAIN_API_PORT", "abc", "BRAIN_API_PORT='abc': se esperaba un número entero"),
        ("BRAIN_API_PORT", "99999", "BRAIN_API_PORT='99999': se esperaba 65535 como máximo"),
        ("BRAIN_ACCESS", "maybe", "BRAIN_ACCESS='maybe': se esperaba 'open' o 'keys'"),
        (
            "BRAIN_TIMEZONE",
            "Mars/X",
            "BRAIN_TIMEZONE='Mars/X': no hay ninguna zona horaria 'Mars/X'; usa un nombre de IANA como Europe/Madrid",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_told_in_spanish(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(ConfigurationError) as caught:
        read_settings()

    assert localised(str(caught.value)) == told


def test_a_configuration_that_cannot_be_is_told_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_LANGUAGE", "en")

    with pytest.raises(ConfigurationError) as caught:
        configure({"hybridSearch": {"rrfK": "x", "method": "y"}, "topK": {"final": 0}})

    assert localised(str(caught.value)).split("; ") == [
        "hybridSearch.method: value not allowed",
        "expected 'rrf', 'relative_score', 'convex' or 'weighted'",
        "hybridSearch.rrfK: must be an integer",
        "topK.final: must be at least 1",
    ]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "sheet 2: the sheet is hidden in the file, and its text was taken",
            "hoja 2: la hoja está oculta en el archivo; su texto se ha tomado",
        ),
        (
            "page 3: the page is broken and cannot be read; export the file again",
            "página 3: la página está dañada y no se puede leer; vuelve a exportar el archivo",
        ),
        (
            "sheet 1: 3 formulas have no stored result; save the file in a spreadsheet program",
            "hoja 1: 3 fórmulas no tienen un resultado guardado; guarda el archivo en un programa de hojas de cálculo",
        ),
    ],
)
def test_a_warning_of_a_file_is_in_spanish_with_its_place(message: str, told: str) -> None:
    assert localised(message) == told
