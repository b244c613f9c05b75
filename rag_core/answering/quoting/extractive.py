"""Answering without a model: the passages of the sources that most likely hold the answer, every sentence cited. Pure."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from rag_core.answering.quoting.asked_words import own_language
from rag_core.answering.quoting.markup import without_markup
from rag_core.answering.quoting.openings import announces, is_ended, is_heading, is_item, without_bullet
from rag_core.answering.quoting.passages import Passage
from rag_core.answering.quoting.selection import NOTHING, Quotation, quote
from rag_core.answering.quoting.sentence_scores import ScoredSentence
from rag_core.answering.sources.context import MAX_CONTEXT_TOKENS, without_marks
from rag_core.answering.totals.total import total_of
from rag_core.answering.verification.citations import parse_citations
from rag_core.answering.verification.tidying import mark_of
from rag_core.chat import Message
from rag_core.language.wordings import NOTES, Wordings, dated
from rag_core.model.answer import AskedTime, PromptContext, Source
from rag_core.model.note import Language
from rag_core.reranking.answer_types import expected_answer
from rag_core.resilience.cancellation import Cancellation

VERSION = "4"
A_DAY = timedelta(days=1, hours=1)
"""A day and the hour that a change of clocks may add."""
_STOPS = ".!?…"
_CLOSERS = "\"'»”\u2019)]"


@dataclass(slots=True)
class ExtractiveAnswerer:
    """Quotes sentences; it writes none itself and needs no time worth bounding. ``quotation`` is what it quoted last."""

    name: str = f"extractive@{VERSION}"
    quotation: Quotation = field(default=NOTHING, init=False)
    wordings: Wordings = field(default_factory=lambda: NOTES)

    def fetch_context_tokens(self, query: str, *, language: Language, history: Sequence[Message] = ()) -> int:  # noqa: ARG002
        """The default for every question: quoting has no limit of its own."""
        return MAX_CONTEXT_TOKENS

    def stream(
        self,
        query: str,
        context: PromptContext,
        *,
        language: Language,
        timeout_seconds: float,  # noqa: ARG002  a fraction of a second at most
        history: Sequence[Message] = (),  # noqa: ARG002  it quotes notes, not conversations
        cancellation: Cancellation | None = None,  # noqa: ARG002
    ) -> Generator[str]:
        """Sentence by sentence, the best first, and those of a time in its order; the question is read in its own language."""
        spoken = own_language(query, language)
        total = total_of(query, context, spoken)
        if total is not None:
            self.quotation = replace(NOTHING, is_added_up=total.value is not None)
            for at, (claim, sources) in enumerate(total.claims(language)):
                yield " " * (at > 0) + _cited(_plain(claim), sources, "")
            return
        self.quotation = quote(query, context, language=spoken)
        is_dated = _asks_when(query, spoken) or _is_longer_than_a_day(context.asked_time)
        quoted = [list(_joined(passage)) for passage in self.quotation.passages]
        for at, passage in enumerate(quoted):
            for place, (text, source) in enumerate(passage):
                tells_day = is_dated and source.is_dated and place == len(passage) - 1
                spelled = dated(source.created_at.date(), self.wordings[language].dated, language)
                yield " " * (at + place > 0) + _cited(text, [source], f" ({spelled})" if tells_day else "")
        if not quoted:
            yield self.wordings[language].no_answer


def _asks_when(query: str, language: Language) -> bool:
    expected = expected_answer(query, language)
    return expected is not None and expected.kind == "date"


def _is_longer_than_a_day(asked: AskedTime | None) -> bool:
    """Test whether notes of several days may be quoted one after the other."""
    return asked is not None and asked.is_all and asked.until - asked.since > A_DAY


def _joined(passage: Passage) -> Iterator[tuple[str, Source]]:
    """Each sentence as it is read, with its source: a heading, and what ends in a colon, stand before what they announce."""
    opening, is_list = "", False
    for at, sentence in enumerate(passage):
        is_list = is_item(sentence.text) and (is_list or bool(opening) or any(map(_is_item, passage[at + 1 : at + 2])))
        plain = _plain(without_bullet(sentence.text) if is_list else sentence.text)
        is_headline = is_heading(sentence.text) and not is_ended(sentence.text)
        if (is_headline or announces(plain)) and at < len(passage) - 1:
            opening += f"{plain.removesuffix(':')}: "
        elif not (at and is_headline):
            yield opening + plain, sentence.source
            opening = ""


def _is_item(sentence: ScoredSentence) -> bool:
    return is_item(sentence.text)


def _plain(text: str) -> str:
    """On one line, without marks of citations and of Markdown."""
    return " ".join(without_marks(without_markup(_uncited(text))).split())


def _uncited(text: str) -> str:
    """Without marks of citations and the blanks before them: a note's "cerró [2]." is read "cerró."."""
    for citation in reversed(parse_citations(text)):
        before, after = text[: citation.span[0]].rstrip(), text[citation.span[1] :]
        text = f"{before} {after}" if after[:1].isalnum() else before + after
    return text


def _cited(plain: str, sources: Sequence[Source], behind: str) -> str:
    """The sentence with its mark before the full stop, and what stands ``behind`` the mark, such as the note's date."""
    unclosed = plain.rstrip(_CLOSERS)
    said = unclosed.rstrip(_STOPS)
    stops = unclosed[len(said) :]
    body = said + ("" if stops == "." * len(stops) else stops) + plain[len(unclosed) :]
    return f"{body} {mark_of([source.number for source in sources])}{behind}."
