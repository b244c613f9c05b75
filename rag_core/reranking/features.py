"""Features of the embedded re-ranker: a row of numbers a candidate, from the texts, the legs and the statistics. Pure.

Written for speed: 30 passages of 150 words in about 3 ms. Each passage is cut at white space once, every distinct token is
classified once a query (a term of the query, a possible answer, or nothing; the end of a sentence or not), and what follows
only visits the tokens that are something.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from rag_core.language.answer_types import AnswerType
from rag_core.language.languages import language_of
from rag_core.language.stemming import stem, words_in
from rag_core.language.variants import lexeme_variants, without_question_words
from rag_core.model.note import Language
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate
from rag_core.reranking.answer_types import Expected, answer_test, expected_answer

FEATURES = (
    "fulltext",  # BM25 over the best candidate's
    "semantic",  # similarity over the best candidate's
    "fused",  # the score so far over the best candidate's
    "lead",  # how far the first is ahead of the runner-up, in BM25; 0 for the others
    "rare_coverage",  # share of the query's terms in title and text, weighted by how few of the candidates have a term
    "coverage",  # the same, weighted by idf
    "sentence",  # the best single sentence's share, by idf
    "exact",  # the same, of words exactly as written in the query
    "proximity",  # the best share within 12 words
    "phrases",  # share of the query's adjacent words that stand side by side, stop words included
    "pairs",  # share, by idf, of the query's adjacent terms that stand near each other in one sentence
    "grams",  # share of the query's character 4-grams that the text has
    "title",  # share, by idf, of the query's terms in the title
    "number",  # the question asks for a number and one stands near its terms
    "date",  # the same for dates
    "name",  # the same for names
    "counted",  # the question asks "how many X" and X follows a number
)
"""The columns, in order; each is in [0, 1] and speaks for a candidate. Length is not among them: BM25 has weighed it."""

MAX_CHARACTERS = 20_000
MAX_TERMS = 32
MAX_GRAMS = 128
GRAM = 4
PROXIMITY_WORDS = 12
PAIR_WORDS = 4
ANSWER_WORDS = 12
COUNTED_WORDS = 3

FeatureMatrix = NDArray[np.float64]


def features(query: str, candidates: Sequence[Candidate], statistics: QueryStatistics) -> FeatureMatrix:
    """Feature rows, shape (candidates, len(FEATURES)), every value finite; relative ones are over these candidates."""
    return feature_rows(candidates, read_passages(query, candidates, statistics))


def read_passages(query: str, candidates: Sequence[Candidate], statistics: QueryStatistics) -> list["PassageReading"]:
    """Features of each passage by itself: from the query, its text and the statistics, not from the other candidates."""
    languages = sorted({candidate.language for candidate in candidates})
    lenses = {language: _look_for(query, language, statistics) for language in languages}
    return [_read(candidate, lenses[candidate.language]) for candidate in candidates]


def feature_rows(candidates: Sequence[Candidate], read: Sequence["PassageReading"]) -> FeatureMatrix:
    """The rows of ``features`` from passages that were read already, of one query."""
    if not candidates:
        return np.zeros((0, len(FEATURES)))
    fulltext = _over_best([_leg_score(candidate, "fulltext") for candidate in candidates])
    relative = (
        fulltext,
        _over_best([_leg_score(candidate, "semantic") for candidate in candidates]),
        _over_best([candidate.score for candidate in candidates]),
        _lead(fulltext),
        _rare_coverage(read),
    )
    return np.column_stack([*relative, np.array([reading.values for reading in read])])


def _leg_score(candidate: Candidate, leg: str) -> float:
    """The best of a leg's scores; a further search of the same leg is named ``fulltext:2``."""
    return max((score for name, score in candidate.leg_scores.items() if name.partition(":")[0] == leg), default=0.0)


