"""The language of the pages: the one of ours that Accept-Language wants most, else Spanish."""

import re

import pytest
from evaluation_runs import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import measure as measure  # noqa: PLC0414  a fixture, re-exported to pytest
from fastapi.testclient import TestClient

BROWSER = {"Accept": "text/html,application/xhtml+xml"}
HEADINGS = {"es": "Busca en tus notas", "en": "Search your notes", "de": "Durchsuche deine Notizen"}


def wanting(language: str) -> dict[str, str]:
    return {**BROWSER, "Accept-Language": language}


def heading(page: str) -> str:
    return re.findall(r"<h1[^>]*>([^<]*)</h1>", page)[0]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "es"),
        ("en", "en"),
        ("de", "de"),
        ("es-MX", "es"),
        ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("en;q=0.2, de-AT;q=0.7", "de"),
        ("fr, en;q=0.5", "en"),
        ("fr", "es"),
        ("en;q=0", "es"),
        ("*", "es"),
        (";;,=q", "es"),
        ("../../en", "es"),
    ],
)
def test_a_page_speaks_the_language_that_is_wanted_most(
    client: TestClient, accepted: str | None, language: str
) -> None:
    page = client.get("/", headers=BROWSER if accepted is None else wanting(accepted))

    assert heading(page.text) == HEADINGS[language]
    assert f'<html lang="{language}">' in page.text
    assert page.headers["content-language"] == language
    assert page.headers["vary"] == "Accept-Language"


def test_one_reader_does_not_get_the_language_of_another(client: TestClient) -> None:
    told = [heading(client.get("/", headers=wanting(wanted)).text) for wanted in ("de", "en", "es", "de")]

    assert told == [HEADINGS[language] for language in ("de", "en", "es", "de")]


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        ("en", ["3 March 2025", "by words", r"1 result in \d+ ms"]),
        ("de", ["3. März 2025", "nach Wörtern", r"1 Ergebnis in \d+ ms"]),
    ],
)
def test_results_are_told_with_the_dates_and_figures_of_the_language(
    client: TestClient, add_note, accepted: str, said: list[str]
) -> None:
    add_note("Hoy tuve un conflicto con mi jefe.", title="Reunión", createdAt="2025-03-03")

    page = client.get("/", params={"q": "jefe"}, headers=wanting(accepted)).text

    assert [pattern for pattern in said if not re.search(pattern, page)] == []
    assert "Hoy tuve un conflicto" in page


@pytest.mark.parametrize(
    ("accepted", "said"), [("en", "“From” (2025-03-02) must be before “to” (2025-03-01)"), ("de", "„Von“ (2025-03-02)")]
)
def test_a_problem_of_the_conditions_is_told_in_it(client: TestClient, add_note, accepted: str, said: str) -> None:
    add_note("Una nota")
    conditions = {"q": "jefe", "desde": "2025-03-02", "hasta": "2025-03-01"}

    assert said in client.get("/", params=conditions, headers=wanting(accepted)).text


class TestErrors:
    @pytest.mark.parametrize(
        ("accepted", "title", "details"),
        [
            ("es", "No encontrado", "No existe esta dirección"),
            ("en", "Not found", "This address does not exist"),
            ("de", "Nicht gefunden", "Diese Adresse gibt es nicht"),
        ],
    )
    def test_an_address_that_is_none_is_told_in_it(
        self, client: TestClient, accepted: str, title: str, details: str
    ) -> None:
        page = client.get("/nada", headers=wanting(accepted))

        assert page.status_code == 404
        assert heading(page.text) == title
        assert details in page.text
        assert page.headers["content-language"] == accepted

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("/notas/none", "There is no note with that id"),
            ("/preguntar?sesion=none", "You have no conversation with that id"),
        ],
    )
    def test_what_does_not_exist_is_told_in_it(self, client: TestClient, path: str, said: str) -> None:
        assert said in client.get(path, headers=wanting("en")).text


def test_json_of_the_api_keeps_the_language_of_its_contract(client: TestClient) -> None:
    answer = client.post("/api/retrieve", json={"query": ""}, headers={"Accept-Language": "en"})

    assert answer.json()["error"] == "Parámetros inválidos"
    assert "content-language" not in answer.headers


class TestEvaluationPages:
    @pytest.mark.parametrize(
        ("accepted", "said"),
        [
            ("en", ["Evaluation of “default”", "search: by words", "Hit rate", "95% interval", 'lang="en"']),
            ("de", ["Auswertung von „default“", "Suche: nach Wörtern", "Trefferquote@10", "95-%-Intervall"]),
        ],
    )
    def test_a_run_is_told_in_it(self, client: TestClient, measure, accepted: str, said: list[str]) -> None:
        run = measure("fulltext")

        page = client.get(f"/evaluation/runs/{run.run_id}", headers=wanting(accepted)).text

        assert [text for text in said if text.lower() not in page.lower()] == []

    @pytest.mark.parametrize(("accepted", "said"), [("en", "Metrics"), ("de", "Metriken")])
    def test_a_comparison_is_told_in_it(self, client: TestClient, measure, accepted: str, said: str) -> None:
        before, after = measure("fulltext"), measure("fulltext")
        address = f"/evaluation/compare?baseline={before.run_id}&candidate={after.run_id}"

        page = client.get(address, headers=wanting(accepted)).text

        assert said in page
        assert "Diferencia" not in page

    def test_the_overview_is_told_in_it(self, client: TestClient, measure) -> None:
        measure("fulltext")

        page = client.get("/evaluation", headers=wanting("en")).text

        assert "Evaluation of the search" in page
        assert not re.search(r"consulta\b|conjunto\b|evaluación\b", re.sub(r"<[^>]*>", "", page))
