"""Place of an answer's evidence in a note, as an address says it: ``120-184-1f3a9c02``. Pure.

The last part is of the words that were cited: a note that was changed since is not marked at another sentence.
"""

import hashlib
import re

from rag_core.model.note import Span

_WRITTEN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(?:-([0-9a-f]{8}))?")


def written_span(span: Span, quote: str) -> str:
    """The span, in code points, with what tells whether its words are still the same."""
    return f"{span[0]}-{span[1]}-{_fingerprint(quote)}"


def read_span(written: str, content: str) -> Span | None:
    """The span of the note's content; None where it is none of it, or its words are others now."""
    found = _WRITTEN.fullmatch(written)
    if found is None:
        return None
    start, end = int(found[1]), int(found[2])
    is_within = start < end <= len(content)
    is_same = found[3] is None or found[3] == _fingerprint(content[start:end])
    return (start, end) if is_within and is_same else None


def _fingerprint(quote: str) -> str:
    return hashlib.sha256(quote.encode(errors="surrogatepass")).hexdigest()[:8]
