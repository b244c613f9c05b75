"""Scores of the sentences that a quoted passage may begin with, by meaning and words. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log1p
from types import MappingProxyType

from rag_core.answering.quoting.asked_words import Term, keys_of, terms_of, worth
from rag_core.answering.quoting.openings import announces, is_heading, is_item, label_of, only_refers
from rag_core.chunking import sentence_spans
from rag_core.language.content_words import content_of
from rag_core.model.answer import Source
from rag_core.model.note import Language, Span
from rag_core.reranking.answer_types import expected_answer

MAX_AFTER = 5
MAX_CHARACTERS = 500
"""A passage is a sentence with those after it, at most so many and so long; the sentence itself may be longer."""
FEATURES = (
    "own",  # share of the question's words in the sentence, rare ones counting most
    "after",  # the same of the best sentence that the passage has after it
    "search",  # the search's score of its source over the best one's
    "rank",  # 1 / the number of its source
    "lead",  # 1 for the first sentence of a source
    "meaning",  # similarity to the question, below the best of all sentences
    "meaning_after",  # how much nearer the best sentence after it is
)
"""Features of a sentence. The similarities are ``SPREAD`` times cosines, and 0 where none are known; all others are in [0, 1]."""
SPREAD = 20.0
"""Cosines of one question's sentences lie some 0.05 apart."""
WEIGHTS_OF_WORDS: Mapping[str, float] = MappingProxyType(
    {"own": 6.0, "after": 2.8, "search": 4.6, "rank": 1.7, "lead": 1.2, "meaning": 0.0, "meaning_after": 0.0}
)
WEIGHTS_OF_MEANING: Mapping[str, float] = MappingProxyType(
    {"own": 3.4, "after": 2.1, "search": 2.5, "rank": 1.3, "lead": 1.0, "meaning": 3.2, "meaning_after": 2.8}
)
"""Fitted so that exp(score) is in proportion to the chance that the passage holds the answer, on 1,071 questions of XQuAD-es, XQuAD-en,
English questions to XQuAD-es, and squad-es-mt; nothing is fitted on the demo. ``tests/benchmarks/fit_quoting.py`` fits them anew."""

