"""The page as its server writes it; what a browser makes of it is in ``tests/browser``."""

import pytest
from fastapi.testclient import TestClient

from rag_core.api import pages, retrieval
from rag_core.engine import DEMO_TENANT, Engine
from rag_core.errors import DeadlineExceededError
from rag_core.indexing.one_note import store_and_index
from rag_core.notes import parse_note

NOWHERE = "00000000-0000-4000-8000-000000000000"
BROWSER = {"Accept": "text/html,application/xhtml+xml"}


class TestHome:
    def test_without_notes_it_says_how_to_import(self, client: TestClient) -> None:
        page = client.get("/")

        assert page.status_code == 200
        assert page.text.lower().startswith('<!doctype html>\n<html lang="es">')
        assert "Todavía no hay notas" in page.text
        assert "brain import" in page.text

    def test_a_search_shows_the_passage(self, client: TestClient, add_note) -> None:
        add_note("Hoy tuve un conflicto con mi jefe.", title="Reunión", createdAt="2025-03-03")

        page = client.get("/", params={"q": "jefe"}).text

        assert "<mark>Hoy tuve un conflicto con mi <b>jefe</b>.</mark>" in page
        assert "3 de marzo de 2025" in page

    def test_a_note_that_is_not_indexed_is_counted(self, client: TestClient, engine: Engine, add_note) -> None:
        add_note("Indexada")
        with engine.database.transaction(engine.tenant()) as connection:
            connection.execute("update notes set indexed_fingerprint = null")

        assert "1 sin indexar" in client.get("/").text

    def test_a_degraded_search_says_so(self, client: TestClient, engine: Engine, add_note, monkeypatch) -> None:
        add_note("Hoy tuve un conflicto con mi jefe.")
        found = pages.find

        def degraded(*args, **more):
            from dataclasses import replace

            return replace(found(*args, **more), warnings=("Búsqueda semántica no disponible",))

        monkeypatch.setattr(pages, "find", degraded)

        assert "<strong>Aviso:</strong> Búsqueda semántica no disponible." in client.get("/?q=jefe").text

    def test_an_unknown_strategy_is_the_usual_one(self, client: TestClient) -> None:
        page = client.get("/?q=jefe&modo=nada")

        assert page.status_code == 200
        assert 'value="hibrida" checked' in page.text

    @pytest.mark.parametrize("query", ["%20", "x" * 2001, "a%00b"])
    def test_a_query_that_cannot_be_searched_is_said_on_the_page(self, refusing: TestClient, query: str) -> None:
        page = refusing.get(f"/?q={query}")

        assert page.status_code == 200
        assert 'role="alert">La consulta ' in page.text

    def test_a_search_out_of_time_is_told_on_a_page(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        def late(*_args: object, **_more: object) -> None:
            raise DeadlineExceededError("late")

        monkeypatch.setattr(retrieval, "retrieve", late)

        page = client.get("/?q=x", headers=BROWSER)

        assert page.status_code == 504
        assert "La búsqueda excedió el tiempo límite de 10000ms" in page.text

    def test_a_defect_is_told_on_a_page_without_its_traceback(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_args: object, **_more: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(pages, "find", broken)

        page = client.get("/?q=x", headers=BROWSER)

        assert page.status_code == 500
        assert "Error interno del servidor" in page.text
        assert "ZeroDivision" not in page.text

    def test_the_demo_is_shown_until_there_is_a_note_of_ones_own(
        self, client: TestClient, engine: Engine, add_note
    ) -> None:
        note = parse_note(
            external_id="d1",
            source="demo",
            title="Diario inventado",
            text="Las naranjas de la terraza.",
            created_at=None,
            language="es",
            metadata=None,
            zone=engine.settings.zone,
            max_characters=1000,
        )
        store_and_index(engine.database, DEMO_TENANT, note, engine.pipeline)
        before = client.get("/").text

        add_note("La primera mía")
        after = client.get("/").text

        assert "Notas de demostración" in before
        assert "Diario inventado" in before
        assert "demostración" not in after
        assert "Diario inventado" not in after


class TestNotePage:
    def test_the_place_found_is_marked_in_the_whole_note(self, client: TestClient, add_note) -> None:
        note = add_note("Hoy tuve un conflicto con mi jefe.", title="Reunión", metadata={"tags": ["trabajo"]})
        result = client.post("/api/retrieve", json={"query": "jefe"}).json()["results"][0]

        page = client.get(f"/notas/{note['id']}", params={"fragmento": result["chunkId"], "q": "jefe"}).text

        assert "<h1>Reunión</h1>" in page
        assert '<mark id="pasaje">Hoy tuve un conflicto con mi <b>jefe</b>.</mark>' in page
        assert ">trabajo</span>" in page

    @pytest.mark.parametrize("chunk", ["nada", NOWHERE])
    def test_a_place_that_is_no_more_is_not_marked(self, client: TestClient, add_note, chunk: str) -> None:
        note = add_note("Hoy tuve un conflicto con mi jefe.")

        page = client.get(f"/notas/{note['id']}", params={"fragmento": chunk, "q": "jefe"})

        assert page.status_code == 200
        assert "<mark" not in page.text

    def test_a_note_that_is_not_chunked_is_marked_at_the_best_passage(
        self, client: TestClient, engine: Engine, add_note
    ) -> None:
        text = "\n\n".join(f"El tren {n} me llevó lejos y allí perdí el sombrero de mi prima Lucía." for n in range(80))
        note = add_note(text.replace("El tren 60 ", "Un paraguas verde olvidado. El tren 60 "))
        with engine.database.transaction(engine.tenant(), has_copy=True) as connection:
            from rag_core.model import NoteId
            from rag_core.storage.notes import unchunk

            unchunk(connection, engine.tenant(), [NoteId(note["id"])])
        result = client.post("/api/retrieve", json={"query": "paraguas verde", "strategy": "fulltext"}).json()[
            "results"
        ][0]

        page = client.get(f"/notas/{note['id']}", params={"fragmento": result["chunkId"], "q": "paraguas verde"}).text

        mark = page.partition('<mark id="pasaje">')[2].partition("</mark>")[0]
        assert "<b>paraguas</b> <b>verde</b> olvidado" in mark
        assert len(mark) < len(text) / 2

    @pytest.mark.parametrize("name", [NOWHERE, "nada"])
    def test_an_unknown_note_is_told_on_a_page(self, refusing: TestClient, name: str) -> None:
        page = refusing.get(f"/notas/{name}", headers=BROWSER)

        assert page.status_code == 404
        assert "No existe ninguna nota con ese identificador" in page.text
