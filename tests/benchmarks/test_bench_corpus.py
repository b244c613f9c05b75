"""The notes and questions of the benchmarks: always the same, never twice, as many as asked for."""

import json

from benchmarks.corpus import Corpus, note_lines, note_lines_of_chunks, shuffled_questions

TEXTS = (
    "El tren de Bilbao salió tarde. Llovía mucho en la estación. Nadie protestó.",
    "Compré tomates y pimientos en el mercado. Costaron tres euros.",
    "La reunión empezó a las diez. Hablamos del presupuesto. Rosa estaba contenta.",
)
CORPUS = Corpus(name="prueba", notes=tuple(("", text) for text in TEXTS), questions=("¿Uno?", "¿Dos?", "¿Tres?"))


def test_the_first_notes_are_the_real_ones() -> None:
    lines = note_lines(CORPUS, 3)

    assert {json.loads(line)["text"] for line in lines} == set(TEXTS)


def test_a_longer_corpus_begins_with_the_shorter_one() -> None:
    assert note_lines(CORPUS, 40)[:10] == note_lines(CORPUS, 10)


def test_no_text_and_no_id_comes_twice() -> None:
    rows = [json.loads(line) for line in note_lines(CORPUS, 40)]

    assert len({row["text"] for row in rows}) == 40
    assert len({row["id"] for row in rows}) == 40


def test_recombined_notes_bring_new_words() -> None:
    known = {word for text in TEXTS for word in text.split()}
    long_notes = Corpus(name="prueba", notes=(("", " ".join(TEXTS * 3)),), questions=())

    words = {word for line in note_lines(long_notes, 40) for word in json.loads(line)["text"].split()}

    assert len(words - known) > 10


def test_short_notes_are_one_chunk_each() -> None:
    assert len(note_lines_of_chunks(CORPUS, 12)) == 12


def test_a_question_comes_again_only_after_all_others() -> None:
    questions = shuffled_questions(CORPUS, 6)

    assert set(questions[:3]) == {"¿Uno?", "¿Dos?", "¿Tres?"}
    assert questions[3:] == questions[:3]
