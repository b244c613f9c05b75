"""Which chunker cuts which notes, as an operator writes it: by kind of note and by tenant."""

from dataclasses import dataclass
from typing import get_args

from rag_core.errors import ConfigurationError
from rag_core.model.note import NoteKind, TenantId

DEFAULT_CHUNKER = "sentence"
_DEFAULT_CHOICE = "sentence, document=hierarchical"
"""What measured best: of notes the rank of the right note, of documents how soon the answer stands there (decision 52)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkerChoice:
    """Names of chunkers by tenant and kind of note; None stands for every tenant, or every kind, and both for the rest."""

    names: tuple[tuple[TenantId | None, NoteKind | None, str], ...]

    def of(self, tenant: TenantId, kind: NoteKind) -> str:
        """Return the name for a tenant's notes of a kind: what is said of both, else of the tenant, the kind, all notes."""
        said = {(one, other): name for one, other, name in self.names}
        wanted = ((tenant, kind), (tenant, None), (None, kind), (None, None))
        return next(said[key] for key in wanted if key in said)


def parse_choice(written: str) -> ChunkerChoice:
    """A choice such as ``sentence, document=hierarchical, ana/document=semantic, eva/=late``; '' is the default one.

    Raises:
        ConfigurationError: it is written otherwise, or says two things of the same notes.
    """
    names: dict[tuple[TenantId | None, NoteKind | None], str] = {}
    for part in filter(None, (part.strip() for part in (written or _DEFAULT_CHOICE).split(","))):
        whose, has_scope, name = part.rpartition("=")
        tenant, has_tenant, kind = whose.strip().rpartition("/")
        key = (TenantId(tenant) if has_tenant else None, next((one for one in get_args(NoteKind) if one == kind), None))
        is_known = key[1] is not None or (not kind and bool(has_tenant) == bool(has_scope))
        if not name.strip() or not is_known or key in names:
            raise ConfigurationError(
                f"BRAIN_CHUNKER={written!r}: cannot take {part!r}; expected a chunker, and after it what differs: "
                "sentence, document=hierarchical, ana/document=semantic, eva/=late"
            )
        names[key] = name.strip()
    names.setdefault((None, None), DEFAULT_CHUNKER)
    return ChunkerChoice(names=tuple((tenant, kind, name) for (tenant, kind), name in names.items()))
