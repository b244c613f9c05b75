"""Features of the evidence for an answer, read off the passage that most likely holds it, and one score of them. Pure."""

from collections.abc import Mapping
from types import MappingProxyType

from rag_core.answering.quoting.selection import Quotation
from rag_core.answering.quoting.sentence_scores import FIELD, SPREAD
from rag_core.model.note import Language
from rag_core.reranking.passage import sigmoid

FEATURES = (
    "words",  # share of the question's words in the passage's source and its title
    "similarity",  # cosine of question and nearest sentence of the passage, times 20; 0 where it is not known
    "ahead",  # by how much the passage scores higher than the next best, at most 4
    "translated",  # 1 where the source is in another language than the question
    "field",  # 1 where it is "label: value" and nothing else is asked for
)
WEIGHTS_OF_WORDS: Mapping[str, float] = MappingProxyType(
    {"words": 4.3, "similarity": 0.0, "ahead": 0.65, "translated": 0.0, "field": FIELD, "intercept": -2.38}
)
WEIGHTS_OF_MEANING: Mapping[str, float] = MappingProxyType(
    {"words": 0.0, "similarity": 2.81, "ahead": 0.55, "translated": 2.25, "field": FIELD, "intercept": -48.67}
)
"""Fitted on 1,071 questions of XQuAD and squad-es-mt, whether what is quoted holds the answer, and 412 of squad-es-mt whose article is
missing. Words beside similarities part these better by 0.006 of the area, and refuse questions in other words than the notes'.
``tests/benchmarks/fit_quoting.py`` fits them anew."""


def evidence_features(quotation: Quotation, *, language: Language) -> dict[str, float]:
    """The features of ``evidence_score``, by the names of ``FEATURES``; ``language`` is the question's. Nothing quoted gives 0."""
    if not quotation.passages:
        return dict.fromkeys(FEATURES, 0.0)
    first = quotation.passages[0]
    known = [sentence.similarity for sentence in first if sentence.similarity is not None]
    return {
        "words": first[0].source_share,
        "similarity": SPREAD * max(known, default=0.0),
        "ahead": quotation.ahead,
        "translated": float(first[0].source.language != language),
        "field": float(first[0].is_field),
    }


def evidence_score(features: Mapping[str, float]) -> float:
    """sigmoid(Σ weight · feature + intercept): probability that the passage holds the answer, in (0, 1)."""
    weights = WEIGHTS_OF_MEANING if features["similarity"] else WEIGHTS_OF_WORDS
    return sigmoid(sum(weights[name] * features[name] for name in FEATURES) + weights["intercept"])
