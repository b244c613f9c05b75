"""Phone numbers in a text: the matcher of ``phonenumbers`` behind a check that most numbers do not pass. Pure.

``phonenumbers`` takes 100 µs for each number of a text and region, whether it can be dialled or not. What follows of the digits
alone is looked at first: a list of order numbers is read in a tenth of that time, with the same findings.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from phonenumbers import Leniency, PhoneMetadata, PhoneNumberMatch, PhoneNumberMatcher, region_codes_for_country_code

from rag_core.model.note import Span

_PLAIN = re.compile(r"[0-9 \u00a0()./\[\]-]*")
_NO_MATCH = "(?!)"
_ADDED_DIGIT = re.compile(r"(?<!\\)\d")
_KINDS = (
    "fixed_line",
    "mobile",
    "toll_free",
    "premium_rate",
    "shared_cost",
    "personal_number",
    "voip",
    "pager",
    "uan",
    "voicemail",
)
_NOT_DIGITS = re.compile(r"[^0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """Format of some numbers of a region, with the national prefix or without."""

    beginning: re.Pattern[str] | None
    number: re.Pattern[str]
    needs_prefix: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Region:
    """Patterns of a region's numbers: ``end`` finds one at the end of digits, ``prefix`` the digits that may precede it."""

    number: re.Pattern[str]
    end: re.Pattern[str]
    prefix: re.Pattern[str]
    abroad: re.Pattern[str]
    formats: tuple[_Format, ...]

    def may_be(self, digits: str) -> bool:
        """Tell whether digits without a plus sign may be a number of the region, or of another one with the prefix for abroad."""
        if self.abroad.match(digits):
            return True
        if self.prefix.match(digits):
            return self.end.search(digits) is not None
        return self.number.fullmatch(digits) is not None and not self._needs_prefix(digits)

    def _needs_prefix(self, digits: str) -> bool:
        """Tell whether the national prefix is required, by the first format that fits, as ``phonenumbers`` does."""
        for form in self.formats:
            if (form.beginning is None or form.beginning.match(digits)) and form.number.fullmatch(digits):
                return form.needs_prefix
        return False


def _patterns(metadata: PhoneMetadata) -> set[str]:
    """Patterns of numbers of every kind; a valid number matches one."""
    kinds = (getattr(metadata, kind) for kind in _KINDS)
    return {kind.national_number_pattern for kind in kinds if kind is not None and kind.national_number_pattern}


@lru_cache
def _region(name: str) -> _Region:
    metadata = PhoneMetadata.metadata_for_region(name)
    assert metadata is not None
    assert metadata.country_code is not None
    others = map(PhoneMetadata.metadata_for_region, region_codes_for_country_code(metadata.country_code))
    number = "|".join(f"(?:{pattern})" for other in others if other is not None for pattern in _patterns(other))
    return _Region(
        number=re.compile(number),
        end=re.compile(rf"(?:{number})\Z"),
        prefix=re.compile(rf"{metadata.country_code}|{metadata.national_prefix_for_parsing or _NO_MATCH}"),
        abroad=re.compile(metadata.international_prefix or _NO_MATCH),
        formats=tuple(
            _Format(
                beginning=re.compile(form.leading_digits_pattern[-1]) if form.leading_digits_pattern else None,
                number=re.compile(form.pattern or _NO_MATCH),
                needs_prefix=_ADDED_DIGIT.search(form.national_prefix_formatting_rule or "") is not None
                and not form.national_prefix_optional_when_formatting,
            )
            for form in metadata.number_format
        ),
    )


class _Matcher(PhoneNumberMatcher):
    """The matcher, which parses only what may be a number; ``check`` is called before each candidate."""

    def __init__(self, text: str, region: str, *, leniency: int, check: Callable[[], None]) -> None:
        super().__init__(text, region, leniency=leniency)
        self._check = check
        self._region = _region(region)

    def _parse_and_verify(self, candidate: str, offset: int) -> PhoneNumberMatch | None:
        self._check()
        if _PLAIN.fullmatch(candidate) and not self._region.may_be(_NOT_DIGITS.sub("", candidate)):
            return None
        return super()._parse_and_verify(candidate, offset)


def phone_spans(
    text: str, region: str, *, is_strict: bool, least_digits: int, check: Callable[[], None] = lambda: None
) -> Iterator[Span]:
    """Spans of the numbers that can be dialled in a region, or abroad from there; strict ones are grouped as there.

    ``check`` is called between numbers, and may raise to end the search.
    """
    leniency = Leniency.STRICT_GROUPING if is_strict else Leniency.VALID
    for match in _Matcher(text, region, leniency=leniency, check=check):
        if sum(map(str.isdigit, match.raw_string)) >= least_digits:
            yield match.start, match.end
