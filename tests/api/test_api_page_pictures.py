"""Pages of originals as pictures: of uploads and of files of folders, to whoever may see the note, as long as the file is the one."""

import os
from io import BytesIO
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from folders import Vault
from httpx import Response
from keyed_api import Keyed
from keyed_api import keyed as keyed  # noqa: PLC0414  a fixture, re-exported to pytest
from pdfs import PdfFile
from PIL import Image

from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job
from rag_core.uploads import ingestion, page_pictures

EDGE = (31, 111, 92)


def report(**options: Any) -> bytes:
    """A report of two pages."""
    file = PdfFile(**options)
    for place in ("Bilbao", "Soria"):
        file.page()
        file.text(72, 100, f"El ferrocarril de {place} costó mucho dinero.")
    return file.data()


@pytest.fixture
def vault(tmp_path: Path, engine: Engine) -> Vault:
    (tmp_path / "vault").mkdir()
    return Vault(path=tmp_path / "vault", database=engine.database, tenant=TenantId("default"))


def taken(vault: Vault, path: str, content: bytes) -> UUID:
    """The note of a file of the folder."""
    vault.write(path, content)
    vault.take()
    ((note,),) = vault.rows("select note_id from notes where external_id = %s", path)
    return UUID(str(note))


def page(client: TestClient, note: object, number: object = 1, **headers: str) -> Response:
    return client.get(f"/api/v2/documents/{note}/pages/{number}", headers=headers)


def picture(answer: Response) -> Image.Image:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/png"
    return Image.open(BytesIO(answer.content))


