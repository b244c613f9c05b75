"""Long notes made of short ones, with the places where the answers stand: corpora on which the cut of chunks matters."""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_core.chunking import sentence_spans

Row = dict[str, Any]
Spot = tuple[int, int]
EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCorpus:
    """Lines of an import file, and of a golden set over them."""

    notes: tuple[bytes, ...]
    golden: tuple[bytes, ...]


def months_of_the_demo() -> LongCorpus:
    """A note for every month of the demo; an answer stands in the sentence that shares most words with it."""
    notes = _rows(EXAMPLES / "notes.jsonl")
    return _joined(
        notes, _rows(EXAMPLES / "golden.jsonl"), key=lambda note: note["created_at"][:7], spot=_sentence_with_the_answer
    )


def articles(folder: Path, names: Iterable[str], *, every: int) -> LongCorpus:
    """A note for every article of the retrieval sets, with one of so many questions; answers stand literally in them."""
    paths = [_stored(folder / name) for name in names]
    questions = [row for path in paths for row in _rows(path(name="queries"))]
    return _joined(
        [row for path in paths for row in _rows(path(name="corpus"))],
        questions[::every],
        key=lambda note: note["title"],
        spot=_literal,
    )


def _joined(
    notes: Sequence[Row], golden: Sequence[Row], *, key: Callable[[Row], str], spot: Callable[[str, str], Spot | None]
) -> LongCorpus:
    """Notes of one key become one note, each where the last one ended; relevance moves with them."""
    texts: dict[str, str] = {}
    placed: dict[str, tuple[str, int]] = {}
    moments = {key(note): note.get("created_at", "2024-01-01") for note in reversed(notes)}
    for note in notes:
        name = key(note)
        before = f"{texts[name]}\n\n" if name in texts else ""
        placed[note["id"]] = name, len(before)
        texts[name] = before + note["text"].strip().lstrip("\ufeff")
    by_id = {note["id"]: note["text"].strip().lstrip("\ufeff") for note in notes}
    lines = [_golden_line(row, placed, by_id, spot) for row in golden]
    return LongCorpus(
        notes=tuple(
            _line({"id": name, "text": text, "created_at": moments[name], "title": name})
            for name, text in texts.items()
        ),
        golden=tuple(line for line in lines if line is not None),
    )


def _golden_line(
    row: Row,
    placed: dict[str, tuple[str, int]],
    texts: dict[str, str],
    spot: Callable[[str, str], Spot | None],
) -> bytes | None:
    spans: dict[str, list[Row]] = {}
    for note in row["relevant_ids"]:
        found = spot(texts[note], row["answer"])
        if found is not None:
            name, at = placed[note]
            start, end = found
            spans.setdefault(name, []).append({"start": at + start, "end": at + end, "quote": texts[note][start:end]})
    if not spans:
        return None
    kept = {name: row[name] for name in ("query", "answer", "category", "difficulty") if name in row}
    return _line(kept | {"relevance": [{"id": name, "spans": found} for name, found in spans.items()]})


def _sentence_with_the_answer(text: str, answer: str) -> Spot | None:
    wanted = set(_words(answer))
    spans = [(start, end) for start, end in sentence_spans(text, "es") if text[start:end].strip()]
    best = max(spans, key=lambda span: len(wanted & set(_words(text[span[0] : span[1]]))), default=None)
    if best is None:
        return None
    sentence = text[best[0] : best[1]]
    start = best[0] + len(sentence) - len(sentence.lstrip())
    return start, start + len(sentence.strip())


def _literal(text: str, answer: str) -> Spot | None:
    at = text.find(answer)
    return None if at < 0 or not answer else (at, at + len(answer))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 3]


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()


def _stored(folder: Path) -> Callable[..., Path]:
    def path(*, name: str) -> Path:
        zipped = folder / f"{name}.jsonl.gz"
        return zipped if zipped.exists() else folder / f"{name}.jsonl"

    return path


def _rows(path: Path) -> list[Row]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]
