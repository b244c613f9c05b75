"""The last steps of an answer, with its citations: hide sensitive data, cut what is too long, add a disclaimer.

In this order, each step on what the one before it made: a span is of the text it is used on, a cut takes whole sentences with their
citations, and room for the disclaimer is kept. While an answer comes sentence by sentence ``OutgoingGate`` does the first two to each
sentence, and ``finish`` finds nothing more to hide in what was let out.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_core.answering.verification.held_links import NO_LINKS, HeldLinks
from rag_core.chunking import count_tokens
from rag_core.guardrails import Finding, RedactionPolicy
from rag_core.guardrails.links import find_links
from rag_core.guardrails.outgoing import MAX_ANSWER_TOKENS, Redacted, find_all, fitting_end, hide
from rag_core.guardrails.prompt_echo import PromptEcho
from rag_core.language.languages import language_of
from rag_core.language.messages import AnswerWarning
from rag_core.model.answer import CheckedCitation, CheckedText
from rag_core.model.note import Language, Span

SECRET_KINDS = frozenset({"password", "api_key", "token", "private_key"})
_REMEMBERED_CHARACTERS = 400
"""Characters of earlier sentences read together with the next one, for secrets that are spread over two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """An answer as it may go out, and what was done to it: spans of ``findings`` are of the text before anything was hidden.

    ``disclaimer`` stands at the end of the text after a blank line, None where there is none. ``is_cut`` says that the end is missing.
    """

    checked: CheckedText
    findings: tuple[Finding, ...]
    is_cut: bool
    disclaimer: str | None
    policy: RedactionPolicy
    has_lost_links: bool = False
    """True if addresses were taken out that no cited note holds."""

    def warnings(self, language: Language) -> tuple[str, ...]:
        """Warnings for the reader, as sentences."""
        told = _redaction_warnings(self.findings, self.policy, is_cut=self.is_cut)
        if self.has_lost_links:
            told.append("links")
        return tuple(language_of(language).messages.answer_warnings[kind] for kind in told)


class OutgoingGate:
    """A gate for the sentences of an answer: it hides sensitive data in each, and closes when the answer is long enough.

    One gate an answer; ``findings``, ``is_cut``, ``has_lost_links`` and ``is_blocked`` tell what it did so far. A secret that begins
    in one sentence and ends in a later one is hidden from the later one on; a private key that was begun stays hidden until its end.
    Of what a model writes, addresses stay where ``links`` hold them, and an answer with a long stretch of ``instructions`` is blocked.
    """

    def __init__(
        self,
        *,
        language: Language,
        policy: RedactionPolicy,
        max_tokens: int = MAX_ANSWER_TOKENS,
        links: HeldLinks = NO_LINKS,
        instructions: Sequence[str] = (),
    ) -> None:
        self.findings: tuple[Finding, ...] = ()
        self.is_cut = False
        self.is_blocked = False
        self.has_lost_links = False
        self._language = language
        self._policy = policy
        self._left = max_tokens - _reserve(language)
        self._links = links
        self._echo = PromptEcho(instructions)
        self._before = ""
        self._word_before = ""
        self._is_first = True

    def let_out(self, sentence: CheckedText, *, is_quoted: bool = False) -> CheckedText | None:
        """The sentence as it may be shown, its spans of its own text; None once the answer is long enough or blocked, and ever after.

        What ``is_quoted`` stands in the notes and was written by no model.
        """
        self.is_blocked |= not is_quoted and self._echo.hears(sentence.text)
        if self.is_blocked:
            return None
        sentence = sentence if is_quoted else self._without_foreign_links(sentence)
        findings = self._findings(sentence)
        hidden = _hidden(sentence, findings, self._language) if self._policy == "redact" else sentence
        self._before = _remembered(self._before + sentence.text)
        self._left -= count_tokens(hidden.text)
        if self.is_cut or (self._left < 0 and not self._is_first):
            self.is_cut = True
            return None
        self._is_first = False
        self.findings += findings
        return hidden

    def _without_foreign_links(self, sentence: CheckedText) -> CheckedText:
        """The sentence without the addresses that its citations' evidence does not hold, read on from the word before it."""
        text, shift = self._word_before + sentence.text, len(self._word_before)
        held = self._links.of(sentence.citations)
        foreign = tuple(
            Finding(span=(max(start - shift, 0), end - shift), kind="link")
            for start, end in find_links(text, kept=[(start + shift, end + shift) for start, end in _marks(sentence)])
            if end > shift and text[start:end] not in held
        )
        self.has_lost_links |= bool(foreign)
        shown = _hidden(sentence, foreign, self._language) if foreign else sentence
        self._word_before = _last_word((self._word_before + shown.text)[-_REMEMBERED_CHARACTERS:])
        return shown

    def _findings(self, sentence: CheckedText) -> tuple[Finding, ...]:
        """Findings that end in the sentence, read together with the text before it; spans are of the sentence."""
        if self._policy == "off":
            return ()
        shift = len(self._before)
        kept = [(start + shift, end + shift) for start, end in _marks(sentence)]
        return tuple(
            Finding(span=(max(finding.span[0] - shift, 0), finding.span[1] - shift), kind=finding.kind)
            for finding in find_all(self._before + sentence.text, self._language, kept=kept)
            if finding.span[1] > shift
        )


