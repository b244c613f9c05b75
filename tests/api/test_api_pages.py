"""The page as its server writes it; what a browser makes of it is in ``tests/browser``."""

import html
import re
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from rag_core.api import searching
from rag_core.api.pages import cards
from rag_core.api.pages import search as pages
from rag_core.errors import DeadlineExceededError
from rag_core.experiments import live_query
from rag_core.indexing.one_note import store_and_index
from rag_core.model.retrieval import Retrieval, TimeExpression, TransformedQuery
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import DEMO_TENANT, Engine

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

    @pytest.mark.parametrize(
        ("folded", "said"),
        [
            (1, "Mostrar un resultado más Ocultar el último resultado, que se parece menos a lo que buscas"),
            (2, "Mostrar 2 resultados más Ocultar los 2 últimos resultados, que se parecen menos a lo que buscas"),
        ],
    )
    def test_what_is_folded_away_is_counted(
        self, client: TestClient, add_note, monkeypatch: pytest.MonkeyPatch, folded: int, said: str
    ) -> None:
        for number in range(folded + 1):
            add_note(f"Hoy tuve el conflicto {number} con mi jefe.")
        monkeypatch.setattr(cards, "worth_reading", lambda _scores: 1)

        page = client.get("/", params={"q": "jefe"}).text

        (summary,) = re.findall(r'<details class="further">\s*<summary>(.*?)</summary>', page, re.DOTALL)
        assert re.sub(r"<[^>]+>", "", summary.replace('</span><span class="to-close">', " ")) == said

    def test_a_note_that_is_not_indexed_is_counted(self, client: TestClient, engine: Engine, add_note) -> None:
        add_note("Indexada")
        with engine.database.transaction(engine.tenant()) as connection:
            connection.execute("update notes set indexed_fingerprint = null")

        assert "1 sin indexar" in client.get("/").text

    def test_an_answer_that_was_kept_says_so(self, client: TestClient, add_note) -> None:
        add_note("Hoy tuve un conflicto con mi jefe.")

        first, second = client.get("/?q=jefe").text, client.get("/?q=jefe").text

        assert "leer los pasajes" in first
        assert "(la misma búsqueda, hecha hace poco)" in second

    def test_a_degraded_search_says_so(self, client: TestClient, engine: Engine, add_note, monkeypatch) -> None:
        add_note("Hoy tuve un conflicto con mi jefe.")
        found = live_query.retrieve

        def degraded(*args, **more):
            from dataclasses import replace

            return replace(found(*args, **more), warnings=("Búsqueda semántica no disponible",))

        monkeypatch.setattr(live_query, "retrieve", degraded)

        assert "<strong>Aviso:</strong> Búsqueda semántica no disponible." in client.get("/?q=jefe").text

    def test_no_strategy_promises_meanings_while_the_model_knows_none(self, client: TestClient, add_note) -> None:
        add_note("Hoy tuve un conflicto con mi jefe.")

        form = client.get("/?q=jefe").text.partition("<fieldset>")[2].partition("</fieldset>")[0]

        assert "Por parecido" in form
        assert "el modelo en uso no conoce significados" in form
        assert "por significado" not in form.lower()

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

        monkeypatch.setattr(live_query, "retrieve", late)

        page = client.get("/?q=x", headers=BROWSER)

        assert page.status_code == 504
        assert "La búsqueda excedió el tiempo límite de 10000ms" in page.text

    def test_a_defect_is_told_on_a_page_without_its_traceback(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_args: object, **_more: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(live_query, "retrieve", broken)

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


def explained(found: Retrieval, *, times: bool) -> Retrieval:
    """The retrieval, its query a question for causes within a week, its best hit found by a chain of three."""
    week = (datetime(2025, 11, 9, 23, tzinfo=UTC), datetime(2025, 11, 16, 23, tzinfo=UTC))
    words = TimeExpression(span=(0, 16), text="la semana pasada", since=week[0], until=week[1], is_relative=True)
    query = TransformedQuery(
        original_query=found.query,
        intent="causal",
        sub_queries=("¿Por qué llegué tarde?", "¿Qué comí?"),
        timestamp=datetime(2025, 11, 20, tzinfo=UTC),
        direction="causes",
        times=(words,) if times else (),
        hyde_answer="Llegué tarde por haber dormido mal.",
    )
    hit = replace(
        found.hits[0],
        ranks={"semantic:1": 4, "semantic:2": 2, "graph": 1},
        original_score=0.41,
        rerank_score=0.87,
        causal_path=tuple(str(UUID(int=number)) for number in (1, 2, 3)),
        causal_path_names=("llegar tarde", "dormir <mal>", "café"),
    )
    return replace(found, transformed=query, interval=week if times else None, hits=(hit,))


class TestConditions:
    @pytest.fixture
    def travels(self, add_note) -> None:
        add_note("Viajé en tren a Cádiz.", title="Cádiz", createdAt="2025-03-10", metadata={"tags": ["Familia", "mar"]})
        add_note("Viajé en tren a Vigo.", title="Vigo", createdAt="2025-04-01", source="cartas")

    @pytest.mark.usefixtures("travels")
    @pytest.mark.parametrize(
        ("conditions", "titles"),
        [
            ({}, ["Cádiz", "Vigo"]),
            ({"desde": "", "hasta": "", "etiqueta": ""}, ["Cádiz", "Vigo"]),
            ({"desde": "2025-03-11"}, ["Vigo"]),
            ({"hasta": "2025-03-10"}, ["Cádiz"]),
            ({"fuente": ["cartas", "nada"]}, ["Vigo"]),
            ({"idioma": "es", "etiqueta": ["familia", "viaje"]}, ["Cádiz"]),
            ({"etiqueta": "nada"}, []),
        ],
    )
    def test_only_notes_that_meet_them_are_shown(self, client: TestClient, conditions: dict, titles: list[str]) -> None:
        page = client.get("/", params={"q": "tren", **conditions}).text

        assert sorted(re.findall(r'<h2 id="r\d+"><a [^>]*>(.*?)</a>', page)) == titles

    @pytest.mark.parametrize("name", ["fuente", "idioma", "etiqueta"])
    @pytest.mark.parametrize("path", ["/", "/notas/00000000-0000-0000-0000-000000000000"])
    def test_a_list_longer_than_the_api_takes_is_refused(self, client: TestClient, name: str, path: str) -> None:
        answer = client.get(path, params={"q": "tren", name: [f"v{number}" for number in range(101)]})

        assert answer.status_code == 400
        assert answer.json()["details"] == f"{name}: sobran elementos; se admiten como máximo 100"

    @pytest.mark.usefixtures("travels")
    def test_as_many_values_as_the_api_takes_are_searched_with(self, client: TestClient) -> None:
        page = client.get("/", params={"q": "tren", "fuente": ["cartas", *(f"v{number}" for number in range(99))]})

        assert re.findall(r'<h2 id="r\d+"><a [^>]*>(.*?)</a>', page.text) == ["Vigo"]

    @pytest.mark.usefixtures("travels")
    def test_the_tenants_own_values_are_offered(self, client: TestClient) -> None:
        page = client.get("/").text

        assert set(re.findall(r'name="fuente" value="(.*?)"', page)) == {"api", "cartas"}
        assert set(re.findall(r'name="etiqueta" value="(.*?)"', page)) == {"Familia", "mar"}
        assert 'name="idioma"' not in page  # there is one only

    @pytest.mark.usefixtures("travels")
    def test_one_that_holds_is_ticked_even_where_no_note_meets_it(self, client: TestClient) -> None:
        page = client.get("/?q=tren&etiqueta=nada&etiqueta=FAMILIA").text

        assert set(re.findall(r'name="etiqueta" value="(\w+)" checked', page)) == {"FAMILIA", "nada"}

    @pytest.mark.usefixtures("travels")
    def test_each_can_be_taken_away_by_itself(self, client: TestClient) -> None:
        page = client.get("/?q=tren&desde=2025-03-01&etiqueta=mar&modo=palabras").text

        chips = dict(re.findall(r'<a class="chip" href="(.*?)".*?</span>([^<]+)<span', page))
        assert chips == {
            "/?q=tren&amp;modo=palabras&amp;etiqueta=mar": "desde el 1 de marzo de 2025",
            "/?q=tren&amp;modo=palabras&amp;desde=2025-03-01": "etiqueta: mar",
        }
        assert 'href="/?q=tren&amp;modo=palabras">Quitar todas</a>' in page

    @pytest.mark.parametrize(
        ("conditions", "said"),
        [
            ("desde=ayer", "«Desde»: «ayer» no es una fecha ISO 8601 válida"),
            ("desde=2025-03-02&hasta=2025-03-01", "«Desde» (2025-03-02) debe ser anterior a «hasta» (2025-03-01)"),
            ("idioma=fr", "«Idioma»: valor no admitido; se espera"),
            ("etiqueta=a%00b", "«Etiqueta»: contiene un carácter no admitido"),
        ],
    )
    def test_one_that_cannot_be_is_told_and_the_query_is_not_blamed(
        self, refusing: TestClient, conditions: str, said: str
    ) -> None:
        page = refusing.get(f"/?q=tren&{conditions}")

        assert page.status_code == 200
        assert said in page.text
        assert "aria-invalid" not in page.text

    @pytest.mark.usefixtures("travels")
    def test_a_note_leads_back_to_the_search_with_them(self, client: TestClient) -> None:
        page = client.get("/?q=tren&desde=2025-03-01&modo=palabras").text
        note = client.get(html.unescape(re.search(r'href="(/notas/.*?)#pasaje"', page)[1])).text

        assert 'href="/?q=tren&amp;modo=palabras&amp;desde=2025-03-01">Volver a los resultados</a>' in note


class TestWhatWasUnderstood:
    @pytest.fixture
    def page(self, client: TestClient, add_note, monkeypatch: pytest.MonkeyPatch) -> str:
        add_note("Llegué tarde por haber dormido mal.")
        retrieve = live_query.retrieve

        def understanding(*args, config, **more) -> Retrieval:
            times = config.query_transformation.enable_time_expressions
            return explained(retrieve(*args, config=config, **more), times=times)

        for module in (live_query, searching):  # a search left as the page offers it, and one that says how
            monkeypatch.setattr(module, "retrieve", understanding)
        return client.get("/?q=tarde+la+semana+pasada").text

    def test_the_kind_of_question_its_parts_and_the_imagined_answer_are_told(self, page: str) -> None:
        assert "pregunta por las causas" in page
        assert "<li>¿Por qué llegué tarde?</li>" in page
        assert "Llegué tarde por haber dormido mal." in page.partition("Respuesta imaginada")[2].partition("</p>")[0]

    def test_the_time_can_be_taken_away_and_put_back(self, client: TestClient, page: str) -> None:
        assert "la semana pasada: 10–16 nov" in page
        without = html.unescape(re.search(r'<a class="chip" href="([^"]*tiempo=no[^"]*)"', page)[1])

        again = client.get(without).text

        assert "10–16 nov" not in again
        assert 'href="/?q=tarde+la+semana+pasada">Tenerlas en cuenta</a>' in again

    def test_a_chain_is_drawn_from_the_cause_to_the_effect(self, page: str) -> None:
        drawn = page.partition('<ol class="chain"')[2].partition("</ol>")[0]

        assert re.findall(r"<span>(.*?)</span>", drawn) == ["café", "dormir &lt;mal&gt;", "llegar tarde"]

    def test_a_step_of_a_chain_leads_to_the_note_that_tells_it(
        self, client: TestClient, page: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def told(_database, _tenant, steps, *, timeout_ms: int) -> dict[tuple[str, str], UUID]:
            return {step: UUID(int=9) for step in steps if step == (str(UUID(int=3)), str(UUID(int=2)))}

        monkeypatch.setattr(pages, "fetch_path_evidence", told)

        drawn = client.get("/?q=tarde").text.partition('<ol class="chain"')[2].partition("</ol>")[0]

        assert re.findall(r'<a href="/notas/(.*?)".*?>(.*?)</a>', drawn) == [(str(UUID(int=9)), "dormir &lt;mal&gt;")]

    def test_a_result_shows_its_best_place_in_each_way_of_searching_and_no_score(self, page: str) -> None:
        parts = re.findall(r"<dt>(.*?)</dt>.*?<dd>(.*?)</dd>", page, re.DOTALL)

        assert parts == [("por parecido", "n.º 2"), ("por causa y efecto", "n.º 1")]


class TestNotePage:
    def test_the_place_found_is_marked_in_the_whole_note(self, client: TestClient, add_note) -> None:
        note = add_note("Hoy tuve un conflicto con mi jefe.", title="Reunión", metadata={"tags": ["trabajo"]})
        result = client.post("/api/retrieve", json={"query": "jefe"}).json()["results"][0]

        page = client.get(f"/notas/{note['id']}", params={"fragmento": result["chunkId"], "q": "jefe"}).text

        assert "<h1>Reunión</h1>" in page
        assert '<mark id="pasaje">Hoy tuve un conflicto con mi <b>jefe</b>.</mark>' in page
        assert ">trabajo</span>" in page

    @pytest.mark.parametrize(
        ("language", "facts"),
        [
            ("es", ["acta de reunión", "20 palabras", "temas: elena, dani, reunión"]),
            ("de", ["Sitzungsprotokoll", "20 Wörter", "Themen: elena, dani, reunión"]),
            ("en", ["meeting notes", "20 words", "topics: elena, dani, reunión"]),
        ],
    )
    def test_type_length_and_topics_stand_in_a_line(
        self, client: TestClient, add_note, language: str, facts: list[str]
    ) -> None:
        text = (
            "Acta de la reunión. Asisten Elena y Dani. Acuerdos: se aprueba el presupuesto. "
            "Tareas: Elena revisa, Dani llama. Próxima reunión."
        )
        note = add_note(text)

        page = client.get(f"/notas/{note['id']}", headers={"Accept-Language": language}).text

        line = re.search(r'<p class="facts">(<span>.*?)</p>', page)
        assert line is not None
        assert re.findall(r"<span>(.*?)</span>", line[1]) == facts

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
            from rag_core.model.note import NoteId
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
