import pytest

from rag_core.model.note import Language
from rag_core.query.decomposition import decompose


@pytest.mark.parametrize(
    ("language", "query", "parts"),
    [
        ("es", "¿Qué comí ayer? ¿Dónde estuve?", ("¿Qué comí ayer?", "¿Dónde estuve?")),
        ("es", "¿Qué comí?¿Dónde estuve?", ("¿Qué comí?", "¿Dónde estuve?")),
        ("es", "que comi? donde estuve?", ("que comi?", "donde estuve?")),
        ("es", "¿Qué comí ¿dónde estuve?", ("¿Qué comí", "¿dónde estuve?")),
        ("es", "¿Qué comí y también qué bebí?", ("¿Qué comí?", "¿qué bebí?")),
        ("es", "¿Qué comí, y además qué bebí?", ("¿Qué comí?", "¿qué bebí?")),
        ("es", "pan de centeno y tambien bollos", ("pan de centeno", "bollos")),
        ("es", "¿Qué comí? Y además, ¿qué bebí?", ("¿Qué comí?", "¿qué bebí?")),
        ("es", "¿Qué comí? ¿Y qué bebí?", ("¿Qué comí?", "¿qué bebí?")),
        ("es", "«¿Qué comí?» ¿Qué bebí?", ("«¿Qué comí?»", "¿Qué bebí?")),
        ("de", "Was habe ich gegessen? Wo war ich?", ("Was habe ich gegessen?", "Wo war ich?")),
        ("de", "Was aß ich und außerdem was trank ich?", ("Was aß ich?", "was trank ich?")),
        ("de", "Brot und auch Brötchen", ("Brot", "Brötchen")),
        ("en", "What did I eat? Where was I?", ("What did I eat?", "Where was I?")),
        ("en", "What did I eat and also where was I?", ("What did I eat?", "where was I?")),
    ],
)
def test_a_query_with_several_questions_is_taken_apart(language: Language, query: str, parts: tuple[str, ...]) -> None:
    assert decompose(query, language=language) == parts


@pytest.mark.parametrize(
    "query",
    [
        "¿Qué pasó?",
        "¿Qué pasó???",
        "¿¿Qué pasó??",
        "¿Qué pasó?!",
        "¿Qué? ???",
        "¿Qué pastillas me recetó y cuál era el tope?",
        "¿Qué pasó y también?",
        "Y también, ¿qué pasó?",
        "Ayer llovió. ¿Qué hice? Gracias.",
        "mira https://x.es/?q=1&r=2 ahora",
        "nota sobre el bosque también",
        "¿Por qué me siento ansioso cuando tengo conflictos en el trabajo?",
    ],
)
def test_a_query_with_one_question_stays_whole(query: str) -> None:
    assert decompose(query, language="es") == (query,)


@pytest.mark.parametrize("query", ["¿Qué comí? ¿Qué comí?", "¿Qué comí? ¿QUE COMI?", "¿Cuándo comió Ana? ¿Y cuándo?"])
def test_a_repeated_question_is_one(query: str) -> None:
    assert decompose(query, language="es") == (query,)


def test_a_repetition_between_others_is_left_out() -> None:
    query = "¿Qué comí? ¿Dónde estuve? ¿qué comí?"

    assert decompose(query, language="es") == ("¿Qué comí?", "¿Dónde estuve?")


@pytest.mark.parametrize(
    ("language", "query", "parts"),
    [
        ("es", "¿Qué comió Ana? ¿Y cuándo?", ("¿Qué comió Ana?", "¿cuándo comió Ana?")),
        (
            "es",
            "¿Quién ganó la carrera? ¿Y dónde? ¿Y por qué?",
            ("¿Quién ganó la carrera?", "¿dónde ganó la carrera?", "¿por qué ganó la carrera?"),
        ),
        ("de", "Was hat Ana gegessen? Und wann?", ("Was hat Ana gegessen?", "wann hat Ana gegessen?")),
        ("en", "What did Ana eat? And when?", ("What did Ana eat?", "when did Ana eat?")),
    ],
)
def test_a_question_that_names_nothing_takes_the_predicate_before(
    language: Language, query: str, parts: tuple[str, ...]
) -> None:
    assert decompose(query, language=language) == parts


def test_it_stays_bare_when_the_question_before_has_no_question_word() -> None:
    assert decompose("¿Fue Ana? ¿Y cuándo?", language="es") == ("¿Fue Ana?", "¿cuándo?")


def test_text_around_the_questions_goes_with_them() -> None:
    query = "Estuve en Teruel. ¿Dónde dormí? ¿Qué pagué? Era marzo."

    assert decompose(query, language="es") == ("Estuve en Teruel. ¿Dónde dormí?", "¿Qué pagué? Era marzo.")


def test_questions_beyond_the_fourth_are_put_together_with_it() -> None:
    query = "¿Pan? ¿Sal? ¿Miel? ¿Arroz? ¿Leche? ¿Huevos?"

    assert decompose(query, language="es") == ("¿Pan?", "¿Sal?", "¿Miel?", "¿Arroz, Leche, Huevos?")


@pytest.mark.parametrize("query", ["", "  \n "])
def test_a_blank_query_has_no_parts(query: str) -> None:
    assert decompose(query, language="es") == ()


def test_spaces_around_a_single_question_go() -> None:
    assert decompose("  ¿Qué comí? ", language="es") == ("¿Qué comí?",)