FIELD = 4.0
"""Added for a line "label: value" that is asked for; chosen, not fitted: those sets have no such lines, and cosines to them are low."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredSentence:
    """A sentence of a source, the ``place``-th in it from 0 and at ``start``, with its words that tell something.

    ``features`` are by the names of ``FEATURES``. ``score`` is comparable within one question. ``source_share`` is the share of
    the question's words in its source and the title, ``similarity`` its cosine to the question, None where it is not known.
    ``is_field`` tells that it is "label: value" and that its label is asked for, and nothing that labels and title do not have.
    """

    text: str
    source: Source
    place: int
    start: int
    content: frozenset[str]
    score: float
    source_share: float
    similarity: float | None
    features: Mapping[str, float]
    is_field: bool = False

    @property
    def own(self) -> float:
        """Share of the question's words in it."""
        return self.features["own"]

    @property
    def may_lead(self) -> bool:
        """True if a passage may begin with it: it says something, and neither asks nor only refers to other notes."""
        return bool(self.content) and not self.text.endswith("?") and not only_refers(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    start: int
    language: Language
    keys: frozenset[str]
    similarity: float | None


def score_sentences(
    query: str,
    sources: Sequence[Source],
    *,
    language: Language,
    text_of: Callable[[Source], str] = lambda source: source.original,
) -> list[ScoredSentence]:
    """Every sentence of ``text_of`` each source, in their order.

    own = Σ w(t) · m(t) / Σ w(t) over the question's terms; m is how far the sentence has t (1 as asked, 0.85 by its stem, 0.75 in an
    irregular form). w(t) = v(t) · ln(1 + sentences / (1 + sentences with t)): what few sentences have tells most; v is 1.2 for a name,
    0.3 for a word that most sentences could hold. score = Σ weight · feature, by meaning where similarities are known.
    """
    parted = [_sentences(source, text_of(source)) for source in sources]
    every = [sentence for sentences in parted for sentence in sentences]
    known = [sentence.similarity for sentence in every if sentence.similarity is not None]
    weights, terms = WEIGHTS_OF_MEANING if known else WEIGHTS_OF_WORDS, _terms(query, every, language)
    best_score = max((source.score for source in sources), default=0.0)
    found: list[ScoredSentence] = []
    for source, sentences in zip(sources, parted, strict=True):
        of_source = terms[source.language] if sentences else ()
        whole = keys_of(source.title or "", source.language).union(*(one.keys for one in sentences))
        share, search = _share(of_source, whole), source.score / best_score if best_score > 0 else 0.0
        owns = [_share(of_source, one.keys) for one in sentences]
        fields = _fields(query, language, sentences, source)
        nearness = _nearness(sentences, known)
        texts = [one.text for one in sentences]
        for place, sentence in enumerate(sentences):
            after = slice(place + 1, place + passage_length(texts[place : place + MAX_AFTER + 1]))
            features = {
                "own": owns[place],
                "after": max(owns[after], default=0.0),
                "search": search,
                "rank": 1 / source.number,
                "lead": float(place == 0),
                "meaning": nearness[place],
                "meaning_after": max(0.0, max(nearness[after], default=-inf) - nearness[place]),
            }
            found.append(
                ScoredSentence(
                    text=sentence.text,
                    source=source,
                    place=place,
                    start=sentence.start,
                    content=content_of(sentence.text, source.language),
                    score=sum(weights[name] * features[name] for name in FEATURES) + FIELD * (place in fields),
                    source_share=share,
                    similarity=sentence.similarity,
                    features=features,
                    is_field=place in fields,
                )
            )
    return found


def _fields(query: str, language: Language, sentences: Sequence[_Sentence], source: Source) -> frozenset[int]:
    """Places of the lines "label: value" whose label is asked for, where labels and title together have all that is asked.

    What asks for a kind of answer ("cómo se llama") need not be there. Items of a list that a line announces are read with that line.
    """
    labels: dict[int, str] = {}
    is_announced = False
    for place, one in enumerate(sentences):
        is_announced = announces(one.text) or (is_announced and is_item(one.text))
        if not is_announced and (label := label_of(one.text)):
            labels[place] = label
    if not labels:
        return frozenset()
    expected = expected_answer(query, language)
    asked = query[expected.cue_end :] if expected is not None else query
    terms = terms_of(asked, language, spoken=source.language)
    keys = {place: keys_of(label, source.language) for place, label in labels.items()}
    told = keys_of(source.title or "", source.language).union(*keys.values())
    if not terms or not all(worth(term, told) for term in terms):
        return frozenset()
    return frozenset(place for place, of_label in keys.items() if any(worth(term, of_label) for term in terms))


def passage_length(texts: Sequence[str]) -> int:
    """The number of sentences of the passage that begins with the first of those: up to the bounds, and before a heading."""
    characters = len(texts[0])
    for after, text in enumerate(texts[1 : MAX_AFTER + 1], 1):
        characters += len(text)
        if characters > MAX_CHARACTERS or (is_heading(text) and not is_heading(texts[after - 1])):
            return after
    return min(len(texts), MAX_AFTER + 1)


def _sentences(source: Source, text: str) -> list[_Sentence]:
    spans = sentence_spans(text, source.language)
    likeness = source.likeness if text == source.original else ()
    return [
        _Sentence(
            text=text[start:end].strip(),
            start=end - len(text[start:end].lstrip()),
            language=source.language,
            keys=keys_of(text[start:end], source.language),
            similarity=_similarity((start, end), likeness),
        )
        for start, end in spans
        if any(map(str.isalnum, text[start:end]))  # rulers of tables are no sentences
    ]


def _similarity(span: Span, likeness: Iterable[tuple[Span, float]]) -> float | None:
    """That of the part that has most of the span; None where no part has any of it."""
    shared = [(min(span[1], end) - max(span[0], start), similarity) for (start, end), similarity in likeness]
    most, similarity = max(shared, default=(0, 0.0))
    return similarity if most > 0 else None


def _nearness(sentences: Sequence[_Sentence], known: Sequence[float]) -> list[float]:
    """Nearness of each sentence: 0 for the most similar of all, below 0 for others; one not known is as far as the farthest."""
    best, least = max(known, default=0.0), min(known, default=0.0)
    return [SPREAD * ((least if one.similarity is None else one.similarity) - best) for one in sentences]


def _terms(
    query: str, sentences: Sequence[_Sentence], language: Language
) -> dict[Language, tuple[tuple[Term, float], ...]]:
    """Of each language of the sources the question's terms with their weights."""
    found = {}
    for spoken in {sentence.language for sentence in sentences}:
        having = [sentence.keys for sentence in sentences if sentence.language == spoken]
        found[spoken] = tuple(
            (term, log1p(len(having) / (1 + sum(worth(term, keys) > 0 for keys in having))))
            for term in terms_of(query, language, spoken=spoken)
        )
    return found


def _share(terms: Sequence[tuple[Term, float]], keys: frozenset[str]) -> float:
    whole = sum(weight for _, weight in terms) or 1.0
    return sum(weight * worth(term, keys) for term, weight in terms) / whole
