"""Notes enriched as they are indexed: by rules, by the chat model that summarises them, once for each text."""

import json
from collections.abc import Callable

import pytest
from builders import make_new_note
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat.providers.ollama import OllamaChat
from rag_core.embedding.summaries import Summariser
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.automatic import find_work
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.enrichment import NoteEnrichment
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import Filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.note_enrichments import fetch_enrichment
from rag_core.storage.notes import delete_notes

BATCH = "pruebas-000000"
BILL = (
    "Factura n.º 118 de la Imprenta Lobo. Base imponible: 104,00 €. IVA: 21,84 €. Importe total: 125,84 €. Forma de pago: "
    "transferencia a la cuenta de la Imprenta Lobo antes del vencimiento. Concepto: tarjetas de visita, quinientas unidades. "
    "El pedido se entregó en mano el 3 de marzo en el taller de la calle Mayor, con su albarán firmado."
)
DIARY = "Ayer fui al mercado con mi hermana y compré higos."

Told = Callable[[NoteId], NoteEnrichment | None]


@pytest.fixture
def told(engine: Engine, tenant: TenantId) -> Told:
    def fetch(note: NoteId) -> NoteEnrichment | None:
        with engine.database.transaction(tenant) as connection:
            return fetch_enrichment(connection, tenant, note)

    return fetch


@pytest.fixture
def index(engine: Engine, tenant: TenantId) -> Callable[..., int]:
    """Index what an automatic run would; how many notes were enriched."""

    def run(pipeline: Pipeline = engine.pipeline) -> int:
        keys = wanted(engine, tenant, pipeline)
        staged = stage_notes(engine.database, tenant, keys, pipeline)
        embed_staged(engine.database, tenant, keys, pipeline)
        publish_staged(engine.database, tenant, keys, pipeline)
        return staged.enriched

    return run


@pytest.fixture
def chat(ollama_server: OllamaServer) -> OllamaServer:
    ollama_server.serve("llama3.2")
    return ollama_server


@pytest.fixture
def summarising(engine: Engine, chat: OllamaServer) -> Pipeline:
    model = OllamaChat("llama3.2", host=chat.url)
    return Pipeline(
        chunking=engine.pipeline.chunking,
        model=engine.model,
        embedder=engine.embedder,
        summariser=Summariser(chat=model, concurrency=1, timeout_seconds=5),
    )


def wanted(engine: Engine, tenant: TenantId, pipeline: Pipeline | None = None) -> list[str]:
    fingerprint = (pipeline or engine.pipeline).fingerprint
    return find_work(engine.database, tenant, fingerprint=fingerprint, extractor=RuleExtractor()).wanted


def answers(chat: OllamaServer, **told: object) -> None:
    chat.reply = lambda _body: json.dumps({"summary": "Una factura de imprenta."} | told)


def test_a_run_enriches_its_notes_once(make_note, index, told: Told) -> None:
    bill, diary = make_note(BILL), make_note(DIARY)

    assert (index(), index()) == (2, 0)

    found = told(bill)
    assert found is not None
    assert (found.document_type, found.made_by, found.words) == ("invoice", "rules", 56)
    assert {"imprenta", "lobo"} <= set(found.topics)
    assert found.summary is not None
    assert set(found.summary.split()) <= set(BILL.split())
    assert (told(diary).document_type, told(diary).summary) == ("other", None)


def test_a_note_that_is_indexed_by_itself_is_enriched_at_once(engine, tenant, told: Told) -> None:
    note = store_and_index(engine.database, tenant, make_new_note(BILL), engine.pipeline).note_id

    assert told(note).document_type == "invoice"


def test_notes_indexed_before_there_was_enrichment_are_enriched(engine, tenant, make_note, index, told: Told) -> None:
    note = make_note(BILL)
    index()
    with engine.database.transaction(tenant) as connection:
        connection.execute("delete from note_enrichments")

    assert wanted(engine, tenant) == [BATCH]
    assert index() == 1
    assert told(note).document_type == "invoice"


def test_other_rules_enrich_anew(engine, tenant, make_note, index, monkeypatch) -> None:
    make_note(BILL)
    index()

    monkeypatch.setattr("rag_core.indexing.enriching.RULES_VERSION", "next")

    assert wanted(engine, tenant) == [BATCH]
    assert (index(), index()) == (1, 0)


