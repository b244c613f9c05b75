"""Bytes into text: marked, UTF-8, declared or guessed."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import DocumentRefusedError
from rag_core.parsing.decoding import decode

SPANISH = "El ñandú comió pingüinos; ¿cuántos? Mañana vendrá más información sobre la acción, señaló José Ibáñez.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_and_without_its_mark(encoding: str) -> None:
    assert decode("Año «nuevo» €".encode(encoding)) == "Año «nuevo» €"


@pytest.mark.parametrize("text", ["Pérez;1,5 €\nMuñoz;2,0 €", "¿Qué?", "„Größe“ – Straße"])
def test_short_text_that_is_no_utf_8_is_of_windows(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("encoding", ["cp1252", "cp850"])
def test_longer_text_is_told_by_its_letters(encoding: str) -> None:
    assert decode((SPANISH * 3).encode(encoding)) == SPANISH * 3


def test_bytes_that_windows_does_not_know_are_latin_1() -> None:
    assert decode("el año pasado, ".encode("latin-1") * 2 + b"\x81") == "el año pasado, el año pasado, \x81"


def test_a_declared_encoding_is_taken_where_the_text_is_no_utf_8() -> None:
    assert decode("日本語".encode("shift_jis"), declared="Shift_JIS") == "日本語"


def test_an_encoding_of_seven_bits_is_taken_as_declared() -> None:
    assert decode("日本語".encode("iso-2022-jp"), declared="iso-2022-jp") == "日本語"


@pytest.mark.parametrize("declared", ["iso-8859-1", "utf-16", "no such encoding", "rot13", "a\0b"])
def test_a_wrong_declaration_does_not_outweigh_utf_8(declared: str) -> None:
    assert decode("España".encode(), declared=declared) == "España"


def test_latin_1_is_declared_for_what_windows_writes() -> None:
    assert decode("5 €".encode("cp1252"), declared="ISO-8859-1") == "5 €"


@pytest.mark.parametrize("data", [b"a\0b", bytes(range(1, 32)) * 4, b"text" + bytes(range(128, 160)) * 2])
def test_binary_content_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentRefusedError, match="no text"):
        decode(data)


@given(st.binary(max_size=60), st.sampled_from([None, "utf-8", "cp1252", "utf-7", "idna", "punycode", "hex"]))
def test_any_bytes_are_text_or_refused(data: bytes, declared: str | None) -> None:
    try:
        text = decode(data, declared=declared)
    except DocumentRefusedError:
        return
    assert "\0" not in text


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_real_paragraphs_in_windows_encoding_are_read() -> None:
    corpus = Path(os.environ["BRAIN_TEST_DATA"]) / "xquad-es" / "corpus.jsonl"
    texts = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]
    western = [text for text in texts if text.encode("cp1252", "ignore").decode("cp1252") == text]

    wrong = [text for text in western if decode(text.encode("cp1252")) != text]

    assert len(western) > 50
    assert wrong == []
