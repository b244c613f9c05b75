"""A question about a time is answered from what was written of that time."""

import pytest
from quoting_texts import in_march, source, texts

from rag_core.answering.quoting import selection as quoting
from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.quoting.selection import Quotation, quote
from rag_core.answering.quoting.sentence_scores import ScoredSentence
from rag_core.answering.verification.check import check_citations
from rag_core.model.answer import Source


def rent_in_march(*notes: Source) -> Quotation:
    """Quotation for how much the rent went up in March."""
    without = "¿Cuánto subió el alquiler?"
    return quote("¿Cuánto subió el alquiler en marzo?", in_march(*notes, without=without), language="es")


class TestTimes:
    def test_only_notes_of_the_time_are_quoted_where_there_are_any(self) -> None:
        early = source("El alquiler subió a 600 euros.", number=1, month=1)
        march = source("El alquiler subió a 700 euros.", number=2, month=3)

        made = rent_in_march(early, march)

        assert texts(made) == ["El alquiler subió a 700 euros."]

    def test_a_sentence_of_another_note_that_names_the_time_counts(self) -> None:
        march = source("Hoy he plantado tomates.", number=1, month=3)
        balance = source("El alquiler subió en marzo de 2025 a 700 euros. El alquiler bajó en mayo.", number=2, month=6)

        made = rent_in_march(march, balance)

        assert texts(made) == ["El alquiler subió en marzo de 2025 a 700 euros."]

    @pytest.mark.parametrize("month", ["2025-03", "marzo 2025"])
    @pytest.mark.parametrize("beside", [(), (source("Hoy he plantado tomates.", number=1, month=3),)])
    def test_a_row_that_names_the_time_counts_by_the_words_over_it(
        self, beside: tuple[Source, ...], month: str
    ) -> None:
        rows = f"| Libro | Leído |\n| --- | --- |\n| Nada | {month} |\n| Rayuela | 2025-04 |\n| El Aleph | 2024-03 |"
        table = source(rows, number=2, month=6)

        made = quote(
            "¿Qué libros leí en marzo de 2025?", in_march(*beside, table, without="¿Qué libros leí?"), language="es"
        )

        assert made.is_of_its_time
        assert texts(made) == [f"| Nada | {month} |"]

    def test_what_stands_under_a_heading_or_title_with_the_time_counts(self) -> None:
        march = source("Decidimos cambiar de fibra.", number=1, month=6, title="Reunión marzo 2025")
        april = source("Decidimos pintar la fachada.", number=2, month=6, title="Reunión abril 2025")

        made = quote(
            "¿Qué decidimos en la reunión de marzo de 2025?",
            in_march(april, march, without="¿Qué decidimos en la reunión?"),
            language="es",
        )

        assert made.is_of_its_time
        assert texts(made) == ["Decidimos cambiar de fibra."]

    def test_where_nothing_is_of_the_time_that_is_told(self) -> None:
        late = source("El alquiler subió a 600 euros.", month=6)

        made = rent_in_march(late)

        assert not made.is_of_its_time
        assert texts(made) == ["El alquiler subió a 600 euros."]

    def test_sentences_are_scored_once_though_they_are_chosen_from_twice(self, monkeypatch) -> None:
        asked, score = list[str](), quoting.score_sentences

        def counted(question, *sources, **options) -> list[ScoredSentence]:
            asked.append(question)
            return score(question, *sources, **options)

        monkeypatch.setattr(quoting, "score_sentences", counted)
        late = source("El alquiler subió a 600 euros.", month=6)

        assert quote(
            "¿Cuánto subió el alquiler en marzo?", in_march(late, without="¿Cuánto subió el alquiler?"), language="es"
        ).passages
        assert asked == ["¿Cuánto subió el alquiler en marzo?"]

    def test_a_question_for_a_time_alone_tells_of_its_notes_in_their_order(self) -> None:
        second = source("Por fin nevó toda la noche en Albarracín. Frío.", number=1, day=9)
        first = source("¡Qué día! Hemos plantado tomates en la terraza.", number=2, day=4)
        other = source("Hemos comprado una caldera nueva.", number=3, month=6)

        made = quote(
            "¿qué hice en marzo?", in_march(second, first, other, without="¿qué hice?", is_all=True), language="es"
        )

        assert texts(made) == ["Hemos plantado tomates en la terraza.", "Por fin nevó toda la noche en Albarracín."]

    @pytest.mark.parametrize(
        ("note", "said"),
        [
            ("**Fui al dentista García con mi hermana Ana.**", "Fui al dentista García con mi hermana Ana"),
            ("# Cena con Ana en el Mesón de Pepe", "Cena con Ana en el Mesón de Pepe"),
            ("# Cena con Ana en el Mesón de Pepe\n\nMuy rica.", "Cena con Ana en el Mesón de Pepe"),
            ("LLAMAR AL DENTISTA GARCÍA", "LLAMAR AL DENTISTA GARCÍA"),
            ("Ver [[Cena de marzo con Ana]]\n\nMuy rica.", "Muy rica"),
            ("## Cena\n\nFuimos al Mesón de Pepe con Ana.", "Fuimos al Mesón de Pepe con Ana"),
        ],
    )
    @pytest.mark.parametrize("is_titled", [False, True])
    def test_a_note_of_marked_lines_alone_is_told_by_them(self, note, said, is_titled) -> None:
        title = note.split("\n")[0].strip("#* ") if is_titled else None
        context = in_march(source(note, title=title), without="¿qué hice?", is_all=True)

        told = "".join(ExtractiveAnswerer().stream("¿qué hice en marzo?", context, language="es", timeout_seconds=1))

        assert told == f"{said} [1] (nota del 4 de marzo de 2025)."

    def test_a_time_without_a_note_has_no_answer(self) -> None:
        late = source("Hemos comprado una caldera nueva.", month=6)

        assert not quote(
            "¿qué hice en marzo?", in_march(late, without="¿qué hice?", is_all=True), language="es"
        ).passages

    def test_notes_of_several_days_are_dated_behind_the_quotation_and_hold(self) -> None:
        note = source("Hemos plantado tomates en la terraza.", day=4)
        context = in_march(note, without="¿qué hice?", is_all=True)

        said = "".join(ExtractiveAnswerer().stream("¿qué hice en marzo?", context, language="es", timeout_seconds=1))

        assert said == "Hemos plantado tomates en la terraza [1] (nota del 4 de marzo de 2025)."
        checked = check_citations(said, context.sources, language="es")
        assert [(one.quote, one.is_supported) for one in checked.citations] == [(note.original, True)]
        assert not checked.uncited