class TestFileOfAFolder:
    def test_it_is_saved_from_the_note_s_page_under_its_name(self, client: TestClient, vault: Vault) -> None:
        note = taken(vault, "informes/Año 1.md", b"# Hola\n")

        answer = client.get(f"/api/v2/documents/{note}/original")

        assert answer.content == b"# Hola\n"
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''A%C3%B1o%201.md"
        assert f'href="/api/v2/documents/{note}/original" download="Año 1.md"' in client.get(f"/notas/{note}").text

    @pytest.mark.parametrize("content", [None, b"Otra cosa"])
    def test_it_is_not_saved_once_it_is_another(self, client: TestClient, vault: Vault, content: bytes | None) -> None:
        note = taken(vault, "a.txt", b"Hola")
        (vault.path / "a.txt").unlink()
        if content is not None:
            vault.write("a.txt", content)

        answer = client.get(f"/api/v2/documents/{note}/original")

        assert (answer.status_code, "neu importieren" in answer.text) == (409, True)

    def test_a_link_in_its_place_is_not_followed(self, client: TestClient, vault: Vault, tmp_path: Path) -> None:
        note = taken(vault, "a.txt", b"Hola")
        (tmp_path / "fuera.txt").write_bytes(b"Hola")
        (vault.path / "a.txt").unlink()
        (vault.path / "a.txt").symlink_to(tmp_path / "fuera.txt")

        assert client.get(f"/api/v2/documents/{note}/original").status_code == 409

    def test_its_page_is_drawn(self, client: TestClient, vault: Vault) -> None:
        note = taken(vault, "informes/año/Ferrocarril.pdf", report())

        answer = page(client, note, "2?width=300")

        assert picture(answer).size == (300, 425)
        assert (answer.headers["x-page-width"], answer.headers["x-page-height"]) == ("595", "842")

    def test_a_name_whose_accents_stand_apart_on_disk_is_found(self, client: TestClient, vault: Vault) -> None:
        vault.write("an\u0303o/Cafe\u0301.pdf", report())
        vault.take()
        ((note,),) = vault.rows("select note_id from notes where external_id = %s", "año/Café.pdf")

        assert page(client, note).status_code == 200

    def test_a_box_is_drawn_on_it(self, client: TestClient, vault: Vault) -> None:
        note = taken(vault, "a.pdf", report())

        image = picture(page(client, note, "1?width=595&box=70,90.5,300,110"))

        assert image.getpixel((68, 100)) == EDGE
        assert image.getpixel((60, 100)) == (255, 255, 255)

    def test_a_picture_is_its_own_page(self, client: TestClient, vault: Vault) -> None:
        data = BytesIO()
        Image.new("RGB", (300, 150), "red").save(data, "PNG")
        note = taken(vault, "a.pdf", report())
        with vault.database.owner() as owner:  # where recognition is not installed, pictures are refused
            owner.execute(
                "update brain.documents set format = 'png', pages = 1, file_hash = sha256(%s)", (data.getvalue(),)
            )
        vault.write("a.pdf", data.getvalue())

        assert picture(page(client, note)).size == (300, 150)

    @pytest.mark.parametrize("fault", ["changed", "gone", "link", "linked folder", "pipe", "folder gone"])
    def test_a_file_that_is_not_the_one_that_was_read_is_refused_with_the_remedy(
        self, client: TestClient, vault: Vault, tmp_path: Path, fault: str
    ) -> None:
        note = taken(vault, "dentro/a.pdf", report())
        file = vault.path / "dentro/a.pdf"
        outside = tmp_path / "fuera"
        if fault == "changed":
            file.write_bytes(report(title="Otro"))
        elif fault == "linked folder":
            file.parent.rename(outside)
            (vault.path / "dentro").symlink_to(outside)
        elif fault == "folder gone":
            vault.path.rename(outside)
        else:
            file.rename(outside)
            if fault == "link":
                file.symlink_to(outside)
            elif fault == "pipe":
                os.mkfifo(file)

        answer = page(client, note)

        assert answer.status_code == 409
        assert "Ordner neu importieren" in answer.json()["details"]

    def test_a_path_that_leads_out_of_the_folder_is_not_followed(
        self, client: TestClient, vault: Vault, tmp_path: Path
    ) -> None:
        note = taken(vault, "a.pdf", report())
        (tmp_path / "fuera.pdf").write_bytes(report())
        with vault.database.owner() as owner:
            owner.execute("update brain.documents set path = '../fuera.pdf'")

        assert page(client, note).status_code == 409

    def test_a_file_whose_new_version_was_refused_is_not_the_one_of_the_note(
        self, client: TestClient, vault: Vault
    ) -> None:
        note = taken(vault, "a.pdf", report())
        tag = page(client, note).headers["etag"]
        vault.write("a.pdf", b"%PDF-1.7\nbroken", modified_ns=1_800_000_000_000_000_000)
        vault.take()

        assert page(client, note).status_code == 409
        assert page(client, note, **{"If-None-Match": tag}).status_code == 409
        assert client.get(f"/api/v2/documents/{note}/original").status_code == 409


