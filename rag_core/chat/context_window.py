"""Size of a chat model's context, and detection of prompts that the server cut.

Here: the size of the context, the tokens that a text has beyond our estimate, and the signs of a prompt that the server cut.
Not here: how a server is asked for the size (``providers``), what to leave out when there is too much (``rag_core.answering``).
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag_core.chat import Message
from rag_core.chunking import count_tokens
from rag_core.errors import PromptTooLongError

ESTIMATE_MARGIN = 1.25
"""Tokens that a text may have for one of the estimate's, which takes four characters for one: German has 3.2 to 3.6."""
MOST_MARGIN = 4.0
"""No text in letters has more; where a server says so, something else is wrong."""
LEAST_MEASURED_TOKENS = 200
"""Below, what the model's template adds would be taken for the text's."""
HEADROOM = 1.05
STEP = 1.5
"""Factor by which the margin rises when a prompt is too long; the server does not say by how much it was."""
MESSAGE_TOKENS = 8
"""Tokens that a model's template adds to a message."""
SHOW_SECONDS = 1.0
"""Time that a server has to describe a model."""
AGAIN_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModelCard:
    """Properties of a chat model that a server reports; ``context_tokens`` is None where it does not."""

    context_tokens: int | None = None
    begins_in_thought: bool = False
    """True if its template ends with the tag that opens a thought, so that an answer has the closing one alone."""


_UNKNOWN = ChatModelCard()


class ContextWindow:
    """Context of one model; its size is asked of the server at the first need, and again only until the server says it.

    The margin above our estimate rises with what the server counts and never falls: texts differ, and a prompt that is cut is
    worse than one that is short. ``fetch_card`` gives None where the server does not answer. Threads may share it.
    """

    def __init__(self, model: str, fetch_card: Callable[[], ChatModelCard | None], *, most_tokens: int) -> None:
        self._model = model
        self._fetch_card_now = fetch_card
        self._most_tokens = most_tokens
        self._card: ChatModelCard | None = None
        self._asked_at = -AGAIN_SECONDS
        self._margin = ESTIMATE_MARGIN
        self._lock = threading.Lock()

    def fetch_size(self) -> int:
        """Tokens of prompt and answer together: the model's context, at most ``most_tokens``, which is taken when nobody says."""
        return min(self._fetch_card().context_tokens or self._most_tokens, self._most_tokens)

    def fetch_begins_in_thought(self) -> bool:
        """Test whether an answer's thought has no opening tag."""
        return self._fetch_card().begins_in_thought

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        """Return the tokens, by ``count_tokens``, left beside messages and answer; at least 0."""
        room = (self.fetch_size() - answer_tokens) / self._margin
        return max(0, int(room) - estimated_tokens(messages))

    def require_fit(self, messages: Sequence[Message], *, answer_tokens: int) -> None:
        """Refuse what the server would cut.

        Raises:
            PromptTooLongError: by the estimate and its margin.
        """
        tokens, size = int(estimated_tokens(messages) * self._margin), self.fetch_size()
        if tokens + answer_tokens > size:
            raise PromptTooLongError(
                f"the messages to {self._model} have by estimate {tokens} tokens, and {answer_tokens} are left for the "
                f"answer; expected at most {size} together. Send less text."
            )

    def note_refusal(self, messages: Sequence[Message]) -> None:
        """The server says that the messages are too long: they have more tokens than was thought."""
        self._raise_margin(max(self._margin * STEP, self.fetch_size() / estimated_tokens(messages)))

    def check_whole(self, messages: Sequence[Message], counted: int | None) -> None:
        """Compare the server's count of the prompt, when there is one, with ours, and learn from it.

        A server that cuts fills the context, or leaves out turns, or half of the text.

        Raises:
            PromptTooLongError: the prompt was cut, so that the answer is none to all of it.
        """
        estimate, size = estimated_tokens(messages), self.fetch_size()
        if not counted:
            return
        if counted >= size - 1 or (counted < estimate / 2 and estimate > size / 2):
            self.note_refusal(messages)
            raise PromptTooLongError(
                f"the server cut the messages to {self._model}: it read {counted} tokens of about {estimate}, with a "
                f"context of {size}. Send less text, or allow a larger context."
            )
        if counted >= LEAST_MEASURED_TOKENS:
            self._raise_margin(HEADROOM * counted / estimate)

    def _raise_margin(self, margin: float) -> None:
        with self._lock:
            self._margin = min(MOST_MARGIN, max(self._margin, margin))

    def _fetch_card(self) -> ChatModelCard:
        with self._lock:
            if self._card is None and time.monotonic() - self._asked_at >= AGAIN_SECONDS:
                self._card = self._fetch_card_now()
                self._asked_at = time.monotonic()
            return self._card or _UNKNOWN


def estimated_tokens(messages: Sequence[Message]) -> int:
    """Tokens of the messages and of what stands around each, by ``count_tokens``."""
    return sum(count_tokens(message.content) + MESSAGE_TOKENS for message in messages)
