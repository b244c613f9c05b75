"""Names in notes: what they are, where they stand, and what is none."""

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from rag_core.graph.mentions import MAX_MENTIONS, read_mentions
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.note import Language

LABELLED = Path(__file__).parents[1] / "data/entities"


def named(text: str, language: Language, *others: str) -> list[tuple[str, str]]:
    found = read_mentions([(text, language)], known={}, others=[(other, language) for other in others])[0]
    return [(text[slice(*one.span)], one.kind) for one in found]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "Ayer cené con Álvaro de la Fuente.", [("Álvaro de la Fuente", "PERSON")]),
        ("es", "Lo trae el Sr. Ferrer.", [("Ferrer", "PERSON")]),
        ("es", "Vinieron Amaia Etxeberria de Kutxabank.", [("Amaia Etxeberria", "PERSON"), ("Kutxabank", "ORG")]),
        ("de", "Frau von der Heide kommt.", [("von der Heide", "PERSON")]),
        ("de", "Der Bericht von Petra Meier liegt vor.", [("Petra Meier", "PERSON")]),
        ("en", "J. P. Whitlock signed.", [("J. P. Whitlock", "PERSON")]),
        ("en", "Contact: Pell, Marjorie", [("Pell, Marjorie", "PERSON")]),
        (
            "es",
            "Escribe a joan.bosch@lumbre.example o a info@lumbre.example.",
            [("joan.bosch@lumbre.example", "PERSON")],
        ),
        ("de", "Wir bestellen bei der Rechenhof GmbH & Co. KG.", [("Rechenhof GmbH & Co. KG", "ORG")]),
        ("en", "He left the University of Leeds.", [("University of Leeds", "ORG")]),
        ("es", "Vivo en la calle Colón 12.", [("calle Colón 12", "LOCATION")]),
        ("es", "El viernes voy a La Coruña.", [("La Coruña", "LOCATION")]),
        ("de", "Das regelt das Bundesdatenschutzgesetz.", [("Bundesdatenschutzgesetz", "REGULATION")]),
        (
            "en",
            "See the Data Protection Act 2018 and ISO 27001.",
            [("Data Protection Act 2018", "REGULATION"), ("ISO 27001", "REGULATION")],
        ),
        ("es", "He leído «La ciudad y los perros».", [("La ciudad y los perros", "DOCUMENT")]),
        ("es", "Cena en el bar «Los Faroles».", [("Los Faroles", "ORG")]),
        ("en", "It is in incident_log.xlsx.", [("incident_log.xlsx", "DOCUMENT")]),
        ("es", "Pagué 1.234,50 € el 3 de mayo de 2026.", [("1.234,50 €", "MONEY"), ("3 de mayo de 2026", "DATE")]),
        (
            "de",
            "Das kostet 1,5 Millionen Euro im 2. Quartal 2026.",
            [("1,5 Millionen Euro", "MONEY"), ("2. Quartal 2026", "DATE")],
        ),
        ("en", "Due 19 Feb 2026, that is Q1 2026.", [("19 Feb 2026", "DATE"), ("Q1 2026", "DATE")]),
        ("es", "Instalamos PostgreSQL 16.", [("PostgreSQL 16", "PRODUCT")]),
        ("es", "El proyecto Mirlo empieza.", [("Mirlo", "PROJECT")]),
        ("es", "El faro luce.\n\nproyecto: Faro, Mirlo", [("Faro", "PROJECT"), ("Mirlo", "PROJECT")]),
        (
            "de",
            "Nele Ohm leitet das Projekt. Mareike Lohse auch.",
            [("Nele Ohm", "PERSON"), ("Mareike Lohse", "PERSON")],
        ),
        ("de", "Projekt: A7\nPerson: Vesna", [("A7", "PROJECT"), ("Vesna", "PERSON")]),
    ],
)
def test_a_name_is_found_with_its_kind(language: Language, text: str, expected: list[tuple[str, str]]) -> None:
    assert named(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Lunes gris. Marzo empieza mal. IMPORTANTE: comprar café y archivar los PDF."),
        ("de", "Am Montag war die Besprechung mit der Nachbarin. Ausweis, Jacke und Kabel nicht vergessen."),
        ("en", "Monday was long. Nothing works. TODO: write more."),
        ("es", "Dijo «Otra vez será» y se fue; «Por si acaso», contestó."),
        ("es", "Hoy mi jefa llegó tarde y mi hermano no llamó."),
        ("es", ""),
    ],
)
def test_what_only_has_a_capital_is_no_name(language: Language, text: str) -> None:
    assert named(text, language) == []


