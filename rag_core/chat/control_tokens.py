"""Text without what a model's template takes for the end of a turn or the beginning of another. Pure."""

import re
from collections.abc import Sequence

from rag_core.chat import Message

_CONTROL = re.compile(
    r"<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>"  # ChatML, Llama 3, DeepSeek
    r"|</?(?:s|bos|eos|pad|unk|think|start_of_turn|end_of_turn)>"  # Llama 2, Gemma, those that think aloud
    r"|<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"  # Llama 2, Mistral
)
_HARMLESS = str.maketrans("<>[]", "\u2039\u203a()")


def without_control_tokens(text: str) -> str:
    """The text with other brackets around what reads as a control token; "<|im_end|>" is plain text then, every offset as it was.

    Ollama and llama.cpp render messages into one string before they look for such tokens, so that a note which holds one would
    end its own turn and speak as somebody else.
    """
    return _CONTROL.sub(lambda match: match[0].translate(_HARMLESS), text)


def messages_to_send(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages as both protocols want them, without control tokens."""
    return [{"role": message.role, "content": without_control_tokens(message.content)} for message in messages]
