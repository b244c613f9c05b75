"""Nothing of another tenant, and nothing of a note for others, reaches a reader by any address of the API or the page."""

import re

import pytest
from leak_planting import Secrets, plant_key, rows_of_tenant
from leak_requests import FIGURES, Asked, bodies, elsewhere, requests_of, routes

from rag_core.api.contracts import contracts
from rag_core.model.note import TenantId

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("leaks"),  # one installation for all; its last test sees what all others did
]

ROUTES = [
    (method, route.path)
    for contract in contracts()
    for router in contract.routers
    for route in router.routes
    for method in sorted(route.methods - {"HEAD"})
]
BRUNO = TenantId("bruno")


def route_of(installation, method: str, path: str):
    return next(route for route in routes(installation.client) if method in route.methods and route.path == path)


def sent(installation, key: str, asked: Asked) -> tuple[int, str, str]:
    is_form = isinstance(asked.body, dict) and "files" in asked.body
    more = {} if asked.body is None else asked.body if is_form else {"json": asked.body}
    return installation.ask(key, asked.method, asked.path, params=asked.query, **more)


def leaks(installation, key: str, secrets: Secrets, method: str, path: str) -> dict[str, set[str]]:
    """Secrets that came back, by the request that they came back to."""
    found = {}
    for asked in requests_of(route_of(installation, method, path), secrets):
        _, answer, said = sent(installation, key, asked)
        if seen := secrets.seen_in(answer, sent=said):
            found[said] = seen
    return found


def test_every_address_that_takes_a_body_is_asked_with_one(installation) -> None:
    silent = [
        (sorted(route.methods), route.path)
        for route in routes(installation.client)
        if route.body_field is not None and not bodies(route, installation.of_bruno)
    ]

    assert silent == []


def test_there_is_something_to_leak(installation) -> None:
    assert len(installation.of_bruno.tokens) > 60
    assert {"quimbayesca", "bruno-conjunto", "bruno-comentario", "bruno-alerta"} <= installation.of_bruno.tokens
    assert {"huapanguera", "carla-causa", "gorgoritera"} <= installation.of_direction.tokens
    assert str(installation.of_direction.ids["notes"]) in installation.of_direction.tokens


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)
def test_nothing_of_another_tenant_is_answered(installation, method: str, path: str) -> None:
    assert leaks(installation, installation.key, installation.of_bruno, method, path) == {}


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)
def test_nothing_of_notes_for_others_is_answered(installation, method: str, path: str) -> None:
    assert leaks(installation, installation.narrow_key, installation.of_direction, method, path) == {}


@pytest.mark.parametrize(
    ("method", "path"), [(method, path) for method, path in ROUTES if "{" in path], ids=lambda part: part
)
def test_what_another_tenant_has_is_answered_like_what_nobody_has(installation, method: str, path: str) -> None:
    differing = []
    for asked in requests_of(route_of(installation, method, path), installation.of_bruno):
        other = elsewhere(asked)
        if other is None or asked.query:
            continue
        status, answer, _ = sent(installation, installation.key, asked)
        status_of_nothing, nothing, _ = sent(installation, installation.key, other)
        if (status, without(answer, asked.about)) != (status_of_nothing, without(nothing, other.about)):
            differing.append((asked.path, status, status_of_nothing))

    assert differing == []


def without(answer: str, about: str | None) -> str:
    """An answer without what was asked for, and without headers that tell its length or the moment."""
    return re.sub(r"(?m)^(content-length|date|x-request-id|server-timing): .*$", "", answer.replace(about or "", ""))


def changed(installation, key: str) -> set[str]:
    before, after = installation.before[key], installation.after[key]
    assert before.keys() == after.keys()
    return {asked for asked, answer in after.items() if answer != before[asked]}


def test_what_came_for_others_changes_no_answer(installation) -> None:
    """Neither counts nor order nor anything else: it is as if there were no other tenant and no notes for the direction."""
    assert changed(installation, installation.narrow_key) == set()


@pytest.mark.parametrize("figures", FIGURES)
def test_only_who_may_do_everything_is_told_figures_of_the_process(installation, figures) -> None:
    """They are of all tenants, and are what the check above leaves out for whoever gets them."""
    read = plant_key(installation.engine.database, TenantId("ana"), ("read", "write", "evaluate"))

    statuses = {
        key: installation.ask(key, "GET", figures)[0] for key in (installation.key, installation.narrow_key, read)
    }

    assert statuses == {installation.key: 200, installation.narrow_key: 403, read: 403}
    assert figures in installation.after[installation.narrow_key]


def test_who_sees_everything_sees_the_notes_for_the_direction(installation) -> None:
    """The check above can fail: the same answers do change for whoever may see what came."""
    seen = changed(installation, installation.key)

    assert {"/api/notes", "/", "retrieve hybrid", "retrieve fulltext", "retrieve semantic"} <= seen


def test_nobody_changed_anything_of_another_tenant(installation) -> None:
    assert rows_of_tenant(installation.engine.database, BRUNO) == installation.rows_of_bruno
