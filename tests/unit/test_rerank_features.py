import numpy as np
import pytest
from builders import make_candidate

from rag_core.language.stemming import query_words
from rag_core.model.note import Language
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate
from rag_core.reranking.answer_types import expected_answer
from rag_core.reranking.features import FEATURES, MAX_CHARACTERS, features


def candidate(
    content: str, *, title: str | None = None, language: Language = "es", score: float = 0.5, **legs: float
) -> Candidate:
    return make_candidate(
        content,
        title=title,
        language=language,
        score=score,
        leg_scores={name.replace("_", ":"): value for name, value in legs.items()},
    )


def statistics(language: Language = "es", *, documents: int = 100, **frequencies: int) -> QueryStatistics:
    return QueryStatistics(documents={language: documents}, frequencies={language: frequencies})


def column(name: str, query: str, candidates: list[Candidate], known: QueryStatistics) -> list[float]:
    return features(query, candidates, known)[:, FEATURES.index(name)].tolist()


def test_no_candidates_give_no_rows() -> None:
    assert features("gato", [], statistics()).shape == (0, len(FEATURES))


def test_leg_scores_are_relative_to_the_best_and_a_leg_may_have_searched_twice() -> None:
    rows = [candidate("a", fulltext=8.0, fulltext_2=2.0), candidate("b", fulltext_2=4.0), candidate("c", semantic=-0.2)]

    assert column("fulltext", "gato", rows, statistics(gato=5)) == [1.0, 0.5, 0.0]
    assert column("semantic", "gato", rows, statistics(gato=5)) == [0.0, 0.0, 0.0]


def test_only_the_leader_has_a_lead() -> None:
    rows = [candidate("a", fulltext=8.0), candidate("b", fulltext=6.0)]

    assert column("lead", "gato", rows, statistics(gato=5)) == [0.25, 0.0]


def test_a_rare_word_covers_more_of_the_query_than_a_common_one() -> None:
    rows = [candidate("el gato"), candidate("el ornitorrinco"), candidate("nada"), candidate("gatos y ornitorrincos")]

    common, rare, none, both = column("coverage", "gato ornitorrinco", rows, statistics(gato=50, ornitorrinco=1))

    assert none == 0.0 < common < rare < both == pytest.approx(1.0)


def test_the_sentence_counts_and_not_the_text_as_a_whole() -> None:
    together = candidate("Hace frío. El gato come pan.")
    apart = candidate("El gato duerme. Luego come pan.")

    one, other = column("sentence", "gato pan", [together, apart], statistics(gato=5, pan=5))

    assert one == pytest.approx(1.0)
    assert other == pytest.approx(0.5)


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert column("sentence", "gato pan", [candidate("El gato del Sr. Pan")], statistics(gato=5, pan=5)) == [1.0]


def test_words_as_written_count_more_than_their_stems() -> None:
    rows = [candidate("los gatos comen"), candidate("el gato come")]

    assert column("exact", "gato", rows, statistics(gato=5)) == [0.0, 1.0]
    assert column("coverage", "gato", rows, statistics(gato=5)) == [1.0, 1.0]


def test_an_irregular_form_counts_as_its_verb() -> None:
    assert column("coverage", "siento", [candidate("ayer sintió frío")], statistics(siento=5)) == [1.0]


def test_accents_do_not_part_words() -> None:
    assert column("coverage", "época", [candidate("aquella epoca")], statistics(época=5)) == [1.0]


def test_proximity_is_lost_beyond_twelve_words() -> None:
    near = candidate("gato " + "y " * 11 + "pan")
    far = candidate("gato " + "y " * 12 + "pan")

    assert column("proximity", "gato pan", [near, far], statistics(gato=5, pan=5)) == [1.0, 0.5]


def test_phrases_are_adjacent_words_with_their_stop_words() -> None:
    rows = [candidate("vio el gato de la vecina"), candidate("la vecina, de un gato"), candidate("gato")]

    shares = column("phrases", "gato de la vecina", rows, statistics(gato=5, vecina=5))

    assert shares == pytest.approx([1.0, 1 / 3, 0.0])


@pytest.mark.parametrize(
    ("query", "passage", "language", "name"),
    [
        ("¿Cuántos gatos hay?", "Hay tres gatos.", "es", "number"),
        ("¿Cuántos gatos hay?", "Hay 3 gatos.", "es", "counted"),
        ("¿Cuándo compré el gato?", "Compré el gato en marzo.", "es", "date"),
        ("¿En qué año compré el gato?", "Compré el gato en 2019.", "es", "date"),
        ("¿Quién compró el gato?", "El gato lo compró Amparo.", "es", "name"),
        ("How many cats are there?", "There are 3 cats.", "en", "counted"),
        ("When did the cat come?", "The cat came in March.", "en", "date"),
        ("Who bought the cat?", "The cat was bought by Mary.", "en", "name"),
        ("Wie viele Katzen gibt es?", "Es gibt drei Katzen.", "de", "counted"),
        ("Wann kam die Katze?", "Die Katze kam im März.", "de", "date"),
    ],
)
def test_what_answers_the_question_is_found_near_its_words(query, passage, language, name) -> None:
    known = statistics(language, **{word: 5 for word in query_words(query) if len(word) > 3})
    without = {"es": "El gato duerme.", "en": "The cat sleeps.", "de": "Die Katze schläft."}[language]

    found = column(name, query, [candidate(passage, language=language), candidate(without, language=language)], known)

    assert found == [1.0, 0.0]


def test_a_number_of_the_question_is_no_answer() -> None:
    row = candidate("En 2019 el gato era 3.")

    assert column("date", "¿Cuándo, antes de 2019, vino el gato?", [row], statistics(gato=5)) == [0.0]


@pytest.mark.parametrize("query", ["gato negro", "¿Por qué duerme el gato?", "el cuantioso gasto", ""])
def test_a_question_of_another_kind_expects_nothing(query) -> None:
    assert expected_answer(query, "es") is None


def test_a_query_of_stop_words_is_still_compared() -> None:
    assert column("coverage", "de la", [candidate("de la casa"), candidate("nada")], statistics()) == [1.0, 0.0]


def test_terms_that_every_candidate_has_tell_them_apart_least() -> None:
    rows = [candidate("gato pan"), candidate("gato"), candidate("gato")]

    both, *one = column("rare_coverage", "gato pan", rows, statistics(gato=5, pan=5))

    assert both == 1.0
    assert one == pytest.approx([np.log(2) / (np.log(2) + np.log(4))] * 2)


def test_a_passage_in_another_language_is_read_with_its_own_stems_and_counts() -> None:
    known = QueryStatistics(
        documents={"es": 100, "en": 10}, frequencies={"es": {"information": 1}, "en": {"information": 2}}
    )
    rows = [candidate("useful informations", language="en"), candidate("information", language="es")]

    assert column("coverage", "information", rows, known) == [1.0, 1.0]


def test_only_the_beginning_of_a_note_that_is_not_chunked_is_read() -> None:
    assert column("coverage", "gato", [candidate("x " * MAX_CHARACTERS + "gato")], statistics(gato=5)) == [0.0]


def test_the_title_counts_for_coverage_and_by_itself() -> None:
    row = candidate("Duerme.", title="El gato")

    assert column("coverage", "gato", [row], statistics(gato=5)) == [1.0]
    assert column("title", "gato", [row], statistics(gato=5)) == [1.0]