class TestUpload:
    @pytest.fixture
    def document(self, client: TestClient, engine: Engine) -> str:
        assert ingestion.PARSING
        answer = client.post("/api/v2/documents/upload", files={"file": ("Ferrocarril.pdf", report())})
        runner = JobRunner(engine.database, lambda: engine, poll_seconds=0)
        with engine.database.owner() as owner:
            job = claim_job(owner, worker=runner.worker, kinds=["ingestion"])
        assert job is not None
        runner._do(job)
        return str(answer.json()["documentId"])

    def test_its_page_is_drawn(self, client: TestClient, document: str) -> None:
        assert picture(page(client, document)).size == (1131, 1600)

    def test_what_a_browser_has_already_is_not_drawn_again(
        self, client: TestClient, document: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = page(client, document)
        others = [page(client, document, asked) for asked in ("2", "1?width=200", "1?box=1,2,3,4")]
        monkeypatch.setattr(page_pictures, "DocumentParser", None)

        again = page(client, document, **{"If-None-Match": first.headers["etag"]})

        assert (again.status_code, again.content) == (304, b"")
        assert first.headers["cache-control"] == "private, no-cache"
        assert len({answer.headers["etag"] for answer in (first, *others)}) == 4

    @pytest.mark.parametrize("number", [0, -1, 3, 10**30])
    def test_a_page_that_is_not_there_is_not_found(self, client: TestClient, document: str, number: int) -> None:
        answer = page(client, document, number)

        assert (answer.status_code, answer.json()["details"]) == (
            404,
            "Diese Seite gibt es nicht; die Seiten des Dokuments sind 1 bis 2",
        )

    @pytest.mark.parametrize("asked", ["x", "1?width=0", "1?width=1601", "1?box=1,2,3", "1?box=1,2,3,nan", "1?box=a"])
    def test_what_cannot_be_asked_is_told(self, client: TestClient, document: str, asked: str) -> None:
        assert page(client, document, asked).status_code == 400

    def test_where_too_many_are_drawn_already_one_is_told_to_come_back(
        self, client: TestClient, document: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        taken_places = BoundedSemaphore(1)
        taken_places.acquire()
        monkeypatch.setattr(page_pictures, "_places", taken_places)
        engine.settings.__dict__["request_timeout_ms"] = 50

        answer = page(client, document)

        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert "so viele Seiten gezeichnet" in answer.json()["details"]


def test_a_format_without_pages_to_show_is_told_with_the_remedy(client: TestClient, vault: Vault) -> None:
    note = taken(vault, "a.csv", b"Mes;Euros\nenero;12\n")

    answer = page(client, note)

    assert answer.status_code == 415
    assert "bitte den Text des Dokuments lesen" in answer.json()["details"]


def test_a_page_that_cannot_be_drawn_is_no_defect(client: TestClient, vault: Vault) -> None:
    note = taken(vault, "a.pdf", report(broken_page=1))

    answer = page(client, note)

    assert answer.status_code == 415
    assert "lässt sich nicht als Bild zeigen" in answer.json()["details"]


def test_a_note_that_no_file_was_made_into_has_no_pages(client: TestClient, add_note: Any) -> None:
    assert page(client, add_note("Hola")["id"]).status_code == 404


@pytest.fixture(scope="module")
def note(keyed: Keyed, tmp_path_factory: pytest.TempPathFactory) -> UUID:
    """A note of a file of a folder of the tenant uno."""
    folder = tmp_path_factory.mktemp("vault")
    return taken(Vault(path=folder, database=keyed.database, tenant=TenantId("uno")), "a.pdf", report())


@pytest.mark.parametrize("part", ["pages/1", "original"])
class TestPermission:
    def status(self, keyed: Keyed, note: object, part: str, key: str | None) -> int:
        return keyed.ask("GET", f"/api/v2/documents/{note}/{part}", key=key).status_code

    def test_who_may_read_sees_it(self, keyed: Keyed, note: UUID, part: str) -> None:
        assert self.status(keyed, note, part, keyed.key("read")) == 200

    def test_a_stranger_does_not(self, keyed: Keyed, note: UUID, part: str) -> None:
        assert self.status(keyed, note, part, None) == 401

    def test_another_scope_does_not_do(self, keyed: Keyed, note: UUID, part: str) -> None:
        assert self.status(keyed, note, part, keyed.key("evaluate")) == 403

    def test_to_another_tenant_it_is_what_nobody_has(self, keyed: Keyed, note: UUID, part: str) -> None:
        key = keyed.key("read", tenant="dos")
        own, none = (keyed.ask("GET", f"/api/v2/documents/{one}/{part}", key=key) for one in (note, uuid4()))

        assert (own.status_code, own.json()) == (404, none.json())

    def test_departments_see_what_is_for_them_alone_though_they_see_no_folder(
        self, keyed: Keyed, note: UUID, part: str
    ) -> None:
        with keyed.database.owner() as owner:
            owner.execute("update brain.notes set departments = '{personal}' where note_id = %s", (note,))
        try:
            statuses = {
                department: self.status(keyed, note, part, keyed.key("read", departments=(department,)))
                for department in ("personal", "ventas")
            }
        finally:
            with keyed.database.owner() as owner:
                owner.execute("update brain.notes set departments = null where note_id = %s", (note,))

        assert statuses == {"personal": 200, "ventas": 404}