def test_other_notes_say_what_a_name_is() -> None:
    text = "El jueves toca Mirlo otra vez."

    assert named(text, "es") == []
    assert named(text, "es", "Enlaces del proyecto Mirlo") == [("Mirlo", "PROJECT")]


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (
            "es",
            "Enseñamos Marea Baja. El comité opina: Marea Baja gustó más que Mirlo.",
            ["Marea Baja", "Marea Baja", "Mirlo"],
        ),
        ("de", "Es heißt, Leuchtturm passt besser als Mirlo.", ["Leuchtturm", "Mirlo"]),
        ("en", "They say Lantern costs less money, and Lantern is better than Mirlo.", ["Lantern", "Lantern", "Mirlo"]),
    ],
)
def test_a_name_is_of_the_kind_it_is_compared_with(language: Language, text: str, names: list[str]) -> None:
    projects = {"es": "El proyecto Mirlo.", "de": "Das Projekt Mirlo.", "en": "The Project Mirlo."}

    assert named(text, language, projects[language]) == [(name, "PROJECT") for name in names]


def test_an_ordinary_word_or_what_is_compared_with_a_person_stays_no_name() -> None:
    assert named("Comer fuera gusta más que Mirlo.", "es", "El proyecto Mirlo.") == [("Mirlo", "PROJECT")]
    assert named("Se dice que Peralta corre más que Rosa Ferrer.", "es") == [("Rosa Ferrer", "PERSON")]


def test_words_of_kinship_are_a_person_where_the_note_says_who() -> None:
    text = "Mi jefa, Birgit Lohmann, se ríe. Luego mi jefa se va."

    found = read_mentions([(text, "es")], known={})[0]

    assert [(text[slice(*one.span)], one.name, one.method) for one in found] == [
        ("Mi jefa", "Birgit Lohmann", "kinship"),
        ("Birgit Lohmann", "Birgit Lohmann", "list"),
        ("mi jefa", "Birgit Lohmann", "kinship"),
    ]


def test_kinship_of_one_note_says_nothing_in_another() -> None:
    found = read_mentions([("Mi jefa, Birgit Lohmann, se ríe.", "es"), ("Mi jefa se va.", "es")], known={})

    assert found[1] == []


def test_a_note_of_ten_thousand_capitalised_words_is_bounded() -> None:
    text = " ".join(f"Nombre{chr(97 + number % 26)}{chr(97 + number // 26 % 26)} Ana, " for number in range(10_000))
    began = time.process_time()

    found = read_mentions([(text, "es")], known={})[0]

    assert len(found) == MAX_MENTIONS
    assert time.process_time() - began < 20


def test_labelled_notes_are_read_well_enough() -> None:
    """Precision of .85 and recall of .75 over all kinds, in every language; of words of kinship .9 and .9 in all."""
    kin = Counter[str]()
    for language in LANGUAGES:
        lines = (LABELLED / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
        notes = [json.loads(line) for line in lines]
        read = read_mentions(
            [(note["text"], language) for note in notes], known={}, others=[(note["title"], language) for note in notes]
        )
        counts, mine = Counter[str](), re.compile(rf"{language_of(language).names.possessive} ")
        for note, found in zip(notes, read, strict=True):
            got = {(*one.span, one.kind) for one in found}
            labelled = {(one["start"], one["end"], one["type"]) for one in note["mentions"]}
            counts.update(right=len(got & labelled), found=len(got), labelled=len(labelled))
            told = {one.span for one in found if one.method == "kinship"}
            meant = {(start, end) for start, end, _ in labelled if mine.match(note["text"], start, end)}
            kin.update(right=len(told & meant), found=len(told), labelled=len(meant))

        assert counts["right"] / counts["found"] >= 0.85, language
        assert counts["right"] / counts["labelled"] >= 0.75, language
    assert kin["right"] / kin["found"] >= 0.9
    assert kin["right"] / kin["labelled"] >= 0.9
