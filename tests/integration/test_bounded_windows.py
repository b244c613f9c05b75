"""Windows of notes without sentences, and the number of results where windows are joined."""

from itertools import pairwise

import pytest

from rag_core.answering.sources.context import build_context
from rag_core.chunking import count_tokens
from rag_core.configuration.schema import configure
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

TOLD = "el paraguas verde de la abuela quedó olvidado en el museo"
TALK = ("qué tal va todo por ahí", "bien y tú", "vale", "mañana te llamo", "jajaja", "compra pan y leche", "ok")


def chat(lines: int) -> str:
    """A chat of so many lines, as it is exported, with one line that tells something in its last quarter."""
    said = [TOLD if at == lines * 4 // 5 else TALK[at % len(TALK)] for at in range(lines)]
    return "\n".join(
        f"{at % 28 + 1}/3/24, 1{at % 10}:{at % 50 + 10} - {('Ana', 'Luis')[at % 2]}: {text}"
        for at, text in enumerate(said)
    )


def dictated(separator: str, words: int = 5_000) -> str:
    said = [f"dije{at % 37}" for at in range(words)]
    said[words * 4 // 5] = TOLD
    return separator.join(said)


NOTES = {
    "a chat": chat(760),
    "dictation on one line": dictated(" "),
    "a list of words": dictated("\n"),
    "numbers": "1234567890 " * 3_000 + TOLD + " 1234567890" * 1_000,
}


def find(engine: Engine, tenant: TenantId, text: str, **override: object) -> Retrieval:
    return retrieve(engine, tenant, text, config=configure(override), timeout_ms=60_000, use_cache=False)


class TestWindows:
    @pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "imported only"])
    @pytest.mark.parametrize("max_tokens", [1024, 600])
    @pytest.mark.parametrize("text", NOTES.values(), ids=NOTES.keys())
    def test_a_note_without_sentences_is_shown_around_the_match(
        self, engine, tenant, make_note, index_notes, text, max_tokens, is_indexed
    ) -> None:
        make_note(text, external_id="larga")
        if is_indexed:
            index_notes()

        found = find(engine, tenant, "el paraguas verde olvidado", contextExpansion={"maxWindowSize": max_tokens})

        best = found.hits[0]
        assert TOLD in best.content
        assert best.expanded_content[slice(*best.bounds)] == best.content
        assert text[best.start_char :].startswith(best.expanded_content)
        assert all(count_tokens(hit.expanded_content) <= max_tokens for hit in found.hits)

    def test_a_note_indexed_before_sentences_were_bounded_is_shown_around_the_match(
        self, engine, tenant, make_note, index_notes
    ) -> None:
        make_note(NOTES["a chat"], external_id="larga")
        index_notes()
        with engine.database.transaction(tenant) as connection:
            connection.execute("update notes set sentence_starts = '{0}'")

        found = find(engine, tenant, "el paraguas verde olvidado")

        assert TOLD in found.hits[0].content
        assert all(count_tokens(hit.expanded_content) <= 1024 for hit in found.hits)

    def test_a_match_above_the_size_of_a_window_is_shown_whole(self, engine, tenant, make_note, index_notes) -> None:
        make_note(NOTES["a chat"], external_id="larga")
        index_notes()

        hit = find(engine, tenant, "el paraguas verde olvidado", contextExpansion={"maxWindowSize": 10}).hits[0]

        assert TOLD in hit.content
        assert hit.expanded_content == hit.content

    @pytest.mark.parametrize("text", NOTES.values(), ids=NOTES.keys())
    def test_a_prompt_holds_the_match(self, engine, tenant, make_note, index_notes, text) -> None:
        make_note(text, external_id="larga")
        index_notes()

        found = find(engine, tenant, "el paraguas verde olvidado")

        assert TOLD in build_context(found.hits, max_tokens=650).text.replace("\\n", " ")


class TestTopK:
    def test_a_place_freed_by_joining_is_taken_by_the_next_passage(
        self, engine, tenant, make_note, index_notes
    ) -> None:
        sentence = "El paraguas verde de la abuela quedó olvidado en el museo de Cádiz aquel día número {}. "
        for note in range(3):
            make_note("".join(sentence.format(100 * note + at) for at in range(120)), external_id=f"larga{note}")
        for note in range(12):
            make_note(
                f"El paraguas verde número {note} quedó en casa y el museo estaba cerrado.", external_id=f"b{note}"
            )
        index_notes()

        counts = {
            (top_k, strategy): len(
                find(engine, tenant, "paraguas verde museo", topK={"final": top_k}, strategy=strategy).hits
            )
            for top_k in (5, 10, 15)
            for strategy in ("fulltext", "hybrid", "hybrid+rerank")
        }

        assert {key: count for key, count in counts.items() if count != key[0]} == {}

    def test_scores_fall_where_places_were_filled(self, engine, tenant, make_note, index_notes) -> None:
        sentence = "El paraguas verde de la abuela quedó olvidado en el museo de Cádiz aquel día número {}. "
        make_note("".join(sentence.format(at) for at in range(400)), external_id="larga")
        index_notes()

        found = find(engine, tenant, "paraguas verde museo", topK={"final": 10})

        assert all(before.score >= after.score for before, after in pairwise(found.hits))
        assert len({hit.chunk_id for hit in found.hits}) == len(found.hits)
