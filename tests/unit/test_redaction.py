import pytest
from growth import MOST_GROWTH, growth

from rag_core.guardrails.outgoing import find_all, fitting_end, redact
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of


def kinds(text: str, language="es") -> list[tuple[str, str]]:
    return [(text[start:end], finding.kind) for finding in find_all(text, language) for start, end in [finding.span]]


# Numbers of IBAN registries' and authorities' own examples, or made for the test with right check digits.
@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("Escribe a ana.perez+notas@correo.example.com, por favor.", "ana.perez+notas@correo.example.com", "email"),
        ("Llámame al 612 34 56 78.", "612 34 56 78", "phone"),
        ("Tel: +34 918 823 884", "+34 918 823 884", "phone"),
        ("Büro: 030 901820", "030 901820", "phone"),
        ("Mobil +49 170 1234567", "+49 170 1234567", "phone"),
        ("IBAN ES91 2100 0418 4502 0005 1332", "ES91 2100 0418 4502 0005 1332", "iban"),
        ("DE89370400440532013000 OK", "DE89370400440532013000", "iban"),
        ("DNI 12345678Z", "12345678Z", "dni"),
        ("DNI: 12.345.678-Z", "12.345.678-Z", "dni"),
        ("NIE X1234567L", "X1234567L", "nie"),
        ("Steuer-ID 86 095 742 719", "86 095 742 719", "tax_id"),
        ("NASS: 78 9546215 54.", "78 9546215 54", "social_id"),
        ("tarjeta 4111 1111 1111 1111", "4111 1111 1111 1111", "card"),
        ("Amex 3782-822463-10005", "3782-822463-10005", "card"),
    ],
)
def test_personal_data_are_found_by_shape_and_check_digit(text: str, value: str, kind: str) -> None:
    assert kinds(text) == [(value, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "Compramos 12345678 tornillos por 1.234.567,89 euros.",
        "DNI 12345678A",  # wrong letter
        "ES91 2100 0418 4502 0005 1333",  # wrong check digits
        "4111 1111 1111 1112",  # wrong check digit
        "86 095 742 718",  # wrong check digit
        "El 12/03/2025 a las 10:30, ISBN 978-3-16-148410-0.",
        "Versión 3.11.4, commit 0a1b2c3d4e5f",
        "arroba @ana y precio 3@5",
        "Ana Pérez vive con Julio en Madrid.",
        "La nota 2025-03-01 tiene 1024 palabras.",
    ],
)
def test_other_numbers_and_names_are_no_personal_data(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("La contraseña del wifi de casa es hunter2.", "hunter2", "password"),
        ("Contraseña: girasol", "girasol", "password"),
        ("la clave de acceso es Tr3bol!", "Tr3bol!", "password"),
        ("Das WLAN-Passwort ist Sommer2025!", "Sommer2025!", "password"),
        ("Passwort: Sommer2025?!", "Sommer2025?!", "password"),
        ("(la contraseña es Verano2025!).", "Verano2025!", "password"),
        ("The password is Summer2025.", "Summer2025", "password"),
        ("El PIN es 4821", "4821", "password"),
        ("Das Passwort für den Router lautet Geh3im", "Geh3im", "password"),
        ("Kennwort: sommer", "sommer", "password"),
        ("The password is «blue-Sky9».", "blue-Sky9", "password"),
        ("password=correct-horse", "correct-horse", "password"),
        ("postgresql://ana:s3creto@db.example/notas", "s3creto@db.example", "password"),
        ("api_key: 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706", "api_key"),
        ("usa sk-abcdefghijklmnopqrstuvwx", "sk-abcdefghijklmnopqrstuvwx", "api_key"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", "api_key"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "api_key"),
        ("Authorization: Bearer abcdefghijklmnop1234", "abcdefghijklmnop1234", "token"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
            "private_key",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----\nMIIE", "private_key"),
    ],
)
def test_secrets_are_found_by_what_their_value_looks_like(text: str, value: str, kind: str) -> None:
    assert kinds(text) == [(value, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "La contraseña es obligatoria y debe cambiarse cada mes.",
        "¡La contraseña es obligatoria!",
        "Das Passwort ist abgelaufen, bitte ändern.",
        "The password is required to open the file.",
        "The secretary said: come at ten.",
        "La clave del éxito es dormir.",
        "La clave: dormir ocho horas",
        "Una API key es necesaria.",
        "El token caducó ayer.",
        "Llevo un pin de plata en la solapa.",
    ],
)
def test_words_about_secrets_are_no_secrets(text: str) -> None:
    assert kinds(text) == []


def test_only_the_value_is_hidden_and_not_the_sentence() -> None:
    text = "La contraseña del wifi es hunter2 y el técnico vendrá el lunes."

    assert redact(text, "es").text == "La contraseña del wifi es ‹contraseña oculta› y el técnico vendrá el lunes."


def test_placeholders_are_in_the_language() -> None:
    assert redact("Mail: a@b.example", "de").text == "Mail: ‹E-Mail-Adresse verborgen›"
    assert redact("Mail: a@b.example", "en").text == "Mail: ‹e-mail hidden›"


def test_no_placeholder_looks_like_a_mark_or_holds_a_digit() -> None:
    all_of_them = [text for language in LANGUAGES for text in language_of(language).messages.placeholders.values()]

    assert not [text for text in all_of_them if set("[]0123456789") & set(text)]


def test_what_overlaps_is_hidden_as_one() -> None:
    # The password is a telephone number as well.
    assert kinds("Contraseña: 612345678") == [("612345678", "password")]


def test_a_mark_of_a_citation_is_never_hidden() -> None:
    text = "Llama al 612 34 56 78[1]."

    assert redact(text, "es", kept=[(21, 24)]).text == "Llama al ‹teléfono oculto›[1]."


def test_spans_move_with_the_text() -> None:
    redacted = redact("Su correo es a@b.example [1] y vive allí [2].", "es")

    assert redacted.text == "Su correo es ‹correo oculto› [1] y vive allí [2]."
    assert redacted.moved((25, 28)) == (29, 32)
    assert redacted.text[29:32] == "[1]"
    assert redacted.moved((0, 12)) == (0, 12)
    assert redacted.moved((15, 20)) == (13, 28)  # what is inside a finding is around its placeholder
    assert redacted.moved((0, 45)) == (0, 49)


def test_a_text_that_fits_is_not_cut() -> None:
    assert fitting_end("Uno. Dos.", "es", max_tokens=50) == 9


def test_a_text_is_cut_after_a_sentence_and_its_citation() -> None:
    text = "La lluvia cayó toda la tarde. [1] Después salió el sol por detrás de las montañas del norte. [2]"

    end = fitting_end(text, "es", max_tokens=14, marks=[(30, 33), (93, 96)])

    assert text[:end] == "La lluvia cayó toda la tarde. [1] "


def test_a_sentence_that_is_too_long_by_itself_is_cut_after_a_word() -> None:
    text = "palabra " * 100 + "[1]"

    end = fitting_end(text, "es", max_tokens=20, marks=[(800, 803)])

    assert 0 < end < 100
    assert text[:end].endswith("palabra")


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a@",
        "a.",
        "1",
        "1 ",
        "1-",
        "ES",
        "ES91 ",
        "contraseña ",
        "password is ",
        "-----BEGIN PRIVATE KEY",
        "eyJ",
        "sk-",
        "://a:",
        "+34 ",
        "a ",
        "a_",
        "1111/",
        "a @ ",
        "1\u00b7",
    ],
)
def test_time_is_linear_in_hostile_text(piece: str) -> None:
    assert growth(lambda text: find_all(text, "es"), piece, characters=50_000) < MOST_GROWTH


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(("6 1 2 3 4 5 6 7 8", "phone"), ("\uff16\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18", "phone")),
        *(("612\u00b734\u00b756\u00b778", "phone"), ("6\u200912\u200934\u200956\u200978", "phone")),
        *(("m a r i a @ e j e m p l o . e s", "email"), ("m a r i a @ejemplo.es", "email")),
        *(("m-a-r-i-a-@-e-j-e-m-p-l-o-.-e-s", "email"), ("maria @ ejemplo . es", "email")),
        *(("maria (arroba) ejemplo (punto) es", "email"), ("maria[at]ejemplo.es", "email")),
        ("\uff4d\uff41\uff52\uff49\uff41\uff20\uff45\uff4a\uff45\uff4d\uff50\uff4c\uff4f\uff0e\uff45\uff53", "email"),
        *(("4111-1111 1111-1111", "card"), ("4111/1111/1111/1111", "card"), ("4111 - 1111 -- 1111_1111", "card")),
        *(
            ("4111.1111.1111.1111", "card"),
            ("4111\u20131111\u20131111\u20131111", "card"),
            ("4 1 1 1 " + "1 1 1 1 " * 2 + "1 1 1 1", "card"),
        ),
        *(("E S 9 1 2 1 0 0 0 4 1 8 4 5 0 2 0 0 0 5 1 3 3 2", "iban"), ("ES91/2100/0418/4502/0005/1332", "iban")),
        *(("1 2 3 4 5 6 7 8 Z", "dni"), ("\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668Z", "dni")),
    ],
)
def test_spaced_out_and_odd_digits_and_signs_are_seen(text: str, kind: str) -> None:
    assert kinds(f"Apunta: {text}, gracias.") == [(text, kind)]
    assert text not in redact(f"Apunta: {text}, gracias.", "es").text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Resultados: 1 0 2 1 3 0 1 1 2",
            "Del 1 2 3 4 5 6 7 8 9 10 al 12",
            "A B C D E F G H I J",
            "Plan a - b - c - d - e - f - g - h",
        ),
        *(
            "Años 2019 2020 2021 2022",
            "4111 1111 1111 1112",
            "Nos vemos @ casa. Luego cenamos.",
            "12.03.2025 14.03.2025",
            "R & D",
        ),
        *("4111/1111/1111/1112", "1 2 3 4 5 6 7 8 A", "tabla | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |"),
    ],
)
def test_spaced_out_text_without_personal_data_stays(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize("number", ["0170 1234567", "(030) 901820", "089 32168", "+49 (0)30 901820"])
def test_german_numbers_are_found_in_german_text(number: str) -> None:
    assert [kind for _, kind in kinds(f"Telefon {number}, bitte", "de")] == ["phone"]


@pytest.mark.parametrize("text", ["NºCol: 02 02 85780.", "en 1654-57, 1665, 1691", "Caja: 1.684 €", "(1685)"])
def test_other_groups_of_digits_are_no_telephone_numbers(text: str) -> None:
    assert kinds(text) == []
