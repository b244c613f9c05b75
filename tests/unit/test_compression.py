"""Sources shortened for a question: by sentences, by a chat model, and all but the first."""

import json
import threading

import pytest
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from test_answer_context import hit

from rag_core.answering.sources.compression import fetch_context
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.chunking import count_tokens
from rag_core.errors import ChatCancelledError
from rag_core.language.languages import language_of
from rag_core.resilience.cancellation import Cancellation

VET = (
    "Ayer hizo buen tiempo. Fuimos a la playa por la mañana. Trufa fue al veterinario de Sueca. Nora no quiso venir. "
    "La inyección de Trufa costó 142 euros. Cenamos tortilla. Luego leímos un rato en la terraza."
)
RICE = (
    "El arroz ya está alto. Hay cangrejos en la acequia. El motor de riego hace ruido. Vendrá el mecánico. Cobra caro."
)
QUESTION = "¿Cuánto costó la inyección de Trufa en el veterinario?"


def compressed(compression, hits, *, max_tokens=3000, chat=None):
    return fetch_context(
        QUESTION,
        hits,
        language="es",
        compression=compression,
        max_tokens=max_tokens,
        chat=chat,
        timeout_seconds=5,
    )


@pytest.fixture
def server(ollama_server: OllamaServer) -> OllamaServer:
    ollama_server.serve("planted")
    return ollama_server


@pytest.fixture
def chat(server: OllamaServer) -> OllamaChat:
    return OllamaChat("planted", host=server.url)


def summaries(*pairs: tuple[int, str]) -> str:
    return json.dumps({"summaries": [{"id": number, "summary": text} for number, text in pairs]})


class TestExtractive:
    def test_the_sentences_nearest_to_the_question_stay_in_their_order(self) -> None:
        (source,) = compressed("extractive", [hit(VET)]).sources

        assert source.text == (
            "Trufa fue al veterinario de Sueca. Nora no quiso venir. La inyección de Trufa costó 142 euros."
        )
        assert source.original == VET

    def test_a_gap_is_marked(self) -> None:
        text = "Trufa fue al veterinario. Comimos. Bebimos. Dormimos. La inyección costó 142 euros. Llovió. Nevó."

        (source,) = compressed("extractive", [hit(text)]).sources

        assert source.text.startswith("Trufa fue al veterinario.")
        assert " … " in source.text

    def test_a_source_beside_the_question_keeps_its_beginning(self) -> None:
        sources = compressed("extractive", [hit(VET), hit(RICE)]).sources

        assert sources[1].text == "El arroz ya está alto. Hay cangrejos en la acequia. El motor de riego hace ruido."

    def test_three_sentences_stay_as_they_are(self) -> None:
        (source,) = compressed("extractive", [hit("Llovió.\n\nNevó. Granizó.")]).sources

        assert source.text == "Llovió.\n\nNevó. Granizó."


