"""How near each sentence of the sources is to a question, by its words alone. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p

from rag_core.answering import Source
from rag_core.answering.words import content_of
from rag_core.chunking import sentence_spans
from rag_core.language.answering import FUNCTION_WORDS
from rag_core.model import Language
from rag_core.reranking.answer_types import answer_test, expected_answer

NEIGHBOUR_WEIGHT = 0.5
KIND_BONUS = 0.15
RANK_BONUS = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    source: Source
    place: int
    content: frozenset[str]
    beside: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentence:
    """A sentence of a source, the ``place``-th in it from 0, with its words that tell something.

    ``coverage`` in [0, 1] is how much of the question it covers, ``score`` adds what else speaks for it; at most 1.3.
    """

    text: str
    source: Source
    place: int
    content: frozenset[str]
    coverage: float
    score: float


def score_sentences(
    query: str, sources: Sequence[Source], *, language: Language, text_of: Callable[[Source], str]
) -> list[ScoredSentence]:
    """Every sentence of ``text_of`` each source, in their order, but for questions and those without content.

    coverage = Σ w(t) over the question's terms in the sentence / Σ w(t) over all its terms, terms that stand in the title or in
    a neighbouring sentence for half. score = coverage, plus 0.15 where it holds the kind of thing asked for (number, date,
    name), plus 0.15 / the rank of its source. w(t) = ln(1 + sentences / (1 + sentences with t)): what few sentences have
    tells most.
    """
    sentences = [sentence for source in sources for sentence in _sentences(source, text_of(source))]
    terms = _query_terms(query, language, sentences)
    having = Counter(term for sentence in sentences for term in sentence.content & terms)
    weights = {term: log1p(len(sentences) / (1 + having[term])) for term in terms}
    return [_scored(query, sentence, weights, language) for sentence in sentences]


def _scored(query: str, sentence: _Sentence, weights: Mapping[str, float], language: Language) -> ScoredSentence:
    coverage = _coverage(sentence, weights)
    return ScoredSentence(
        text=sentence.text,
        source=sentence.source,
        place=sentence.place,
        content=sentence.content,
        coverage=coverage,
        score=coverage + _bonus(query, sentence, language),
    )


def _sentences(source: Source, text: str) -> Iterator[_Sentence]:
    title = content_of(source.title or "", source.language)
    texts = [text[start:end].strip() for start, end in sentence_spans(text, source.language)]
    contents = [content_of(sentence, source.language) for sentence in texts]
    empty = frozenset[str]()
    neighbours = zip([empty, *contents], [*contents[1:], empty], strict=False)
    for place, (sentence, content, (before, after)) in enumerate(zip(texts, contents, neighbours, strict=False)):
        if content and not sentence.endswith("?"):
            beside = before | after | title
            yield _Sentence(text=sentence, source=source, place=place, content=content, beside=beside)


def _query_terms(query: str, language: Language, sentences: Sequence[_Sentence]) -> frozenset[str]:
    """The question's terms under each language of the sources, without the function words of its own."""
    words = " ".join(
        word for word in re.findall(r"\S+", query) if word.strip("¿?¡!.,").lower() not in FUNCTION_WORDS[language]
    )
    languages = {sentence.source.language for sentence in sentences} or {language}
    return frozenset(term for found in languages for term in content_of(words, found))


def _coverage(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    whole = sum(weights.values())
    own = sum(weight for term, weight in weights.items() if term in sentence.content)
    if not own:
        return 0.0
    beside = sum(weight for term, weight in weights.items() if term in sentence.beside - sentence.content)
    return (own + NEIGHBOUR_WEIGHT * beside) / whole


def _bonus(query: str, sentence: _Sentence, language: Language) -> float:
    expected = expected_answer(query, language)
    rank = RANK_BONUS / sentence.source.number
    if expected is None:
        return rank
    is_kind = answer_test(expected.kind, sentence.source.language)
    tokens = re.findall(r"\w+", sentence.text)
    asked = set(re.findall(r"\w+", query.lower()))
    return rank + KIND_BONUS * any(is_kind(token) and token.lower() not in asked for token in tokens[1:])
