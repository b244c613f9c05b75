"""Notes and questions: real Spanish texts as they are, then as many more as wanted, made of their sentences.

The same numbers always give the same notes.
"""

import gzip
import itertools
import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rag_core.chunking import chunk_spans, sentence_spans
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG

SEED = 20_240_101
EXAMPLES = Path(__file__).parents[2] / "examples"
RETRIEVAL_SETS = ("xquad-es", "squad-es-mt", "clinical-es")
QUESTION_SETS = ("xquad-es", "squad-es-mt")

_NEWEST = datetime(2026, 1, 1, tzinfo=UTC)
_SOURCES_OF_A_NOTE = 4
_WORDS_PER_BLEND = 20
_SHORT_WORD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Real notes as (title, text), and real questions."""

    name: str
    notes: tuple[tuple[str, str], ...]
    questions: tuple[str, ...]


def read_corpus() -> Corpus:
    """The retrieval sets under ``BRAIN_TEST_DATA`` where that is set, else the shipped examples."""
    folder = os.environ.get("BRAIN_TEST_DATA", "")
    if not folder:
        return _corpus("examples", [EXAMPLES / "notes.jsonl"], [EXAMPLES / "golden.jsonl"])
    sets = [name for name in RETRIEVAL_SETS if (Path(folder) / name).is_dir()]
    return _corpus(
        "+".join(sets),
        [_stored(Path(folder) / name / "corpus.jsonl") for name in sets],
        [_stored(Path(folder) / name / "queries.jsonl") for name in sets if name in QUESTION_SETS],
    )


def _corpus(name: str, notes: Sequence[Path], questions: Sequence[Path]) -> Corpus:
    return Corpus(
        name=name,
        notes=tuple((row.get("title") or "", row["text"]) for path in notes for row in _rows(path)),
        questions=tuple(dict.fromkeys(row["query"] for path in questions for row in _rows(path))),
    )


def _stored(path: Path) -> Path:
    zipped = path.with_name(f"{path.name}.gz")
    return zipped if zipped.exists() else path


def _rows(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def note_lines(corpus: Corpus, count: int) -> list[bytes]:
    """The first ``count`` notes as lines of an import file, external ids n0, n1, …"""
    return [_line(at, note) for at, note in enumerate(itertools.islice(_endless_notes(corpus), count))]


def note_lines_of_chunks(corpus: Corpus, chunks: int) -> list[bytes]:
    """As many of the first notes as are cut into at least ``chunks`` chunks."""
    lines: list[bytes] = []
    made = 0
    for note in _endless_notes(corpus):
        if made >= chunks:
            break
        lines.append(_line(len(lines), note))
        made += _chunks_in(note[1])
    return lines


def shuffled_questions(corpus: Corpus, count: int, *, seed: int = SEED) -> list[str]:
    """``count`` questions in random order; where there are fewer, each comes again only after all the others."""
    order = random.Random(seed).sample(corpus.questions, len(corpus.questions))
    return list(itertools.islice(itertools.cycle(order), count))


def _line(at: int, note: tuple[str, str]) -> bytes:
    title, text = note
    moment = (_NEWEST - timedelta(hours=7 * at)).isoformat()
    row = {"id": f"n{at}", "title": title or None, "text": text, "created_at": moment}
    return json.dumps(row, ensure_ascii=False).encode()


def _chunks_in(text: str) -> int:
    sizes = DEFAULT_RETRIEVAL_CONFIG.chunking
    spans = chunk_spans(
        text,
        sentence_spans(text, "es"),
        max_tokens=sizes.max_chunk_size,
        overlap_tokens=sizes.overlap_size,
        min_tokens=sizes.min_chunk_size,
    )
    return len(spans)


def _endless_notes(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """The real notes in random order, then recombined ones for ever; no text comes twice."""
    seen: set[str] = set()
    for title, text in _real_and_recombined(corpus, random.Random(SEED)):
        if text not in seen:
            seen.add(text)
            yield title, text


def _real_and_recombined(corpus: Corpus, generator: random.Random) -> Iterator[tuple[str, str]]:
    yield from generator.sample(corpus.notes, len(corpus.notes))
    sentences = [[text[start:end] for start, end in sentence_spans(text, "es")] for _, text in corpus.notes]
    words = sorted({word for _, text in corpus.notes for word in text.split() if _is_blendable(word)})
    while True:
        title, model = generator.choice(corpus.notes)
        yield title, _recombined(sentences, words, length=len(model), generator=generator)


def _recombined(
    sentences: Sequence[Sequence[str]], words: Sequence[str], *, length: int, generator: random.Random
) -> str:
    """A text about as long as a real one, of runs of sentences of a few notes.

    Few notes a text, because words of a subject stand together in real ones: drawn one by one from all notes, a word
    would stand in many more texts, and posting lists would be longer than they are.
    """
    sources = generator.choices(sentences, k=_SOURCES_OF_A_NOTE)
    taken: list[str] = []
    while sum(map(len, taken)) < length:
        source = generator.choice(sources)
        first = generator.randrange(len(source))
        taken += source[first : first + generator.randint(1, 4)]
    return _with_new_words(" ".join(map(str.strip, taken)), words, generator)


def _with_new_words(text: str, words: Sequence[str], generator: random.Random) -> str:
    """The text with some words replaced by a blend of two, as names and coinages bring new words.

    Sentences alone would never bring one. One in twenty keeps the vocabulary near Heaps' law, V = 22 · n^0.57 word forms
    in n words by the real texts: 70,000 where it says 88,000 (10,000 chunks), 212,000 where it says 216,000 (46,000).
    """
    parts = text.split(" ")
    for at in generator.sample(range(len(parts)), len(parts) // _WORDS_PER_BLEND):
        if _is_blendable(parts[at]):
            other = generator.choice(words)
            parts[at] = parts[at][: len(parts[at]) // 2 + 1] + other[len(other) // 2 :]
    return " ".join(parts)


def _is_blendable(word: str) -> bool:
    return len(word) >= _SHORT_WORD and word.isalpha()
