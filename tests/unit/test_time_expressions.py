import pytest
from time_texts import WEDNESDAY, intervals

from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times, strip_times

SPANISH = [
    ("¿Qué comí hoy?", "2025-04-16", "2025-04-17"),
    ("¿Qué comí ayer?", "2025-04-15", "2025-04-16"),
    ("AYER POR LA NOCHE", "2025-04-15", "2025-04-16"),
    ("anteayer", "2025-04-14", "2025-04-15"),
    ("antes de ayer", "2025-04-14", "2025-04-15"),
    ("anoche", "2025-04-15", "2025-04-16T06"),
    ("esta mañana", "2025-04-16", "2025-04-17"),
    ("esta manana", "2025-04-16", "2025-04-17"),
    ("esta semana", "2025-04-14", "2025-04-21"),
    ("la semana pasada", "2025-04-07", "2025-04-14"),
    ("la pasada semana", "2025-04-07", "2025-04-14"),
    ("la semana anterior", "2025-04-07", "2025-04-14"),
    ("este mes", "2025-04-01", "2025-05-01"),
    ("el mes pasado", "2025-03-01", "2025-04-01"),
    ("este año", "2025-01-01", "2026-01-01"),
    ("el ano pasado", "2024-01-01", "2025-01-01"),
    ("el último mes", "2025-03-16", "2025-04-17"),
    ("en los últimos 7 días", "2025-04-09", "2025-04-17"),
    ("las dos últimas semanas", "2025-04-02", "2025-04-17"),
    ("los últimos tres meses", "2025-01-16", "2025-04-17"),
    ("estos últimos años", "2022-04-16", "2025-04-17"),
    ("hace 3 días", "2025-04-13", "2025-04-14"),
    ("hace quince días", "2025-04-01", "2025-04-02"),
    ("hace una semana", "2025-04-07", "2025-04-14"),
    ("hace un par de meses", "2025-02-01", "2025-03-01"),
    ("hace dos años", "2023-01-01", "2024-01-01"),
    ("desde hace tres semanas", "2025-03-24", "2025-04-17"),
    ("hace unos días", "2025-04-02", "2025-04-17"),
    ("hace poco", "2025-03-16", "2025-04-17"),
    ("últimamente", "2025-03-16", "2025-04-17"),
    ("¿Qué compré en marzo?", "2025-03-01", "2025-04-01"),
    ("en abril", "2025-04-01", "2025-05-01"),
    ("en mayo", "2024-05-01", "2024-06-01"),
    ("durante el mes de marzo", "2025-03-01", "2025-04-01"),
    ("el pasado marzo", "2025-03-01", "2025-04-01"),
    ("en marzo de 2024", "2024-03-01", "2024-04-01"),
    ("la factura de marzo del 2024", "2024-03-01", "2024-04-01"),
    ("en mayo del año pasado", "2024-05-01", "2024-06-01"),
    ("en 2019", "2019-01-01", "2020-01-01"),
    ("en el año 2019", "2019-01-01", "2020-01-01"),
    ("el 5 de mayo", "2024-05-05", "2024-05-06"),
    ("el 5 de abril", "2025-04-05", "2025-04-06"),
    ("el 5 de mayo de 2023", "2023-05-05", "2023-05-06"),
    ("el lunes 4 de marzo de 2024", "2024-03-04", "2024-03-05"),
    ("el primero de abril", "2025-04-01", "2025-04-02"),
    ("el lunes", "2025-04-14", "2025-04-15"),
    ("la reunión del jueves pasado por la tarde", "2025-04-10", "2025-04-11"),
    ("este martes", "2025-04-15", "2025-04-16"),
    ("el fin de semana", "2025-04-12", "2025-04-14"),
    ("este fin de semana", "2025-04-12", "2025-04-14"),
    ("el fin de semana pasado", "2025-04-12", "2025-04-14"),
    ("a principios de marzo", "2025-03-01", "2025-03-11"),
    ("a mediados de marzo", "2025-03-11", "2025-03-22"),
    ("a finales de marzo", "2025-03-22", "2025-04-01"),
    ("a principios de año", "2025-01-01", "2025-05-01"),
    ("a finales de mes", "2025-03-22", "2025-04-01"),
    ("a finales del año pasado", "2024-09-01", "2025-01-01"),
    ("a mediados de 2019", "2019-05-01", "2019-09-01"),
    ("entre marzo y mayo", "2025-03-01", "2025-06-01"),
    ("entre marzo y mayo de 2024", "2024-03-01", "2024-06-01"),
    ("entre noviembre y febrero de 2024", "2023-11-01", "2024-03-01"),
    ("de noviembre a febrero", "2024-11-01", "2025-03-01"),
    ("entre el 5 y el 10 de mayo", "2024-05-05", "2024-05-11"),
    ("del lunes al miércoles", "2025-04-14", "2025-04-17"),
    ("entre 2018 y 2020", "2018-01-01", "2021-01-01"),
    ("entre 2020 y 2018", "2018-01-01", "2021-01-01"),
    ("entre marzo de 2024 y mayo", "2024-03-01", "2024-06-01"),
    ("entre ayer y anteayer", "2025-04-14", "2025-04-16"),
    ("desde marzo", "2025-03-01", "2025-04-17"),
    ("desde el lunes", "2025-04-14", "2025-04-17"),
    ("a partir del 5 de abril", "2025-04-05", "2025-04-17"),
    ("desde 2019", "2019-01-01", "2025-04-17"),
    ("antes de mayo", "1900-01-01", "2024-05-01"),
    ("hasta marzo", "1900-01-01", "2025-04-01"),
    ("después de mayo de 2024", "2024-06-01", "2025-04-17"),
    ("en primavera", "2025-03-01", "2025-06-01"),
    ("en verano", "2024-06-01", "2024-09-01"),
    ("el otoño pasado", "2024-09-01", "2024-12-01"),
    ("en invierno", "2024-12-01", "2025-03-01"),
    ("en el invierno de 2024", "2023-12-01", "2024-03-01"),
    ("en el verano en 2024", "2024-06-01", "2024-09-01"),
    ("¿Qué hice el día de Navidad de 2024?", "2024-12-25", "2024-12-26"),
    ("¿Qué comimos en Navidad?", "2024-12-24", "2024-12-27"),
    ("en Navidad del año pasado", "2024-12-24", "2024-12-27"),
    ("en las Navidades de 2023", "2023-12-24", "2024-01-07"),
    ("por Navidad", "2024-12-24", "2024-12-27"),
    ("en Nochebuena", "2024-12-24", "2024-12-25"),
    ("la Nochevieja de 2023", "2023-12-31", "2024-01-01"),
    ("la nochevieja pasada", "2024-12-31", "2025-01-01"),
    ("en Año Nuevo", "2025-01-01", "2025-01-02"),
    ("en Reyes", "2025-01-06", "2025-01-07"),
    ("el día de Reyes de 2024", "2024-01-06", "2024-01-07"),
    ("en Semana Santa de 2024", "2024-03-24", "2024-04-01"),
    ("esta Semana Santa", "2025-04-13", "2025-04-21"),
    ("la noche de San Juan", "2024-06-23", "2024-06-25"),
    ("la nota del 2024-03-05", "2024-03-05", "2024-03-06"),
    ("05/03/2024", "2024-03-05", "2024-03-06"),
    ("5/3/24", "2024-03-05", "2024-03-06"),
    ("03/25/2024", "2024-03-25", "2024-03-26"),
]
GERMAN = [
    ("Was aß ich heute?", "2025-04-16", "2025-04-17"),
    ("gestern Abend", "2025-04-15", "2025-04-16"),
    ("vorgestern", "2025-04-14", "2025-04-15"),
    ("letzte Nacht", "2025-04-15", "2025-04-16T06"),
    ("diese Woche", "2025-04-14", "2025-04-21"),
    ("letzte Woche", "2025-04-07", "2025-04-14"),
    ("im letzten Monat", "2025-03-01", "2025-04-01"),
    ("letztes Jahr", "2024-01-01", "2025-01-01"),
    ("in den letzten 3 Monaten", "2025-01-16", "2025-04-17"),
    ("die letzten zwei Wochen", "2025-04-02", "2025-04-17"),
    ("vor drei Tagen", "2025-04-13", "2025-04-14"),
    ("vor einem Monat", "2025-03-01", "2025-04-01"),
    ("neulich", "2025-03-16", "2025-04-17"),
    ("im März", "2025-03-01", "2025-04-01"),
    ("im Mai 2024", "2024-05-01", "2024-06-01"),
    ("im Mai letzten Jahres", "2024-05-01", "2024-06-01"),
    ("im Jahr 2019", "2019-01-01", "2020-01-01"),
    ("Was habe ich 2019 gemacht?", "2019-01-01", "2020-01-01"),
    ("am 5. Mai", "2024-05-05", "2024-05-06"),
    ("am 05.03.2024", "2024-03-05", "2024-03-06"),
    ("am Montag", "2025-04-14", "2025-04-15"),
    ("letzten Freitag", "2025-04-11", "2025-04-12"),
    ("am Wochenende", "2025-04-12", "2025-04-14"),
    ("Anfang März", "2025-03-01", "2025-03-11"),
    ("Ende letzten Jahres", "2024-09-01", "2025-01-01"),
    ("zwischen März und Mai 2024", "2024-03-01", "2024-06-01"),
    ("von März bis April", "2025-03-01", "2025-05-01"),
    ("seit März", "2025-03-01", "2025-04-17"),
    ("vor 2019", "1900-01-01", "2019-01-01"),
    ("im Sommer", "2024-06-01", "2024-09-01"),
    ("an Weihnachten", "2024-12-24", "2024-12-27"),
    ("Was gab es Weihnachten 2023?", "2023-12-24", "2023-12-27"),
    ("an Heiligabend", "2024-12-24", "2024-12-25"),
    ("zu Silvester", "2024-12-31", "2025-01-01"),
    ("Ostern 2024", "2024-03-29", "2024-04-02"),
    ("am Ostermontag 2024", "2024-04-01", "2024-04-02"),
]
ENGLISH = [
    ("What did I eat today?", "2025-04-16", "2025-04-17"),
    ("yesterday evening", "2025-04-15", "2025-04-16"),
    ("the day before yesterday", "2025-04-14", "2025-04-15"),
    ("last night", "2025-04-15", "2025-04-16T06"),
    ("this week", "2025-04-14", "2025-04-21"),
    ("last week", "2025-04-07", "2025-04-14"),
    ("last month", "2025-03-01", "2025-04-01"),
    ("in the last two weeks", "2025-04-02", "2025-04-17"),
    ("over the past 3 days", "2025-04-13", "2025-04-17"),
    ("the last few months", "2025-01-16", "2025-04-17"),
    ("three days ago", "2025-04-13", "2025-04-14"),
    ("a couple of weeks ago", "2025-03-31", "2025-04-07"),
    ("a year ago", "2024-01-01", "2025-01-01"),
    ("recently", "2025-03-16", "2025-04-17"),
    ("in March", "2025-03-01", "2025-04-01"),
    ("notes from March", "2025-03-01", "2025-04-01"),
    ("in May 2024", "2024-05-01", "2024-06-01"),
    ("in May last year", "2024-05-01", "2024-06-01"),
    ("in 2019", "2019-01-01", "2020-01-01"),
    ("on May 5", "2024-05-05", "2024-05-06"),
    ("on the 5th of May", "2024-05-05", "2024-05-06"),
    ("March 5, 2024", "2024-03-05", "2024-03-06"),
    ("on Monday", "2025-04-14", "2025-04-15"),
    ("last Friday", "2025-04-11", "2025-04-12"),
    ("this weekend", "2025-04-12", "2025-04-14"),
    ("early March", "2025-03-01", "2025-03-11"),
    ("mid-March", "2025-03-11", "2025-03-22"),
    ("at the end of last year", "2024-09-01", "2025-01-01"),
    ("between March and May 2024", "2024-03-01", "2024-06-01"),
    ("since March", "2025-03-01", "2025-04-17"),
    ("before 2019", "1900-01-01", "2019-01-01"),
    ("last summer", "2024-06-01", "2024-09-01"),
    ("in the summer in 2023", "2023-06-01", "2023-09-01"),
    ("What did I do at Christmas?", "2024-12-24", "2024-12-27"),
    ("last Christmas", "2024-12-24", "2024-12-27"),
    ("on Christmas Day 2023", "2023-12-25", "2023-12-26"),
    ("on New Year's Eve", "2024-12-31", "2025-01-01"),
    ("over Easter 2024", "2024-03-29", "2024-04-02"),
]


