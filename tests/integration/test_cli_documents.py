"""`brain document`: uploads listed, archived and brought back."""

from uuid import uuid4

import pytest
from command_line import Brain

from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job
from rag_core.uploads import ingestion
from rag_core.uploads.receiving import receive


@pytest.fixture
def document(engine: Engine, tenant: TenantId) -> str:
    """A document that was uploaded and parsed."""
    taken = receive(engine.database, tenant, engine.settings, name="a.md", content=b"Un destornillador")
    parse(engine)
    return str(taken.document_id)


def parse(engine: Engine) -> None:
    """Do the job that waits."""
    assert ingestion.PARSING  # importing it registers the kind of job
    runner = JobRunner(engine.database, lambda: engine, poll_seconds=0)
    with engine.database.owner() as owner:
        job = claim_job(owner, worker=runner.worker, kinds=["ingestion"])
    assert job is not None
    runner._do(job)


def states(brain: Brain, tenant: TenantId) -> list[tuple[str, str]]:
    listed = brain("document", "list", "--tenant", tenant, "--json").json
    return [(one["documentId"], one["status"]) for one in listed]


def test_an_upload_is_archived_and_comes_back(brain: Brain, engine: Engine, tenant: TenantId, document: str) -> None:
    before = states(brain, tenant)
    archived = brain("document", "archive", document, "--tenant", tenant)
    between, found = states(brain, tenant), brain("search", "destornillador", "--tenant", tenant, "--json").json

    restored = brain("document", "restore", document, "--tenant", tenant, "--json")
    parse(engine)

    assert (archived.exit_code, restored.exit_code) == (0, 0)
    assert f"brain document restore {document}" in archived.output
    assert restored.json["status"] == "queued"
    assert (before, between) == ([(document, "completed")], [(document, "archived")])
    assert found["results"] == []
    assert states(brain, tenant) == before


def test_the_list_names_them(brain: Brain, tenant: TenantId, document: str) -> None:
    listed = brain("document", "list", "--tenant", tenant).output

    assert document in listed
    assert "a.md" in listed


def test_without_uploads_it_says_so(brain: Brain) -> None:
    assert "No documents were uploaded" in brain("document", "list").output


@pytest.mark.parametrize("how", ["archive", "restore"])
def test_an_unknown_document_is_told(brain: Brain, how: str) -> None:
    done = brain("document", how, uuid4())

    assert done.exit_code == 1
    assert "no document" in done.stderr


def test_one_in_another_state_is_told(brain: Brain, tenant: TenantId, document: str) -> None:
    done = brain("document", "restore", document, "--tenant", tenant)

    assert done.exit_code == 1
    assert "the document is completed, not archived" in done.stderr
