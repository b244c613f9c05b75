"""Cleaning of a chat model's replies: text that can be stored and sent, and JSON in exactly the requested form. Pure."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel

from rag_core.errors import ChatError

_LINE_ENDS = re.compile("[\v\f\x85]")
_UNFIT = re.compile("[\x00-\x08\x0d-\x1f\x7f-\x9f\ud800-\udfff]")

Form = TypeVar("Form", bound=BaseModel)


def legible(text: str) -> str:
    """The text without control characters and halves of surrogate pairs, which neither PostgreSQL nor JSON takes.

    Line ends and tabs stay. Every character is looked at by itself: bits of a text made legible one by one are the whole text
    made legible.
    """
    return _UNFIT.sub("", _LINE_ENDS.sub("\n", text))


def require_whole(
    source: str, *, has_text: bool, is_cut: bool, is_cut_wanted: bool, tokens: int | None, has_thoughts: bool = False
) -> None:
    """Refuse an answer without text, and one that ends before its end although the caller did not limit it.

    Raises:
        ChatError: it is empty, or a part only.
    """
    if not has_text and has_thoughts:
        raise ChatError(
            f"{source} spent its answer on reasoning and gave no text; expected text. Turn the model's reasoning off, or take "
            "another model."
        )
    if not has_text:
        raise ChatError(f"{source} gave an empty answer; expected text. Try again, or another model.")
    if is_cut and not is_cut_wanted:
        raise ChatError(
            f"{source} stopped in the middle of its answer, after {tokens or 0} tokens; expected all of it. Allow more tokens, or "
            "take a model that says less."
        )


ReplyText = Annotated[str, AfterValidator(legible)]
"""A text within a reply; JSON can name by an escape what the reply itself does not hold."""


def parse_reply(reply: str, form: type[Form], *, model: str, expected: str) -> Form:
    """The JSON of a reply in the form that was asked for; nothing of another reply is used, however near it comes.

    A name that is given twice is in no form, as readers differ on which one holds; a number that is none (NaN) neither.

    Raises:
        ChatError: it is not in that form. The message tells nothing of the reply, which may hold what notes say.
    """
    try:
        given = json.loads(reply, object_pairs_hook=_named_once, parse_constant=_no_number)
        return form.model_validate(given, strict=True)
    except (ValueError, RecursionError) as error:
        raise ChatError(
            f"{model} gave {len(reply)} characters that are not {expected}; nothing of it is used. Try another model."
        ) from error


def _named_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) < len(pairs):
        raise ValueError("a name is given twice")
    return named


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no number")
