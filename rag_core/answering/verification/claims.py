"""Claims of an answer: its sentences, and those of them that state what a note could hold. Pure.

A mark behind a full stop belongs to the sentence before it, and so does "Yes." to the question before it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from rag_core.answering.verification.citations import CLOSING, LONGEST_MARK, OPENING, parse_citations, without_citations
from rag_core.answering.verification.pairs import is_within, paired
from rag_core.answering.verification.refusals import PART_END, admits_ignorance, without_refusal
from rag_core.answering.verification.statements import Statement, amounts_of, statement_of, stems_of
from rag_core.chunking import sentence_spans
from rag_core.language.content_words import function_stems, negation_stems, tokens_of
from rag_core.language.languages import any_word, language_of
from rag_core.model.note import Language, Span

LEAST_TAIL_CHARACTERS = 16
"""Least length of the next sentence before the one before it is taken for finished."""
MOST_LABEL_WORDS = 3
"""A heading, a bold line or a line with a colon has no more words of content; what has more is a clause."""
_OPEN_MARK = re.compile(rf"[{re.escape(OPENING)}][^\n{re.escape(OPENING + CLOSING)}]{{0,{LONGEST_MARK}}}\Z")
_LONG_SENTENCE_CHARACTERS = 2_000
_BEGUN_MARK = re.compile(rf"\s*[{re.escape(OPENING)}][^\n{re.escape(OPENING + CLOSING)}]{{0,{LONGEST_MARK}}}\Z")
_ASIDE_TOPIC = re.compile(
    rf"\b(?:{any_word(lambda words: words.citing.about)}) (?:\w{{2,3}} )?\w+[.!]*\s*\Z", re.IGNORECASE
)
"""End of an offer that names its subject in one word: "más detalles sobre la factura"."""
_LAST_COPULA = re.compile(rf"\b(?:{any_word(lambda words: words.citing.copulas)})\s*:\s*\Z", re.IGNORECASE)
"""End of a line that only introduces the next: "El precio fue:"."""
_SIGNS = ".!?…)"
_WORD = re.compile(r"\w")
_FIRST = re.compile(r"(?![,;:!?%)]|\.+(?:\s|\Z))[\s\S]")
"""Pattern of a sentence's beginning: not a sign of the one before it."""
_SENTENCE_END = re.compile(r"[.!?…:\n]")
_HEADING = re.compile(r"\s*#{1,6}\s[^\n]*\s*|\s*(\*\*|__)[^\n]+\1:?\s*")
_EMPHASIS = re.compile(r"^\s*(?:#{1,6}\s|>)|(?<!\w)[*_`~]{1,3}|[*_`~]{1,3}(?!\w)", re.MULTILINE)
_LINK = re.compile(r"\w://|\bwww\.|\w@\w|\b[\w-]+\.[a-z]{2,}/", re.IGNORECASE)


def answer_sentences(text: str, language: Language) -> list[Span]:
    """The sentences of an answer as spans that tile it; marks that follow a full stop on its line are with their sentence.

    No boundary stands in a mark or in anything that could become one, nor in ``paired`` quotes and brackets, or before a sign that
    ends something, and no sentence is signs alone. '' gives [].
    """
    return _sentences(text, paired(text)[0], language)


def _sentences(text: str, pairs: Sequence[Span], language: Language) -> list[Span]:
    if not text:
        return []
    marks = dict(citation.span for citation in parse_citations(text, ()))
    marked_until = {end: start for start, end in marks.items()}
    starts = [
        start
        for start, _ in sentence_spans(_apart(text, marks), language, is_growing=True)[1:]
        if not _is_within_mark(text, start) and not is_within(pairs, start)
    ]
    moved = sorted({_with_its_marks(text, start, marks, marked_until) for start in starts})
    first = [bound for bound in moved if _FIRST.match(text, bound)]
    bounds = [bound for before, bound in pairwise([0, *first]) if _WORD.search(text, before, bound)]
    return _with_replies(text, list(pairwise([0, *bounds, len(text)])), language)


def _apart(text: str, marks: Mapping[int, int]) -> str:
    """The text with blanks for marks right before a letter: "[1]Sr. Gil" would be cut otherwise than "Sr. Gil".

    So are the signs between them, where the sentence has ended before the mark: "Llovió. [1]…Sr. Gil".
    """
    pieces, at, last_end = [], 0, 0
    for start, mark_end in marks.items():
        before = _before_blanks(text, start)
        has_ended = before == last_end or text[before - 1] in _SIGNS + "\n"
        end = _after_signs(text, mark_end) if has_ended else mark_end
        last_end = end if has_ended else last_end
        if text[end : end + 1].isalpha():
            pieces += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])


def cut_sentences(bits: Iterable[str], language: Language) -> Iterator[str]:
    """The sentences of a text that comes bit by bit, each as soon as it is finished; joined they are the text.

    What was given never changes, whatever comes after: a sentence is kept back until the next has begun beyond any mark.
    """
    pending, has_end, next_look = "", False, 0
    for bit in bits:
        pending += bit
        has_end = has_end or _SENTENCE_END.search(bit) is not None
        if not has_end or len(pending) < next_look:
            continue
        finished = _finished(pending, language)
        yield from (pending[start:end] for start, end in finished)
        if finished:
            pending = pending[finished[-1][1] :]
            has_end = _SENTENCE_END.search(pending) is not None
        # A text without an end is not read again with every bit.
        next_look = len(pending) + len(pending) // (8 if len(pending) < _LONG_SENTENCE_CHARACTERS else 1)
    yield from (pending[start:end] for start, end in answer_sentences(pending, language))


