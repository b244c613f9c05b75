"""A note's Markdown as HTML: marks, links, and nothing that a text could do to the page."""

import re
from html.parser import HTMLParser
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.api.pages.rendering import rendered_note
from rag_core.model.note import NoteId
from rag_core.retrieval.passages import word_beginnings
from rag_core.storage.documents import ResolvedLink

NOTE = NoteId(UUID(int=7))


def html(
    text: str,
    span: tuple[int, int] | None = None,
    links: list[ResolvedLink] | None = None,
    words: set[str] | None = None,
) -> str:
    return str(rendered_note(text, [span] if span else [], words or set(), links=links or [], anchor="pasaje")).strip()


def link(text: str, written: str, target: str, note: NoteId | None = NOTE, heading: str | None = None) -> ResolvedLink:
    start = text.index(written)
    return ResolvedLink(
        start=start,
        end=start + len(written),
        target=target,
        heading=heading,
        note_id=note,
        external_id=None,
        title=None,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Pan", '<h2 id="t-pan">Pan</h2>'),
        ("**a** y *b*", "<p><strong>a</strong> y <em>b</em></p>"),
        ("- uno\n- dos", "<ul>\n<li>uno</li>\n<li>dos</li>\n</ul>"),
        ("uno\ndos", "<p>uno<br />\ndos</p>"),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
        ("```\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"),
        ("    sangrado", "<p>sangrado</p>"),
    ],
)
def test_markdown_is_rendered(text: str, expected: str) -> None:
    assert html(text) == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [([], "<p>Harina</p>"), ([(2, 5)], '<h2 id="t-pan"><mark id="pasaje">Pan</mark></h2>\n<p>Harina</p>')],
)
def test_a_first_heading_that_is_the_title_is_shown_where_it_is_marked(
    span: list[tuple[int, int]], expected: str
) -> None:
    shown = rendered_note("# Pan\n\nHarina", span, set(), links=[], anchor="pasaje", title="Pan")

    assert str(shown).strip() == expected


def test_a_table_is_one() -> None:
    assert "<td>12</td>" in html("| Mes | Euros |\n| --- | --- |\n| enero | 12 |")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "![a](https://x/y.png)",
        "[a](//x.org)",
        "<https://x.org/<script>>",
    ],
)
def test_a_text_loads_and_runs_nothing(text: str) -> None:
    found = html(text)

    assert not re.search(r"<(script|img|iframe)|href=\"(?!https?:|mailto:|/notas/)", found)


def test_an_address_of_another_site_is_a_link() -> None:
    assert html("[a](https://x.org)") == '<p><a href="https://x.org" rel="noreferrer">a</a></p>'


@pytest.mark.parametrize(
    ("written", "target", "shown"),
    [
        ("[[Pan]]", "Pan", "Pan"),
        ("[[Pan|el pan]]", "Pan", "el pan"),
        ("[el pan](cocina/pan.md)", "cocina/pan.md", "el pan"),
    ],
)
def test_links_between_notes_lead_to_them(written: str, target: str, shown: str) -> None:
    text = f"Ver {written} hoy."

    assert html(text, links=[link(text, written, target)]) == f'<p>Ver <a href="/notas/{NOTE}">{shown}</a> hoy.</p>'


def test_a_link_without_a_note_is_its_text() -> None:
    assert html("Ver [[Pan]].", links=[link("Ver [[Pan]].", "[[Pan]]", "Pan", None)]) == "<p>Ver Pan.</p>"


@pytest.mark.parametrize("written", ["![[foto.png]]", "![[foto.png|300]]", "![[foto.png|300x200]]", "![](foto.png)"])
@pytest.mark.parametrize(
    ("note", "shown"), [(None, "foto.png"), (NOTE, f'<a href="/notas/{NOTE}">foto.png</a>')], ids=["no note", "a note"]
)
def test_what_is_embedded_is_its_name_or_a_link_to_its_note(written: str, note: NoteId | None, shown: str) -> None:
    text = f"Ver {written} hoy."

    assert html(text, links=[link(text, written[1:], "foto.png", note)]) == f"<p>Ver {shown} hoy.</p>"


@pytest.mark.parametrize(
    ("heading", "fragment"),
    [
        ("El pan", "#t-el-pan"),
        ("Ñandú, *y* más", "#t-%C3%B1and%C3%BA-y-m%C3%A1s"),
        ("A#B", "#t-b"),
        ("^a1", ""),
        ("!", ""),
    ],
)
def test_a_link_to_a_heading_leads_to_it(heading: str, fragment: str) -> None:
    written = f"[[Pan#{heading}|pan]]"

    found = html(written, links=[link(written, written, "Pan", heading=heading)])

    assert found == f'<p><a href="/notas/{NOTE}{fragment}">pan</a></p>'


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[[#El pan]]", "El pan"),
        ("[[#El pan|aquí]]", "aquí"),
        ("[aquí](#El%20pan)", "aquí"),
        ("[aquí](<#El pan>)", "aquí"),
    ],
)
def test_a_link_to_a_heading_of_the_note_itself_leads_to_it(written: str, shown: str) -> None:
    found = html(f"{written}\n\n## El *pan*\n\n## El pan")

    assert f'<a href="#t-el-pan">{shown}</a>' in found
    assert '<h3 id="t-el-pan">El <em>pan</em></h3>\n<h3>El pan</h3>' in found


