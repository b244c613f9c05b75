"""The embedder that needs no model: words and parts of words, hashed into a fixed number of signed sums.

Two texts are near when they share words, word beginnings and letter sequences, so it finds inflected forms,
compounds and misspellings that a search for words misses. It knows no meanings.

Vectors depend on this file and on the function words of ``rag_core.language`` alone: a change of either is a
new ``HASHING_VERSION``, and a new model to backfill.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from rag_core.embedding import EMBEDDING_PROVIDERS, EmbeddingProvider
from rag_core.embedding.vectors import require_visible, unit_rows
from rag_core.errors import EmbeddingError
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, UsualModel, WantedModel
from rag_core.settings import Settings

HASHING_VERSION = "1"
# Mean nDCG@10 of four Spanish and English sets: 0.833 with 512, 0.859 with 768, 0.870 with 1,024. Fused with
# BM25 the last two do not differ, and of 1,024 dimensions only one vector fits a page of an HNSW index.
DEFAULT_DIMENSIONS = 768

_WORD = re.compile(r"[^\W_]{1,40}")  # longer runs (base64, Chinese) are taken in pieces of 40
_MARKS = re.compile("[\u0300-\u036f]+")

# The first six letters measured as well as a Snowball stem and need no language. Without the sequences
# nDCG@10 falls by 0.02, and by 0.11 on queries with misspellings.
_WHOLE_WEIGHT = 0.5
_BEGINNING_WEIGHT = 1.0
_SEQUENCES_WEIGHT = 1.25
_BEGINNING_CHARACTERS = 6
_SEQUENCE_LENGTHS = (3, 4)
_FUNCTION_WORD_WEIGHT = 0.1
_LONGEST_WEIGHTED = 12


class HashingEmbedder:
    """Signed feature hashing of words, their beginnings, and their sequences of three and four letters.

    v[b] = Σ (1 + ln tf(w)) · weight(w) · weight(f) · sign(f) over the words w and their features f in bucket
    b. A document's sums then become sign(v)·√|v|, so that no frequent word and no collision drowns the rest;
    a query's do not. So a text is near itself across the roles, yet not at 1.

    The same text always gives the same vector, in every process and on every machine.

    Source: Weinberger et al., ICML 2009, section 2 (signed hashing); Perronnin, Sánchez & Mensink, ECCV 2010,
    section 3.2 (the square root).
    """

    def __init__(self, dimensions: int = DEFAULT_DIMENSIONS, *, name: str = "hashing") -> None:
        self.name = name
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Raises:
            EmbeddingError: a text is blank.
        """
        require_visible(texts)
        sums = np.zeros((len(texts), self.dimensions))
        for row, text in enumerate(texts):
            sums[row] = _bucket_sums(text, self.dimensions)
        if role == "document":  # worth 0.02 of nDCG@10; on queries it costs 0.005
            sums = np.sign(sums) * np.sqrt(np.abs(sums))
        return unit_rows(sums, source=self.name)


def _build(model: EmbeddingModel, _settings: Settings, _timeout_seconds: float) -> HashingEmbedder:
    """Build the embedder of a registered model.

    Raises:
        EmbeddingError: the model is of another version, or has prefixes, which mean nothing here.
    """
    if model.version != HASHING_VERSION:
        raise EmbeddingError(
            f"model {model.name!r} has version {model.version!r}; this program computes {HASHING_VERSION!r}, "
            "and vectors of two versions cannot be compared. Add a model of this version with "
            "`brain models add`, backfill it and promote it."
        )
    if model.query_prefix or model.document_prefix:
        raise EmbeddingError(
            f"model {model.name!r} has the prefixes {model.query_prefix!r} and {model.document_prefix!r}; "
            "hashing takes none. Register it without."
        )
    return HashingEmbedder(model.dimensions, name=model.name)


def _bucket_sums(text: str, dimensions: int) -> NDArray[np.float64]:
    counts = Counter(_words(text))
    words = _spell(list(counts))
    frequencies = 1.0 + np.log(np.fromiter(counts.values(), dtype=np.float64))
    hashes, owners, weights = _features(words)
    weights *= (frequencies * _word_weights(counts, words))[owners]
    signed = np.where(hashes & np.uint64(1), weights, -weights)
    buckets = ((hashes >> np.uint64(1)) % np.uint64(dimensions)).astype(np.intp)
    return np.bincount(buckets, weights=signed, minlength=dimensions).astype(np.float64, copy=False)