def is_claim(sentence: str, language: Language, *, known: frozenset[str] = frozenset()) -> bool:
    """Test whether a sentence states what a note could hold: no question, heading, greeting, announcement, offer or refusal.

    None of these may carry a link, or an amount that is not among ``known``, the content of the sources. A heading, a bold line or a
    line that ends in a colon names nothing that they do not, and is no clause; a greeting or an offer is made of ``aside_words``
    alone, and at most of a word for what it is about; a refusal says nothing beside it.
    """
    bare = without_citations(sentence).strip()
    plain = _EMPHASIS.sub("", bare).strip()
    stated = statement_of(plain, language, is_claim=True)
    if stated.is_empty:
        return False
    if _LINK.search(plain) or not amounts_of(stated) <= known:
        return True
    if plain.endswith("?"):
        return False
    if admits_ignorance(plain, language):
        return any(_goes_beyond(part, language) for part in PART_END.split(without_refusal(plain, language)))
    is_label = plain.endswith(":") or _HEADING.fullmatch(bare) is not None
    if is_label and stated.names <= known and not _is_clause(plain, stated, language):
        return False
    aside = statement_of(_ASIDE_TOPIC.sub("", plain), language, is_claim=True).content
    return not aside or not aside <= stems_of(language_of(language).citing.aside_words, language)


def _is_clause(plain: str, stated: Statement, language: Language) -> bool:
    """Test whether a line says something of what it names, as far as its length and its verbs tell."""
    content = stated.content - stated.figures - stems_of(language_of(language).citing.aside_words, language)
    has_verb = language_of(language).citing.label_verb.search(_LAST_COPULA.sub("", plain)) is not None
    return len(content) > MOST_LABEL_WORDS or has_verb


def _goes_beyond(part: str, language: Language) -> bool:
    """Test whether what stands beside a refusal states something; what is denied, or asked, does not."""
    stated = statement_of(part, language, is_claim=True)
    is_silent = language_of(language).citing.indirect_question.match(part.strip()) is not None
    is_silent |= not negation_stems(language).isdisjoint(tokens_of(part, language))
    return not is_silent and _is_clause(part, stated, language)


def _with_replies(text: str, spans: Sequence[Span], language: Language) -> list[Span]:
    """The sentences, with a question and the "Yes." behind it as one."""
    joined = list(spans[:1])
    for before, (start, end) in pairwise(spans):
        if _is_question(text[slice(*before)]) and _is_reply(text[start:end], language):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def _is_question(sentence: str) -> bool:
    return _EMPHASIS.sub("", without_citations(sentence)).rstrip().endswith("?")


def _is_reply(sentence: str, language: Language) -> bool:
    """A reply is shorter than what is kept back before a sentence is given away, so that no stream parts it from its question."""
    bare = without_citations(sentence).strip()
    if len(bare) >= LEAST_TAIL_CHARACTERS:
        return False
    replies, tokens = stems_of(language_of(language).citing.replies, language), frozenset(tokens_of(bare, language))
    return not tokens.isdisjoint(replies) and tokens <= replies | function_stems(language)


def _finished(pending: str, language: Language) -> list[Span]:
    """All sentences but the last; and but the one before it, while too little follows to say that it has ended."""
    pairs, first_open = paired(pending)
    spans = _sentences(pending, pairs, language)
    tail = pending[spans[-1][0] :]
    is_settled = len(without_citations(tail).strip()) >= LEAST_TAIL_CHARACTERS and not _BEGUN_MARK.match(tail)
    return [span for span in spans[: -1 if is_settled else -2] if span[1] <= first_open]


def _with_its_marks(text: str, start: int, marks: Mapping[int, int], marked_until: Mapping[int, int]) -> int:
    """A boundary moved behind the marks that follow it and their signs, or before those that begin the line of what follows."""
    before = start
    while (end := _before_blanks(text, before)) in marked_until:
        before = marked_until[end]
    if before < start and _begins_line(text, before):
        return before
    if _begins_line(text, start):
        return start
    at = _after_blanks(text, start)
    if at not in marks:
        return start
    while at in marks:
        at = _after_blanks(text, _after_signs(text, marks[at]))
        if _begins_line(text, at):
            break
    return at


def _begins_line(text: str, at: int) -> bool:
    line_end = text.rfind("\n", max(0, at - LONGEST_MARK), at)
    return line_end >= 0 and not text[line_end:at].strip()


def _before_blanks(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace() and text[at - 1] != "\n":
        at -= 1
    return at


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _after_signs(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SIGNS:
        at += 1
    return at


def _is_within_mark(text: str, start: int) -> bool:
    return _OPEN_MARK.search(text, max(0, start - LONGEST_MARK), start) is not None
