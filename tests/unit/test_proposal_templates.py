import json
import uuid
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from rag_core.evaluation.golden.proposals.selection import select_candidates
from rag_core.evaluation.golden.proposals.templates import candidates_of
from rag_core.evaluation.runs.lexical import says
from rag_core.language.detection import detect_language
from rag_core.model.golden import CATEGORIES, query_hash
from rag_core.model.golden_proposal import CATEGORY_OF, DIFFICULTY_OF, ProposalCandidate, ProposalKind, ProposalNote
from rag_core.model.note import NoteId

DEMO = Path(__file__).resolve().parents[2] / "examples" / "notes.jsonl"
MADRID = ZoneInfo("Europe/Madrid")
CONTEXT = "Ayer vi a Julio y a Nora en el parque con Rosa."
"""Names that stand within a sentence; at its beginning every word has a capital."""


def note(text: str, *, title: str | None = None, language="es", day: str = "2025-03-04") -> ProposalNote:
    return ProposalNote(
        note_id=NoteId(uuid.uuid4()),
        title=title,
        content=text,
        language=language,
        created_at=datetime.fromisoformat(day).replace(tzinfo=MADRID),
    )


def asked(kind: str, *notes: ProposalNote) -> list[tuple[str, str]]:
    return [(one.query, one.expected_answer) for one in candidates_of(notes) if one.kind == kind]


@cache
def demo_candidates() -> list[ProposalCandidate]:
    return candidates_of(demo_notes())


@cache
def demo_notes() -> list[ProposalNote]:
    items = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]
    return [
        note(
            item["text"],
            title=item.get("title"),
            language=detect_language(item["text"]) or "es",
            day=item["created_at"][:10],
        )
        for item in items
    ]


@pytest.mark.parametrize(
    ("kind", "text", "query", "answer"),
    [
        ("who", "Julio llegó tarde a la estación.", "¿Quién llegó tarde a la estación?", "Julio"),
        ("who", "Nora se ha ido a la piscina, con prisa.", "¿Quién se ha ido a la piscina?", "Nora"),
        ("who", "Rosa leyó la carta de pie y se fue.", "¿Quién leyó la carta de pie?", "Rosa"),
        ("what", "Rosa leyó una carta de Batiste.", "¿Qué leyó Rosa el 4 de marzo de 2025?", "una carta de Batiste"),
        ("how-many", "Nora jugó tres partidos en un día.", "¿Cuántos partidos jugó Nora en un día?", "tres partidos"),
        ("how-many", "Julio ha dormido ocho horas cada noche.", "¿Cuántas horas ha dormido Julio cada noche?",
         "ocho horas"),
        ("when", "Julio compró la casa de Altea en 2019.", "¿Cuándo compró Julio la casa de Altea?", "en 2019"),
        ("when", "Nora empezó el curso de natación el 3 de febrero.", "¿Cuándo empezó Nora el curso de natación?",
         "el 3 de febrero"),
        ("cause", "Salimos muy tarde porque Nora no encontraba los zapatos.", "¿Por qué salimos muy tarde el 4 de marzo de 2025?",
         "Nora no encontraba los zapatos"),
        ("definition", "La brida de riego es una pieza de plástico negro.", "¿Qué es la brida de riego?",
         "una pieza de plástico negro"),
    ],
)  # fmt: skip
def test_a_sentence_is_asked_as_people_ask(kind: str, text: str, query: str, answer: str) -> None:
    assert (query, answer) in asked(kind, note(f"{CONTEXT} {text}"))


@pytest.mark.parametrize(
    ("kind", "language", "text", "query", "answer"),
    [
        ("who", "de", "Gestern war ich mit Lena da. Lena kam um acht Uhr nach Hause.",
         "Wer kam um acht Uhr nach Hause?", "Lena"),
        ("who", "en", "I saw old Tom there. Tom brought three bottles of wine.",
         "Who brought three bottles of wine?", "Tom"),
        ("cause", "en", "We stayed at home because Tom was ill.", "Why was it that we stayed at home on 4 March 2025?",
         "Tom was ill"),
        ("day", "de", "Es regnete den ganzen Tag.", "Was ist am 4. März 2025 passiert?", "Es regnete den ganzen Tag."),
    ],
)  # fmt: skip
def test_other_languages_are_asked_in_their_own_words(kind, language, text, query, answer) -> None:
    assert (query, answer) in asked(kind, note(text, language=language))


def test_labels_lists_and_differences_are_asked_for() -> None:
    text = (
        "Gómez: 38 € por unidad, garantía de un año.\nTuria: 46 € por unidad, garantía de tres años.\n\n"
        "Decisiones:\n- Pedir a Gómez.\n- Enterrar en marzo.\n"
    )
    offers = note(text, title="Presupuestos")

    assert asked("label", offers)[0] == (
        "¿Qué apunté sobre Gómez en «Presupuestos»?",
        "38 € por unidad, garantía de un año.",
    )
    assert asked("list", offers) == [
        ("¿Qué puse en la lista «Decisiones» de «Presupuestos»?", "Pedir a Gómez.; Enterrar en marzo.")
    ]
    assert asked("comparison", offers)[0][0] == "¿En qué se diferencian Gómez y Turia?"