def _over_best(scores: Sequence[float]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.maximum(np.array(scores, dtype=float), 0.0)
    best = float(values.max())
    return values / best if best > 0 else values


def _lead(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    runner_up = float(np.sort(shares)[-2]) if len(shares) > 1 else 0.0
    return np.where(shares >= 1.0, 1.0 - runner_up, 0.0)


# The query, as one language sees it ------------------------------------------------------------------------------------

_ANSWER, _PLAIN, _FIRST_TERM = 0, 1, 2
_END = 1000
"""Added to the code of a token that ends its sentence; terms are at most ``MAX_TERMS``."""

_PARAGRAPH = "¶"
_ENDS = ".!?…¶"
_CLOSING = "\"'»”’)]"  # noqa: RUF001
_MARKS = _ENDS + _CLOSING + ",;:«“‘([¿¡—–-*_#|/"  # noqa: RUF001
_ACCENTED = {"a": "áä", "e": "é", "i": "í", "o": "óö", "u": "úü"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lens:
    """The query under one language: its terms by number with their idf, and what to look for in a passage."""

    idf: list[float]
    total: float
    surface: dict[str, int]
    pairs: dict[tuple[int, int], float]
    phrases: tuple[str, ...]
    grams: tuple[str, ...]
    codes: "_Codes"
    kind: AnswerType | None
    counted: int | None


def _look_for(query: str, language: Language, statistics: QueryStatistics) -> _Lens:
    words = words_in(query)
    idf_of = _idf_of_words(words_in(without_question_words(query)), language, statistics)
    terms: dict[str, int] = {}
    surface = {word: terms.setdefault(stem(word, language), len(terms)) for word in idf_of}
    idf = [0.0] * len(terms)
    for word, term in surface.items():
        idf[term] = max(idf[term], idf_of[word])
    expected = expected_answer(query, language)
    kind = expected.kind if expected else None
    return _Lens(
        idf=idf,
        total=sum(idf) or 1.0,
        surface=surface,
        pairs=_pairs(words, surface, idf),
        phrases=tuple(dict.fromkeys(f" {first} {second}" for first, second in pairwise(words))),
        grams=_grams(words),
        codes=_Codes(_with_variants(terms, language), words, language, kind),
        kind=kind,
        counted=_counted_term(query, expected, surface),
    )


def _with_variants(terms: dict[str, int], language: Language) -> dict[str, int]:
    """The terms with their irregular forms (``sient`` also ``sint``), which count as the term itself."""
    variants = {variant: number for term, number in terms.items() for variant in lexeme_variants(term, language)}
    return variants | terms


def _idf_of_words(words: Sequence[str], language: Language, statistics: QueryStatistics) -> dict[str, float]:
    """ln(1 + (N - df + 0.5) / (df + 0.5)) by word, the rarest ``MAX_TERMS``; a query of stop words keeps them all."""
    total, known = statistics.documents.get(language, 0), statistics.frequencies.get(language, {})
    idf = {
        word: math.log1p(max(total - known[word] + 0.5, 0.5) / (known[word] + 0.5)) for word in words if word in known
    } or dict.fromkeys(words, 1.0)
    kept = set(sorted(idf, key=lambda word: (-idf[word], word))[:MAX_TERMS])
    return {word: value for word, value in idf.items() if word in kept}


def _pairs(words: Sequence[str], surface: dict[str, int], idf: Sequence[float]) -> dict[tuple[int, int], float]:
    terms = [surface[word] for word in words if word in surface]
    return {
        (min(first, second), max(first, second)): idf[first] + idf[second]
        for first, second in pairwise(terms)
        if first != second
    }


def _grams(words: Sequence[str]) -> tuple[str, ...]:
    begun = [f" {word}" for word in words if len(word) >= GRAM - 1]
    grams = dict.fromkeys(word[at : at + GRAM] for word in begun for at in range(len(word) - GRAM + 1))
    return tuple(grams)[:MAX_GRAMS]


def _counted_term(query: str, expected: Expected | None, surface: dict[str, int]) -> int | None:
    """The term right after "how many"."""
    if expected is None or expected.kind != "number":
        return None
    return next((surface[word] for word in words_in(query.lower()[expected.cue_end :])[:1] if word in surface), None)


class _Codes(dict[str, int]):
    """Codes of the tokens of the passages, each computed the first time the token is seen."""

    def __init__(
        self, terms: dict[str, int], words: Sequence[str], language: Language, kind: AnswerType | None
    ) -> None:
        super().__init__()
        self._terms, self._asked, self._language = terms, frozenset(words), language
        sentences = language_of(language).sentences
        self._unending = sentences.titles | sentences.abbreviations
        self._beginnings = _accented({term[:2] for term in terms})
        self._is_answer: Callable[[str], bool] | None = answer_test(kind, language) if kind else None

    def __missing__(self, token: str) -> int:
        is_word = token.isalnum()
        bare = token if is_word else token.strip(_MARKS)
        word = bare.lower()
        code = self._term(word) if word[:2] in self._beginnings or not (is_word or bare.isalnum()) else _PLAIN
        if code == _PLAIN and self._is_answer and bare and word not in self._asked and self._is_answer(bare):
            code = _ANSWER
        if not is_word and token.rstrip(_CLOSING)[-1:] in _ENDS and word not in self._unending:
            code += _END
        self[token] = code
        return code

    def _term(self, word: str) -> int:
        """The first term of the query among the parts of a token (``madre-hija``)."""
        for part in words_in(word):
            number = self._terms.get(stem(part, self._language))
            if number is not None:
                return number + _FIRST_TERM
        return _PLAIN


def _accented(beginnings: Collection[str]) -> frozenset[str]:
    """The beginnings with and without accents: a stem has lost those that its word may have."""
    return frozenset(
        "".join(letters)
        for beginning in beginnings
        for letters in product(*(letter + _ACCENTED.get(letter, "") for letter in beginning))
    )


# A passage, under that lens --------------------------------------------------------------------------------------------

Event = tuple[int, int]
"""Position of a token in its passage, and the number of the term it is or ``_AN_ANSWER``."""
_AN_ANSWER = _ANSWER - _FIRST_TERM


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReading:
    """A passage's own features from ``coverage`` on, and which of the query's terms in its language it has."""

    values: tuple[float, ...]
    present: frozenset[int]
    language: Language
    terms: int


def _read(candidate: Candidate, lens: _Lens) -> PassageReading:
    tokens = candidate.content[:MAX_CHARACTERS].replace("\n", f" {_PARAGRAPH} ").split()
    text = f" {' '.join(tokens)}".lower()
    sentences = list(_sentences(tokens, lens))
    titled = _terms_in([(0, lens.codes[word] - _FIRST_TERM) for word in words_in(candidate.title or "")])
    present = titled.union(*(_terms_in(sentence) for sentence in sentences))
    best = max(sentences, key=lambda sentence: _share(_terms_in(sentence), lens), default=[])
    values = (
        _share(present, lens),
        _share(_terms_in(best), lens),
        max((_exact(sentence, tokens, lens) for sentence in sentences), default=0.0),
        max((_proximity(sentence, lens) for sentence in sentences), default=0.0),
        _share_found(lens.phrases, text),
        _near_pairs(sentences, lens),
        _share_found(lens.grams, text),
        _share(titled, lens),
        *_answers(best, lens),
        _counted(sentences, lens),
    )
    return PassageReading(values=values, present=frozenset(present), language=candidate.language, terms=len(lens.idf))


def _sentences(tokens: Sequence[str], lens: _Lens) -> Iterator[list[Event]]:
    """The events of each sentence that has a term of the query; what is cut off at the end is a sentence too."""
    sentence: list[Event] = []
    has_term = False
    for at, code in [(at, code) for at, code in enumerate(map(lens.codes.__getitem__, tokens)) if code != _PLAIN]:
        kind = code if code < _END else code - _END
        if kind != _PLAIN:
            sentence.append((at, kind - _FIRST_TERM))
            has_term = has_term or kind != _ANSWER
        if code >= _END and sentence:
            if has_term:
                yield sentence
            sentence, has_term = [], False
    if has_term:
        yield sentence


def _terms_in(sentence: Sequence[Event]) -> set[int]:
    return {term for _, term in sentence if term >= 0}


def _share(terms: Collection[int], lens: _Lens) -> float:
    return sum([lens.idf[term] for term in terms]) / lens.total


def _exact(sentence: Sequence[Event], tokens: Sequence[str], lens: _Lens) -> float:
    written = {term for at, term in sentence if lens.surface.get(tokens[at].strip(_MARKS).lower()) == term}
    return _share(written, lens)


def _proximity(sentence: Sequence[Event], lens: _Lens) -> float:
    terms = [event for event in sentence if event[1] >= 0]
    if terms[-1][0] - terms[0][0] <= PROXIMITY_WORDS:
        return _share(_terms_in(terms), lens)
    return max(
        _share({term for at, term in terms[first:] if at - start <= PROXIMITY_WORDS}, lens)
        for first, (start, _) in enumerate(terms)
    )


def _near_pairs(sentences: Sequence[Sequence[Event]], lens: _Lens) -> float:
    if not lens.pairs:
        return 0.0
    found = {
        (min(a, b), max(a, b))
        for sentence in sentences
        for (at, a), (then, b) in pairwise([event for event in sentence if event[1] >= 0])
        if then - at <= PAIR_WORDS
    }
    return sum(lens.pairs[pair] for pair in found & lens.pairs.keys()) / (sum(lens.pairs.values()) or 1.0)


def _share_found(parts: Sequence[str], text: str) -> float:
    return sum(map(text.__contains__, parts)) / len(parts) if parts else 0.0


def _answers(sentence: Sequence[Event], lens: _Lens) -> tuple[float, float, float]:
    """For number, date and name: 1 when the question asks for it and it stands near the sentence's terms."""
    terms = [at for at, term in sentence if term >= 0]
    is_there = any(
        term == _AN_ANSWER and any(abs(at - place) <= ANSWER_WORDS for place in terms) for at, term in sentence
    )
    return (
        float(is_there and lens.kind == "number"),
        float(is_there and lens.kind == "date"),
        float(is_there and lens.kind == "name"),
    )


def _counted(sentences: Sequence[Sequence[Event]], lens: _Lens) -> float:
    """1 when what is asked "how many" of follows a number in some sentence."""
    if lens.counted is None:
        return 0.0
    return float(
        any(
            first == _AN_ANSWER and second == lens.counted and then - at <= COUNTED_WORDS
            for sentence in sentences
            for (at, first), (then, second) in pairwise(sentence)
        )
    )


def _rare_coverage(read: Sequence[PassageReading]) -> NDArray[np.float64]:
    """Coverage with each term weighted by ln(1 + candidates / candidates that have it), over candidates of one language."""
    shares = np.zeros(len(read))
    for language, terms in {reading.language: reading.terms for reading in read}.items():
        rows = [at for at, reading in enumerate(read) if reading.language == language]
        has = np.array([[term in read[at].present for term in range(terms)] for at in rows], dtype=float)
        counts = has.sum(axis=0)
        rarity = np.where(counts > 0, np.log1p(len(rows) / np.maximum(counts, 1)), 0.0)
        shares[rows] = has @ rarity / (float(rarity.sum()) or 1.0)
    return shares