def test_of_a_changed_text_nothing_is_told_until_it_is_indexed(make_note, index, told: Told) -> None:
    note = make_note(BILL, external_id="a")
    index()

    make_note(DIARY, external_id="a")

    assert told(note) is None
    index()
    assert told(note).document_type == "other"


def test_a_type_is_searched_as_soon_as_it_is_told_and_never_that_of_an_earlier_text(
    engine, tenant, make_note, index
) -> None:
    def found() -> list[str]:
        invoices = Filters(document_types=("invoice",))
        hits = retrieve(
            engine,
            tenant,
            "Imprenta Lobo mercado higos",
            config=engine.served(tenant).config,
            filters=invoices,
            timeout_ms=60_000,
        ).hits
        return [hit.external_id for hit in hits]

    make_note(BILL, external_id="a")
    index()
    with engine.database.transaction(tenant) as connection:
        connection.execute("delete from note_enrichments")
    assert found() == []

    index()
    assert found() == ["a"]

    make_note(f"{BILL} {DIARY}", external_id="a")
    assert found() == []


def test_it_goes_with_its_note(engine, tenant, make_note, index) -> None:
    note = make_note(BILL)
    index()

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [note])
        left = connection.execute("select from note_enrichments").fetchall()

    assert left == []


def test_another_tenant_sees_nothing_of_it(engine, make_note, index) -> None:
    make_note(BILL)
    index()

    with engine.database.transaction(TenantId("otra")) as connection:
        assert connection.execute("select from note_enrichments").fetchall() == []


def test_whoever_may_not_see_the_note_sees_nothing_of_it(engine, tenant, make_note, index) -> None:
    make_note(BILL, metadata={"visibility": "private"})
    index()

    with engine.database.seen_by(()).transaction(tenant) as connection:
        assert connection.execute("select from note_enrichments").fetchall() == []


def test_a_text_of_nul_like_marks_and_emoji_is_stored(make_note, index, told: Told) -> None:
    note = make_note("Ñandú\u200b 🍅 «café» \u0085 " + "🍅 tomate\u0301 " * 3)

    index()

    assert told(note).words > 0


class TestChatModel:
    def test_its_type_topics_and_summary_win(self, chat, make_note, index, summarising, told: Told) -> None:
        answers(chat, type="report", topics=["Imprenta", "imprenta", " tarjetas  de visita "])
        note = make_note(BILL)

        index(summarising)

        found = told(note)
        assert (found.document_type, found.type_confidence, found.made_by) == ("report", None, "llama3.2")
        assert found.topics == ["imprenta", "tarjetas de visita"]
        assert (found.summary, found.words) == ("Una factura de imprenta.", 56)
        assert len(chat.bodies("/api/chat")) == 1

    @pytest.mark.parametrize(
        "extra", [{}, {"type": "poem", "topics": "riego"}, {"type": 5, "topics": [5, "x" * 41, "\0"]}]
    )
    def test_what_it_tells_wrongly_the_rules_tell(
        self, chat, make_note, index, summarising, told: Told, extra: dict[str, object]
    ) -> None:
        answers(chat, **extra)
        note = make_note(BILL)

        index(summarising)

        found = told(note)
        assert (found.document_type, found.summary) == ("invoice", "Una factura de imprenta.")
        assert found.type_confidence > 0.5
        assert "imprenta" in found.topics

    def test_where_it_fails_the_rules_tell_all_until_it_does_not(
        self, chat, make_note, index, summarising, told: Told
    ) -> None:
        chat.reply = lambda _body: "nada"
        note = make_note(BILL)
        index(summarising)
        assert (told(note).made_by, told(note).document_type) == ("rules", "invoice")

        answers(chat, type="contract", topics=[])
        index(summarising)

        assert (told(note).made_by, told(note).document_type) == ("llama3.2", "contract")

    def test_without_it_the_rules_tell_again(
        self, engine, tenant, chat, make_note, index, summarising, told: Told
    ) -> None:
        answers(chat, type="contract", topics=[])
        note = make_note(BILL)
        index(summarising)

        index(engine.pipeline)

        assert (told(note).made_by, told(note).document_type) == ("rules", "invoice")