def test_two_facts_of_a_note_are_one_question_over_the_stretch_of_both() -> None:
    text = f"{CONTEXT} Julio llegó tarde a la estación. Rosa leyó la carta de pie."

    (both,) = [
        one
        for one in candidates_of([note(text)])
        if one.query == "¿Quién llegó tarde a la estación y quién leyó la carta de pie?"
    ]

    assert both.expected_answer == "Julio; Rosa"
    assert both.quote == "Julio llegó tarde a la estación. Rosa leyó la carta de pie."


FIRST_DAY, SECOND_DAY = "2024-03-04", "2024-07-09"


@pytest.mark.parametrize(
    ("language", "one", "other", "query", "answer"),
    [
        (
            "es",
            f"{CONTEXT} Rosa leyó la carta de pie.",
            f"{CONTEXT} Rosa leyó un informe de Batiste.",
            "¿Qué leyó Rosa el 4 de marzo de 2024 y qué el 9 de julio de 2024?",
            "la carta de pie; un informe de Batiste",
        ),
        (
            "es",
            f"{CONTEXT} Nora se metió en la bañera grande.",
            f"{CONTEXT} Nora se metió debajo de la cama.",
            "¿Dónde se metió Nora el 4 de marzo de 2024 y dónde el 9 de julio de 2024?",
            "en la bañera grande; debajo de la cama",
        ),
        (
            "es",
            "El embrague cuesta 780 € en el taller de siempre.",
            "El embrague cuesta 910 € en el taller de siempre.",
            "¿Qué apunté sobre el embrague el 4 de marzo de 2024 y qué el 9 de julio de 2024?",
            "El embrague cuesta 780 € en el taller de siempre; El embrague cuesta 910 € en el taller de siempre.",
        ),
        (
            "de",
            "Nach dem Regen im Keller gemessen.\nMiete: 780 Euro im Monat\n",
            "Nach dem Regen im Keller gemessen.\nMiete: 910 Euro im Monat\n",
            "Was habe ich am 4. März 2024 zu „Miete“ notiert, und was am 9. Juli 2024?",
            "780 Euro im Monat; 910 Euro im Monat",
        ),
        (
            "en",
            "Measured in the cellar after rain.\nMonthly rent: 780 pounds\n",
            "Measured in the cellar after rain.\nMonthly rent: 910 pounds\n",
            "What did I note about “Monthly rent” on 4 March 2024, and what on 9 July 2024?",
            "780 pounds; 910 pounds",
        ),
    ],
)
def test_what_two_notes_say_of_one_thing_is_one_question(language, one, other, query, answer) -> None:
    notes = note(one, language=language, day=FIRST_DAY), note(other, language=language, day=SECOND_DAY)

    assert (query, answer) in asked("two-notes", *notes)


def test_notes_of_one_title_or_of_a_series_are_compared() -> None:
    texts = "Seis crisis: los días 6, 10 y 14.", "Cinco crisis: los días 3 y 22."
    same = [note(text, title="Registro", day=day) for text, day in zip(texts, (FIRST_DAY, SECOND_DAY), strict=True)]
    series = [
        note(text, title=f"Registro: {text[:4]}", day=day)
        for text, day in zip(texts, (FIRST_DAY, SECOND_DAY), strict=True)
    ]

    assert "¿Qué apunté en «Registro» el 4 de marzo de 2024 y qué el 9 de julio de 2024?" in dict(
        asked("two-notes", *same)
    )
    assert "¿En qué se diferencian «Registro: Seis» y «Registro: Cinc»?" in dict(asked("two-notes", *series))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("El embrague cuesta 780 € en el taller.", "El embrague costó 780 € al final."),  # the same again
        ("El embrague cuesta 780 € en el taller.", "El volante cuesta 910 € en el taller."),  # of two things
        ("Gasto: 780 € en ruedas nuevas", "Gasto: 910 € en la boda de Inés"),  # one label, two subjects
    ],
)
def test_what_is_not_of_one_thing_is_not_compared(one: str, other: str) -> None:
    assert asked("two-notes", note(one, day=FIRST_DAY), note(other, day=SECOND_DAY)) == []


def test_two_notes_of_one_day_are_not_told_apart_by_it() -> None:
    first, second = "El embrague cuesta 780 € en el taller.", "El embrague cuesta 910 € en el taller."

    assert asked("two-notes", note(first), note(second)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Julio le dijo eso a la vecina de abajo.",  # points back
        "¿Julio llegó tarde a la estación?",
        "Luego llegó tarde a la estación otra vez.",  # no name
        "Julio llegó tarde.",  # says too little
        "Julio llegó tarde a la estación hoy mismo.",
    ],
)
def test_what_cannot_be_asked_without_the_note_is_not(text: str) -> None:
    assert asked("who", note(f"{CONTEXT} {text}")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Pensó un poco porque eran las del trastero.",  # who?
        "No lo hice porque sonaría a excusa.",  # what?
        "Cena de empresa en una pizzería, porque Inés reservó el martes.",  # nothing happened
        "Fui tarde porque eso me pareció mejor.",  # points back
    ],
)
def test_a_cause_of_something_unclear_is_not_asked_for(text: str) -> None:
    assert asked("cause", note(text)) == []