def _words(text: str) -> list[str]:
    # A text of emoji or punctuation has no words; then each of its characters counts as one.
    return _WORD.findall(_fold(text)) or [character for character in text if not character.isspace()]


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", normalize("NFKD", text).casefold())


_FUNCTION_WORDS = frozenset(
    _fold(word) for language in LANGUAGES for word in language_of(language).stop_words.function_words
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SpelledWords:
    """Distinct words as code points, one after another, each between the marks < and >.

    ``codes``, ``owners`` (which word) and ``places`` (where in it) have an entry a character; ``starts`` and
    ``lengths`` an entry a word, marks counted.
    """

    codes: NDArray[np.uint64]
    owners: NDArray[np.intp]
    places: NDArray[np.intp]
    starts: NDArray[np.intp]
    lengths: NDArray[np.intp]


def _spell(words: Sequence[str]) -> _SpelledWords:
    marked = "<" + "><".join(words) + ">"
    lengths = np.array([len(word) + 2 for word in words], dtype=np.intp)
    starts = np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(len(words)), lengths)
    return _SpelledWords(
        codes=np.frombuffer(marked.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64),
        owners=owners,
        places=np.arange(len(marked)) - starts[owners],
        starts=starts,
        lengths=lengths,
    )


def _word_weights(counts: Iterable[str], words: _SpelledWords) -> NDArray[np.float64]:
    # Long words are rarer. The fourth root measured best; more of it lets long common words drown the rest.
    letters = np.minimum(words.lengths - 2, _LONGEST_WEIGHTED)
    is_function_word = np.fromiter((word in _FUNCTION_WORDS for word in counts), dtype=np.bool_)
    return np.where(is_function_word, _FUNCTION_WORD_WEIGHT, np.sqrt(np.sqrt(letters)))


def _features(words: _SpelledWords) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.float64]]:
    """Hash, word and weight of every feature of every word; the squares of each word's weights sum alike."""
    terms = words.codes * _MULTIPLIERS[words.places]
    is_beginning = words.places <= _BEGINNING_CHARACTERS
    everyone = np.arange(len(words.lengths))
    sequences = [_sequences(words, length) for length in _SEQUENCE_LENGTHS]
    hashes = [
        np.add.reduceat(terms, words.starts) + _WHOLE_SALT,
        np.add.reduceat(np.where(is_beginning, terms, np.uint64(0)), words.starts) + _BEGINNING_SALT,
        *(hashed for hashed, _ in sequences),
    ]
    owners = np.concatenate([everyone, everyone, *(owners for _, owners in sequences)])
    return _mix(np.concatenate(hashes)), owners, _weights(owners, len(everyone))


def _sequences(words: _SpelledWords, length: int) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Hash and word of every run of ``length`` characters inside a word, marks included."""
    last = len(words.codes) - length + 1
    if last <= 0:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.intp)
    is_inside = words.places[:last] + length <= words.lengths[words.owners[:last]]
    hashes = np.full(last, _MULTIPLIERS[-length])
    for offset in range(length):
        hashes += words.codes[offset : last + offset] * _MULTIPLIERS[offset]
    return hashes[is_inside], words.owners[:last][is_inside]


def _weights(owners: NDArray[np.intp], words: int) -> NDArray[np.float64]:
    sequences = np.bincount(owners, minlength=words) - 2
    weights = (_SEQUENCES_WEIGHT / np.sqrt(sequences))[owners]
    weights[:words] = _WHOLE_WEIGHT
    weights[words : 2 * words] = _BEGINNING_WEIGHT
    return weights


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit integers one to one: the finaliser of splitmix64."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


_MULTIPLIERS = _mix(np.arange(1, 65, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
_WHOLE_SALT, _BEGINNING_SALT = _MULTIPLIERS[-1], _MULTIPLIERS[-2]


def _complete(wanted: WantedModel, _settings: Settings, _timeout_seconds: float) -> UsualModel:
    return UsualModel(
        dimensions=wanted.dimensions or DEFAULT_DIMENSIONS,
        version=HASHING_VERSION,
        context_tokens=wanted.context_tokens or 1_000_000,
        weights=(0.25, 0.75),
    )


EMBEDDING_PROVIDERS.register("hashing")(
    EmbeddingProvider(
        build=_build,
        complete=_complete,
        is_in_process=True,
        has_to_load=False,
        knows_meaning=False,
        takes_any_length=True,
    )
)
