"""Conversations, figures of questions and feedback on a real database: whose they are, how they are read, when they go."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest
from builders import make_citation
from stored_rows import fetch_question, fetch_search_figures

from rag_core.conversation import sessions
from rag_core.conversation.feedback import give_feedback
from rag_core.conversation.sessions import (
    PURGED_AT_ONCE,
    begin_session,
    begun_session,
    delete_session,
    end_idle_sessions,
    list_sessions,
    purge_sessions,
    read_conversation,
)
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.model.conversation import CitedSource, KeptAnswer, QuestionFigures, SearchFigures, parse_kept_answer
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.conversations import insert_turn, touch_session
from rag_core.storage.database import Database
from rag_core.storage.questions import insert_question, insert_search_figures

ANA, BEN = "ana", "ben"
ANSWER = KeptAnswer(
    text="Los aislamientos [1].",
    language="es",
    citations=(
        make_citation(mark=(17, 20), claim=(0, 21), evidence=(4, 25), quote="Primero: aislamientos", support=0.75),
    ),
    uncited=((3, 9),),
    removed_citations=2,
    sources=(
        CitedSource(
            number=1,
            note_id=NoteId(UUID(int=1)),
            chunk_id=ChunkId(UUID(int=2)),
            external_id="n1",
            title=None,
            created_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC),
            language="es",
            chunk_index=0,
            score=0.5,
            page=3,
        ),
    ),
    confidence="medium",
    refusal=None,
    groundedness=1.0,
    disclaimer=None,
    warnings=("Ojo",),
    answerer="extractive@4",
    fallback="recent_notes",
)


def figures(session_id: UUID | None = None, *, user_hash: str = ANA) -> QuestionFigures:
    return QuestionFigures(
        query_id=uuid4(),
        session_id=session_id,
        contract="chat",
        asked_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC),
        user_hash=user_hash,
        query_hash="abc",
        language="es",
        strategy_used="hybrid_reranked",
        answerer="extractive@4",
        outcome="answered",
        reason=None,
        confidence="high",
        groundedness=0.5,
        execution_time_ms=12.5,
        semantic_hits=3,
    )


def ask(database: Database, tenant: TenantId, session_id: UUID, question: str, *, user_hash: str = ANA) -> UUID:
    asked = figures(session_id, user_hash=user_hash)
    with database.transaction(tenant) as connection:
        assert touch_session(connection, tenant, session_id, user_hash=user_hash)
        assert insert_question(connection, tenant, asked)
        insert_turn(
            connection,
            tenant,
            query_id=asked.query_id,
            session_id=session_id,
            question=question,
            standalone=None,
            answer=ANSWER,
        )
    return asked.query_id


def make_older(engine: Engine, session_id: UUID, *, days: int) -> None:
    with engine.database.owner() as connection:
        connection.execute(
            "update brain.sessions set last_at = now() - %s where session_id = %s", (timedelta(days=days), session_id)
        )


def count(engine: Engine, table: str) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(f"select count(*) from brain.{table}").fetchone()
    assert row is not None
    return int(row[0])


class TestSessions:
    def test_a_conversation_gives_its_turns_back_in_their_order_and_word_for_word(
        self, engine: Engine, tenant: TenantId
    ) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        for question in ("¿Qué hice?", "¿Y ayer?", "¿Y hoy?"):
            ask(engine.database, tenant, session.id, question)

        read = read_conversation(engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA)

        assert [(turn.position, turn.question) for turn in read.turns] == [
            (0, "¿Qué hice?"),
            (1, "¿Y ayer?"),
            (2, "¿Y hoy?"),
        ]
        assert {turn.answer for turn in read.turns} == {ANSWER}
        assert (read.session.questions, read.session.title) == (3, "¿Qué hice?")

    def test_of_a_long_conversation_the_last_turns_are_read(self, engine: Engine, tenant: TenantId) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        for number in range(4):
            ask(engine.database, tenant, session.id, f"pregunta {number}")

        read = read_conversation(engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA, limit=2)

        assert [turn.question for turn in read.turns] == ["pregunta 2", "pregunta 3"]

    def test_an_answer_survives_json_whole(self) -> None:
        assert parse_kept_answer(ANSWER.to_json()) == ANSWER

    def test_each_sees_their_own_conversations_the_latest_first(self, engine: Engine, tenant: TenantId) -> None:
        first, second = (
            begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA) for _ in range(2)
        )
        begin_session(engine.database, tenant, settings=engine.settings, user_hash=BEN)
        ask(engine.database, tenant, first.id, "¿Qué hice?")

        listed = list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA)

        assert [session.id for session in listed] == [first.id, second.id]

    def test_those_without_a_question_take_no_place_of_others_where_they_are_not_wanted(
        self, engine: Engine, tenant: TenantId
    ) -> None:
        spoken, *empty = (
            begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA) for _ in range(3)
        )
        ask(engine.database, tenant, spoken.id, "¿Qué hice?")
        make_older(engine, spoken.id, days=1)

        wanted = list_sessions(
            engine.database, tenant, settings=engine.settings, user_hash=ANA, limit=2, only_spoken=True
        )
        every = list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA, limit=2)

        assert [session.id for session in wanted] == [spoken.id]
        assert {session.id for session in every} == {session.id for session in empty}

    def test_one_that_was_begun_for_a_question_that_fails_is_gone_again(self, engine: Engine, tenant: TenantId) -> None:
        with (
            pytest.raises(InvalidInputError, match="no question"),
            begun_session(engine.database, tenant, settings=engine.settings, user_hash=ANA),
        ):
            raise InvalidInputError("no question")

        assert count(engine, "sessions") == 0

    def test_one_in_which_something_was_said_stays_whatever_fails_then(self, engine: Engine, tenant: TenantId) -> None:
        with (
            pytest.raises(InvalidInputError, match="too late"),
            begun_session(engine.database, tenant, settings=engine.settings, user_hash=ANA) as begun,
        ):
            ask(engine.database, tenant, begun.id, "¿Qué hice?")
            raise InvalidInputError("too late")

        assert [
            session.id for session in list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        ] == [begun.id]

    @pytest.mark.parametrize("whose", ["somebody else's", "another tenant's", "nobody's"])
    def test_a_conversation_that_is_not_ones_own_is_not_there(
        self, engine: Engine, tenant: TenantId, whose: str
    ) -> None:
        session = begin_session(
            engine.database, tenant, settings=engine.settings, user_hash=BEN if whose == "somebody else's" else ANA
        )
        asking = TenantId("otra") if whose == "another tenant's" else tenant
        wanted = uuid4() if whose == "nobody's" else session.id

        for act in (partial(read_conversation, settings=engine.settings), delete_session):
            with pytest.raises(NotFoundError, match=f"^no conversation {wanted}"):
                act(engine.database, asking, wanted, user_hash=ANA)

        assert count(engine, "sessions") == 1

    def test_ends_at_its_last_question_once_it_is_idle(self, engine: Engine, tenant: TenantId) -> None:
        idle, fresh = (
            begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA).id for _ in range(2)
        )
        spoken_at = datetime.now(UTC) - timedelta(hours=3)
        with engine.database.owner() as connection:
            connection.execute("update brain.sessions set last_at = %s where session_id = %s", (spoken_at, idle))

        ended = end_idle_sessions(engine.database, tenant, before=datetime.now(UTC) - timedelta(hours=1))
        again = end_idle_sessions(engine.database, tenant, before=datetime.now(UTC) - timedelta(hours=1))

        found = {
            session.id: session.ended_at
            for session in list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        }
        assert (ended, again) == (1, 0)
        assert found == {idle: spoken_at, fresh: None}

    def test_the_idle_ones_of_whoever_begins_another_end_with_that(self, engine: Engine, tenant: TenantId) -> None:
        mine, bens = (
            begin_session(engine.database, tenant, settings=engine.settings, user_hash=user).id for user in (ANA, BEN)
        )
        with engine.database.owner() as connection:
            connection.execute("update brain.sessions set last_at = now() - interval '2 hours'")

        begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)

        assert (
            read_conversation(engine.database, tenant, mine, settings=engine.settings, user_hash=ANA).session.ended_at
            is not None
        )
        assert (
            read_conversation(engine.database, tenant, bens, settings=engine.settings, user_hash=BEN).session.ended_at
            is None
        )

    def test_an_ended_conversation_is_taken_up_by_the_next_question(self, engine: Engine, tenant: TenantId) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        end_idle_sessions(engine.database, tenant, before=datetime.now(UTC) + timedelta(hours=1))
        ended = read_conversation(
            engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA
        ).session.ended_at

        ask(engine.database, tenant, session.id, "¿Qué hice?")

        assert ended is not None
        assert (
            read_conversation(
                engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA
            ).session.ended_at
            is None
        )

    def test_a_deleted_conversation_takes_its_words_along_and_leaves_figures(
        self, engine: Engine, tenant: TenantId
    ) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        asked = ask(engine.database, tenant, session.id, "¿Qué hice?")

        delete_session(engine.database, tenant, session.id, user_hash=ANA)

        with engine.database.transaction(tenant) as connection:
            left = fetch_question(connection, tenant, asked, user_hash=ANA)
        assert left.session_id is None
        assert count(engine, "turns") == 0


class TestRetention:
    def test_a_conversation_older_than_the_setting_is_gone_before_it_is_deleted(
        self, engine: Engine, tenant: TenantId
    ) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        make_older(engine, session.id, days=31)

        assert list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA) == []
        with pytest.raises(NotFoundError):
            read_conversation(engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA)

    def test_beginning_a_conversation_deletes_old_ones_of_whoever(self, engine: Engine, tenant: TenantId) -> None:
        old, kept = (begin_session(engine.database, tenant, settings=engine.settings, user_hash=BEN) for _ in range(2))
        ask(engine.database, tenant, old.id, "¿Qué hice?", user_hash=BEN)
        make_older(engine, old.id, days=31)
        make_older(engine, kept.id, days=29)

        begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)

        assert [
            session.id for session in list_sessions(engine.database, tenant, settings=engine.settings, user_hash=BEN)
        ] == [kept.id]
        assert count(engine, "turns") == 0

    def test_who_begins_ever_more_conversations_keeps_the_newest_and_those_with_words(
        self, engine: Engine, tenant: TenantId, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sessions, "KEPT_EMPTY", 3)
        other = begin_session(engine.database, tenant, settings=engine.settings, user_hash=BEN)
        spoken = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        ask(engine.database, tenant, spoken.id, "¿Qué hice?", user_hash=ANA)

        begun = [begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA) for _ in range(5)]

        kept = [
            session.id for session in list_sessions(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        ]
        assert kept == [begun[4].id, begun[3].id, begun[2].id, spoken.id]
        assert [
            session.id for session in list_sessions(engine.database, tenant, settings=engine.settings, user_hash=BEN)
        ] == [other.id]

    def test_a_purge_takes_as_many_batches_as_there_are(self, engine: Engine, tenant: TenantId) -> None:
        begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        with engine.database.owner() as connection:
            connection.execute(
                "insert into brain.sessions (tenant_id, user_hash, last_at) "
                "select %s, 'x', now() - interval '1 year' from generate_series(1, %s)",
                (tenant, 2 * PURGED_AT_ONCE + 1),
            )

        deleted = purge_sessions(engine.database, tenant, before=datetime.now(UTC) - timedelta(days=30))

        assert (deleted, count(engine, "sessions")) == (2 * PURGED_AT_ONCE + 1, 1)


class TestFigures:
    def test_figures_come_back_as_they_were_written(self, engine: Engine, tenant: TenantId) -> None:
        asked, found = figures(), SearchFigures(vector_search_ms=1.5, overlap_count=4, confidence_threshold_met=False)
        with engine.database.transaction(tenant) as connection:
            insert_question(connection, tenant, asked)
            insert_search_figures(connection, tenant, asked.query_id, found)

        with engine.database.transaction(tenant) as connection:
            assert fetch_question(connection, tenant, asked.query_id, user_hash=ANA) == asked
            assert fetch_search_figures(connection, tenant, asked.query_id) == found

    def test_a_question_makes_no_tenant(self, engine: Engine) -> None:
        nobody = TenantId("nadie")

        with engine.database.transaction(nobody) as connection:
            assert not insert_question(connection, nobody, figures())

        assert count(engine, "tenants") == 0


class TestFeedback:
    def test_who_thinks_again_replaces_what_they_said(self, engine: Engine, tenant: TenantId) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        asked = ask(engine.database, tenant, session.id, "¿Qué hice?")

        first = give_feedback(engine.database, tenant, asked, user_hash=ANA, rating=1, comment="  no  ")
        second = give_feedback(engine.database, tenant, asked, user_hash=ANA, rating=5)

        assert (first.rating, first.comment) == (1, "no")
        assert second == replace(first, rating=5, comment=None, updated_at=second.updated_at)
        (turn,) = read_conversation(engine.database, tenant, session.id, settings=engine.settings, user_hash=ANA).turns
        assert (turn.rating, turn.comment) == (5, None)

    @pytest.mark.parametrize(
        ("rating", "comment"), [(0, None), (6, None), (3, "x" * 2001), (3, "nul\x00"), (3, "\ud800")]
    )
    def test_what_cannot_be_kept_is_refused(
        self, engine: Engine, tenant: TenantId, rating: int, comment: str | None
    ) -> None:
        with pytest.raises(InvalidInputError):
            give_feedback(engine.database, tenant, uuid4(), user_hash=ANA, rating=rating, comment=comment)

    @pytest.mark.parametrize("whose", ["somebody else's", "another tenant's", "nobody's"])
    def test_a_question_that_is_not_ones_own_cannot_be_rated(
        self, engine: Engine, tenant: TenantId, whose: str
    ) -> None:
        session = begin_session(engine.database, tenant, settings=engine.settings, user_hash=ANA)
        asked = ask(engine.database, tenant, session.id, "¿Qué hice?")
        asking = TenantId("otra") if whose == "another tenant's" else tenant
        wanted = uuid4() if whose == "nobody's" else asked

        with pytest.raises(NotFoundError, match=f"^no question {wanted}"):
            give_feedback(
                engine.database, asking, wanted, user_hash=BEN if whose == "somebody else's" else ANA, rating=3
            )

        assert count(engine, "feedback") == 0
