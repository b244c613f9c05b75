"""`brain key create`, `list` and `revoke`."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from command_line import Brain, printed_json

from rag_core.access.keys import parse_key
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.api_keys import find_key
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database

pytestmark = pytest.mark.usefixtures("without_tenant")


Told = Callable[..., dict[str, Any]]


@pytest.fixture
def told(brain: Brain) -> Told:
    """Run `brain key … --json`, which succeeds, and return its document."""
    return lambda *arguments: printed_json(brain("key", *arguments, "--json"))


def test_a_new_key_opens_what_was_asked_for(told: Told, database: Database) -> None:
    whose = ("ana", "--tenant", "casa", "--department", "ventas", "--department", "legal")
    made = told("create", *whose, "--expires", "90d", "--per-minute", "3", "--per-hour", "30", "--create-tenant")

    shown = parse_key(made["key"])
    assert shown is not None
    stored = find_key(database, shown, timeout_ms=10_000)
    assert stored is not None
    assert (stored.tenant, stored.name, stored.scopes) == ("casa", "ana", {"read"})
    assert (stored.departments, stored.questions_per_minute, stored.questions_per_hour) == (("ventas", "legal"), 3, 30)
    assert stored.expires_at is not None
    assert made["is_new_tenant"]


def test_the_secret_is_stored_nowhere(told: Told, database: Database) -> None:
    secret = told("create", "ana")["key"].split("_", 2)[2]

    with database.owner() as connection:
        rows = connection.execute("select k::text from brain.api_keys k").fetchall()

    assert len(rows) == 1
    assert secret not in rows[0][0]
    assert secret.encode().hex() not in rows[0][0]


def test_the_application_reads_no_key_but_by_its_secret(told: Told, database: Database) -> None:
    told("create", "ana", "--tenant", "casa")

    with database.transaction(TenantId("casa")) as connection:
        allowed = connection.execute(
            "select has_table_privilege('brain.api_keys', privilege) "
            "from unnest(array['select', 'insert', 'update', 'delete']) privilege"
        ).fetchall()

    assert allowed == [(False,)] * 4


def test_people_get_the_key_on_stdout_and_all_else_beside_it(brain: Brain) -> None:
    made = brain("key", "create", "ana", "--tenant", "casa")

    assert parse_key(made.stdout) is not None
    assert made.stdout.count("\n") == 1
    assert "The tenant casa did not exist and was created." in made.stderr
    assert "tenant casa, read; never ends" in made.stderr
    assert "BRAIN_ACCESS=keys" in made.stderr
    assert "did not exist" not in brain("key", "create", "luis", "--tenant", "casa").stderr


def test_a_typing_error_makes_no_tenant(told: Told, brain: Brain, database: Database) -> None:
    told("create", "ana", "--tenant", "familia")

    refused = brain("key", "create", "luis", "--tenant", "famlia")

    assert refused.exit_code == 1
    assert refused.stderr == (
        "brain: there is no tenant famlia; is it familia? `brain tenant create famlia` makes it, and --create-tenant makes it "
        "with the key\n"
    )
    assert refused.stdout == ""
    assert list_tenants(database) == ["familia"]


def test_a_tenant_is_made_with_its_key_where_that_is_asked_for(told: Told, database: Database) -> None:
    told("create", "ana", "--tenant", "familia")

    assert told("create", "luis", "--tenant", "taller", "--create-tenant")["is_new_tenant"]
    assert not told("create", "eva", "--tenant", "taller", "--create-tenant")["is_new_tenant"]
    assert list_tenants(database) == ["familia", "taller"]


def test_the_installations_own_tenant_is_made_with_its_key(told: Told) -> None:
    told("create", "ana", "--tenant", "familia")

    made = told("create", "luis")

    assert (made["tenant"], made["is_new_tenant"]) == ("default", True)


def test_whoever_runs_as_one_tenant_is_not_told_what_others_are_called(
    told: Told, brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    told("create", "ana", "--tenant", "familia")
    monkeypatch.setenv("BRAIN_TENANT", "casa")

    refused = brain("key", "create", "luis", "--tenant", "famlia")

    assert refused.exit_code == 1
    assert "familia" not in refused.output


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_eighty_columns_show_all_that_revoking_needs(
    told: Told, brain: Brain, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any hour the day of one of these zones is another than the day in UTC."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("BRAIN_TIMEZONE", zone)
    of_ana = told(
        "create", "ana.garcia@ejemplo", "--tenant", "casa", "--scope", "read,write,evaluate", "--expires", "90d"
    )
    of_luis = told("create", "luis", "--tenant", "casa", "--department", "ventas", "--department", "legal")
    told("revoke", "luis")

    shown = brain("key", "list").stdout

    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if line.startswith("│")]
    ids, names, _, allowed, ends, _ = ("".join(column) for column in zip(*cells, strict=True))
    assert ids == of_ana["id"] + of_luis["id"]
    assert "ana.garcia@ejemplo" in names
    assert "read,write,evaluate" in allowed.replace(" ", "")
    assert "readforventas,legal" in allowed.replace(" ", "")
    last_day = datetime.fromisoformat(of_ana["expires_at"]).astimezone(read_settings().zone).date()
    assert last_day.isoformat() in ends
    assert "revoked" in ends


def test_a_name_with_square_brackets_is_listed_as_it_is(told: Told, brain: Brain) -> None:
    told("create", "[/x] ana [bold]", "--tenant", "casa")

    listed = brain("key", "list")

    assert listed.exit_code == 0, listed.output
    assert "[/x] ana [bold]" in " ".join(listed.stdout.replace("│", " ").split())


def test_a_key_can_read_and_no_more_unless_asked_for(told: Told) -> None:
    assert told("create", "ana")["scopes"] == ["read"]
    assert told("create", "eva", "--scope", "admin,write")["scopes"] == ["write", "admin"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--scope", "todo"), "'todo' is no scope; choose from read, write, evaluate, admin"),
        (("--expires", "mañana"), "is no end for a key"),
        (("--expires", "2001-01-01"), "would have expired"),
        (("--scope", "admin", "--department", "ventas"), "leave one of the two out"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(
    told: Told, brain: Brain, arguments: tuple[str, ...], problem: str
) -> None:
    refused = brain("key", "create", "ana", *arguments, "--json")

    assert refused.exit_code == 1
    assert problem in json.loads(refused.stdout)["error"]
    assert told("list")["keys"] == []


def test_a_list_shows_whose_keys_there_are_and_how_they_stand(told: Told, brain: Brain) -> None:
    told("create", "ana", "--tenant", "casa")
    told("create", "robot", "--tenant", "taller", "--scope", "write", "--create-tenant")
    told("revoke", "ana")

    listed = told("list")["keys"]

    assert [(key["name"], key["tenant"], key["state"]) for key in listed] == [
        ("robot", "taller", "usable"),
        ("ana", "casa", "revoked"),
    ]
    assert all("key" not in key for key in listed)
    assert [key["name"] for key in told("list", "--tenant", "casa")["keys"]] == ["ana"]
    shown = brain("key", "list").stdout
    assert "Keys: 1 usable" in shown


def test_whoever_runs_as_one_tenant_neither_sees_nor_revokes_anothers(
    told: Told, brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = told("create", "robot", "--tenant", "taller")
    monkeypatch.setenv("BRAIN_TENANT", "casa")

    for name in (other["id"], "robot", "nadie"):
        refused = brain("key", "revoke", name)
        assert refused.exit_code == 1
        assert refused.stderr == f"brain: no key is named {name!r} or has that id; `brain key list` shows them\n"
    assert told("list")["keys"] == []
    assert told("create", "mia")["tenant"] == "casa"


def test_a_name_is_taken_until_its_key_is_revoked(told: Told, brain: Brain) -> None:
    first = told("create", "ana")

    refused = brain("key", "create", "ana", "--json")
    assert "`brain key revoke 'ana' --tenant default`" in json.loads(refused.stdout)["error"]
    told("revoke", "ana")
    again = told("create", "ana")

    assert again["id"] != first["id"]
    assert told("revoke", "ana")["id"] == again["id"]


def test_revoking_twice_keeps_the_first_moment(told: Told) -> None:
    key = told("create", "ana")["id"]

    first = told("revoke", key)

    assert told("revoke", key)["revoked_at"] == first["revoked_at"]


def test_a_name_that_several_tenants_use_is_asked_for_by_id(told: Told, brain: Brain) -> None:
    ids = [told("create", "ana", "--tenant", tenant, "--create-tenant")["id"] for tenant in ("casa", "taller")]

    refused = brain("key", "revoke", "ana")

    assert refused.exit_code == 1
    assert all(one in refused.stderr for one in ids)
    assert told("revoke", "ana", "--tenant", "taller")["id"] == ids[1]
