"""Relations of an entity as its page tells them: a phrase, the other entity, and the sentence that says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from rag_core.api.pages.cards import title_of
from rag_core.api.pages.cited_spans import written_span
from rag_core.api.pages.texts import Texts
from rag_core.model.entity import EdgeKind
from rag_core.storage.entities import EntityRelation

OF_ENTITY = 50
_FORWARDS: Texts[EdgeKind] = Texts(
    {
        "WORKS_FOR": "trabaja en",
        "MANAGES": "dirige",
        "REPORTS_TO": "rinde cuentas a",
        "CREATED": "escribió",
        "USES": "usa",
        "PART_OF": "forma parte de",
        "APPROVED_BY": "tiene la aprobación de",
        "COLLABORATES_WITH": "colabora con",
    }
)
_BACKWARDS: Texts[EdgeKind] = Texts(
    {
        "WORKS_FOR": "da trabajo a",
        "MANAGES": "está a cargo de",
        "REPORTS_TO": "recibe cuentas de",
        "CREATED": "es obra de",
        "USES": "se usa en",
        "PART_OF": "abarca",
        "APPROVED_BY": "aprobó",
        "COLLABORATES_WITH": "colabora con",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationLink:
    """A relation to another entity, with the addresses of that and of the sentence."""

    told: str
    name: str
    address: str
    sentence: str
    sentence_address: str
    title: str
    language: str


def relation_links(relations: Sequence[EntityRelation]) -> list[RelationLink]:
    """The relations in their order."""
    return [
        RelationLink(
            told=(_FORWARDS if one.is_source else _BACKWARDS)[one.kind],
            name=one.name,
            address=f"/entidad/{one.id}",
            sentence=one.evidence,
            sentence_address=f"/notas/{one.note_id}?{_quoted(one)}#pasaje",
            title=title_of(one.title),
            language=one.language,
        )
        for one in relations
    ]


def _quoted(one: EntityRelation) -> str:
    return urlencode({"cita": written_span((one.start, one.end), one.evidence)})