def test_an_article_that_the_rules_leave_out_is_asked_with() -> None:
    text = "La compañía eléctrica no cambia la acometida porque hay que levantar la acera."

    assert asked("cause", note(text))[0][0] == "¿Por qué la compañía eléctrica no cambia la acometida?"


def test_a_day_with_two_notes_is_not_asked_for() -> None:
    one, other, alone = note("Llovió mucho."), note("Nevó un poco."), note("Hizo sol.", day="2025-03-05")

    assert asked("day", one, other, alone) == [("¿Qué pasó el 5 de marzo de 2025?", "Hizo sol.")]


def test_every_question_on_the_demo_has_its_answer_in_its_span_and_not_in_itself() -> None:
    notes = {one.note_id: one for one in demo_notes()}

    candidates = demo_candidates()

    assert len(candidates) > 300
    for one in candidates:
        read = notes[one.note_id]
        assert read.content[slice(*one.span)] == one.quote
        assert not says(one.query, one.expected_answer, read.language)
        assert len(one.query) <= 160
        assert all(notes[place.note_id].content[slice(*place.span)] == place.quote for place in one.further)
        said = " ".join(" ".join([one.quote, *(place.quote for place in one.further)]).split())
        for part in one.expected_answer.split("; "):
            assert part.rstrip(".") in said or one.kind in {"comparison", "list"}


def test_every_kind_has_a_category_of_both_vocabularies_and_a_difficulty_both_know() -> None:
    for vocabulary, categories in CATEGORIES.items():
        assert set(CATEGORY_OF[vocabulary]) == set(get_args(ProposalKind))
        assert set(CATEGORY_OF[vocabulary].values()) <= set(categories)
    assert set(DIFFICULTY_OF.values()) <= {1, 3, 5}


def test_proposals_lie_in_different_notes_and_months_and_fill_thin_categories() -> None:
    chosen = chosen_of(demo_candidates(), 20)

    categories = [CATEGORY_OF["brain_sync"][one.kind] for one in chosen]
    assert len({one.note_id for one in chosen}) == 20
    assert len({one.month for one in chosen}) >= 8
    assert min(categories.count(one) for one in ("factual", "causal", "temporal", "multi-part")) >= 4


def test_a_category_that_the_set_has_enough_of_comes_last() -> None:
    chosen = chosen_of(demo_candidates(), 3, coverage={"factual": 50, "temporal": 50, "multi-part": 50})

    assert {one.kind for one in chosen} <= {"cause", "comparison", "two-notes"}


def test_one_template_makes_a_quarter_at_most_while_there_are_others() -> None:
    candidates = demo_candidates()
    thin = {"factual": 90, "causal": 90, "comparative": 90, "multi-part": 90}
    days = [one for one in candidates if one.kind == "day"]

    chosen = Counter(one.kind for one in chosen_of(candidates, 20, coverage=thin))
    alone = chosen_of(days, 20, coverage=thin)

    assert sum(chosen.values()) == 20
    assert max(chosen.values()) == 5
    assert len(alone) == min(20, len(days)) > 5


def test_what_is_known_is_not_chosen_and_no_query_twice() -> None:
    candidates = demo_candidates()
    first = chosen_of(candidates, 5)

    known = {query_hash(one.query) for one in first}
    rest = chosen_of([*candidates, *candidates], 10_000, known=known)

    assert not {one.query for one in first} & {one.query for one in rest}
    assert len({query_hash(one.query) for one in rest}) == len(rest)


def test_the_same_notes_give_the_same_choice() -> None:
    candidates = demo_candidates()

    assert chosen_of(candidates, 10) == chosen_of(list(reversed(candidates)), 10)


def test_a_query_with_two_answers_is_not_chosen() -> None:
    radars = note(
        "Ultrasonidos\n- Error medio: 2,1 cm; con viento, hasta 6\n- Plazo: dos semanas de espera\n\n"
        "Radar\n- Error medio: 0,4 cm, le da igual el tiempo\n",
        title="¿Ultrasonidos o radar?",
    )

    candidates = candidates_of([radars])
    chosen = chosen_of(candidates, 10)

    assert len([one for one in candidates if "error medio" in one.query]) == 2
    assert [one.query for one in chosen if one.kind == "label"] == [
        "¿Qué apunté sobre plazo en «¿Ultrasonidos o radar?»?"
    ]


def test_nothing_to_choose_from_gives_nothing() -> None:
    assert candidates_of([]) == []
    assert chosen_of([], 5) == []


def chosen_of(
    candidates: list[ProposalCandidate], count: int, *, coverage=None, known=frozenset()
) -> list[ProposalCandidate]:
    return select_candidates(
        candidates, count, vocabulary="brain_sync", coverage=coverage or {}, used_notes=[], known=known
    )
