"""Regressions planted in a corpus, which alone the gate shall see.

``python -m tests.benchmarks.planted_regressions`` measures baselines on long notes with golden spans: the retrieval sets under
``BRAIN_TEST_DATA`` joined to articles, or the demo's notes joined to months. Each regression is planted in a copy of the database
and the gate asked again; then it is asked ``--again`` times of what did not change. The table goes to stderr; the last line of
stdout is one JSON object. A plant is seen when a check fails that did not fail before.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rag_core.evaluation.comparison.gate import GateReport, GateTargets
from rag_core.evaluation.comparison.gate_runs import run_gate
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.baselines import ensure_baseline
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings
from tests.long_notes import LongCorpus, articles, months_of_the_demo
from tests.plants import PLANTS, index

from .progress import step
from .scratch import forget_environment, scratch_home

TENANT = TenantId("default")
SETS = ("xquad-es", "squad-es-mt")
EVERY = 9
"""One question of so many: 350 of them take one minute under all four strategies on a machine with nothing else to do."""
TARGETS = GateTargets(hit_rate_at_10=0.85, latency_p95_ms=2000)
Runs = dict[Strategy, EvaluationRun]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", type=int, default=10, help="how often what did not change is measured")
    parser.add_argument(
        "--every", type=int, default=EVERY, help="one question of so many is asked of the retrieval sets"
    )
    asked = parser.parse_args()
    forget_environment()
    name, corpus = _corpus(asked.every)
    with scratch_home(is_durable=False) as settings:
        server = _server_of(settings)
        with (
            step(f"{name}: {len(corpus.notes)} long notes, {len(corpus.golden)} queries"),
            open_engine(settings) as engine,
        ):
            _load(engine, corpus)
            report, runs = run_gate(engine, TENANT, targets=TARGETS)
            for strategy, run in runs.items():
                ensure_baseline(engine.database, TENANT, run, strategy=strategy)
        failing_before = _failing(report)
        found = {plant: _planted(server, settings, plant, failing_before) for plant in PLANTS}
        with open_engine(settings) as engine:
            reruns = [
                _failing(_measured(engine, f"again {number}")[0]) - failing_before
                for number in range(1, asked.again + 1)
            ]
    _print_table(found, failing_before)
    print(
        json.dumps(
            {
                "corpus": name,
                "notes": len(corpus.notes),
                "queries": len(corpus.golden),
                "failing_before": sorted(failing_before),
                "baseline": {strategy: _figures(run) for strategy, run in runs.items()},
                "plants": found,
                "false_alarms": sum(bool(failing) for failing in reruns),
                "reruns": asked.again,
            },
            ensure_ascii=False,
        )
    )


def _corpus(every: int) -> tuple[str, LongCorpus]:
    folder = os.environ.get("BRAIN_TEST_DATA", "")
    if not folder:
        return "months of the demo", months_of_the_demo()
    return "+".join(SETS), articles(Path(folder), SETS, every=every)


def _load(engine: Engine, corpus: LongCorpus) -> None:
    import_lines(
        engine.database,
        TENANT,
        corpus.notes,
        source="notes",
        language="es",
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=engine.settings.max_note_characters,
    )
    import_golden(engine.database, TENANT, corpus.golden)
    index(engine, TENANT)


def _planted(server: str, settings: Settings, name: str, failing_before: set[str]) -> dict[str, Any]:
    with _copy(server) as url:
        copied = settings.model_copy(update={"database_url": url})
        with open_engine(copied) as engine:
            PLANTS[name](engine, TENANT)
        with open_engine(copied) as engine:
            report, runs = _measured(engine, name)
    return {
        "seen_by": sorted(_failing(report) - failing_before),
        "messages": {check.name: check.message for check in report.checks if check.passed is False},
        "figures": {strategy: _figures(run) for strategy, run in runs.items()},
    }


def _measured(engine: Engine, name: str) -> tuple[GateReport, Runs]:
    with step(name):
        return run_gate(engine, TENANT, targets=TARGETS)


def _failing(report: GateReport) -> set[str]:
    return {check.name for check in report.checks if check.passed is False}


def _figures(run: EvaluationRun) -> dict[str, Any]:
    compared = run.comparison
    return {
        "ndcg_at_10": round(run.metrics.ndcg_at_10, 4),
        "u_measure": run.extra["u_measure"],
        "confidence": run.extra["confidence_rate"],
        "regressed": [] if compared is None else list(compared.regressed),
    }


def _print_table(found: dict[str, dict[str, Any]], failing_before: set[str]) -> None:
    say = sys.stderr.write
    say(f"\nfailing before: {', '.join(sorted(failing_before)) or 'nothing'}\n")
    for name, one in found.items():
        say(f"{name:34} {'seen by ' + ', '.join(one['seen_by']) if one['seen_by'] else 'NOT SEEN'}\n")


def _server_of(settings: Settings) -> str:
    """The connection string of the home's database."""
    with open_engine(settings) as engine, engine.database.owner() as connection:
        return connection.info.dsn


@contextmanager
def _copy(server: str) -> Iterator[str]:
    """A copy of the home's database, which nobody may be connected to."""
    source = psycopg.conninfo.conninfo_to_dict(server)["dbname"]
    with psycopg.connect(make_conninfo(server, dbname="postgres"), autocommit=True) as connection:
        names = sql.Identifier("planted"), sql.Identifier(str(source))
        connection.execute(sql.SQL("drop database if exists {}").format(names[0]))
        connection.execute(sql.SQL("create database {} template {}").format(*names))
        try:
            yield make_conninfo(server, dbname="planted")
        finally:
            connection.execute(sql.SQL("drop database {} with (force)").format(names[0]))


if __name__ == "__main__":
    main()