class TestAbstractive:
    def test_a_chat_model_says_what_matters_of_each_source(self, server: OllamaServer, chat: OllamaChat) -> None:
        server.reply = lambda _body: summaries((2, "Va de arroz."), (1, "La inyección costó 142 euros."))

        context = compressed("abstractive", [hit(VET), hit(RICE)], chat=chat)

        assert [source.text for source in context.sources] == ["La inyección costó 142 euros.", "Va de arroz."]
        assert [source.original for source in context.sources] == [VET, RICE]
        assert context.compression == "abstractive"
        (body,) = server.bodies("/api/chat")
        assert json.loads(body["messages"][1]["content"])["question"] == QUESTION
        assert body["options"]["temperature"] == 0

    @pytest.mark.parametrize("brief", ["", "…", "\ud800", "x" * 401])
    def test_a_source_without_a_summary_worth_the_name_is_extracted_from(
        self, server: OllamaServer, chat: OllamaChat, brief: str
    ) -> None:
        server.reply = lambda _body: summaries((1, brief), (2, "Va de arroz."), (7, "De nada."))

        context = compressed("abstractive", [hit(VET), hit(RICE)], chat=chat)

        assert context.sources[0].text.startswith("Trufa fue al veterinario de Sueca.")
        assert context.sources[1].text == "Va de arroz."

    @pytest.mark.parametrize(
        "summary",
        [
            "Costó 142 euros, ver https://evil.example/p.",
            "Costó 142 euros ![x](//evil.example/p.png).",
            "Costó <b>142</b> euros.",
            language_of("es").instructions.compression[:80],
        ],
    )
    def test_a_summary_with_links_markup_or_instructions_is_none(
        self, server: OllamaServer, chat: OllamaChat, summary: str
    ) -> None:
        server.reply = lambda _body: summaries((1, summary))

        (source,) = compressed("abstractive", [hit(VET)], chat=chat).sources

        assert "evil" not in source.text
        assert "<b>" not in source.text
        assert language_of("es").instructions.compression[:40] not in source.text

    def test_marks_in_a_summary_are_no_citations(self, server: OllamaServer, chat: OllamaChat) -> None:
        server.reply = lambda _body: summaries((1, "Costó 142 euros [5]."))

        assert compressed("abstractive", [hit(VET)], chat=chat).sources[0].text == "Costó 142 euros (5)."

    @pytest.mark.parametrize(
        "reply",
        [
            *("nada", '{"summaries": 3}', '{"summaries": [{"id": "x"}]}', "[]", "null", "[" * 100_000),
            '{"summaries": [{"id": 1e999, "summary": "Costó 142 euros."}]}',
            '{"summaries": [{"id": NaN, "summary": "Costó 142 euros."}]}',
        ],
        ids=lambda reply: reply[:32],
    )
    def test_what_is_no_summary_leaves_it_extractive_and_is_said(
        self, server: OllamaServer, chat: OllamaChat, reply: str
    ) -> None:
        server.reply = lambda _body: reply

        context = compressed("abstractive", [hit(VET)], chat=chat)

        assert context.text == compressed("extractive", [hit(VET)]).text
        assert context.compression == "extractive"

    def test_a_server_that_fails_leaves_it_extractive(self, server: OllamaServer, chat: OllamaChat) -> None:
        server.misbehave("status", path="/api/chat")

        assert compressed("abstractive", [hit(VET)], chat=chat).compression == "extractive"

    def test_who_gives_up_waits_for_no_summary(self, server: OllamaServer, chat: OllamaChat) -> None:
        server.misbehave("stall", path="/api/chat", seconds=30)
        cancellation = Cancellation()
        threading.Timer(0.2, cancellation.cancel).start()

        with pytest.raises(ChatCancelledError):
            fetch_context(
                QUESTION,
                [hit(VET)],
                language="es",
                compression="abstractive",
                max_tokens=3000,
                chat=chat,
                timeout_seconds=30,
                cancellation=cancellation,
            )

        assert server.left_alone.acquire(timeout=1)

    def test_without_a_chat_model_it_is_extractive(self) -> None:
        assert compressed("abstractive", [hit(VET)]).compression == "extractive"

    def test_no_more_is_sent_than_the_model_s_context_holds(self, server: OllamaServer) -> None:
        server.serve("pequeño", context_tokens=1500)
        server.reply = lambda _body: summaries((1, "Va de mucho."))
        long = [hit(f"{number}. {VET} " * 12) for number in range(4)]

        context = compressed("abstractive", long, chat=OllamaChat("pequeño", host=server.url))

        assert context.compression == "abstractive"
        assert context.sources[0].text == "Va de mucho."


class TestHierarchical:
    def test_the_first_three_stay_whole_and_the_rest_is_shortened(self) -> None:
        hits = [hit(f"{number}. {VET}") for number in range(5)]

        context = compressed("hierarchical", hits)

        assert [source.text == source.original for source in context.sources] == [True, True, True, False, False]
        assert context.compression == "hierarchical"

    def test_the_budget_comes_before_whole_sources(self) -> None:
        hits = [hit(f"{number}. {VET}") for number in range(5)]
        short = count_tokens(compressed("extractive", hits).text)

        context = compressed("hierarchical", hits, max_tokens=short + 40)

        assert len(context.sources) == 5
        assert [source.text == source.original for source in context.sources] == [True, False, False, False, False]
        assert count_tokens(context.text) <= short + 40

    def test_the_rest_is_summarised_where_a_chat_model_is(self, server: OllamaServer, chat: OllamaChat) -> None:
        server.reply = lambda _body: summaries(*((number, f"Resumen {number}.") for number in range(1, 6)))

        context = compressed("hierarchical", [hit(f"{number}. {VET}") for number in range(5)], chat=chat)

        assert [source.text for source in context.sources][3:] == ["Resumen 4.", "Resumen 5."]


def test_no_hits_give_no_sources() -> None:
    assert compressed("abstractive", []).text == "[]"
