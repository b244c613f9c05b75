"""Sentences that would command a model, by rules and by how badly they fit the text they stand in. Pure.

What the rules say of a sentence is combined as if each were an independent reason: score = 1 - Π (1 - weight), over the strongest
rule of each family. A text's score is that of its worst sentence. The same words weigh more in a note, which has no business to tell
its reader how to answer, than in a question (``Profile``). Matching is on text in lower case, without accents, look-alike letters and
invisible characters, so that those hide nothing.
"""

import base64
import binascii
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from rag_core.guardrails import WARN_SCORE, Profile
from rag_core.guardrails.injections import RULES, TASK, topics_of
from rag_core.guardrails.injections.plain import is_plain_question, without_politeness
from rag_core.guardrails.subject_changes import subject_change
from rag_core.language.lookalikes import LOOKALIKES
from rag_core.model.injection import InjectionScan
from rag_core.model.note import Span

RULES_VERSION = "4"
"""To be raised with any change of what is found: stored findings are then stale."""

_HIDDEN_WEIGHT = 0.6
"""Weight of text spelled in invisible tag characters, whatever it says."""
_MISPLACED_WEIGHT = 0.6
_MOST_CHARACTERS = 600
_LEAST_ROWS = 3
_LEAST_TASK_CHARACTERS = 16
_FIRST_TAG = 0xE0000
_LEAST_BASE64 = 24

_BOUNDARY = re.compile(
    r"(?<=[.!?…])[\"'»”)\]]{0,4}\s+|\n[^\S\n]*\n\s*|\n(?=[^\n|]{0,200}\|)|(?<=\|)[^\S\n]*\n|\n(?=[^\S\n]*(?:[-*•#>]|\d{1,2}[.)])\s)"
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
# A flag such as Scotland's is a black flag and at most six of them.
_TAG = "[\U000e0020-\U000e007e]"
_TAGS = re.compile(f"(?<![\U0001f3f4\U000e0020-\U000e007e]){_TAG}{{4,}}|(?<=\U0001f3f4){_TAG}{{7,}}")
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w+/=])")
_WORD = re.compile(r"[^\W_]+")
_MARKUP_SIGN = re.compile(
    r"[<{]|\[/?inst|!\[|javascript|display|visib|font|opac|color|onload|onerr|onclick|onmouse|begin"
)
_ROW = re.compile(r"^[^\n|]*\|[^\n|]*\|", re.MULTILINE)
_HEADER = re.compile(
    r"^(?:subject|from|to|date|email_from|received date|asunto|de|para|fecha|betreff|von|an|datum)\s?:", re.MULTILINE
)


