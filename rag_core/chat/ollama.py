"""Chat by an Ollama server (``/api/chat``): one try within the caller's time, and an answer that is one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ollama import ChatResponse

from rag_core.call_time import call_time
from rag_core.chat import Message
from rag_core.chunking import count_tokens
from rag_core.errors import ChatError, ChatUnavailableError
from rag_core.ollama import FAILURES, KEEP_ALIVE, explain, open_client

# A model's thoughts come first. Some templates put the opening tag into the prompt, so that only the closing one is left,
# on a line of its own. The white space beside it stays on that line: over lines it is searched anew from each, and a
# model in a loop gives thousands of them.
_THOUGHTS = re.compile(
    r"\A\s*<think>.*?(?:</think>|\Z)|\A(?!\s*[\[{]).*?^[^\S\n]*</think>[^\S\n]*$", re.DOTALL | re.MULTILINE
)
# With `think` off some models give JSON in a code block (https://github.com/ollama/ollama/issues/14645).
_FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*)\n[^\S\n]*```", re.DOTALL)


class OllamaChat:
    """A chat model on an Ollama server, at temperature 0 and without thinking aloud.

    ``context_tokens`` is what a question and its answer may have together, the same for every call: with another size
    the server loads the model anew. ``timeout_seconds`` bounds whatever time a caller gives.
    """

    def __init__(self, model: str, *, host: str, timeout_seconds: float = 60, context_tokens: int = 8192) -> None:
        self.name = model
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._context_tokens = context_tokens
        self._client = open_client(host)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> str:
        """Answer the messages: the text without the model's thoughts, never ''; with ``schema`` most likely its JSON.

        A text that ends at ``max_tokens`` is given as far as it goes; JSON cut there is an error.

        Raises:
            ChatError: the messages do not fit the context, the server refused them or failed
                (ChatUnavailableError), or the answer is empty or a part only.
        """
        self._require_fit(messages, max_tokens or 0)
        answer = self._ask(messages, min(timeout_seconds, self._timeout_seconds), schema, max_tokens)
        text = _spoken(answer.message.content or "", is_json=schema is not None)
        self._require_whole(answer, text, is_cut_wanted=max_tokens is not None and schema is None)
        return text

    def _ask(
        self, messages: Sequence[Message], seconds: float, schema: Mapping[str, Any] | None, max_tokens: int | None
    ) -> ChatResponse:
        options = {"temperature": 0, "num_ctx": self._context_tokens}
        if max_tokens is not None:
            options["num_predict"] = max_tokens
        try:
            with call_time(seconds):
                return self._client.chat(
                    self.name,
                    [{"role": message.role, "content": message.content} for message in messages],
                    format=dict(schema) if schema is not None else None,
                    think=False,
                    options=options,
                    keep_alive=KEEP_ALIVE,
                )
        except FAILURES as error:
            raise self._failure(error, seconds) from error

    def _failure(self, error: Exception, seconds: float) -> ChatError:
        failure = explain(
            error,
            host=self._host,
            model=self.name,
            seconds=seconds,
            expected="chat answer",
            refusal=f"Check with `ollama show {self.name}` that it is a chat model.",
        )
        return ChatUnavailableError(failure.text) if failure.is_outage else ChatError(failure.text)

    def _require_fit(self, messages: Sequence[Message], answer_tokens: int) -> None:
        tokens = sum(count_tokens(message.content) for message in messages)
        if tokens + answer_tokens > self._context_tokens:
            raise ChatError(
                f"the messages to {self.name} have by estimate {tokens} tokens, and {answer_tokens} are left for the "
                f"answer; expected at most {self._context_tokens} together. Send less text."
            )

    def _require_whole(self, answer: ChatResponse, text: str, *, is_cut_wanted: bool) -> None:
        source = f"Ollama at {self._host}, model {self.name},"
        if not text:
            raise ChatError(f"{source} gave an empty answer; expected text. Try again, or another model.")
        if answer.done_reason == "length" and not is_cut_wanted:
            raise ChatError(
                f"{source} stopped in the middle of its answer, after {answer.eval_count or 0} tokens; expected all of it. "
                "Allow more tokens, or take a model that says less."
            )


def _spoken(content: str, *, is_json: bool) -> str:
    text = _THOUGHTS.sub("", content, count=1).strip()
    fenced = _FENCED.fullmatch(text) if is_json else None
    return fenced[1].strip() if fenced else text
