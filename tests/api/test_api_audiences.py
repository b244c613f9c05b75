"""Whom a note is for, and that there is no room for another, as the API tells it."""

import pytest
from fastapi.testclient import TestClient

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.tenants import limit_tenant


@pytest.mark.parametrize(
    ("metadata", "details"),
    [
        ({"visibility": "public"}, "metadata.visibility no es ninguna de las admitidas: tenant, department, private"),
        (
            {"visibility": "department"},
            "metadata.departments: con visibility «department» hay que decir cuáles, en department o departments",
        ),
        *(
            (
                {key: "private"},
                "Los metadatos: una clave se parece a visibility, department o departments sin serlo; corrígela o llámala de otro modo",
            )
            for key in ("Visibility", "visibilty", "visibility\u200b", "v\u0456sibility")
        ),
    ],
)
def test_a_note_that_does_not_say_whom_it_is_for_is_refused(client: TestClient, metadata, details: str) -> None:
    answer = client.post("/api/notes", json={"content": "Una nota.", "metadata": metadata})

    assert (answer.status_code, answer.json()["details"]) == (400, details)
    assert client.get("/api/notes").json()["notes"] == []


def test_a_note_that_is_changed_without_metadata_stays_for_whom_it_was(
    client: TestClient, engine: Engine, add_note
) -> None:
    metadata = {"visibility": "private", "tags": ["a"]}
    note = add_note("Un secreto.", metadata=metadata)

    def departments() -> list[str] | None:
        with engine.database.owner() as connection:
            return connection.execute("select departments from brain.notes").fetchone()[0]

    changed = client.put(f"/api/notes/{note['id']}", json={"content": "Un secreto, corregido."})
    assert (changed.json()["metadata"], departments()) == (metadata, [])

    cleared = client.put(f"/api/notes/{note['id']}", json={"content": "Ningún secreto.", "metadata": {}})
    assert (cleared.json()["metadata"], departments()) == ({}, None)


def test_where_there_is_no_room_for_another_note_it_is_told(client: TestClient, engine: Engine, add_note) -> None:
    first = add_note("Una nota.")
    with engine.database.owner() as connection:
        limit_tenant(connection, TenantId("default"), {"max_notes": 1})

    answer = client.post("/api/notes", json={"content": "Otra nota."})
    known = client.put(f"/api/notes/{first['id']}", json={"content": "La misma, cambiada."})

    assert (answer.status_code, answer.json()["error"]) == (409, "No cabe ninguna nota más")
    assert known.status_code == 200
    assert len(client.get("/api/notes").json()["notes"]) == 1
