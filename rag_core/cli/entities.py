"""Entities that the notes name: `brain entity`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, own_tenant, print_json, say, table
from rag_core.cli.messages import headings, label, tr
from rag_core.model.entity import EntityKind

if TYPE_CHECKING:
    from uuid import UUID

    from rag_core.model.note import TenantId
    from rag_core.storage.database import Connection
    from rag_core.storage.entities import EntityRelation, ListedEntity

entity_app = typer.Typer(
    no_args_is_help=True, help="Entities that the notes name: persons, organisations, projects, places, dates and more."
)
app.add_typer(entity_app, name="entity")

PLACES = 20
BESIDE = 10
RELATIONS = 20
EntityArgument = Annotated[str, typer.Argument(help="Id of an entity, or the name of only one.")]


@contextmanager
def _opened(tenant: str | None) -> "Iterator[tuple[Connection, TenantId]]":
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    settings = read_settings()
    owner = own_tenant(settings, tenant)
    with open_database(settings) as database, database.transaction(owner) as connection:
        yield connection, owner


@entity_app.command("list")
def list_all(
    search: Annotated[str | None, typer.Argument(help="Part of a name.")] = None,
    kind: Annotated[EntityKind | None, typer.Option(help="Only entities of this kind.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Limit of entities.")] = 50,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """List what the notes name, what stands in most notes first.

    Example: brain entity list --kind PERSON
    """
    from rag_core.storage.entities import list_entities

    with command(is_json=is_json):
        with _opened(tenant) as (connection, owner):
            found = list_entities(connection, owner, kind=kind, search=search, limit=limit)
        if is_json:
            print_json({"entities": [asdict(one) for one in found]})
        elif found:
            _show_entities(tr("Entities"), found)
        else:
            say(tr("No note names such an entity."))


def _show_entities(title: str, entities: "list[ListedEntity]") -> None:
    rows = [[one.name, label(one.kind), f"{one.notes:,}", f"{one.mentions:,}", str(one.id)] for one in entities]
    table(title, headings("name", "kind", "notes", "mentions", "id"), rows, whole=(4,))


@entity_app.command("show")
def show(entity: EntityArgument, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show the names of an entity and who joined them, its newest mentions and relations, and what stands beside it.

    Example: brain entity show "Birgit Lohmann"
    """
    from rag_core.storage.entities import (
        fetch_entities_beside,
        fetch_entity_names,
        fetch_entity_places,
        fetch_entity_relations,
    )

    with command(is_json=is_json):
        with _opened(tenant) as (connection, owner):
            found = _found(connection, owner, entity)
            names = fetch_entity_names(connection, owner, found.id)
            places = fetch_entity_places(connection, owner, found.id, limit=PLACES)
            related = fetch_entity_relations(connection, owner, found.id, limit=RELATIONS)
            beside = fetch_entities_beside(connection, owner, found.id, limit=BESIDE)
        mentions = [_place(asdict(place)) for place in places]
        if is_json:
            document = {**asdict(found), "names": [asdict(one) for one in names], "places": mentions}
            document |= {"relations": [asdict(one) for one in related], "beside": [asdict(one) for one in beside]}
            print_json(document)
            return
        print(f"{found.name} ({label(found.kind)})  {found.id}")
        rows = [
            [one.name, f"{one.mentions:,}", label(one.method), f"{one.score:.2f}", label(one.decided_by)]
            for one in names
        ]
        table(tr("Names"), headings("name", "mentions", "rule", "score", "by"), rows)
        table(
            tr("Mentions"),
            headings("created", "note", "text"),
            [[one["created_at"][:10], one["title"] or "", one["text"]] for one in mentions],
        )
        if related:
            _show_relations(found.name, related)
        if beside:
            _show_entities(tr("In the same notes"), beside)


def _show_relations(name: str, relations: "list[EntityRelation]") -> None:
    """The relations, each as source, what it is, target and the sentence that says so."""
    told = {
        "WORKS_FOR": tr("works for"),
        "MANAGES": tr("leads"),
        "REPORTS_TO": tr("reports to"),
        "CREATED": tr("wrote"),
        "USES": tr("uses"),
        "PART_OF": tr("is part of"),
        "APPROVED_BY": tr("is approved by"),
        "COLLABORATES_WITH": tr("works with"),
    }
    ends = [(name, one.name) if one.is_source else (one.name, name) for one in relations]
    table(
        tr("Relations"),
        headings("relation", "note", "text"),
        [
            [f"{source} {told[one.kind]} {target}", one.title or "", " ".join(one.evidence.split())]
            for one, (source, target) in zip(relations, ends, strict=True)
        ],
    )