@pytest.mark.parametrize(("query", "since", "until"), SPANISH)
def test_a_spanish_time_is_an_interval_of_whole_days(query: str, since: str, until: str) -> None:
    assert intervals(query) == [(since, until)]


@pytest.mark.parametrize(("query", "since", "until"), GERMAN)
def test_a_german_time_is_an_interval_of_whole_days(query: str, since: str, until: str) -> None:
    assert intervals(query, "de") == [(since, until)]


@pytest.mark.parametrize(("query", "since", "until"), ENGLISH)
def test_an_english_time_is_an_interval_of_whole_days(query: str, since: str, until: str) -> None:
    assert intervals(query, "en") == [(since, until)]


@pytest.mark.parametrize(
    ("language", "query"),
    [
        *(
            ("es", query)
            for query in ("hoy en día", "hoy día", "en la actualidad", "la Plaza de Mayo", "marzo", "de marzo")
        ),
        *(("es", query) for query in ("los lunes", "lunes", "de lunes a viernes", "Viernes Santo", "el viernes negro")),
        *(
            ("es", query)
            for query in ("segunda", "la segunda vez", "en 2000 metros", "en 2.019", "la clave 2019", "en 1812")
        ),
        *(
            ("es", query)
            for query in ("en marzo de 1812", "en mayo del 68", "la Plaza del 2 de Mayo", "el 31 de abril")
        ),
        *(("es", query) for query in ("el lunes que viene", "la próxima semana", "mañana", "en 2030", "este viernes")),
        *(
            ("es", query)
            for query in ("pago al mes", "el mes", "la última semana de marzo", "el último año de carrera")
        ),
        *(
            ("es", query)
            for query in ("la semana anterior a la riada", "hace tres días que no duermo", "hace 3000 años")
        ),
        *(
            ("es", query)
            for query in ("los Reyes Católicos", "vivo con Reyes", "vivo en San Juan", "el turrón de Navidad")
        ),
        *(("de", query) for query in ("Silvester kam zu Besuch", "nächstes Weihnachten")),
        *(("en", query) for query in ("the Christmas tree", "an Easter egg")),
        *(("es", query) for query in ("Santos de los Últimos Días", "el Primavera Sound", "lo que hoy es Nueva York")),
        *(
            ("es", query)
            for query in ("cien años de soledad", "2024-02-30", "2024-03-05-roscon", "al lunes siguiente", "")
        ),
        *(("de", query) for query in ("heutzutage", "März", "Windows 2019", "vor dem Haus", "montags", "der Monat")),
        *(("de", query) for query in ("nächste Woche", "ein Jahr lang", "nach dem Essen")),
        *(("en", query) for query in ("may I go", "March", "Black Friday", "on Good Friday", "in the fall of Rome")),
        *(("en", query) for query in ("last week of March", "next Monday", "in 2000 people", "an hour ago", "Mondays")),
    ],
)
def test_what_only_looks_like_a_time_is_none(language: Language, query: str) -> None:
    assert find_times(query, now=WEDNESDAY, language=language) == ()