def test_a_link_around_a_link_to_a_heading_is_none() -> None:
    assert html("[ver [[#El pan]] aquí](https://example.org)") == (
        '<p>[ver <a href="#t-el-pan">El pan</a> aquí](https://example.org)</p>'
    )


def test_in_code_a_link_to_a_heading_is_code() -> None:
    assert html("`[[#El pan]]`") == "<p><code>[[#El pan]]</code></p>"


TO_DO = '<input type="checkbox" disabled="disabled" aria-label="por hacer" /> '
DONE = '<input type="checkbox" disabled="disabled" checked="checked" aria-label="hecho" /> '


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [ ] pan", f'<ul>\n<li class="task">{TO_DO}pan</li>\n</ul>'),
        ("1. [x] pan", f'<ol>\n<li class="task">{DONE}pan</li>\n</ol>'),
        ("- [X] **pan**", f'<ul>\n<li class="task">{DONE}<strong>pan</strong></li>\n</ul>'),
        ("- [y] pan", "<ul>\n<li>[y] pan</li>\n</ul>"),
        ("[ ] pan", "<p>[ ] pan</p>"),
        ("- `[ ]` pan", "<ul>\n<li><code>[ ]</code> pan</li>\n</ul>"),
    ],
)
def test_tasks_have_boxes(text: str, expected: str) -> None:
    assert html(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "> [!note] Ojo con el *pan*\n> Sube\n> solo.",
            (
                '<blockquote class="callout">\n<p class="callout-title">Ojo con el <em>pan</em></p>\n'
                "<p>Sube<br />\nsolo.</p>\n</blockquote>"
            ),
        ),
        (
            "> [!WARNING]-\n> Quema.",
            '<blockquote class="callout severe">\n<p class="callout-title">Warning</p>\n<p>Quema.</p>\n</blockquote>',
        ),
        (
            "> [!tip] Solo un título",
            '<blockquote class="callout">\n<p class="callout-title">Solo un título</p>\n</blockquote>',
        ),
        (
            '> [!a"><script>] x',
            "<blockquote>\n<p>[!a&#34;&gt;&lt;script&gt;] x</p>\n</blockquote>",
        ),
        ("[!note] x", "<p>[!note] x</p>"),
    ],
)
def test_callouts_have_a_title(text: str, expected: str) -> None:
    assert html(text) == expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("- [ ] pan", "- [ ] pan", f'<ul>\n<li class="task">{TO_DO}<mark id="pasaje">pan</mark></li>\n</ul>'),
        ("- [ ] el pan", "pan", f'<ul>\n<li class="task">{TO_DO}el <mark id="pasaje">pan</mark></li>\n</ul>'),
        (
            "> [!note] Ojo\n> Sube.",
            "> [!note] Ojo\n> Sube.",
            (
                '<blockquote class="callout">\n<p class="callout-title"><mark id="pasaje">Ojo</mark></p>\n'
                "<p><mark>Sube.</mark></p>\n</blockquote>"
            ),
        ),
        ("a [[#B c]] d", "[[#B c]] d", '<p>a <a href="#t-b-c"><mark id="pasaje">B c</mark></a><mark> d</mark></p>'),
        ("Uno dos tres.", "dos", '<p>Uno <mark id="pasaje">dos</mark> tres.</p>'),
        ("# Uno\n\nDos", "# Uno", '<h2 id="t-uno"><mark id="pasaje">Uno</mark></h2>\n<p>Dos</p>'),
        (
            "- uno\n- dos",
            "- uno\n- dos",
            '<ul>\n<li><mark id="pasaje">uno</mark></li>\n<li><mark>dos</mark></li>\n</ul>',
        ),
        ("a **b c** d", "c** d", '<p>a <strong>b <mark id="pasaje">c</mark></strong><mark> d</mark></p>'),
        ("> cita", "> cita", '<blockquote>\n<p><mark id="pasaje">cita</mark></p>\n</blockquote>'),
    ],
)
def test_what_is_marked_stays_marked(text: str, part: str, expected: str) -> None:
    start = text.index(part)

    assert html(text, (start, start + len(part))) == expected


def test_marked_rows_of_a_table_stay_rows() -> None:
    text = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    start = text.index("| 3")

    found = html(text, (start, len(text)))

    assert '<td><mark id="pasaje">3</mark></td>\n<td><mark>4</mark></td>' in found
    assert found.count("<td>") == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a |\n| --- |\n| 1 |", "<td><mark>1</mark></td>"),
        ("Uno\n===\n\nDos", '<h2 id="t-uno"><mark id="pasaje">Uno</mark></h2>'),
        ("a\n\n```\nb\n```", "<pre><code><mark>b</mark>\n</code></pre>"),
    ],
)
def test_what_gives_form_is_left_alone_where_all_is_marked(text: str, expected: str) -> None:
    assert expected in html(text, (0, len(text)))


def test_words_of_the_query_are_set_off() -> None:
    assert html("Harina blanca", words=word_beginnings("harina")) == "<p><b>Harina</b> blanca</p>"


class _Nesting(HTMLParser):
    """Fails where an element is closed that was not the last opened one."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"br", "hr", "input"}:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        assert tag in {"br", "hr", "input"}

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(alphabet="abx *_`#|>-+1.[]()!<\\\n~&;", max_size=120), st.data())
def test_whatever_the_text_elements_are_nested_and_no_edge_is_left(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    reader = _Nesting()

    reader.feed(html(text, (start, stop)))
    reader.close()

    assert reader.opened == []
    assert not re.search("[\ue000\ue001]", reader.text)
