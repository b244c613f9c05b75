"""Which words of a question are looked for."""

from rag_core.answering.quoting.asked_words import keys_of, terms_of, worth


class TestWords:
    def test_a_word_is_found_in_its_other_forms_and_for_less(self) -> None:
        [fell] = terms_of("¿quién se cayó?", "es", spoken="es")

        assert worth(fell, keys_of("Lucas se cayó.", "es")) == 1.0
        assert worth(fell, keys_of("Lucas se ha caído.", "es")) == 0.75

    def test_a_month_in_digits_is_found_by_its_name(self) -> None:
        january = terms_of("¿qué leí en enero de 2025?", "es", spoken="es")[-2]

        found = [worth(january, keys_of(text, "es")) for text in ("| Nada | 2025-01 |", "| Nada | 2025-02 |")]
        assert (january.key, found) == ("enero", [1.0, 0.0])

    def test_words_that_only_say_that_something_was_are_none_beside_others(self) -> None:
        assert [term.key for term in terms_of("¿Qué pasó en la oficina?", "es", spoken="es")] == ["oficina"]
        assert [term.key for term in terms_of("¿Qué pasó?", "es", spoken="es")] == ["paso"]
