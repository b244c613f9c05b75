"""A made-up answer, embedded beside the query: it has the words a note would have (hypothetical document embeddings)."""

from rag_core.chat import ChatModel, Message
from rag_core.configuration.schema import QueryTransformation
from rag_core.errors import ChatError
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.model.retrieval import TransformedQuery
from rag_core.resilience.cancellation import Cancellation

MAX_ANSWER_CHARACTERS = 2_000
_MAX_ANSWER_TOKENS = 512


def wants_hyde(transformed: TransformedQuery, config: QueryTransformation) -> bool:
    """Tell whether a hypothetical answer may help: the query is abstract, and neither flag is off."""
    return config.enabled and config.enable_hyde and transformed.intent == "abstract"


def generate_hypothetical_answer(
    query: str,
    *,
    chat: ChatModel,
    language: Language,
    timeout_seconds: float,
    cancellation: Cancellation | None = None,
) -> str:
    """The chat model's made-up answer to the query, trimmed, at most 2,000 characters, cut at a word.

    Raises:
        ChatError: the model failed, had no time, or answered nothing.
        ChatCancelledError: it was cancelled.
    Source: Gao et al., ACL 2023, section 3.
    """
    wording = language_of(language).hyde
    messages = [
        Message(role="system", content=wording.system),
        Message(role="user", content=wording.user.format(query=query)),
    ]
    answer = chat.complete(
        messages, timeout_seconds=timeout_seconds, max_tokens=_MAX_ANSWER_TOKENS, cancellation=cancellation
    ).strip()
    if not answer:
        raise ChatError(
            f"{chat.name} answered nothing to the request for a hypothetical answer; expected a text. "
            "The search goes on with the query alone; try another chat model if this happens often"
        )
    return _cut(answer)


def _cut(answer: str) -> str:
    if len(answer) <= MAX_ANSWER_CHARACTERS:
        return answer
    cut = answer[: MAX_ANSWER_CHARACTERS + 1].rsplit(maxsplit=1)[0]
    return cut[:MAX_ANSWER_CHARACTERS].rstrip()