def finish(
    checked: CheckedText,
    *,
    language: Language,
    policy: RedactionPolicy,
    groundedness: float | None = None,
    least_groundedness: float = 0.7,
    is_refusal: bool = False,
    is_disclaimer_wanted: bool = True,
    is_of_recent_notes: bool = False,
    max_tokens: int = MAX_ANSWER_TOKENS,
    gate: OutgoingGate | None = None,
) -> Finished:
    """The answer as it may go out; a refusal gets no disclaimer, however little of it is held.

    An answer of recent notes, which were read because nothing fits the question, says so in its disclaimer, however much is held.
    With "redact" personal data and secrets are hidden; with "warn" they are told of. The citations' quotes stay what the notes say:
    whoever shows them hides the same (``rag_core.guardrails.policies.hiding``). ``gate`` is the one that the answer's sentences went
    through, whose findings then count as well.
    """
    findings = () if policy == "off" else find_all(checked.text, language, kept=_marks(checked))
    shown = _hidden(checked, findings, language) if policy == "redact" else checked
    end = fitting_end(shown.text, language, max_tokens=max_tokens - _reserve(language), marks=_marks(shown))
    is_cut = end < len(shown.text)
    shown = _cut(shown, end) if is_cut else shown
    is_weak = groundedness is not None and groundedness < least_groundedness and is_disclaimer_wanted
    weak = language_of(language).messages.disclaimer if is_weak else None
    disclaimer = (
        None if is_refusal else language_of(language).messages.recent_notes_disclaimer if is_of_recent_notes else weak
    )
    return Finished(
        checked=replace(shown, text=f"{shown.text.rstrip()}\n\n{disclaimer}") if disclaimer else shown,
        findings=(*(gate.findings if gate and policy == "redact" else ()), *findings),
        is_cut=is_cut or (gate is not None and gate.is_cut),
        disclaimer=disclaimer,
        policy=policy,
        has_lost_links=gate is not None and gate.has_lost_links,
    )


def _hidden(checked: CheckedText, findings: Sequence[Finding], language: Language) -> CheckedText:
    """The text with placeholders; a citation whose mark is in what is hidden, such as a key without an end, goes with it."""
    redacted = hide(checked.text, findings, language)
    return replace(
        checked,
        text=redacted.text,
        citations=tuple(
            _moved(citation, redacted) for citation in checked.citations if not _is_touched(citation.mark, findings)
        ),
        uncited=tuple(redacted.moved(span) for span in checked.uncited),
    )


def _is_touched(span: Span, findings: Sequence[Finding]) -> bool:
    """Test whether any finding, which stand apart and in the text's order, has something of the span."""
    first = bisect_right(findings, span[0], key=lambda finding: finding.span[1])
    return first < len(findings) and findings[first].span[0] < span[1]


def _moved(citation: CheckedCitation, redacted: Redacted) -> CheckedCitation:
    return replace(citation, mark=redacted.moved(citation.mark), claim=redacted.moved(citation.claim))


def _cut(checked: CheckedText, end: int) -> CheckedText:
    text = checked.text[:end].rstrip()
    return replace(
        checked,
        text=text,
        citations=tuple(
            replace(citation, claim=_clipped(citation.claim, len(text)))
            for citation in checked.citations
            if citation.mark[1] <= len(text)
        ),
        uncited=tuple(_clipped(span, len(text)) for span in checked.uncited if span[0] < len(text)),
    )


def _clipped(span: Span, length: int) -> Span:
    return span[0], min(span[1], length)


def _marks(checked: CheckedText) -> list[Span]:
    return sorted({citation.mark for citation in checked.citations})


def _reserve(language: Language) -> int:
    """Tokens that are kept for the longest disclaimer."""
    messages = language_of(language).messages
    return max(count_tokens(f"\n\n{text}") for text in (messages.disclaimer, messages.recent_notes_disclaimer))


def _remembered(text: str) -> str:
    """The text of earlier sentences that the next one is read together with: a private key that has no end yet, else a little."""
    begun = text.rfind("-----BEGIN ")
    if begun >= 0 and "-----END " not in text[begun:]:
        return text[begun:]
    return text[-_REMEMBERED_CHARACTERS:]


def _last_word(text: str) -> str:
    """The text behind the last white space; '' where there is none."""
    return text.rsplit(maxsplit=1)[-1] if text.rstrip() == text and text else ""


def _redaction_warnings(findings: Sequence[Finding], policy: RedactionPolicy, *, is_cut: bool) -> list[AnswerWarning]:
    has_secrets = any(finding.kind in SECRET_KINDS for finding in findings)
    has_personal_data = any(finding.kind not in SECRET_KINDS for finding in findings)
    told: list[AnswerWarning] = []
    if has_secrets:
        told.append("secrets_redacted" if policy == "redact" else "secrets")
    if has_personal_data:
        told.append("personal_data_redacted" if policy == "redact" else "personal_data")
    return [*told, "cut"] if is_cut else told
