"""Accuracy of telling by words a citation that holds from one that does not, and the share of given ones that hold.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.citation_support [--answers]`` holds sentences of articles to passages that say them,
and to passages that do not: another one of the article, or the right one once a figure, a unit, a day of the week, a month, a name or
a negation of the sentence was changed. The curve says for each threshold of the share of words how many of each kind are called
supported. With ``--answers`` it also answers the demo's golden queries and samples of two question sets by quoted sentences, and counts
their citations. The last line of stdout is one JSON object.
"""

import json
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from rag_core.answering.verification.support import (
    LEAST_SUPPORT,
    CitedClaim,
    ReadSource,
    Support,
    read_source,
    support_of,
)
from rag_core.chunking import sentence_spans
from rag_core.language import LANGUAGES
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.model.answer import Source
from rag_core.model.note import ChunkId, Language, NoteId

from .corpus import EXAMPLES, SEED, _rows, _stored

THRESHOLDS = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
LEAST_WORDS = 5
LEAST_ALIKE = 0.25
_FIGURE = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]\d)(?![.)]\s)")
_NEGATABLE: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(r" (?=(?:es|era|fue|son|fueron|eran|tiene|tenía|ha|había|han|puede|podía|está|estaba|hay|se) )"),
    "de": re.compile(r"(?<= )(?:ist|war|sind|hat|hatte|wird|wurde|kann)(?= )"),
    "en": re.compile(r"(?<= )(?:is|was|were|are|has|had|can|will|would|could|did)(?= )"),
}
_NEGATION: Mapping[Language, str] = {"es": " no", "de": " nicht", "en": " not"}
_UNITS: Mapping[Language, Sequence[str]] = {
    "es": (
        "euros dólares libras",
        "km m",
        "kilómetros metros millas",
        "kilos gramos toneladas",
        "minutos horas días semanas meses años",
    ),
    "de": (
        "Euro Dollar Pfund",
        "km m",
        "Kilometer Meter Meilen",
        "Kilo Gramm Tonnen",
        "Minuten Stunden Tage Wochen Monate Jahre",
    ),
    "en": (
        "euros dollars pounds",
        "km m",
        "kilometres metres miles",
        "kilos grams tons",
        "minutes hours days weeks months years",
    ),
}
"""Each line is of units that one figure can have."""
_WEEKDAYS: Mapping[Language, Sequence[str]] = {
    code: (" ".join(language_of(code).times.weekday_names),) for code in LANGUAGES
}
_MONTHS: Mapping[Language, Sequence[str]] = {
    code: (" ".join(language_of(code).times.month_names),) for code in LANGUAGES
}
Change = Callable[[str, Language, random.Random], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage, the article it is of, and its sentences."""

    article: str
    language: Language
    text: str

    @property
    def sentences(self) -> list[str]:
        """Those with enough words to be claims."""
        found = [self.text[slice(*span)].strip() for span in sentence_spans(self.text, self.language)]
        return [text for text in found if len(content_of(text, self.language)) >= LEAST_WORDS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A claim, the passage it is held to, and what the pair is an instance of."""

    kind: str
    is_true: bool
    claim: str
    language: Language
    source: ReadSource


def main() -> None:
    """Measure and print."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    spanish, english = _passages(folder / "xquad-es", "es"), _passages(folder / "xquad-en", "en")
    pairs = [
        *_pairs("es", spanish, spanish),
        *_pairs("en", english, english),
        *_answered("es", folder / "xquad-es", "es"),
        *_answered("es-mt", folder / "squad-es-mt", "es"),
        *_answered("en", folder / "xquad-en", "en"),
        *_pairs("es of en", spanish, english),
        *_pairs("demo", demo := _passages(EXAMPLES, "es", name="notes.jsonl"), demo),
    ]
    figures = {"pairs": _curves(pairs)}
    if "--answers" in sys.argv:
        from .citation_answers import answered

        figures["answers"] = answered(folder)
    print(json.dumps(figures, ensure_ascii=False))


def _passages(folder: Path, language: Language, *, name: str = "corpus.jsonl") -> list[Passage]:
    return [
        Passage(article=row.get("title") or row["id"], language=language, text=row["text"])
        for row in _rows(_stored(folder / name))
    ]


def _answered(name: str, folder: Path, language: Language, *, most: int = 2_000) -> Iterator[Pair]:
    """Claims in the words of whoever asked: a question with its answer, and with the answer to another one of its passage."""
    chance = random.Random(SEED)
    texts = {row["id"]: row["text"] for row in _rows(_stored(folder / "corpus.jsonl"))}
    asked = defaultdict(list)
    for row in list(_rows(_stored(folder / "queries.jsonl")))[:most]:
        asked[row["relevant_ids"][0]].append((row["query"].strip("¿? "), row["answer"]))
    for passage, questions in asked.items():
        source = read_source(_source(Passage(article="", language=language, text=texts[passage])))
        for question, answer in questions:
            others = [other for _, other in questions if other.lower() not in f"{question} {answer}".lower()]
            for kind, given in (
                ("its answer", answer),
                ("another's answer", chance.choice(others) if others else None),
            ):
                if given is not None:
                    yield Pair(
                        kind=f"{name}: question with {kind}",
                        is_true=kind == "its answer",
                        claim=f"{question[0].lower()}{question[1:]} {given}",
                        language=language,
                        source=source,
                    )


def _pairs(name: str, passages: Sequence[Passage], cited: Sequence[Passage | None]) -> Iterator[Pair]:
    """Every sentence with the passage beside it in ``cited``, changed sentences with it, and the sentence with another one."""
    # The same pairs every time, and of each kind the same whatever other kinds there are.
    chance, chances = random.Random(SEED), defaultdict(lambda: random.Random(SEED))
    changes: dict[str, Change] = {
        "figure": _other_figure,
        "unit": _other_word(_UNITS),
        "weekday": _other_word(_WEEKDAYS),
        "month": _other_word(_MONTHS),
        "name": _other_name(passages),
        "negation": _negated,
    }
    read = [None if passage is None else read_source(_source(passage)) for passage in cited]
    of_article = defaultdict(list)
    for at, passage in enumerate(passages):
        of_article[passage.article].append(at)
    for at, passage in enumerate(passages):
        source = read[at]
        if source is None:
            continue
        others = [read[other] for other in of_article[passage.article] if other != at and read[other] is not None]
        others = others or [one for one in read if one is not None and one is not source]
        for sentence in passage.sentences:
            yield Pair(kind=f"{name}: same", is_true=True, claim=sentence, language=passage.language, source=source)
            elsewhere = chance.choice(others)
            assert elsewhere is not None
            yield Pair(
                kind=f"{name}: other passage",
                is_true=False,
                claim=sentence,
                language=passage.language,
                source=elsewhere,
            )
            for kind, change in changes.items():
                changed = change(sentence, passage.language, chances[kind])
                if changed is not None:
                    yield Pair(
                        kind=f"{name}: {kind} changed",
                        is_true=False,
                        claim=changed,
                        language=passage.language,
                        source=source,
                    )


def _source(passage: Passage) -> Source:
    return Source(
        number=1,
        note_id=NoteId(UUID(int=1)),
        chunk_id=ChunkId(UUID(int=1)),
        external_id="1",
        title=None,
        created_at=datetime(2000, 1, 1, tzinfo=UTC),
        language=passage.language,
        text=passage.text,
        original=passage.text,
        start_char=0,
        chunk_index=0,
        score=1.0,
    )


def _other_figure(sentence: str, language: Language, chance: random.Random) -> str | None:
    found = list(_FIGURE.finditer(sentence))
    if not found:
        return None
    figure = chance.choice(found)
    other = str(int(figure[0]) + chance.choice((1, 2, 3, 5, 7)))
    return sentence[: figure.start()] + other + sentence[figure.end() :]


def _other_word(kinds: Mapping[Language, Sequence[str]]) -> Change:
    """Put another word of its kind in the place of one."""

    def change(sentence: str, language: Language, chance: random.Random) -> str | None:
        rows = [row.split() for row in kinds[language]]
        # "M" is a name more often than a metre.
        found = [
            (match, row)
            for row in rows
            for match in re.finditer(rf"\b(?:{'|'.join(row)})\b", sentence)
            if match[0] != "m" or sentence[: match.start()].rstrip()[-1:].isdigit()
        ]
        if not found:
            return None
        match, row = chance.choice(found)
        other = chance.choice([word for word in row if word.lower() not in sentence.lower()] or [""])
        return sentence[: match.start()] + other + sentence[match.end() :] if other else None

    return change


def _other_name(passages: Sequence[Passage]) -> Change:
    """Put a name of another article in the place of one."""
    names = defaultdict(set)
    for passage in passages:
        for sentence in passage.sentences:
            names[passage.article] |= set(_names_in(sentence, passage.language))
    every = sorted(set().union(*names.values()))

    def change(sentence: str, language: Language, chance: random.Random) -> str | None:
        own = _names_in(sentence, language)
        strangers = [name for name in chance.sample(every, min(40, len(every))) if name.lower() not in sentence.lower()]
        if not own or not strangers:
            return None
        return re.sub(rf"\b{re.escape(chance.choice(own))}\b", strangers[0], sentence)

    return change


def _names_in(sentence: str, language: Language) -> list[str]:
    """Words with a capital within a sentence, found without the rules that are measured."""
    words = re.findall(r"(?<=[a-záéíóúñü] )[A-ZÁÉÍÓÚÑ][a-záéíóúñü]{3,}\b", sentence)
    return [] if language == "de" else sorted(set(words))


def _negated(sentence: str, language: Language, chance: random.Random) -> str | None:
    """The sentence with a verb denied, or without its only negation."""
    negation = _NEGATION[language]
    if sentence.count(f"{negation} ") == 1:
        return sentence.replace(f"{negation} ", " ")
    verb = _NEGATABLE[language].search(sentence)
    if verb is None or f"{negation} " in sentence:
        return None
    at = verb.start() if language == "es" else verb.end()
    return sentence[:at] + negation + sentence[at:]


def _curves(pairs: Sequence[Pair]) -> dict[str, dict[str, object]]:
    """For each kind how many pairs there are, and the share called supported at each threshold."""
    by_kind: dict[str, list[Support]] = defaultdict(list)
    for pair in pairs:
        by_kind[pair.kind].append(support_of(CitedClaim(pair.claim, pair.language), pair.source))
    return {kind: {"pairs": len(found), "supported": _shares(found)} for kind, found in by_kind.items()}


def _shares(found: Sequence[Support]) -> dict[str, float]:
    """``threshold`` is of one sentence; what more is asked of several, and of claims across languages, stays as it is."""
    return {
        f"{threshold:g}": round(sum(_is_enough(one, threshold) for one in found) / len(found), 3)
        for threshold in THRESHOLDS
    }


def _is_enough(support: Support, threshold: float) -> bool:
    return replace(support, least_share=support.least_share + threshold - LEAST_SUPPORT).is_enough


if __name__ == "__main__":
    main()
