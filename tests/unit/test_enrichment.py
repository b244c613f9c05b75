"""Enrichment of texts by rules: type, phrases, summary, reading ease, counts."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.enrichment.document_types import classify
from rag_core.enrichment.enrich import enrich
from rag_core.enrichment.reading import MAX_CHARACTERS, read
from rag_core.language import LANGUAGES
from rag_core.model.enrichment import DOCUMENT_TYPES
from rag_core.model.note import Language

LABELLED = Path(__file__).parents[1] / "data" / "document_types.jsonl"
WALK = (
    "El sendero sube despacio entre hayas y robles hasta la ermita. En la ermita hay una fuente de agua fría y un banco. "
    "Desde el banco se ve el valle entero, con el río y los molinos. Comimos pan con queso. "
    "La ermita se abre los domingos y la fuente no se seca nunca, ni en agosto, según cuentan en el valle."
)


def test_nine_of_ten_labelled_texts_that_no_weight_was_fitted_to_get_their_type() -> None:
    rows = [row for row in map(json.loads, LABELLED.read_text().splitlines()) if row["part"] == "held_out"]

    right = sum(classify(read(row["text"], row["language"]))[0] == row["type"] for row in rows)

    assert len(rows) == 60
    assert right >= 57


@pytest.mark.parametrize(
    ("text", "language", "document_type"),
    [
        (
            "Rechnung Nr. 12\nKundennummer 7\nSumme netto 100,00 €, zzgl. MwSt. 19,00 €, zahlbar bis 3. Mai.",
            "de",
            "invoice",
        ),
        ("Dear Mr Hall,\n\nthank you for your letter.\n\nKind regards,\nJoan", "en", "correspondence"),
        ("Ayer fui con mi hermana al mercado y compré higos. Estoy cansada, pero contenta.", "es", "other"),
        ("", "es", "other"),
        ("20240403", "es", "other"),
        ("12345 67890", "en", "other"),
        ("3,50 €", "de", "other"),
    ],
)
def test_a_text_is_told_by_words_and_form(text: str, language: Language, document_type: str) -> None:
    assert enrich(text, title=None, language=language).document_type == document_type


def test_the_title_counts() -> None:
    text = "Pumpe 3 läuft wieder. Das Sieb war verstopft und wurde gereinigt."

    _, without = classify(read(text, "de"))
    titled = classify(read(text, "de"), "Prüfbericht")

    assert titled != ("other", pytest.approx(without))


def test_a_format_that_says_it_wins() -> None:
    told = enrich("Factura, IVA, importe total 10,00 €", title=None, language="es", file_format="eml")

    assert (told.document_type, told.type_confidence) == ("correspondence", 1)


class TestReadingEase:
    @pytest.mark.parametrize(
        ("text", "language", "ease"),
        [
            # 32 words of one syllable, 4 sentences: 206.835 - 1.015 · 8 - 84.6 · 1 = 114.1
            ("The cat sat on the old red mat. " * 4, "en", 100.0),
            # 30 words of two syllables, 3 sentences: 206.835 - 1.015 · 10 - 84.6 · 2 = 27.485
            (("Winter " + "garden " * 8 + "window. ") * 3, "en", 27.5),
            # 30 words of two syllables, 3 sentences: 206.84 - 1.02 · 10 - 60 · 2 = 76.64
            (("Casa " + "mesa " * 8 + "cama. ") * 3, "es", 76.6),
            # 30 words of two syllables, 3 sentences: 180 - 10 - 58.5 · 2 = 53
            (("Gabel " + "Löffel " * 8 + "Messer. ") * 3, "de", 53.0),
            # 30 words of four syllables, 1 sentence: 180 - 30 - 58.5 · 4 < 0
            ("Bananensuppe " * 30, "de", 0.0),
        ],
    )
    def test_it_goes_by_words_a_sentence_and_syllables_a_word(self, text: str, language: Language, ease: float) -> None:
        assert enrich(text, title=None, language=language).reading_ease == ease

    def test_of_fewer_than_thirty_words_nothing_is_told(self) -> None:
        assert enrich("casa " * 29 + ".", title=None, language="es").reading_ease is None


class TestSummary:
    def test_it_is_made_of_sentences_of_the_text_in_their_order(self) -> None:
        told = enrich(WALK, title=None, language="es")

        assert [WALK[start:end] for start, end in told.summary] == [
            "El sendero sube despacio entre hayas y robles hasta la ermita.",
            "Desde el banco se ve el valle entero, con el río y los molinos.",
            "La ermita se abre los domingos y la fuente no se seca nunca, ni en agosto, según cuentan en el valle.",
        ]

    def test_a_short_text_is_its_own(self) -> None:
        assert enrich(WALK[:299], title=None, language="es").summary == ()

    def test_headings_items_and_rows_are_no_sentences_of_it(self) -> None:
        text = (
            f"# La ermita, la fuente y el valle entero de siempre.\n\n- ermita, fuente, valle, banco y río.\n\n{WALK}"
        )

        told = enrich(text, title=None, language="es")

        assert all(text[start] in "ELD" for start, _ in told.summary)


class TestPhrases:
    def test_what_is_said_often_and_early_comes_first(self) -> None:
        told = enrich(WALK, title=None, language="es")

        assert told.topics[0] == "ermita"
        assert {"ermita", "fuente", "valle"} <= set(told.topics)

    def test_a_preposition_may_stand_within_a_phrase(self) -> None:
        text = "El contrato de arrendamiento vence. Firmé el contrato de arrendamiento ayer."

        assert enrich(text, title=None, language="es").key_phrases[0] == "contrato de arrendamiento"

    def test_words_for_times_and_numbers_are_no_topics(self) -> None:
        text = "Lunes, lunes, lunes. Tres meses, tres meses, tres meses. Riego, riego."

        assert enrich(text, title=None, language="es").topics == ("riego",)

    def test_a_word_without_end_is_no_topic(self) -> None:
        assert enrich(f"{'x' * 41} {'x' * 41}", title=None, language="en").topics == ()


class TestCounts:
    def test_headings_tables_images_and_words_are_counted(self) -> None:
        text = "# Uno\n\nHola, son 1.250,50 €.\n\n## Dos\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![foto](x.png) ![[plano.png]]\n"

        told = enrich(text, title=None, language="es")

        assert (told.sections, told.tables, told.images, told.words) == (2, 1, 2, 12)

    def test_code_is_no_structure(self) -> None:
        told = enrich("```\n# x\n| --- |\n![a](b)\n```\n", title=None, language="es")

        assert (told.sections, told.tables, told.images) == (0, 0, 0)

    @pytest.mark.parametrize(
        "text",
        ["![" * 300_000, "|" + "\n" * 300_000, "#\n" * 200_000, "`" * 200_000, "| -" * 100_000 + "x"],
        ids=["images", "blank lines", "headings", "code", "ruler"],
    )
    def test_text_made_to_be_slow_is_counted_too(self, text: str) -> None:
        assert enrich(text, title=None, language="en").tables == 0


@given(text=st.text(max_size=600), title=st.none() | st.text(max_size=20), language=st.sampled_from(LANGUAGES))
def test_any_text_is_enriched(text: str, title: str | None, language: Language) -> None:
    told = enrich(text, title=title, language=language)

    assert told.document_type in DOCUMENT_TYPES
    assert 0 <= told.type_confidence <= 1
    assert len(told.topics) <= 5
    assert all(0 <= start < end <= len(text) for start, end in told.summary)


def test_of_a_long_text_the_beginning_decides_all_but_the_counts() -> None:
    beginning = (WALK + "\n\n") * 200
    long = beginning[:MAX_CHARACTERS] + "factura " * 10_000

    told = enrich(long, title=None, language="es")

    assert told.topics == enrich(beginning[:MAX_CHARACTERS], title=None, language="es").topics
    assert told.words > 10_000