@pytest.mark.parametrize(
    ("query", "is_relative"),
    [
        ("ayer", True),
        ("en marzo", True),
        ("en mayo del año pasado", True),
        ("en marzo de 2024", False),
        ("en 2019", False),
        ("2024-03-05", False),
        ("desde 2019", False),
        ("entre marzo y mayo de 2024", False),
    ],
)
def test_only_a_named_year_makes_a_time_absolute(query: str, is_relative: bool) -> None:
    assert [time.is_relative for time in find_times(query, now=WEDNESDAY, language="es")] == [is_relative]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("¿Qué decidí la semana pasada sobre la API?", "la semana pasada"),
        ("la reunión del lunes con Ana", "del lunes"),
        ("¿Qué hice en los últimos 3 días?", "en los últimos 3 días"),
        ("¿Que\u0301 comi\u0301 esta man\u0303ana?", "esta man\u0303ana"),
        ("comí  hace\n dos   días bien", "hace\n dos   días"),
    ],
)
def test_the_span_is_the_stretch_of_the_query(query: str, text: str) -> None:
    (time,) = find_times(query, now=WEDNESDAY, language="es")

    assert time.text == text
    assert query[slice(*time.span)] == text


def test_several_times_come_in_their_order() -> None:
    assert intervals("¿Qué hice ayer y qué hice en marzo y abril de 2024?") == [
        ("2025-04-15", "2025-04-16"),
        ("2024-03-01", "2024-04-01"),
        ("2024-04-01", "2024-05-01"),
    ]


@pytest.mark.parametrize(
    ("language", "query", "left"),
    [
        ("es", "¿Qué decidí la semana pasada sobre la API?", "¿Qué decidí sobre la API?"),
        ("es", "¿Qué hice ayer?", "¿Qué hice?"),
        ("es", "¿Ayer, qué hice?", "¿qué hice?"),
        ("es", "Ayer, ¿qué hice?", "¿qué hice?"),
        ("es", "¿Qué hice ayer y hoy?", "¿Qué hice?"),
        ("es", "¿Qué hice, hoy, con Ana?", "¿Qué hice, con Ana?"),
        ("es", "notas (ayer)", "notas"),
        ("es", "la semana pasada", ""),
        ("es", "¿Ayer?", ""),
        ("es", "  sin   tiempos ", "  sin   tiempos "),
        ("de", "Was habe ich letzte Woche gegessen?", "Was habe ich gegessen?"),
        ("en", "What did I decide last week about the API?", "What did I decide about the API?"),
    ],
)
def test_the_query_without_its_times_still_reads_well(language: Language, query: str, left: str) -> None:
    assert strip_times(query, find_times(query, now=WEDNESDAY, language=language)) == left
