"""Which words of a question are looked for, and what it wants to know."""

import pytest

from rag_core.answering.quoting.asked_words import keys_of, terms_of, worth
from rag_core.answering.quoting.wanted import kind_test, wanted_kind


class TestWords:
    def test_a_mother_is_not_found_in_madrid_nor_a_house_in_a_wedding(self) -> None:
        def found(question: str, text: str) -> list[float]:
            return [worth(term, keys_of(text, "es")) for term in terms_of(question, "es", spoken="es")]

        assert found("mi madre", "El tren de Madrid.") == [0.0]
        assert found("¿Fuimos a Madrid?", "Hablé con mi madre.") == [0.0]
        assert found("¿cuándo me casé?", "Ya estoy en casa.") == [0.0]
        assert found("mi madre", "Hoy mamá anda sola.") == [0.85]

    def test_a_word_is_found_in_its_other_forms_and_for_less(self) -> None:
        [fell] = terms_of("¿quién se cayó?", "es", spoken="es")

        assert worth(fell, keys_of("Lucas se cayó.", "es")) == 1.0
        assert worth(fell, keys_of("Lucas se ha caído.", "es")) == 0.75

    def test_words_that_only_say_that_something_was_are_none_beside_others(self) -> None:
        assert [term.key for term in terms_of("¿Qué pasó en la oficina?", "es", spoken="es")] == ["oficina"]
        assert [term.key for term in terms_of("¿Qué pasó?", "es", spoken="es")] == ["paso"]


class TestWanted:
    @pytest.mark.parametrize(
        ("question", "language", "kind"),
        [
            ("¿Cuánto me costó el dentista?", "es", "money"),
            ("cuanto pago por el gimnasio", "es", "money"),
            ("¿Cuánto tiempo estuvimos?", "es", "duration"),
            ("¿A qué hora llegó?", "es", "clock"),
            ("¿A qué temperatura va el horno?", "es", "temperature"),
            ("¿Cuántos tarros salieron?", "es", "number"),
            ("¿Dónde estuve?", "es", "place"),
            ("¿Por qué se paró?", "es", "cause"),
            ("Warum kam er?", "de", "cause"),
            ("Wie viel kostete das?", "de", "money"),
            ("How much did it cost?", "en", "money"),
            ("¿Se paró?", "es", "polarity"),
            ("Ist er da?", "de", "polarity"),
            ("Did it stop?", "en", "polarity"),
            ("¿Qué dijo el médico?", "es", "speech"),
            ("¿Qué me contestó Rosa?", "es", "speech"),
            ("Was sagte der Arzt?", "de", "speech"),
            ("What did Rosa say?", "en", "speech"),
            ("caldera nueva", "es", None),
        ],
    )
    def test_what_a_question_wants_is_told_by_its_cue(self, question, language, kind) -> None:
        assert wanted_kind(question, language) == kind

    @pytest.mark.parametrize(
        ("question", "sentence", "expected"),
        [
            ("¿Cuánto costó?", "Me cobró 135 euros.", True),
            ("¿Cuánto costó?", "Esperé 20 minutos.", False),
            ("¿Cuántos tarros salieron?", "Salieron catorce tarros.", True),
            ("¿Cuántos tarros salieron?", "Quince personas y muchos tarros.", False),
            ("¿Dónde está?", "Estaba debajo de la persiana.", True),
            ("¿Dónde está?", "Estaba triste.", False),
            ("¿Por qué se paró?", "Se paró por culpa de una gotera.", True),
        ],
    )
    def test_a_sentence_holds_it_or_does_not(self, question, sentence, expected) -> None:
        kind = wanted_kind(question, "es")

        assert kind is not None
        assert kind_test(question, kind, "es")(sentence) is expected
