"""The table that says what a key must allow where."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.api.contracts import contracts, rule_of, rules
from rag_core.api.scopes import needed_scope

RULES = rules()
ROUTES = [
    (method, route.path)
    for contract in contracts()
    for router in contract.routers
    for route in router.routes
    for method in sorted(route.methods)
]
PUBLIC = {"/healthz", "/readyz", "/entrar", "/salir", "/api/terminal"}


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_stands_in_the_table(method: str, path: str) -> None:
    assert rule_of(path) is not None


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_only_what_tells_nothing_of_notes_is_open_to_everybody(method: str, path: str) -> None:
    assert (needed_scope(method, path) is None) == (path in PUBLIC)


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/", "read"),
        ("HEAD", "/", "read"),
        ("GET", "/notas/1", "read"),
        ("POST", "/chat", "read"),
        ("POST", "/api/query", "read"),
        ("DELETE", "/api/sessions/1", "read"),
        ("POST", "/api/v2/rag/search", "read"),
        ("POST", "/api/retrieve", "read"),
        ("POST", "/api/retrieve/evaluate", "evaluate"),
        ("GET", "/api/notes", "read"),
        ("POST", "/api/notes", "write"),
        ("DELETE", "/api/notes/1", "write"),
        ("GET", "/api/golden-dataset", "evaluate"),
        ("GET", "/evaluation/runs/1", "evaluate"),
        ("GET", "/api/performance", "admin"),
        ("GET", "/static/style.css", None),
        ("GET", "/openapi.json", None),
        ("GET", "/metrics", "admin"),
        ("GET", "/staticfiles", "admin"),
        ("GET", "//healthz", "admin"),
        ("GET", "/api", "admin"),
        ("GET", "/chatty", "admin"),
        ("GET", "/chat/", "read"),
    ],
)
def test_what_stands_for_an_address(method: str, path: str, scope: str | None) -> None:
    assert needed_scope(method, path) == scope


@given(st.sampled_from(sorted(RULES)), st.text(min_size=1).filter(lambda rest: not rest.startswith("/")))
def test_a_longer_name_is_not_under_a_shorter_one(path: str, rest: str) -> None:
    longer = f"/{rest}" if path == "/" else f"{path}{rest}"
    if any(longer == other or longer.startswith(f"{other}/") for other in RULES if other != "/"):
        return

    assert rule_of(longer) is not RULES[path]


def test_the_documented_table_is_the_programs() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/access.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(/[^`]*)` \| `?(\w+)`? \| `?(\w+)`? \| (.*) \|$", text, re.MULTILINE)

    assert documented == [
        (path, rule.reading or "everybody", rule.changing or "everybody", rule.about) for path, rule in RULES.items()
    ]
