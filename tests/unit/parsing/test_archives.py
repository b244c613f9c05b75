"""Archives: whole and within the limits, or refused before anything in them is parsed."""

import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import BILLION_LAUGHS, packed

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits
from rag_core.parsing.archives import MAX_MEMBERS, is_office_package, is_ole, mimetype, open_archive

LIMITS = ParsingLimits()


def test_members_are_read_by_name() -> None:
    archive = open_archive(packed({"a/b.txt": b"paraguas"}), LIMITS)

    assert archive.names == {"a/b.txt"}
    assert archive.read("a/b.txt") == b"paraguas"


def test_xml_members_are_parsed_without_comments() -> None:
    archive = open_archive(packed({"a.xml": b"<root><!-- nada --><item>uno</item></root>"}), LIMITS)

    assert [(child.tag, child.text) for child in archive.xml("a.xml")] == [("item", "uno")]


def test_a_missing_member_is_refused() -> None:
    archive = open_archive(packed({"a.xml": b"<root/>"}), LIMITS)

    with pytest.raises(DocumentRefusedError, match=r"its part content\.xml is missing"):
        archive.xml("content.xml")


@pytest.mark.parametrize("data", [b"", b"no zip at all", packed({"a.xml": b"<root/>"})[:-30]])
def test_what_is_no_whole_archive_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentRefusedError, match="damaged or cut off"):
        open_archive(data, LIMITS)


def test_a_changed_byte_is_refused() -> None:
    data = packed({"a.txt": b"paraguas verde"}, zipfile.ZIP_STORED).replace(b"verde", b"verte")

    with pytest.raises(DocumentRefusedError, match="damaged"):
        open_archive(data, LIMITS)


@given(st.binary(max_size=40), st.integers(0, 300))
def test_no_damage_escapes_as_another_error(noise: bytes, place: int) -> None:
    whole = packed({"a.xml": b"<root/>", "b.txt": b"paraguas" * 20})
    damaged = whole[:place] + noise + whole[place + len(noise) :]

    try:
        archive = open_archive(damaged, LIMITS)
        archive.check_xml()
    except DocumentRefusedError:
        return
    assert archive.names


@pytest.mark.parametrize("flag", [0x1, 0x40])
def test_an_encrypted_member_is_refused_with_the_remedy(flag: int) -> None:
    data = bytearray(packed({"a.txt": b"secreto"}))
    struct.pack_into("<H", data, data.index(b"PK\1\2") + 8, flag)

    with pytest.raises(DocumentRefusedError, match="save it without"):
        open_archive(bytes(data), LIMITS)


@pytest.mark.parametrize("name", ["../a.txt", "a/../../b.txt", "/etc/a.txt", "\\a.txt", "C:\\a.txt", "a\\..\\b.txt"])
def test_a_name_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(DocumentRefusedError, match="leads out"):
        open_archive(packed({name: b"x"}), LIMITS)


def test_dots_within_a_name_are_no_way_out() -> None:
    assert open_archive(packed({"a..b/c...txt": b"x"}), LIMITS).names == {"a..b/c...txt"}


def test_too_many_members_are_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="more than 20,000 parts"):
        open_archive(packed({str(number): b"" for number in range(MAX_MEMBERS + 1)}, zipfile.ZIP_STORED), LIMITS)


def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="unpacks to 3,000 bytes, and 2,999 are allowed"):
        open_archive(packed({"a": b"x" * 1000, "b": b"x" * 2000}), ParsingLimits(max_unpacked_bytes=2_999))


def test_an_archive_may_unpack_to_the_limit() -> None:
    assert open_archive(packed({"a": b"x" * 3000}), ParsingLimits(max_unpacked_bytes=3_000)).names == {"a"}


def test_a_bomb_is_refused_by_its_ratio() -> None:
    with pytest.raises(DocumentRefusedError, match="times its size, and 200 times is allowed"):
        open_archive(packed({"a": bytes(11_000_000)}), LIMITS)


