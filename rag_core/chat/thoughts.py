"""Removal of the thoughts before a chat model's reply, and of the code fence that some put around JSON. Pure."""

import re

_OPENING, _CLOSING = "<think>", "</think>"
_CLOSING_LINE = re.compile(r"^[^\S\n]*</think>[^\S\n]*\n", re.MULTILINE)
# A model's thoughts come first. Some templates put the opening tag into the prompt, so that only the closing one is left,
# on a line of its own. The white space beside it stays on that line: over lines it is searched anew from each, and a
# model in a loop gives thousands of them.
_THOUGHTS = re.compile(
    r"\A\s*<think>.*?(?:</think>|\Z)|\A(?!\s*[\[{]).*?^[^\S\n]*</think>[^\S\n]*$", re.DOTALL | re.MULTILINE
)
# With `think` off some models give JSON in a code block (https://github.com/ollama/ollama/issues/14645).
_FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*)\n[^\S\n]*```", re.DOTALL)


def spoken(content: str, *, is_json: bool = False) -> str:
    """A whole answer without thoughts, without white space around it, and JSON without its fence."""
    text = _THOUGHTS.sub("", content, count=1).strip()
    fenced = _FENCED.fullmatch(text) if is_json else None
    return fenced[1].strip() if fenced else text


class SpokenStream:
    """Streaming form of ``spoken``: the results of ``feed`` and ``end``, joined, are ``spoken`` of the bits joined.

    A closing tag whose opening one stood in the prompt is known by ``begins_in_thought`` alone; then all is kept back until
    that tag, or until the end where none comes.
    """

    def __init__(self, *, begins_in_thought: bool = False) -> None:
        self._is_kept_back = begins_in_thought
        self._is_thinking = False
        self._is_speaking = False
        self._has_spoken = False
        self._waiting = ""

    def feed(self, bit: str) -> str:
        """Return the part of the answer that is certain with this bit; '' while nothing is."""
        self._waiting += bit
        if self._is_kept_back:
            self._leave_unopened_thought()
        elif not self._is_speaking:
            self._leave_thought()
        return self._say() if self._is_speaking else ""

    def end(self) -> str:
        """Return the remaining part of the answer after the last bit."""
        waiting, self._waiting = self._waiting, ""
        if self._is_kept_back:
            return spoken(waiting)
        return "" if self._is_thinking or self._is_speaking else waiting.strip()

    def _leave_unopened_thought(self) -> None:
        closing = _CLOSING_LINE.search(self._waiting) if _CLOSING in self._waiting else None
        if closing is not None and not self._waiting.lstrip().startswith(("[", "{", _OPENING)):
            self._is_kept_back, self._is_speaking = False, True
            self._waiting = self._waiting[closing.end() :]

    def _leave_thought(self) -> None:
        if not self._is_thinking:
            begun = self._waiting.lstrip()
            if begun != _OPENING and _OPENING.startswith(begun):
                return
            self._is_thinking = begun.startswith(_OPENING)
            self._is_speaking = not self._is_thinking
            self._waiting = begun.removeprefix(_OPENING)
        if self._is_thinking:
            _, closing, after = self._waiting.partition(_CLOSING)
            self._is_thinking, self._is_speaking = not closing, bool(closing)
            self._waiting = after if closing else self._waiting[-len(_CLOSING) + 1 :]

    def _say(self) -> str:
        """All but the white space at the end, which may be the answer's end, and that before its first word."""
        said = self._waiting.rstrip()
        if not self._has_spoken:
            said = said.lstrip()
        self._has_spoken = self._has_spoken or bool(said)
        self._waiting = self._waiting[len(self._waiting.rstrip()) :] if self._has_spoken else ""
        return said