def _place(place: dict[str, Any]) -> dict[str, Any]:
    """A mention as JSON has it, with the words around it as one line."""
    around = place.pop("around")
    del place["offset"]
    return place | {"created_at": place["created_at"].isoformat(), "text": " ".join(around.split())}


@entity_app.command("merge")
def merge(
    entity: EntityArgument,
    into: Annotated[str, typer.Argument(help="Entity that it is one with, by id or name.")],
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Make two entities one: the names of the first become names of the second. `brain entity split` parts them again.

    Example: brain entity merge "B. Lohmann" "Birgit Lohmann"
    """
    from rag_core.storage.entities import fetch_entity, merge_entities

    with command(is_json=is_json):
        with _opened(tenant) as (connection, owner):
            one, other = _found(connection, owner, entity), _found(connection, owner, into)
            merge_entities(connection, owner, one.id, other.id, actor=_actor())
            merged = fetch_entity(connection, owner, other.id)
        if is_json:
            print_json(asdict(merged))
        else:
            print(tr("{name} is one with {other} now", name=one.name, other=merged.name))


@entity_app.command("split")
def split(
    entity: EntityArgument,
    names: Annotated[list[str], typer.Argument(help="Names that are another entity's.")],
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Make some names of an entity an entity of their own; what was merged becomes what it was before.

    Example: brain entity split "Birgit Lohmann" "B. Lohmann"
    """
    from rag_core.storage.entities import fetch_entity, split_entity

    with command(is_json=is_json):
        with _opened(tenant) as (connection, owner):
            found = _found(connection, owner, entity)
            own = fetch_entity(connection, owner, split_entity(connection, owner, found.id, names, actor=_actor()))
        if is_json:
            print_json(asdict(own))
        else:
            print(tr("{name} is an entity of its own now: {id}", name=own.name, id=own.id))


@entity_app.command("rename")
def rename(
    entity: EntityArgument,
    name: Annotated[str, typer.Argument(help="Name that it is shown by.")],
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Show an entity by another name; its names in the notes stay as they are.

    Example: brain entity rename BMW "Bayerische Motoren Werke"
    """
    from rag_core.storage.entities import fetch_entity, rename_entity

    with command(is_json=is_json):
        with _opened(tenant) as (connection, owner):
            found = _found(connection, owner, entity)
            rename_entity(connection, owner, found.id, name, actor=_actor())
            renamed = fetch_entity(connection, owner, found.id)
        if is_json:
            print_json(asdict(renamed))
        else:
            print(tr("{name} is shown as {other} now", name=found.name, other=renamed.name))


def _found(connection: "Connection", tenant: "TenantId", named: str) -> "ListedEntity":
    """The entity with this id, or the only one with this name.

    Raises:
        NotFoundError: there is none.
        InvalidInputError: there are several.
    """
    from rag_core.errors import InvalidInputError, NotFoundError
    from rag_core.storage.entities import fetch_entity, fetch_entity_names, list_entities

    if (id_ := _id_of(named)) is not None:
        return fetch_entity(connection, tenant, id_)
    wanted = named.casefold()
    near = list_entities(connection, tenant, search=named, limit=PLACES)
    whole = [one for one in near if one.name.casefold() == wanted] or [
        one
        for one in near
        if any(name.name.casefold() == wanted for name in fetch_entity_names(connection, tenant, one.id))
    ]
    if not whole:
        raise NotFoundError(f"no note names {named!r}; `brain entity list` has what they name")
    if len(whole) > 1:
        ids = ", ".join(f"{one.id} ({one.kind})" for one in whole)
        raise InvalidInputError(f"{named!r} is the name of several entities; give the id of one: {ids}")
    return whole[0]


def _id_of(text: str) -> "UUID | None":
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        return None


def _actor() -> str:
    from rag_core.cli.proposals import person

    return person(None)
