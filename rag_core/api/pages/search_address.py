"""Parameters of a page's address: the query, the mode, the filters. And the addresses that differ in one of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query

from rag_core.api.errors import ExplainedError
from rag_core.api.pages.cards import DEFAULT_MODE, STRATEGIES
from rag_core.api.pages.texts import Texts, day, localised, tr
from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.errors import InvalidInputError
from rag_core.retrieval.filters import MAX_VALUES

LANGUAGES = Texts({"es": "español", "de": "alemán", "en": "inglés"})
DOCUMENT_TYPES = Texts(
    {
        "contract": "contrato",
        "invoice": "factura",
        "report": "informe",
        "manual": "manual",
        "presentation": "presentación",
        "correspondence": "correspondencia",
        "policy": "norma",
        "specification": "especificación",
        "meeting_notes": "acta de reunión",
        "other": "otro tipo",
        "note": "nota",
        "document": "documento",
    }
)
_FIELDS = Texts(
    {
        "from": "«Desde»",
        "to": "«Hasta»",
        "sources": "«Fuente»",
        "languages": "«Idioma»",
        "documentTypes": "«Tipo de documento»",
        "tags": "«Etiqueta»",
    }
)
_FIELD = re.compile(r"filters\.(\w+)(?:\.\d+)?")
RESULTS = 10
_NO = "no"
_WORDS: Mapping[str, Mapping[str, str]] = {"languages": LANGUAGES, "types": DOCUMENT_TYPES}
_Values = Annotated[list[str], Query(default_factory=list)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A condition that holds, and the address without it."""

    label: str
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSearch:
    """The search an address asks for; ``query`` None asks for none.

    With ``reads_times`` false the times that the query's own words name restrict nothing. ``page`` is whose address it is.
    """

    query: str | None = None
    mode: str = DEFAULT_MODE
    since: str = ""
    until: str = ""
    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    reads_times: bool = True
    page: str = "/"

    def config(self, base: RetrievalConfig) -> RetrievalConfig:
        """The configuration to search with, over what is served; the usual mode is whatever strategy that has."""
        override = {} if self.reads_times else {"queryTransformation": {"enableTimeExpressions": False}}
        strategy = None if self.mode == DEFAULT_MODE else STRATEGIES[self.mode]
        return configure(override, strategy=strategy, top_k=RESULTS, base=base)

    @property
    def filters(self) -> dict[str, Any]:
        """The conditions as ``filters`` of the API."""
        return {
            "from": self.since or None,
            "to": self.until or None,
            "sources": list(self.sources),
            "languages": list(self.languages),
            "tags": list(self.tags),
            "documentTypes": list(self.types),
        }

    @property
    def chips(self) -> list[Chip]:
        """The conditions, each with the address that leaves it out."""
        dates = [(tr("desde el {day}"), "since", self.since), (tr("hasta el {day}"), "until", self.until)]
        days = [
            Chip(label=word.format(day=_day(given)), without=self.address(**{name: ""}))
            for word, name, given in dates
            if given
        ]
        lists = [
            (tr("fuente"), "sources"),
            (tr("idioma"), "languages"),
            (tr("tipo"), "types"),
            (tr("etiqueta"), "tags"),
        ]
        return days + [chip for word, name in lists for chip in self._chips(word, name)]

    def _chips(self, word: str, name: str) -> list[Chip]:
        values: tuple[str, ...] = getattr(self, name)
        return [
            Chip(
                label=f"{word}: {_WORDS.get(name, {}).get(value, value)}",
                without=self.address(**{name: tuple(other for other in values if other != value)}),
            )
            for value in values
        ]

    def address(self, **changes: Any) -> str:
        """The page that asks for the same but for the changes."""
        return f"{self.page}?{self.parameters(**changes)}"

    def parameters(self, **changes: Any) -> str:
        """Return the parameters as a query string; defaults are left out."""
        asked = replace(self, **changes)
        pairs = [
            ("q", asked.query or ""),
            ("modo", "" if asked.mode == DEFAULT_MODE else asked.mode),
            ("desde", asked.since),
            ("hasta", asked.until),
            *(("fuente", source) for source in asked.sources),
            *(("idioma", language) for language in asked.languages),
            *(("tipo", kind) for kind in asked.types),
            *(("etiqueta", tag) for tag in asked.tags),
            ("tiempo", "" if asked.reads_times else _NO),
        ]
        return urlencode([(name, value) for name, value in pairs if value])

    @property
    def without_filters(self) -> str:
        """The address of the same query among all notes."""
        return self.address(since="", until="", sources=(), languages=(), types=(), tags=())


def page_search(
    *,
    q: str | None = None,
    modo: str = DEFAULT_MODE,
    desde: str = "",
    hasta: str = "",
    fuente: _Values,
    idioma: _Values,
    tipo: _Values,
    etiqueta: _Values,
    tiempo: str = "",
) -> PageSearch:
    """Parse the parameters of the address; an unknown mode is the usual one, empty fields of the form ask for nothing.

    Raises:
        ExplainedError: a list is longer than the API takes; the page would grow by its square, a chip for each value.
    """
    return PageSearch(
        query=q,
        mode=modo if modo in STRATEGIES else DEFAULT_MODE,
        since=desde.strip(),
        until=hasta.strip(),
        sources=_given("fuente", fuente),
        languages=_given("idioma", idioma),
        types=_given("tipo", tipo),
        tags=_given("etiqueta", etiqueta),
        reads_times=tiempo != _NO,
    )


def _given(name: str, values: list[str]) -> tuple[str, ...]:
    if len(values) > MAX_VALUES:
        raise ExplainedError(
            tr("{name}: sobran elementos; se admiten como máximo {limit}", name=name, limit=MAX_VALUES),
            kind=InvalidInputError,
        )
    return tuple(dict.fromkeys(value.strip() for value in values if value.strip()))


def _day(written: str) -> str:
    try:
        return day(date.fromisoformat(written))
    except ValueError:
        return written


def in_words(problem: str) -> str:
    """A problem of the conditions, its fields called as the form calls them."""
    named = _FIELD.sub(lambda found: _FIELDS.get(found[1], found[1]), localised(problem))
    return named.replace("filters: from (", f"{_FIELDS['from']} (").replace(" to (", f" {tr('«hasta»')} (")
