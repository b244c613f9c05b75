"""Dates, measures and decimals that a claim says in other words than its source, or of something else."""

from dataclasses import replace

import pytest
from unit.citing import source

from rag_core.answering.verification.check import check_citations
from rag_core.language.content_words import tokens_of

SHOT = "La inyección de Trufa costó 142 euros y hay que repetirla en abril."  # dated the first of March 2025


def holds(claim: str, original: str, language: str = "es") -> bool:
    (citation,) = check_citations(
        f"{claim} [1].", [replace(source(1, original), language=language)], language=language
    ).citations
    return citation.is_supported


@pytest.mark.parametrize(
    ("language", "original", "true", "false"),
    [
        (
            "es",
            "El 3 de marzo de 2025 cerraron la tienda de Teruel.",
            "El 3 de marzo cerraron la tienda de Teruel",
            "El 5 de marzo cerraron la tienda de Teruel",
        ),
        (
            "es",
            "El 03/03/2025 fui al médico en Teruel.",
            "En marzo fui al médico en Teruel",
            "En abril fui al médico en Teruel",
        ),
        (
            "de",
            "Am 3. März 2025 schloss der Laden in Köln.",
            "Am 3. März schloss der Laden in Köln",
            "Am 3. März 2024 schloss der Laden in Köln",
        ),
        (
            "en",
            "On 3 March 2025 the shop in Cologne closed.",
            "In March the shop in Cologne closed",
            "In March 2024 the shop in Cologne closed",
        ),
        (
            "es",
            "En 2025 20 vecinos cerraron la calle.",
            "En 2025 20 vecinos cerraron la calle",
            "En 2025 30 vecinos cerraron la calle",
        ),
    ],
)
def test_a_date_may_be_said_in_part_and_counts_nothing_behind_it(
    language: str, original: str, true: str, false: str
) -> None:
    assert holds(true, original, language)
    assert not holds(false, original, language)


@pytest.mark.parametrize(
    ("language", "original", "true", "false"),
    [
        (
            "es",
            "Fui al médico en Teruel el 03/03/2025.",
            "El lunes 3 de marzo fui al médico en Teruel",
            "El martes 3 de marzo fui al médico en Teruel",
        ),
        ("de", "Ich war am 3. März 2025 beim Arzt.", "Ich war am Montag beim Arzt", "Ich war am Sonntag beim Arzt"),
        ("en", "The doctor saw me on March 3, 2025.", "The doctor saw me on Monday", "The doctor saw me on Friday"),
    ],
)
def test_a_date_says_its_day_of_the_week(language: str, original: str, true: str, false: str) -> None:
    assert holds(true, original, language)
    assert not holds(false, original, language)


def test_a_date_that_there_is_not_says_no_day_of_the_week() -> None:
    assert holds("El médico de Teruel me vio", "El 31 de febrero de 2025 me vio el médico de Teruel.")
    assert not holds("El lunes me vio el médico de Teruel", "El 31 de febrero de 2025 me vio el médico de Teruel.")


def test_the_day_of_the_week_of_a_notes_own_date_is_not_claimed_of_what_it_tells() -> None:
    assert not holds("El sábado llovió en Teruel", "Ayer llovió en Teruel.")  # written on a Saturday


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("El 1 de marzo de 2025, la inyección de Trufa costó 142 euros", True),
        ("La inyección de Trufa costó 142 euros (nota del 1 de marzo de 2025)", True),
        ("En marzo hay que repetir la inyección de Trufa", False),
        ("El 2 de marzo de 2025, la inyección de Trufa costó 142 euros", False),
    ],
)
def test_the_notes_own_date_stands_beside_another_month_as_a_whole(claim: str, is_supported: bool) -> None:
    assert holds(claim, SHOT) is is_supported


@pytest.mark.parametrize(
    ("language", "claim", "original"),
    [
        ("es", "Ese año viajé a Lisboa con Marta", "Viajé a Lisboa con Marta una semana."),
        ("es", "Ese día dormí mucho en el hotel", "Dormí mucho en el hotel, unas diez horas."),
        ("es", "El año pasado viajé a Lisboa con Marta", "Viajé a Lisboa con Marta cinco días."),
        ("de", "An dem Tag dauerte das Treffen lange", "Das Treffen dauerte lange, fast zwei Stunden."),
        ("en", "That day the meeting was long", "The meeting was long, almost two hours."),
        ("es", "Trufa subió de peso, según Nora", "Trufa subió, según Nora, que cobró 20 euros."),
        ("en", "Anna pounded nails into the board", "Anna hammered nails into the board for 20 euros."),
    ],
)
def test_a_word_that_measures_nothing_is_no_other_measure(language: str, claim: str, original: str) -> None:
    assert holds(claim, original, language)


@pytest.mark.parametrize(
    ("language", "claim", "same", "other"),
    [
        ("es", "La reunión duró una hora", "La reunión duró 60 minutos.", "La reunión duró 30 minutos."),
        ("es", "Ana lleva un año en Roma", "Ana lleva doce meses en Roma.", "Ana lleva seis meses en Roma."),
        ("de", "Das Treffen dauerte eine Stunde", "Das Treffen dauerte 60 Minuten.", "Das Treffen dauerte 20 Minuten."),
        ("en", "The meeting lasted an hour", "The meeting lasted 60 minutes.", "The meeting lasted 20 minutes."),
        ("es", "Pasé en Lisboa una semana", "Pasé en Lisboa siete días.", "Pasé en Lisboa cinco días."),
        ("es", "La reunión duró hora y media", "La reunión duró 90 minutos.", "La reunión duró unos días."),
    ],
)
def test_one_of_a_unit_is_so_many_of_its_parts(language: str, claim: str, same: str, other: str) -> None:
    assert holds(claim, same, language)
    assert not holds(claim, other, language)


@pytest.mark.parametrize(
    ("language", "claim", "original"),
    [
        ("es", "La factura fue de 20 euros", "La factura fue de 20,00 €."),
        ("es", "La factura fue de 20 euros", "La factura fue de 20.00 €."),
        ("de", "Die Rechnung betrug 35,5 Euro", "Die Rechnung betrug 35,50 Euro."),
        ("en", "The bill was 35.5 dollars", "The bill was $35.50."),
    ],
)
def test_a_zero_at_the_end_of_a_decimal_says_nothing(language: str, claim: str, original: str) -> None:
    assert holds(claim, original, language)


@pytest.mark.parametrize(
    ("language", "text", "token"),
    [
        ("es", "1.000,50", "1000.5"),
        ("es", "1.000", "1000"),
        ("es", "100", "100"),
        ("es", "0,00", "0"),
        ("es", "-2,50", "-2.5"),
        ("de", "3.10.", "3.10"),  # the third of October, not of January
        ("es", "1,000", "1.000"),  # perhaps a thousand
        ("en", "1.000", "1.000"),
        ("en", "1.000,00", "1.000"),
        ("en", "1,000.00", "1000"),
    ],
)
def test_zeros_of_thousands_and_of_dates_stay(language: str, text: str, token: str) -> None:
    assert tokens_of(text, language)[0] == token
