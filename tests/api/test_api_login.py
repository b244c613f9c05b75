"""The page with keys: signing in, being sent back to where one wanted to be, and signing out."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from api_answers import ENGLISH
from databases import cloned_database
from fastapi.testclient import TestClient
from httpx import Response

from rag_core.access.keys import make_key
from rag_core.api.app import create_app
from rag_core.model.access import KeyGrant
from rag_core.model.note import TenantId
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key

BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def client(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with cloned_database(server, template) as database_url:
        home = tmp_path_factory.mktemp("home")
        settings = read_settings(database_url=database_url, home=home, access="keys", request_timeout_ms=10_000)
        with (
            open_engine(settings) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1", follow_redirects=False) as opened,
        ):
            yield opened


@pytest.fixture
def key(client: TestClient) -> str:
    made = make_key()
    grant = KeyGrant(tenant=TenantId("uno"), name=made.presented.key_id, scopes=("read",))
    with client.app.state.engine.database.owner() as connection:
        insert_key(connection, grant, made.presented)
    client.cookies.clear()
    return made.text


def sign_in(client: TestClient, key: str, back: str = "/", **headers: str) -> Response:
    return client.post("/entrar", data={"clave": key, "volver": back}, headers={**BROWSER, **headers})


class TestWithoutKey:
    @pytest.mark.parametrize("address", ["/", "/?q=el+huerto&modo=palabras", "/evaluation", "/notas/1"])
    def test_a_browser_is_sent_to_sign_in_and_back(self, client: TestClient, key: str, address: str) -> None:
        sent = client.get(address, headers=BROWSER)

        assert sent.status_code == 303
        assert sent.headers["Location"] == f"/entrar?{urlencode({'volver': address})}"
        form = client.get(sent.headers["Location"], headers=BROWSER)
        assert form.status_code == 200
        assert sign_in(client, key, address).headers["Location"] == address

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_what_a_link_of_another_page_asks_is_not_asked_after_signing_in(
        self, client: TestClient, site: str
    ) -> None:
        client.cookies.clear()
        browser = {**BROWSER, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        sent = client.get("/preguntar?pregunta=hola", headers=browser)

        form = client.get(sent.headers["Location"], headers=browser, follow_redirects=True)

        assert str(form.url).endswith(f"/entrar?{urlencode({'volver': '/preguntar'})}")
        assert 'name="volver" value="/preguntar"' in form.text

    def test_a_program_gets_json(self, client: TestClient) -> None:
        client.cookies.clear()

        assert client.get("/", headers={"Accept": "application/json"}).status_code == 401
        assert client.get("/api/notes", headers=BROWSER).json()["error"] == "Sin identificar"

    def test_the_form_is_in_spanish_and_works_without_script(self, client: TestClient) -> None:
        client.cookies.clear()
        page = client.get("/entrar", headers=BROWSER).text

        assert '<form class="search login" action="/entrar" method="post">' in page
        assert 'type="password"' in page
        shown = re.sub(r"<[^>]*>", " ", page).lower()
        assert [word for word in ENGLISH if word in shown] == []
        assert "Salir" not in page


class TestSigningIn:
    def test_the_cookie_is_hidden_from_scripts_and_other_sites(self, client: TestClient, key: str) -> None:
        answer = sign_in(client, key)

        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"brain_key={key};")
        assert {"HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
        assert "Secure" not in cookie

    def test_by_https_it_is_sent_by_https_alone(self, client: TestClient, key: str) -> None:
        answer = sign_in(client, key, Origin="https://127.0.0.1")

        assert "Secure" in answer.headers["Set-Cookie"].split("; ")

    def test_the_page_is_then_there_and_offers_to_sign_out(self, client: TestClient, key: str) -> None:
        sign_in(client, f"  {key}\n")

        page = client.get("/", headers=BROWSER)

        assert page.status_code == 200
        assert '<form class="inner leave" method="post" action="/salir">' in page.text
        assert client.get("/entrar?volver=/evaluation", headers=BROWSER).headers["Location"] == "/evaluation"

    def test_a_key_that_opens_nothing_is_told_and_kept_nowhere(self, client: TestClient, key: str) -> None:
        for wrong in ("", "nada", key[:-1], make_key().text):
            answer = sign_in(client, wrong, "/?q=huerto")

            assert answer.status_code == 401
            assert "La clave de acceso no es válida." in answer.text
            assert 'value="/?q=huerto"' in answer.text
            assert "Set-Cookie" not in answer.headers
            assert not wrong or wrong not in answer.text

    @pytest.mark.parametrize(
        "back",
        [
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "",
            "/a\r\nSet-Cookie: x=1",
        ],
    )
    def test_nobody_is_led_elsewhere_by_signing_in(self, client: TestClient, key: str, back: str) -> None:
        answer = sign_in(client, key, back)

        assert answer.headers["Location"] == "/"
        assert "x=1" not in answer.headers["Set-Cookie"]

    def test_what_stands_in_the_address_is_escaped(self, client: TestClient) -> None:
        client.cookies.clear()
        page = client.get("/entrar", params={"volver": '/"><script>alert(1)</script>'}, headers=BROWSER)

        assert "<script>alert" not in page.text

    @pytest.mark.parametrize(
        "headers",
        [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://evil.example"}],
    )
    def test_another_site_cannot_sign_somebody_in(self, client: TestClient, key: str, headers: dict[str, str]) -> None:
        answer = client.post("/entrar", data={"clave": key}, headers={"Accept": "application/json", **headers})

        assert answer.status_code == 403
        assert "Set-Cookie" not in answer.headers

    def test_no_other_address_takes_a_form(self, client: TestClient, key: str) -> None:
        for path in ("/salir", "/api/notes", "/entrar/x"):
            answer = client.post(path, data={"clave": key}, headers={"X-API-Key": key})
            assert answer.status_code in {403, 415}
        assert client.post("/entrar", files={"clave": b"x"}, headers=BROWSER).status_code == 415


class TestSigningOut:
    def test_the_browser_forgets_the_key(self, client: TestClient, key: str) -> None:
        sign_in(client, key)
        assert client.get("/", headers=BROWSER).status_code == 200

        answer = client.post("/salir", headers=BROWSER)

        assert (answer.status_code, answer.headers["Location"]) == (303, "/entrar")
        assert client.get("/", headers=BROWSER).status_code == 303

    def test_another_site_cannot_sign_somebody_out(self, client: TestClient) -> None:
        assert client.post("/salir", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_without_keys_there_is_nothing_to_sign_in_to(refusing: TestClient) -> None:
    asked = refusing.get("/entrar?volver=/evaluation", headers=BROWSER, follow_redirects=False)
    told = refusing.post("/entrar", data={"clave": "nada"}, headers=BROWSER, follow_redirects=False)

    assert (asked.status_code, asked.headers["Location"]) == (303, "/evaluation")
    assert (told.status_code, told.headers["Location"]) == (303, "/")
    assert "Set-Cookie" not in told.headers