class _Plain(dict[int, str]):
    """The way of ``str.translate`` from a character to its plain form; always one for one, so that offsets hold."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = _plain_character(chr(code))
        return plain


def _plain_character(character: str) -> str:
    if character in LOOKALIKES:
        return LOOKALIKES[character]
    if character == "ß":
        return "s"
    folded = "".join(c for c in unicodedata.normalize("NFKD", character.lower()) if not unicodedata.combining(c))
    return folded if len(folded) == 1 else character


_PLAIN = _Plain()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visible:
    """A text without its invisible characters; ``origins`` tell where each stood, None where nothing was taken out."""

    text: str
    origins: Sequence[int] | None

    def original(self, span: Span) -> Span:
        if self.origins is None:
            return span
        return self.origins[span[0]], self.origins[span[1] - 1] + 1


def scan(text: str, *, profile: Profile = "question") -> InjectionScan:
    """Find the sentences that would command a model; '' and harmless texts give no spans.

    Who drops a subject before a plain question ("forget that, …") does no harm; politely asked of whoever answers ("can you tell
    me …") it is told of and not refused. Linear in the text's length.
    """
    found = _scanned(text, profile)
    change = subject_change(text) if profile == "question" and found.score >= WARN_SCORE else None
    if change is None or change.is_everything_dropped or not _is_untouched(change.asked):
        return found
    if is_plain_question(change.asked):
        return InjectionScan(score=0.0, spans=(), scores=())
    return _at_most(WARN_SCORE, found) if is_plain_question(without_politeness(change.asked)) else found


def _is_untouched(question: str) -> bool:
    """Tell whether no rule matches a question, not even a supporting one."""
    plain = _visible(question).text.translate(_PLAIN)
    is_hidden = any(score > 0 for _, score in _hidden_scores(question, "question"))
    return not is_hidden and not any(
        _weights(plain, _topics(plain), "question", are_supports=are_supports) for are_supports in (False, True)
    )


def _at_most(score: float, found: InjectionScan) -> InjectionScan:
    return replace(found, score=min(score, found.score), scores=tuple(min(score, one) for one in found.scores))


def _scanned(text: str, profile: Profile) -> InjectionScan:
    scores = _visible_scores(text, profile)
    for span, score in _hidden_scores(text, profile):
        if all(span[1] <= start or end <= span[0] for start, end in scores):
            scores[span] = score
    found = sorted(span for span, score in scores.items() if score >= WARN_SCORE)
    return InjectionScan(
        score=max(scores.values(), default=0.0), spans=tuple(found), scores=tuple(scores[span] for span in found)
    )


def _visible_scores(text: str, profile: Profile) -> dict[Span, float]:
    visible = _visible(text)
    plain = visible.text.translate(_PLAIN)
    scores = {span: _score(plain, span, profile) for span in _sentences(plain)}
    if profile == "note":
        for span, weight in list(_misplaced(plain, scores)):
            scores[span] = _combined([scores[span], weight])
    return {visible.original(span): score for span, score in scores.items() if score > 0}


def _visible(text: str) -> _Visible:
    if text.isascii() or not _INVISIBLE.search(text):
        return _Visible(text=text, origins=None)
    origins = [index for index, character in enumerate(text) if not _INVISIBLE.match(character)]
    return _Visible(text="".join(text[index] for index in origins), origins=origins)


def _sentences(plain: str) -> Iterator[Span]:
    """Spans of sentences, table rows and list items without the white space around them; longer ones in parts.

    Read with less care than for chunks (``rag_core.chunking``), but in no language: an order may be in another than its text.
    """
    start = 0
    for match in [*_BOUNDARY.finditer(plain), None]:
        end = len(plain) if match is None else match.start()
        for part in range(start, end, _MOST_CHARACTERS):
            span = _stripped(plain, (part, min(end, part + _MOST_CHARACTERS)))
            if span[0] < span[1]:
                yield span
        start = end if match is None else match.end()


def _stripped(text: str, span: Span) -> Span:
    part = text[span[0] : span[1]]
    start = span[0] + len(part) - len(part.lstrip())
    return start, start + len(part.strip())


def _score(plain: str, span: Span, profile: Profile) -> float:
    sentence = plain[span[0] : span[1]]
    topics = _topics(sentence)
    families = _weights(sentence, topics, profile, are_supports=False)
    return _combined((_weights(sentence, topics, profile, are_supports=True) | families).values()) if families else 0.0


def _topics(sentence: str) -> frozenset[str]:
    of_words = frozenset[str]().union(*map(topics_of, _WORD.findall(sentence)))
    return of_words | {"markup"} if _MARKUP_SIGN.search(sentence) else of_words


def _weights(sentence: str, topics: frozenset[str], profile: Profile, *, are_supports: bool) -> dict[str, float]:
    """The strongest weight of each family among the rules that find something."""
    weights: dict[str, float] = {}
    for family, weight, pattern in _candidates(topics, profile, are_supports=are_supports):
        if weight > weights.get(family, 0.0) and pattern.search(sentence):
            weights[family] = weight
    return weights


@lru_cache(maxsize=4_096)
def _candidates(
    topics: frozenset[str], profile: Profile, *, are_supports: bool
) -> tuple[tuple[str, float, re.Pattern[str]], ...]:
    """Family, weight and pattern of the rules that a sentence with these topics can match."""
    return tuple(
        (rule.family, rule.in_note if profile == "note" else rule.in_question, rule.pattern)
        for rule in RULES
        if rule.is_support == are_supports and rule.topics <= topics
    )


def _combined(weights: Iterable[float]) -> float:
    """1 - Π (1 - weight): more reasons make more certain, and none makes less so."""
    return 1 - math.prod(1 - weight for weight in weights)


def _misplaced(plain: str, spans: Iterable[Span]) -> Iterator[tuple[Span, float]]:
    """Sentences that set a task where a text has no place for one: by a table's rows, before a letter's head.

    In notes of other kinds people write down tasks for themselves.
    """
    has_rows = sum(1 for _ in islice(_ROW.finditer(plain), _LEAST_ROWS)) == _LEAST_ROWS
    header = _HEADER.search(plain)
    for span in spans if has_rows or header else ():
        is_before_header = header is not None and span[1] <= header.start()
        if is_before_header or (has_rows and _touches_row(plain, span)):
            sentence = plain[span[0] : span[1]]
            if len(sentence) >= _LEAST_TASK_CHARACTERS and TASK.search(sentence):
                yield span, _MISPLACED_WEIGHT


def _touches_row(plain: str, span: Span) -> bool:
    """Tell whether a sentence outside a table stands directly before or after a row, without a blank line between."""
    if "|" in plain[span[0] : span[1]]:
        return False
    before = plain[max(0, span[0] - _MOST_CHARACTERS) : span[0]].rstrip(" \t")
    after = plain[span[1] : span[1] + _MOST_CHARACTERS].lstrip(" \t.")
    above = before[:-1].rpartition("\n")[2] if before.endswith("\n") else ""
    below = after[1:].partition("\n")[0] if after.startswith("\n") else ""
    return "|" in above or "|" in below


def _hidden_scores(text: str, profile: Profile) -> Iterator[tuple[Span, float]]:
    """Orders that a reader does not see: in tag characters, which nobody writes by hand, and in Base64."""
    for match in () if text.isascii() else _TAGS.finditer(text):
        spelt = "".join(chr(ord(character) - _FIRST_TAG) for character in match[0])
        yield match.span(), _combined([_HIDDEN_WEIGHT, *_visible_scores(spelt, profile).values()])
    if max(map(len, text.split()), default=0) < _LEAST_BASE64:
        return
    for match in _BASE64.finditer(text):
        yield match.span(), max(_visible_scores(_decoded(match[0]), profile).values(), default=0.0)


def _decoded(encoded: str) -> str:
    """The text that Base64 stands for; '' where it stands for none."""
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
