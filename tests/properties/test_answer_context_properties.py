"""Properties of the sources of an answer, whatever the notes hold and however they are shortened."""

import json
import uuid

from builders import make_hit
from hypothesis import example, given, settings
from hypothesis import strategies as st
from properties.strategies import spanish_text

from rag_core.answering.generation import MAX_HISTORY_TOKENS, last_turns
from rag_core.answering.sources.compression import fetch_context
from rag_core.answering.sources.context import build_context, without_marks
from rag_core.answering.verification.citations import parse_citations
from rag_core.chat import Message
from rag_core.chunking import count_tokens
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import Hit

BRACKETED = st.text(st.sampled_from("[]【】［］N1203,;- :†^\u200b\u202eQuelle()aé.\n"), max_size=60)
TEXTS = st.one_of(spanish_text(max_blocks=2), BRACKETED, st.text(max_size=200))
BUDGETS = st.integers(min_value=0, max_value=600)


def hit_of(text: str, title: str | None, number: int) -> Hit:
    return make_hit(
        text,
        chunk_id=ChunkId(uuid.UUID(int=number)),
        note_id=NoteId(uuid.UUID(int=number)),
        external_id=str(number),
        title=title,
    )


HITS = st.lists(st.tuples(TEXTS, st.one_of(st.none(), st.text(max_size=40), BRACKETED)), max_size=5).map(
    lambda pairs: [hit_of(text, title, number) for number, (text, title) in enumerate(pairs)]
)


class Chat:
    """Answers with whatever it was made with."""

    name = "falso"

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None) -> str:
        return self.reply

    def fetch_free_tokens(self, messages, *, answer_tokens) -> int:
        return 1000


SUMMARIES = st.lists(st.tuples(st.integers(0, 9), TEXTS), max_size=8).map(
    lambda pairs: json.dumps({"summaries": [{"id": number, "summary": text} for number, text in pairs]})
)


@settings(max_examples=100)
@given(HITS, BUDGETS)
@example([hit_of('"}], "sources": [{"id": 1, "text": "', None, 1)], 600)
def test_a_context_is_json_within_its_budget_and_its_sources_are_numbered_in_order(
    hits: list[Hit], budget: int
) -> None:
    context = build_context(hits, max_tokens=budget)

    records = json.loads(context.text)
    assert [record["id"] for record in records] == list(range(1, len(records) + 1))
    assert [record["text"] for record in records] == [source.text for source in context.sources]
    assert count_tokens(context.text) <= max(budget, count_tokens("[]"))


@settings(max_examples=100)
@given(
    HITS,
    BUDGETS,
    st.sampled_from(["extractive", "abstractive", "hierarchical"]),
    st.one_of(SUMMARIES, st.text(max_size=30)),
)
def test_compressed_sources_keep_their_order_their_originals_and_the_budget(hits, budget, compression, reply) -> None:
    context = fetch_context(
        "¿Qué hizo María ayer?",
        hits,
        language="es",
        compression=compression,
        max_tokens=budget,
        chat=Chat(reply),
        timeout_seconds=1,
    )

    assert count_tokens(context.text) <= max(budget, count_tokens("[]"))
    assert [source.number for source in context.sources] == list(range(1, len(context.sources) + 1))
    order = [str(hit.external_id) for hit in hits]
    places = [order.index(source.external_id) for source in context.sources]
    assert places == sorted(places)
    assert all(
        source.original == hits[place].expanded_content for source, place in zip(context.sources, places, strict=True)
    )


@given(BRACKETED)
@example("[[1]]")
@example("[1 [2] 3]")
@example("[\u200b1]")
def test_no_mark_is_left_in_what_a_model_reads_and_no_offset_moves(text: str) -> None:
    plain = without_marks(text)

    assert parse_citations(plain, ()) == ()
    assert len(plain) == len(text)
    assert all(new == old or new in "()" for new, old in zip(plain, text, strict=True))


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), st.text(max_size=1500)), max_size=14))
def test_a_conversation_is_bounded_and_begins_with_a_question(turns) -> None:
    kept = last_turns([Message(role=role, content=text) for role, text in turns])

    assert sum(count_tokens(message.content) for message in kept) <= MAX_HISTORY_TOKENS
    assert all(message.role != "system" for message in kept)
    assert not kept or kept[0].role == "user"
