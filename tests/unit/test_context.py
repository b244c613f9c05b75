"""Context before a chunk for its contextual vector."""

import pytest
from contexts import contextual_input

from rag_core.embedding.context import contextual_info, template_summary, with_context
from rag_core.model.note import Language

LONG = "palabra " * 60


class TestInfo:
    @pytest.mark.property(20)
    @pytest.mark.parametrize(
        ("index", "expected"),
        [
            (0, "Parte 1 de 3 de una nota sobre: El riego. Esta es la sección inicial."),
            (1, "Parte 2 de 3 de una nota sobre: El riego. Esta es una sección intermedia."),
            (2, "Parte 3 de 3 de una nota sobre: El riego. Esta es la sección final."),
        ],
    )
    def test_it_says_which_part_of_what_and_where(self, index: int, expected: str) -> None:
        assert contextual_info(summary="El riego.", index=index, total=3, language="es") == expected

    def test_the_only_chunk_is_the_whole_note_and_not_its_beginning(self) -> None:
        info = contextual_info(summary="El riego.", index=0, total=1, language="es")

        assert info == "Parte 1 de 1 de una nota sobre: El riego. Esta es la nota completa."

    @pytest.mark.parametrize(
        ("language", "expected"),
        [
            ("de", "Teil 2 von 2 einer Notiz über: Wasser. Dies ist der letzte Abschnitt."),
            ("en", "Part 2 of 2 of a note about: Wasser. This is the last section."),
        ],
    )
    def test_it_is_in_the_notes_language(self, language: Language, expected: str) -> None:
        assert contextual_info(summary="Wasser.", index=1, total=2, language=language) == expected

    def test_braces_in_a_summary_stay_what_they_are(self) -> None:
        info = contextual_info(summary="{total} {0}", index=0, total=1, language="es")

        assert "sobre: {total} {0} Esta" in info

    @pytest.mark.parametrize(("index", "total"), [(3, 3), (-1, 3), (0, 0)])
    def test_a_chunk_outside_the_note_is_an_error(self, index: int, total: int) -> None:
        with pytest.raises(ValueError, match=f"chunk {index} of {total}"):
            contextual_info(summary="x", index=index, total=total, language="es")


class TestInput:
    def test_it_is_the_info_a_blank_line_and_the_chunk(self) -> None:
        text = contextual_input(title=None, summary="El riego.", chunk="  Abrimos.\n", index=0, total=2, language="es")

        assert text == ("Parte 1 de 2 de una nota sobre: El riego. Esta es la sección inicial.\n\n  Abrimos.\n")

    def test_a_title_is_put_before_a_summary_that_lacks_it(self) -> None:
        text = contextual_input(title="Acequia", summary="El riego.", chunk="x", index=0, total=1, language="es")

        assert text.startswith("Parte 1 de 1 de una nota sobre: Acequia. El riego. Esta")

    def test_a_title_that_the_summary_begins_with_is_not_said_twice(self) -> None:
        summary = template_summary("Acequia", "El riego.")

        text = contextual_input(title="Acequia", summary=summary, chunk="x", index=0, total=1, language="es")

        assert text.count("Acequia") == 1

    def test_info_and_chunk_are_joined_by_a_blank_line(self) -> None:
        assert with_context("info", "trozo") == "info\n\ntrozo"


class TestTemplateSummary:
    def test_a_short_note_is_its_own_summary(self) -> None:
        assert template_summary(None, "Compré pan.") == "Compré pan."

    def test_two_hundred_characters_are_still_whole(self) -> None:
        assert template_summary(None, "a" * 200) == "a" * 200

    def test_a_long_note_is_cut_at_the_end_of_a_word(self) -> None:
        assert template_summary(None, LONG) == "palabra " * 24 + "palabra..."

    def test_many_short_words_fill_the_summary(self) -> None:
        assert template_summary(None, "y " * 300) == "y " * 99 + "y..."

    def test_a_word_that_ends_at_the_limit_is_kept(self) -> None:
        assert template_summary(None, "a" * 150 + " " + "b" * 49 + " más") == f"{'a' * 150} {'b' * 49}..."

    def test_a_word_longer_than_the_summary_is_cut_inside(self) -> None:
        assert template_summary(None, "x" * 300) == "x" * 200 + "..."

    def test_a_short_word_before_a_very_long_one_is_not_all_that_is_left(self) -> None:
        assert template_summary(None, "ver " + "x" * 300) == "ver " + "x" * 196 + "..."

    @pytest.mark.parametrize(("grapheme", "whole"), [("👨‍👩‍👧", 39), ("🇪🇸", 99), ("e\u0301", 99), ("👍🏽", 99)])
    def test_a_grapheme_is_never_cut(self, grapheme: str, whole: int) -> None:
        assert template_summary(None, "x" + grapheme * 150) == "x" + grapheme * whole + "..."

    def test_lines_are_joined_and_white_space_is_one_blank(self) -> None:
        assert template_summary(None, "\n\n# Riego\n\n  - abrir\t- cerrar \n") == "# Riego - abrir - cerrar"

    def test_much_white_space_at_the_beginning_costs_no_words(self) -> None:
        assert template_summary(None, "\n" * 5_000 + "Compré pan.") == "Compré pan."

    def test_the_title_comes_first(self) -> None:
        assert template_summary("Reunión con Rosa", "Quedamos en enero.") == ("Reunión con Rosa. Quedamos en enero.")

    def test_a_title_that_ends_a_sentence_gets_no_second_stop(self) -> None:
        assert template_summary("¿Qué pasó?", "Llovió.") == "¿Qué pasó? Llovió."

    def test_a_title_the_note_begins_with_is_not_repeated(self) -> None:
        assert template_summary("Compré pan", "COMPRÉ pan y leche.") == "COMPRÉ pan y leche."

    @pytest.mark.parametrize("title", [None, "", "  "])
    def test_without_title_and_content_there_is_nothing_to_say(self, title: str | None) -> None:
        assert template_summary(title, " \n") == ""

    def test_a_title_alone_is_the_summary(self) -> None:
        assert template_summary("Acequia", "") == "Acequia."
