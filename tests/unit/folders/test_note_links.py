"""Links, tags and names of notes of a vault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.folders.links import code_spans, find_links, find_tags, names_of
from rag_core.model.document import NoteName, name_key


def targets(text: str, path: str = "viajes/roma.md") -> list[tuple[str, str | None]]:
    return [(link.target_key, link.heading) for link in find_links(text, path, code_spans(text, ()))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ver [[Pan de masa]].", [("pan de masa", None)]),
        ("[[Pan|el pan]]", [("pan", None)]),
        ("[[Pan#Horno|x]]", [("pan", "Horno")]),
        ("![[foto.png]]", [("foto.png", None)]),
        ("[[cocina/Pan.md]]", [("cocina/pan", None)]),
        ("[mapa](mapa.md)", [("viajes/mapa", None)]),
        ("[mapa](../mapa.md#Centro%20hist%C3%B3rico)", [("mapa", "Centro histórico")]),
        ("[mapa](<el mapa.md>)", [("viajes/el mapa", None)]),
        ("[mapa](el%20mapa.md)", [("viajes/el mapa", None)]),
    ],
)
def test_links_to_notes_are_found(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert targets(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/a.md)",
        "[a](mailto:a@b.es)",
        "[a](#abajo)",
        "[[#abajo]]",
        "[a](../../fuera.md)",
        "`[[Pan]]`",
        "[a](/etc/passwd)",
    ],
)
def test_other_links_are_none(text: str) -> None:
    assert targets(text) == []


def test_a_link_is_a_span_of_the_text() -> None:
    text = "Ver [[Pan]] y [mapa](mapa.md)."

    assert [text[link.start : link.end] for link in find_links(text, "a.md", ())] == ["[[Pan]]", "[mapa](mapa.md)"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Compré #pan y #café/molido.", ("pan", "café/molido")),
        ("#pan al principio", ("pan",)),
        ("# Título", ()),
        ("n.º #12 y #3a", ("3a",)),
        ("https://a.es/#ancla y a#b", ()),
        ("`#código`", ()),
        ("#pan #pan", ("pan",)),
        ("[[#pan]] y [aquí](#café)", ()),
        ("(#pan)", ("pan",)),
    ],
)
def test_tags_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert find_tags(text, code_spans(text, ())) == expected


def test_a_note_is_called_by_its_path_its_ends_its_aliases_and_its_title() -> None:
    names = names_of("cocina/pan/Masa madre.md", title="La masa", aliases=["Levadura"])

    assert names == (
        NoteName(key="cocina/pan/masa madre", rank=0),
        NoteName(key="pan/masa madre", rank=1),
        NoteName(key="masa madre", rank=1),
        NoteName(key="levadura", rank=2),
        NoteName(key="la masa", rank=3),
    )


def test_names_are_compared_without_case_and_composed() -> None:
    assert name_key("MAN\u0303ANA.MD") == name_key("mañana")


@given(st.text(alphabet="[]()#|<>`\\ab ./\n!", max_size=300))
def test_whatever_the_text_spans_lie_in_order_within_it(text: str) -> None:
    links = find_links(text, "a/b.md", code_spans(text, ()))

    assert all(0 <= link.start < link.end <= len(text) for link in links)
    assert [link.start for link in links] == sorted(link.start for link in links)
