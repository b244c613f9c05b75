"""Recall and false alarms of the guardrails.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.guardrails`` scans the labelled attacks and harmless texts kind by kind, and the
retrieval sets as texts nobody attacked; it looks for personal data in labelled reports, and in numbers made here with right and
with wrong check digits. Shares have 95 % intervals (Wilson). The last line of stdout is one JSON object.
"""

import gzip
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

from stdnum import luhn
from stdnum.de import idnr
from stdnum.es import dni
from stdnum.iso7064 import mod_97_10

from rag_core.guardrails import BLOCK_SCORE, WARN_SCORE, Profile
from rag_core.guardrails.injection import scan
from rag_core.guardrails.outgoing import find_all

# Labels of the reports that a kind of finding stands for; the others are names, dates, places and record numbers without check digits.
LABELS = {"CORREO_ELECTRONICO": "email", "NUMERO_TELEFONO": "phone", "ID_ASEGURAMIENTO": "social_id"}
QUESTION_KINDS = {"direct", "benign-with-trigger-words"}
NUMBERS_A_KIND = 500
SENTENCES = (
    "El número es {}.",
    "Apunté {} en la libreta",
    "{}",
    "Meine Nummer: {}, bitte notieren.",
    "It was {} (see above).",
)


def main() -> None:
    """Measure and print."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    found = {
        "injection": injections(folder / "injection/prompts.jsonl"),
        "texts_nobody_attacked": untouched(folder),
        "labelled_personal_data": labelled(folder / "pii-es/docs.jsonl"),
        "made_numbers": made_numbers(),
        "characters_a_second": speed(folder),
    }
    print(json.dumps(found))


def injections(path: Path) -> dict[str, Any]:
    """Share of texts told of and refused or withheld, by kind."""
    scores: dict[str, list[float]] = {}
    for row in lines(path):
        profile: Profile = "question" if row["kind"] in QUESTION_KINDS else "note"
        scores.setdefault(f"{row['label']}: {row['kind']}", []).append(scan(row["text"], profile=profile).score)
    return {
        kind: {"found": share(values, WARN_SCORE), "sure": share(values, BLOCK_SCORE)}
        for kind, values in sorted(scores.items())
    }


def untouched(folder: Path) -> dict[str, Any]:
    """Share of passages and of questions that are taken for attacks, none of which is one."""
    passages = [row["text"] for path in sorted(folder.glob("*/corpus.jsonl*")) for row in lines(path)]
    questions = [row["query"] for path in sorted(folder.glob("*/queries.jsonl*")) for row in lines(path)]
    return {
        "passages": share([scan(text, profile="note").score for text in passages], WARN_SCORE),
        "questions": share([scan(text).score for text in questions], WARN_SCORE),
    }


def labelled(path: Path) -> dict[str, Any]:
    """Precision and recall of each kind that the reports label, by overlap; found kinds that they do not label are counted."""
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in LABELS.values()}
    others: dict[str, int] = {}
    for row in lines(path):
        findings = find_all(row["text"], "es")
        for entity in row["entities"]:
            if kind := LABELS.get(entity["label"]):
                counts[kind][1] += 1
                counts[kind][0] += any(f.kind == kind and overlaps(f.span, entity) for f in findings)
        for finding in findings:
            if finding.kind not in counts:
                others[finding.kind] = others.get(finding.kind, 0) + 1
            elif not any(LABELS.get(e["label"]) == finding.kind and overlaps(finding.span, e) for e in row["entities"]):
                counts[finding.kind][2] += 1
    return {
        **{
            kind: {
                "recall": interval(hits, labels),
                "precision": interval(hits, hits + false) if hits + false else None,
            }
            for kind, (hits, labels, false) in counts.items()
        },
        "unlabelled": others,
    }


def overlaps(span: tuple[int, int], entity: dict[str, Any]) -> bool:
    """Test whether a finding and a labelled entity share a character."""
    return bool(span[0] < entity["end"] and entity["start"] < span[1])


def made_numbers() -> dict[str, Any]:
    """Recall on numbers with right check digits, and the share of wrong ones that are taken for right."""
    draws = random.Random(7)
    figures = {}
    for kind, make, spoil in KINDS:
        right = [make(draws) for _ in range(NUMBERS_A_KIND)]
        wrong = [spoil(number, draws) for number in right]
        figures[kind] = {
            "recall": interval(sum(is_found(number, kind, draws) for number in right), len(right)),
            "taken_though_wrong": interval(sum(is_found(number, kind, draws) for number in wrong), len(wrong)),
        }
    return figures


def is_found(number: str, kind: str, draws: random.Random) -> bool:
    """Test whether all of a number in a sentence is found as that kind."""
    text = draws.choice(SENTENCES).format(number)
    start = text.index(number)
    return any(f.kind == kind and f.span == (start, start + len(number)) for f in find_all(text, "es"))


def digits(draws: random.Random, count: int) -> str:
    """So many digits at random."""
    return "".join(draws.choices("0123456789", k=count))


def make_iban(draws: random.Random) -> str:
    """A Spanish or German IBAN in groups of four or without blanks; the account's own check digits are not the IBAN's."""
    country, length = draws.choice([("ES", 20), ("DE", 18), ("FR", 23)])
    account = digits(draws, length)
    number = f"{country}{mod_97_10.calc_check_digits(f'{account}{country}')}{account}"
    return grouped(number, 4, draws)


def make_card(draws: random.Random) -> str:
    """A card of one of three brands, sixteen digits."""
    body = draws.choice(["4", "51", "55"])
    body += digits(draws, 15 - len(body))
    return grouped(body + luhn.calc_check_digit(body), 4, draws)


def make_dni(draws: random.Random) -> str:
    """Eight digits and their letter."""
    body = digits(draws, 8)
    return f"{body}{draws.choice(['', '-'])}{dni.calc_check_digit(body)}"


def make_tax_id(draws: random.Random) -> str:
    """Ten digits of which just one occurs twice, and the check digit."""
    chosen = draws.sample("0123456789", 9)
    body = [*chosen, draws.choice(chosen)]
    while body[0] == "0" or any(one == other for one, other in pairwise(body)):
        draws.shuffle(body)
    return next(number for digit in "0123456789" if idnr.is_valid(number := "".join(body) + digit))


def make_phone(draws: random.Random) -> str:
    """A Spanish mobile or landline number, with or without country code and blanks."""
    body = draws.choice(["6", "71", "91", "93", "955"])
    body += digits(draws, 9 - len(body))
    return draws.choice(["", "+34 "]) + grouped(body, 3, draws)


def grouped(number: str, size: int, draws: random.Random) -> str:
    """In groups or as it is."""
    groups = [number[at : at + size] for at in range(0, len(number), size)]
    return " ".join(groups) if draws.random() < 0.5 else number


def another_digit(number: str, draws: random.Random) -> str:
    """One digit changed, which every check digit notices."""
    at = draws.choice([index for index, character in enumerate(number) if character.isdigit()])
    return number[:at] + draws.choice([d for d in "0123456789" if d != number[at]]) + number[at + 1 :]


def undiallable(number: str, draws: random.Random) -> str:
    """A digit too few, which no Spanish number has."""
    return number[:-1]


KINDS: tuple[tuple[str, Callable[[random.Random], str], Callable[[str, random.Random], str]], ...] = (
    ("iban", make_iban, another_digit),
    ("card", make_card, another_digit),
    ("dni", make_dni, another_digit),
    ("tax_id", make_tax_id, another_digit),
    ("phone", make_phone, undiallable),
)


def speed(folder: Path) -> float:
    """Characters of notes scanned in a second of processor time, when every word has been seen once."""
    texts = [row["text"] for row in lines(folder / "clinical-es/corpus.jsonl.gz")]
    for _ in range(2):
        began = time.process_time()
        for text in texts:
            scan(text, profile="note")
        seconds = time.process_time() - began
    return round(sum(map(len, texts)) / seconds)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, gzipped or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    yield from map(json.loads, text.splitlines())


def share(scores: Iterable[float], threshold: float) -> dict[str, float]:
    """The share of scores from a threshold on."""
    values = list(scores)
    return interval(sum(score >= threshold for score in values), len(values))


def interval(hits: int, total: int) -> dict[str, float]:
    """A share with its 95 % interval.

    Source: Wilson, JASA 22, 1927.
    """
    z, p = 1.96, hits / total
    centre, spread = p + z * z / (2 * total), z * sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    low, high = (centre - spread) / (1 + z * z / total), (centre + spread) / (1 + z * z / total)
    return {"share": round(p, 4), "low": round(max(low, 0.0), 4), "high": round(min(high, 1.0), 4), "of": total}


if __name__ == "__main__":
    sys.exit(main())
