"""Understanding of a question: checked, in a known language, and standalone where it follows up on earlier ones."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from uuid import UUID

from rag_core.answering.events import AnswerRequest
from rag_core.answering.quoting.asked_words import own_language
from rag_core.answering.understanding.follow_up import Earlier, standalone_question
from rag_core.answering.verification.citations import without_citations
from rag_core.chat import ChatModel, Message
from rag_core.conversation.sessions import read_conversation
from rag_core.guardrails.history import CheckedHistory, check_history
from rag_core.guardrails.incoming import CheckedQuestion, check_question, sanitised
from rag_core.guardrails.injection import scan
from rag_core.guardrails.judge import ChatQuestionJudge
from rag_core.guardrails.policies import thresholds_of
from rag_core.guardrails.subject_changes import without_dropped_subject
from rag_core.language import LANGUAGES
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.model.conversation import Turn
from rag_core.model.note import Language, TenantId
from rag_core.query.transformation import query_language
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings
from rag_core.storage.database import Database

REMEMBERED_TURNS = 6
REWORDING_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as it goes on: ``text`` as it was asked, ``searched`` as it can be understood without the ones before.

    ``history`` are the turns before it that a model may read, the oldest first, without the marks of their citations.
    """

    text: str
    standalone: str | None
    language: Language
    session_id: UUID | None
    history: tuple[Message, ...]
    warnings: tuple[str, ...]
    is_greeting: bool = False
    """True where it greets or thanks and asks nothing."""

    @property
    def searched(self) -> str:
        """The text that is searched and that an answerer is asked."""
        return self.standalone or self.text

    @property
    def spoken(self) -> Language:
        """The question's own language, where its answer may be wanted in another."""
        return own_language(self.searched, self.language)


def greeting_language(text: str) -> Language | None:
    """The language of a text that is made of greetings and thanks alone; None for any other."""
    folded = fold(text).text
    return next((code for code in LANGUAGES if _greetings(code).fullmatch(folded)), None)


@cache
def _greetings(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:\W*\b(?:{language_of(language).questions.greetings})\b)+\W*")


def understand(
    request: AnswerRequest,
    *,
    database: Database,
    tenant: TenantId,
    settings: Settings,
    chat: ChatModel | None,
    check_rate: Callable[[], None] | None = None,
    cancellation: Cancellation | None = None,
) -> Question:
    """Check a question and read it in the context of its conversation; a chat model is asked only about a follow-up.

    Earlier turns and a model's rewording are checked by the same rules as the question. A question that drops a subject first
    ("forget that, …") is answered without the turns before it.

    Raises:
        GuardrailError: it is too short, too long, or would command the model.
        NotFoundError: the conversation does not exist, or belongs to somebody else.
        ChatCancelledError: it was cancelled while a model was asked.
    """
    judge = ChatQuestionJudge(chat=chat, cancellation=cancellation) if chat and settings.guardrails_judge else None
    checked = _checked(request, settings, judge, check_rate)
    history = _history(_said(database, tenant, request, settings), settings, is_trusted=request.is_trusted)
    asked = without_dropped_subject(checked.text)
    is_anew = asked != checked.text
    if is_anew:
        history = CheckedHistory(messages=())
    earlier = _earlier(history.messages)
    known = (query_language(earlier[-1].question, known=LANGUAGES), *LANGUAGES) if earlier else LANGUAGES
    greeting = greeting_language(asked)
    language = request.language or greeting or query_language(asked, known=known)
    standalone = standalone_question(
        asked,
        [] if greeting else earlier,
        language=language,
        now=datetime.now(settings.zone),
        chat=chat,
        timeout_seconds=REWORDING_SECONDS,
        is_allowed=_allowed_words(request, settings, checked),
        cancellation=cancellation,
    )
    return Question(
        text=checked.text,
        standalone=standalone or (asked if is_anew else None),
        language=language,
        session_id=request.session_id,
        history=history.messages,
        warnings=replace(checked, warnings=(*checked.warnings, *history.warnings)).messages(language),
        is_greeting=greeting is not None,
    )


def _checked(
    request: AnswerRequest,
    settings: Settings,
    judge: ChatQuestionJudge | None,
    check_rate: Callable[[], None] | None,
) -> CheckedQuestion:
    return check_question(
        request.question,
        minimum=settings.guardrails_question_min_characters if request.contract == "rag_v2" else 1,
        maximum=settings.guardrails_question_max_characters,
        policy=settings.guardrails_injection,
        thresholds=thresholds_of(settings),
        check_rate=check_rate or (lambda: None),
        judge=judge,
        is_trusted=request.is_trusted,
    )


def _allowed_words(request: AnswerRequest, settings: Settings, checked: CheckedQuestion) -> Callable[[str], bool]:
    """A test of rewordings: none may command the model more than the question does."""
    if request.is_trusted or settings.guardrails_injection == "off":
        return lambda _text: True

    def is_allowed(text: str) -> bool:
        found = scan(text)
        return not found.spans or found.score <= checked.injection.score

    return is_allowed


def _history(messages: Sequence[Message], settings: Settings, *, is_trusted: bool) -> CheckedHistory:
    """The last turns, after the guardrails.

    Turns before a subject was dropped are left out; of a question that drops one, the question alone is kept.
    """
    said = [_unmarked(message) for message in messages[-2 * REMEMBERED_TURNS :]]
    begins = max((at for at, message in enumerate(said) if _asked_anew(message) is not None), default=0)
    checked = check_history(
        said[begins:],
        policy=settings.guardrails_injection,
        thresholds=thresholds_of(settings),
        is_trusted=is_trusted,
    )
    return replace(checked, messages=tuple(_asked_anew(message) or message for message in checked.messages))


def _asked_anew(message: Message) -> Message | None:
    """The question alone of a message that drops a subject before it; None for any other message."""
    if message.role != "user":
        return None
    whole = sanitised(message.content)
    asked = without_dropped_subject(whole)
    return None if asked == whole else replace(message, content=asked)


def _said(database: Database, tenant: TenantId, request: AnswerRequest, settings: Settings) -> list[Message]:
    """The turns before the question: the conversation's where there is one, else the caller's."""
    if request.session_id is None:
        return [message for message in request.history if message.role != "system"]
    kept = read_conversation(
        database,
        tenant,
        request.session_id,
        settings=settings,
        user_hash=request.user_hash,
        limit=REMEMBERED_TURNS,
    )
    return [
        message
        for turn in kept.turns
        for message in (
            Message(role="user", content=_question_of(turn)),
            Message(role="assistant", content=turn.answer.text),
        )
    ]


def _question_of(turn: Turn) -> str:
    """The question as it was searched; as it was asked where it drops a subject, which its standalone form leaves out."""
    is_anew = without_dropped_subject(turn.question) != turn.question
    return turn.question if is_anew else turn.standalone or turn.question


def _unmarked(message: Message) -> Message:
    """The message without citation marks: a "[1]" is of another answer's source, and marks may hide an order from the guardrails."""
    return replace(message, content=without_citations(message.content))


def _earlier(history: tuple[Message, ...]) -> list[Earlier]:
    """The questions with the answers that follow them; a greeting is none."""
    turns: list[Earlier] = []
    asks = False
    for message in history:
        if message.role == "user":
            asks = greeting_language(message.content) is None
            turns += [Earlier(question=message.content)] if asks else []
        elif turns and asks:
            turns[-1] = Earlier(question=turns[-1].question, answer=message.content)
    return turns