def test_a_small_archive_may_shrink_a_lot() -> None:
    assert open_archive(packed({"a": bytes(1_000_000)}), LIMITS).names == {"a"}


def test_a_member_larger_than_it_says_is_refused() -> None:
    data = bytearray(packed({"a": bytes(1_000_000)}))
    struct.pack_into("<L", data, data.index(b"PK\1\2") + 24, 100)

    with pytest.raises(DocumentRefusedError, match="damaged"):
        open_archive(bytes(data), LIMITS)


def test_a_member_larger_than_it_says_is_refused_though_its_checksum_fits() -> None:
    data = bytearray(packed({"a": bytes(101)}))
    directory = data.index(b"PK\1\2")
    struct.pack_into("<L", data, directory + 24, 100)

    with pytest.raises(DocumentRefusedError, match="damaged"):
        open_archive(bytes(data), LIMITS)


def test_an_unknown_compression_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="unknown method"):
        open_archive(packed({"a": b"x" * 100}, zipfile.ZIP_BZIP2), LIMITS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_with_entities_is_refused(encoding: str) -> None:
    hostile = BILLION_LAUGHS.decode().replace('version="1.0"', f'version="1.0" encoding="{encoding}"').encode(encoding)
    archive = open_archive(packed({"a.xml": hostile}), LIMITS)

    with pytest.raises(DocumentRefusedError, match="declares a document type"):
        archive.xml("a.xml")


@pytest.mark.parametrize("name", ["word/a.xml", "word/_rels/a.rels", "word/a.bin"])
def test_entities_are_found_in_members_of_any_name(name: str) -> None:
    archive = open_archive(packed({"b.xml": b"<root/>", name: b" " * 9000 + BILLION_LAUGHS[22:]}), LIMITS)

    with pytest.raises(DocumentRefusedError, match="declares a document type"):
        archive.check_xml()


@pytest.mark.parametrize("encoding", [b"GBK", b"UCS-4", b"nothing"])
def test_a_member_named_xml_in_an_encoding_that_is_not_checked_is_refused(encoding: bytes) -> None:
    archive = open_archive(packed({"a.xml": b'<?xml version="1.0" encoding="%s"?><!DOCTYPE a><a/>' % encoding}), LIMITS)

    with pytest.raises(DocumentRefusedError, match="no well-formed XML"):
        archive.check_xml()


def test_images_are_no_concern_of_the_check() -> None:
    svg = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg/>'

    open_archive(packed({"a.xml": b"<root/>", "a.svg": svg, "a.png": b"\x89PNG\r\n\x1a\n<x"}), LIMITS).check_xml()


def test_broken_xml_is_refused() -> None:
    archive = open_archive(packed({"a.xml": b"<root><item></root>"}), LIMITS)

    with pytest.raises(DocumentRefusedError, match=r"part a\.xml is no well-formed XML"):
        archive.xml("a.xml")


@pytest.mark.parametrize("main", ["word/document.xml", "word/document2.xml"])
def test_a_package_is_told_by_its_main_part(main: str) -> None:
    data = packed({"[Content_Types].xml": b"", main: b""})

    assert is_office_package(data, "word/document")
    assert not is_office_package(data, "xl/workbook")


@pytest.mark.parametrize("data", [b"", b"PK", b"%PDF-1.7", packed({"word/document.xml": b""})])
def test_other_files_are_no_package(data: bytes) -> None:
    assert not is_office_package(data, "word/document")


def test_the_media_type_is_read_from_its_member() -> None:
    assert mimetype(packed({"mimetype": b"application/epub+zip\n"})) == "application/epub+zip"
    assert mimetype(packed({"a": b"application/epub+zip"})) is None
    assert mimetype(b"application/epub+zip") is None


def test_ole_files_are_told_by_their_signature() -> None:
    assert is_ole(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512))
    assert not is_ole(packed({"a": b""}))
