"""Answering without a model: the sentences of the sources that share most with the question, each cited. Pure."""

import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import log1p

from rag_core.answering import GeneratedAnswer, PromptContext, Source
from rag_core.answering.citations import parse_citations, without_citations
from rag_core.answering.context import MAX_CONTEXT_TOKENS, build_context
from rag_core.answering.words import content_of
from rag_core.cancellation import Cancellation
from rag_core.chat import Message
from rag_core.chunking import sentence_spans
from rag_core.language.answering import FUNCTION_WORDS, NO_ANSWER, NOTE_DATED
from rag_core.model import Hit, Language
from rag_core.reranking.answer_types import answer_test, expected_answer

VERSION = "1"
MAX_SENTENCES = 3
LEAST_COVERAGE = 0.25
"""A sentence that covers less of the question is no answer to it.

Share of questions refused with the relevant notes among the sources, and without them: 12 and 47 % on the demo, whose questions
use other words than its notes, 2 and 46 % on XQuAD-es. At 0.3 it is 35 and 58 %, 3 and 61 %; at 0.2 3 and 22 %, 1 and 28 %.
"""
LEAST_OF_BEST = 0.7
"""A further sentence must score so much of the best one."""
MOST_ALIKE = 0.7
"""Two sentences that share more of their content say the same: the better one is kept."""
NEIGHBOUR_WEIGHT = 0.5
KIND_BONUS = 0.15
RANK_BONUS = 0.15
_MARKUP = re.compile(r"^(?:\s*(?:[-*+•>#]+|\d+[.)]|\[[ xX]\])\s+)+|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?=\W|$)|\|")
_END = re.compile(r"([.!?…]*)([\"'»”\u2019)\]]*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    source: Source
    content: frozenset[str]
    beside: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExtractiveAnswerer:
    """Quotes sentences; it writes none itself and needs no time worth bounding."""

    name: str = f"extractive@{VERSION}"

    def answer(
        self,
        query: str,
        hits: Sequence[Hit],
        *,
        language: Language,
        timeout_seconds: float,
    ) -> GeneratedAnswer:
        """The best sentences as they stand in the sources, in the sources' languages; else the refusal of ``language``."""
        context = build_context(hits)
        text = "".join(self.stream(query, context, language=language, timeout_seconds=timeout_seconds))
        return GeneratedAnswer(
            text=text,
            language=language,
            context=context,
            citations=parse_citations(text),
            is_refusal=text == NO_ANSWER[language],
        )

    def fetch_context_tokens(self, query: str, *, language: Language, history: Sequence[Message] = ()) -> int:  # noqa: ARG002
        """The same for every question: nothing but the time of a reader bounds what is read."""
        return MAX_CONTEXT_TOKENS

    def stream(
        self,
        query: str,
        context: PromptContext,
        *,
        language: Language,
        timeout_seconds: float,  # noqa: ARG002  a millisecond
        history: Sequence[Message] = (),  # noqa: ARG002  it quotes notes, not conversations
        cancellation: Cancellation | None = None,  # noqa: ARG002
    ) -> Generator[str]:
        """Sentence by sentence, best first."""
        quoted = best_sentences(query, context, language=language)
        for place, sentence in enumerate(quoted):
            yield " " * (place > 0) + _cited(query, sentence, language)
        if not quoted:
            yield NO_ANSWER[language]


def best_sentences(query: str, context: PromptContext, *, language: Language) -> list[_Sentence]:
    """At most three sentences, best first; [] when none covers a quarter of the question.

    score = Σ w(t) over the question's terms in the sentence / Σ w(t) over all its terms, terms that stand in the title or in
    a neighbouring sentence for half; plus 0.15 where it holds the kind of thing asked for (number, date, name), plus
    0.15 / the rank of its source. w(t) = ln(1 + sentences / (1 + sentences with t)): what few sentences have tells most.
    """
    sentences = [sentence for source in context.sources for sentence in _sentences(source)]
    terms = _query_terms(query, language, sentences)
    having = Counter(term for sentence in sentences for term in sentence.content & terms)
    weights = {term: log1p(len(sentences) / (1 + having[term])) for term in terms}
    covered = [(_coverage(sentence, weights), sentence) for sentence in sentences]
    scored = [
        (share + _bonus(query, sentence, language), sentence) for share, sentence in covered if share >= LEAST_COVERAGE
    ]
    return _distinct(sorted(scored, key=lambda item: -item[0]))


def _sentences(source: Source) -> Iterator[_Sentence]:
    title = content_of(source.title or "", source.language)
    texts = [source.text[start:end].strip() for start, end in sentence_spans(source.text, source.language)]
    contents = [content_of(text, source.language) for text in texts]
    empty = frozenset[str]()
    neighbours = zip([empty, *contents], [*contents[1:], empty], strict=False)
    for text, content, (before, after) in zip(texts, contents, neighbours, strict=False):
        if content and not text.endswith("?"):
            yield _Sentence(text=text, source=source, content=content, beside=before | after | title)


def _query_terms(query: str, language: Language, sentences: Sequence[_Sentence]) -> frozenset[str]:
    """The question's terms under each language of the sources, without the function words of its own."""
    words = " ".join(
        word for word in re.findall(r"\S+", query) if word.strip("¿?¡!.,").lower() not in FUNCTION_WORDS[language]
    )
    languages = {sentence.source.language for sentence in sentences} or {language}
    return frozenset(term for found in languages for term in content_of(words, found))


def _coverage(sentence: _Sentence, weights: dict[str, float]) -> float:
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


def _distinct(scored: Sequence[tuple[float, _Sentence]]) -> list[_Sentence]:
    kept: list[_Sentence] = []
    for score, sentence in scored:
        if score < LEAST_OF_BEST * scored[0][0] or len(kept) == MAX_SENTENCES:
            break
        if all(_likeness(sentence, other) <= MOST_ALIKE for other in kept):
            kept.append(sentence)
    return kept


def _likeness(one: _Sentence, other: _Sentence) -> float:
    return len(one.content & other.content) / len(one.content | other.content)


def _cited(query: str, sentence: _Sentence, language: Language) -> str:
    """The sentence on one line, its mark before the full stop; with the note's date when a date is asked for."""
    plain = " ".join(_MARKUP.sub("", without_citations(sentence.text)).split())
    stop = _END.search(plain)
    assert stop is not None
    expected = expected_answer(query, language)
    day = sentence.source.created_at.date().isoformat()
    dated = f" ({NOTE_DATED[language].format(date=day)})" if expected is not None and expected.kind == "date" else ""
    body = plain[: stop.start()] + ("" if stop[1] == "." * len(stop[1]) else stop[1]) + stop[2]
    return f"{body}{dated} [{sentence.source.number}]."
