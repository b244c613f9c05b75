"""Weights of ``convex`` fusion for a model of meaning, each family of collections left out in turn.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.fit_fusion [--provider e5]`` indexes the sets in scratch homes, takes down what both
legs find for every question, and fuses it by every share of full text. A family is what was written alike: Wikipedia in two languages
and across them, multi-hop questions, science abstracts; each counts the same, and so does each of its sets. The share chosen without a
family is the one with the best mean nDCG@10 over the others. The last line of stdout is one JSON object.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rag_core.configuration.schema import configure
from rag_core.evaluation.tuning.record import Recording
from rag_core.evaluation.tuning.replay import Replay
from rag_core.model.note import Language
from rag_core.reranking.weights import shipped_weights

from .corpus import _rows, _stored
from .fit_reranking import import_corpus, recorded
from .indexing import index_all
from .progress import step
from .scratch import forget_environment, scratch_engine

SHARES = (0.06, 0.1, 0.14, 0.17, 0.2, 0.23, 0.26, 0.29, 0.33, 0.38, 0.43)
"""Weights of full text to try; that of vectors is the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Corpora that are searched together, and files of questions by the name of their set, one question in ``sampled``."""

    family: str
    language: Language
    corpora: tuple[str, ...]
    questions: Mapping[str, str]
    sampled: int = 1


POOLS = (
    Pool(
        family="wikipedia",
        language="en",
        corpora=("xquad-en",),
        questions={"xquad-en": "xquad-en/queries.jsonl", "es-en": "xquad-cross/queries-es-to-en.jsonl"},
    ),
    Pool(
        family="wikipedia",
        language="es",
        corpora=("xquad-es",),
        questions={"en-es": "xquad-cross/queries-en-to-es.jsonl"},
    ),
    Pool(
        family="wikipedia",
        language="es",
        corpora=("xquad-es", "squad-es-mt", "clinical-es"),
        questions={"xquad-es": "xquad-es/queries.jsonl", "squad-es-mt": "squad-es-mt/queries.jsonl"},
        sampled=3,
    ),
    Pool(
        family="multihop",
        language="en",
        corpora=("multihop-en",),
        questions={"multihop-en": "multihop-en/queries.jsonl"},
    ),
    Pool(
        family="cranfield",
        language="en",
        corpora=("cranfield-en",),
        questions={"cranfield-en": "cranfield-en/queries.jsonl"},
    ),
)
FAMILIES = {name: pool.family for pool in POOLS for name in pool.questions}


def main() -> None:
    """Record, fuse by every share, and choose with each family left out."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fit_fusion", description=__doc__)
    parser.add_argument("--provider", default="e5", help="what the homes embed with; default: e5")
    provider = parser.parse_args().provider
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    forget_environment()
    os.environ["BRAIN_EMBEDDING_PROVIDER"] = provider
    found: dict[float, dict[str, float]] = {share: {} for share in SHARES}
    for pool in POOLS:
        for name, recording in _recordings(pool, folder):
            replay = Replay(recording=recording)
            for share in SHARES:
                found[share][name] = _ndcg(replay, share)
    chosen = {family: best_share(found, without=family) for family in dict.fromkeys(FAMILIES.values())}
    print(
        json.dumps({"provider": provider, "ndcg_at_10": found, "chosen_without": chosen, "of_all": best_share(found)})
    )


def best_share(found: Mapping[float, Mapping[str, float]], *, without: str | None = None) -> float:
    """The share with the best mean over families of the mean over their sets; the smaller one of two."""
    families = [family for family in dict.fromkeys(FAMILIES.values()) if family != without]
    worth = {
        share: mean(mean(figures[name] for name in figures if FAMILIES[name] == family) for family in families)
        for share, figures in found.items()
    }
    return max(worth, key=lambda share: (worth[share], -share))


def _ndcg(replay: Replay, share: float) -> float:
    weights = {"method": "convex", "semanticWeight": 1 - share, "fulltextWeight": share}
    config = configure({"hybridSearch": weights}, strategy="hybrid")
    return round(float(replay.figures(config, weights=shipped_weights()).ndcg_at_10.mean()), 4)


def _recordings(pool: Pool, folder: Path) -> Iterator[tuple[str, Recording]]:
    with scratch_engine(is_durable=False) as engine:
        with step(f"indexing {', '.join(pool.corpora)}"):
            for name in pool.corpora:
                import_corpus(engine, list(_rows(_stored(folder / name / "corpus.jsonl"))), name, pool.language)
            index_all(engine, is_for_search=True)
        for name, file in pool.questions.items():
            questions = [row for row in _rows(_stored(folder / file)) if row["relevant_ids"]]
            with step(f"recording {name}"):
                yield name, recorded(engine, name, questions[:: pool.sampled])


if __name__ == "__main__":
    main()
