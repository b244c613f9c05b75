"""Proper names: runs of words with a capital, and what they name. Pure.

A run is typed by the first that speaks: a word beside it ("proyecto", "Frau"), its own words (a first name, "Universidad"), a list
of known names, what other notes call it (``NameEvidence``), its place in the sentence. A word that begins a sentence, and in German
any noun, needs more than its capital. What nothing speaks for is no name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_core.graph.name_evidence import WORD, NameEvidence, folded, never_names
from rag_core.graph.name_runs import (
    INITIAL,
    NameRun,
    NameToken,
    NamingText,
    capitalised_runs,
    is_organisation,
    naming_text,
)
from rag_core.language.languages import language_of
from rag_core.language.names import BRANDS, KNOWN_ORGANISATIONS, KNOWN_PRODUCTS, ORDINARY_CAPITALS
from rag_core.model.entity import EntityKind, NamedMention, NamingMethod
from rag_core.model.note import Language

_TWO_BEFORE = re.compile(r"(?:[^\W_]+[ \t]+){1,3}\Z")
_CODE = re.compile(r"[A-Z]{1,2}\d{1,3}\Z")
_ACRONYM = re.compile(r"[A-ZÄÖÜ]{3,6}\Z")
_Kind = tuple[EntityKind, float, NamingMethod]


def proper_names(text: str, language: Language, evidence: NameEvidence) -> Iterator[NamedMention]:
    """The names in a text from which parsed ones are hidden, in its order."""
    page = naming_text(text, language, evidence)
    for run in capitalised_runs(page):
        yield from _named(page, run)


def _named(page: NamingText, run: NameRun) -> Iterator[NamedMention]:
    """The names in a run: it is parted where one ends, and what is left is read like a run of its own."""
    while run.tokens:
        run = _stripped(page, run)
        if not run.tokens:
            return
        count = _first_name(page, run)
        part = replace(run, tokens=run.tokens[:count])
        if kind := _kind(page, part):
            yield _mention(page, part, kind)
        run = replace(run, tokens=run.tokens[count:], before=part.tokens[-1].key, begins=False, cue=None)
        while run.tokens and not run.tokens[0].has_capital:
            run = run.without(1, before=run.tokens[0].key, cue=None)


def _mention(page: NamingText, run: NameRun, kind: _Kind) -> NamedMention:
    start, end = run.tokens[0].start, run.tokens[-1].end
    if kind[0] == "PERSON" and INITIAL.match(run.tokens[-1].text) and page.text[end : end + 1] == ".":
        end += 1
    article = re.search(r"(?<!\w)\w{2,3} \Z", page.text[max(0, start - 5) : start])
    if kind[0] == "LOCATION" and article and f"{article[0].strip().lower()}~{_spaced(run)}" in page.words.places:
        start -= len(article[0])
    name, last = page.text[start:end], run.tokens[-1].key
    is_genitive = kind[0] == "PERSON" and page.is_person(last) and last not in page.evidence.persons | page.given
    return NamedMention(
        span=(start, end), kind=kind[0], name=name[:-1] if is_genitive else name, confidence=kind[1], method=kind[2]
    )


def _spaced(run: NameRun) -> str:
    return run.key.replace(" ", "~")


def _stripped(page: NamingText, run: NameRun) -> NameRun:
    """The run without the words at its start that are no part of its name, and the kind that they or the word before it tell."""
    label = run.label if run.label == "PROJECT" else None
    run = _without_paper(page, replace(run, cue=run.cue or label or _cue(page, run.before)))
    while run.tokens and not _is_whole(page, run):
        first = run.tokens[0]
        if run.cue == "PERSON" and first.key in page.particles:
            break
        told = _cue(page, first.key)
        if (
            told
            and (len(run.tokens) > 1 or told == "PERSON")
            and not (told == "ORG" and first.key in page.words.organisations)
        ):
            run = run.without(1, before=first.key, cue=told)
            continue
        is_class = told is not None and len(run.tokens) == 1
        if not is_class and not _is_ordinary(page, run) and not _leads_to_name(page, run):
            break
        run = run.without(1, before=first.key, cue=None)
        while run.tokens and not run.tokens[0].has_capital:
            run = run.without(1, before=run.tokens[0].key, cue=None)
    while len(run.tokens) > 1 and run.tokens[-1].key in page.words.titles:
        run = replace(run, tokens=run.tokens[:-1])
    return run


def _without_paper(page: NamingText, run: NameRun) -> NameRun:
    """The run without a project's paper at its start: "A2" of "Plan de A2"."""
    paper = re.match(rf"(?:{page.words.papers})(?=\S)", run.key)
    count = len(paper[0].split()) if paper else 0
    return run.without(count, before=run.tokens[count - 1].key, cue=None) if 0 < count < len(run.tokens) else run


def _is_whole(page: NamingText, run: NameRun) -> bool:
    """Test whether a run begins with a known name, article and particles included ("La Coruña", "De los Reyes"), or a label's."""
    first = run.tokens[0]
    if run.label == "PROJECT" or _spaced(run) in page.words.places or run.key in page.evidence.kinds:
        return True
    behind = re.match(r",[ \t]+([^\W\d_]+)", page.text[run.tokens[-1].end : run.tokens[-1].end + 40])
    return (
        len(run.tokens) > 1 and first.key in page.particles and behind is not None and folded(behind[1]) in page.given
    )


def _cue(page: NamingText, word: str) -> EntityKind | None:
    if word in page.words.titles:
        return "PERSON"
    if word in page.words.projects:
        return "PROJECT"
    if word in page.words.products:
        return "PRODUCT"
    return "ORG" if word in page.words.venues else None


def _is_ordinary(page: NamingText, run: NameRun) -> bool:
    """Test whether the word at the start of a run is no part of a name."""
    first, evidence = run.tokens[0], page.evidence
    is_initial = len(first.key) == 1 and page.text[first.end : first.end + 1] == "."
    if first.key in never_names(page.language) and (run.begins or first.key not in page.given):
        return True
    if first.key in page.function_words and not is_initial:
        return not first.text.isupper() or run.begins or len(first.text) == 1
    if first.key in evidence.kinds or first.key in evidence.persons:
        return False
    return run.begins and evidence.small[first.key] > evidence.capital[first.key]


def _leads_to_name(page: NamingText, run: NameRun) -> bool:
    """Test whether an unknown word that begins a sentence, or a noun, stands before a known name: "Vinieron Amaia Etxeberria"."""
    first = run.tokens[0]
    is_open = run.begins or page.traits.has_capitalised_nouns
    if not is_open or page.is_person(first.key) or INITIAL.match(first.text) or is_organisation(page, first.key):
        return False
    if first.text in KNOWN_PRODUCTS | KNOWN_ORGANISATIONS | BRANDS or first.key in page.evidence.kinds:
        return False
    rest = run.tokens[1:]
    if run.begins and rest and rest[0].text in KNOWN_PRODUCTS | KNOWN_ORGANISATIONS:
        return True
    if run.begins and " ".join(token.key for token in rest) in page.evidence.kinds:
        return True
    return any(token.has_capital and token.key in page.given for token in rest)


def _first_name(page: NamingText, run: NameRun) -> int:
    """Length in words of the first name of a run: as many as are known to be one, else up to where a preposition parts two."""
    tokens, kinds = run.tokens, page.evidence.kinds
    for end in range(len(tokens), 1, -1):
        if " ".join(token.key for token in tokens[:end]) in kinds:
            return end
    capitals = 0
    for index, token in enumerate(tokens):
        if (
            index
            and index + 1 < len(tokens)
            and token.key in page.words.at
            and not token.has_capital
            and _parts(page, tokens, index, capitals)
        ):
            return index
        is_person = index == 1 and page.traits.has_capitalised_nouns and page.is_person(tokens[0].key)
        if is_person and tokens[0].key not in page.given | page.evidence.persons:
            return 1  # "Mias Vorlage"
        capitals += token.has_capital
    return len(tokens)


def _parts(page: NamingText, tokens: Sequence[NameToken], index: int, capitals: int) -> bool:
    rest, following = " ".join(token.key for token in tokens[index + 1 :]), tokens[index + 1]
    is_place = rest.replace(" ", "~") in page.words.places
    is_other = (
        is_place
        or following.text in KNOWN_ORGANISATIONS
        or page.evidence.kinds.get(rest) in {"ORG", "LOCATION", "PROJECT"}
    )
    is_other = is_other or is_organisation(page, following.key)
    if page.is_person(tokens[0].key) or INITIAL.match(tokens[0].text):
        return is_other or (capitals > 1 and following.has_capital and tokens[index].key == "de")
    return is_other and tokens[index - 1].key in page.words.places


def _kind(page: NamingText, run: NameRun) -> _Kind | None:
    if kind := _by_own_words(page, run):
        return kind
    if run.cue and not all(token.key in page.words.particles for token in run.tokens):
        return run.cue, 0.9, "cue"
    if _is_surname_first(page, run):
        return "PERSON", 0.75, "cue"
    return _by_list(page, run) or _by_corpus(page, run) or _by_context(page, run)


def _is_surname_first(page: NamingText, run: NameRun) -> bool:
    """Test whether a line, a sentence or a label is followed by a surname, a comma and a first name."""
    behind = re.match(r",[ \t]+([^\W\d_]+)(\.?)", page.text[run.tokens[-1].end : run.tokens[-1].end + 40])
    if behind is None or not (run.begins or run.label) or run.tokens[0].key in page.given:
        return False
    return folded(behind[1]) in page.given or (len(behind[1]) == 1 and bool(behind[2]))


def _by_own_words(page: NamingText, run: NameRun) -> _Kind | None:
    tokens = run.tokens
    ends = page.words.compound_ends
    has_head = tokens[0].key in page.words.organisations or tokens[-1].key in page.words.last_words
    has_head = has_head or bool(ends and re.search(ends, tokens[0].key))
    if len(tokens) > 1 and has_head and not tokens[-1].key.isdigit():
        return "ORG", 0.9, "cue"
    if len(tokens) > 1 and INITIAL.match(tokens[0].text) and len(tokens[-1].key) > 1 and tokens[-1].text[0].isalpha():
        return "PERSON", 0.9, "cue"
    return None


def _by_list(page: NamingText, run: NameRun) -> _Kind | None:
    return (
        _by_project(page, run)
        or _by_known_name(page, run)
        or _by_place(page, run)
        or _numbered(page, run)
        or _by_given(page, run)
    )


def _by_project(page: NamingText, run: NameRun) -> _Kind | None:
    kinds = page.evidence.kinds
    if kinds.get(run.key) in {"PROJECT", "ORG"}:
        return kinds[run.key], 0.85, "corpus"
    is_next = len(run.tokens) > 1 and run.tokens[-1].text.isdigit()
    is_project = is_next and kinds.get(" ".join(token.key for token in run.tokens[:-1])) == "PROJECT"
    return ("PROJECT", 0.85, "corpus") if is_project else None


def _by_known_name(page: NamingText, run: NameRun) -> _Kind | None:
    first, last = run.tokens[0], run.tokens[-1]
    is_domain = "".join(token.key for token in run.tokens).replace("-", "") in page.evidence.domains
    if is_domain or " ".join(token.text for token in run.tokens) in KNOWN_ORGANISATIONS:
        return "ORG", 0.85, "list"
    if first.text in KNOWN_ORGANISATIONS and first is not last and _ACRONYM.match(last.text):
        return "ORG", 0.8, "list"
    is_product = first.text in KNOWN_PRODUCTS or (first.text in BRANDS and first is not last)
    return ("PRODUCT", 0.85, "list") if is_product else None


def _by_place(page: NamingText, run: NameRun) -> _Kind | None:
    first, places = run.tokens[0], page.words.places
    is_person = len(run.tokens) == 1 and page.is_person(first.key) and run.before not in page.words.towards
    has_article = f"{run.before}~{_spaced(run)}" in places
    return ("LOCATION", 0.85, "list") if (_spaced(run) in places and not is_person) or has_article else None


def _numbered(page: NamingText, run: NameRun) -> _Kind | None:
    """A product by its number: of a model ("T14"), or of a version behind a word that is always written with a capital."""
    number = next((token.text for token in run.tokens[1:] if any(letter.isdigit() for letter in token.text)), "")
    is_model = len(number) > 2 and number.isalnum() and not number.isdigit()
    is_open = run.begins or page.traits.has_capitalised_nouns or page.evidence.small[run.tokens[0].key] > 0
    return ("PRODUCT", 0.7, "context") if number and (is_model or not is_open) else None


def _by_given(page: NamingText, run: NameRun) -> _Kind | None:
    first, is_one = run.tokens[0], len(run.tokens) == 1
    is_word = (run.begins and is_one and page.evidence.small[first.key]) or any(
        token.text[0].isdigit() for token in run.tokens
    )
    return ("PERSON", 0.8 if is_one else 0.9, "list") if first.key in page.given and not is_word else None


def _by_corpus(page: NamingText, run: NameRun) -> _Kind | None:
    if kind := page.evidence.kinds.get(run.key):
        return kind, 0.8, "corpus"
    names = [token for token in run.tokens if token.has_capital]
    is_known = all(page.is_person(token.key) for token in names)
    if not is_known or any(token.text[0].isdigit() for token in run.tokens):
        return None
    return ("PERSON", 0.8, "corpus") if any(token.key not in page.given for token in names) or len(names) > 1 else None


def _by_context(page: NamingText, run: NameRun) -> _Kind | None:
    first, is_one = run.tokens[0], len(run.tokens) == 1
    is_unknown = page.evidence.small[first.key] == 0
    if is_one and (_CODE.match(first.text) or _ACRONYM.match(first.text)):
        return _by_capitals(page, run)
    if is_one and is_unknown and _is_of_project(page, run):
        return "PROJECT", 0.75, "cue"
    if any(token.text[0].isdigit() for token in run.tokens):
        return None
    if run.label and (is_unknown or not is_one):
        return run.label, 0.75, "cue"
    is_open = page.traits.has_capitalised_nouns or (run.begins and is_one)
    return _by_comparison(page, run) or (None if is_open else _by_sentence(page, run))


def _by_comparison(page: NamingText, run: NameRun) -> _Kind | None:
    """The kind of the known name that a name is compared with: "Marea Baja gustó más que Mirlo"; persons are like anything."""
    first = run.tokens[0]
    is_lone = run.begins and len(run.tokens) == 1 and not page.evidence.capital[first.key]
    if is_lone or page.evidence.small[first.key]:
        return None
    end = run.tokens[-1].end
    match = re.match(rf"(?: [^\s.,;:!?]+){{1,4}}? {page.words.compared} (.{{2,60}})", page.text[end : end + 160])
    words = [folded(word) for word in WORD.findall(match[1])[:3]] if match else []
    known = (page.evidence.kinds.get(" ".join(words[:count])) for count in range(len(words), 0, -1))
    return next(((kind, 0.7, "cue") for kind in known if kind and kind != "PERSON"), None)


def _by_capitals(page: NamingText, run: NameRun) -> _Kind | None:
    """A project's code beside its paper or its like ("A1" beside "A2"), and a body's acronym behind an article."""
    first = run.tokens[0]
    if _CODE.match(first.text):
        is_sibling = page.evidence.kinds.get(re.sub(r"\d+\Z", "#", first.key)) == "PROJECT"
        if _is_of_project(page, run):
            return "PROJECT", 0.75, "cue"
        return ("PROJECT", 0.7, "context") if is_sibling else None
    has_article = run.before in language_of(page.language).stop_words.determiners | page.words.at
    is_word = first.text in ORDINARY_CAPITALS or page.evidence.small[first.key] > 0
    return ("ORG", 0.7, "context") if has_article and not is_word else None


def _by_sentence(page: NamingText, run: NameRun) -> _Kind | None:
    """The kind that its place in a sentence tells, where only names have capitals."""
    is_one, capitals = len(run.tokens) == 1, sum(token.has_capital for token in run.tokens)
    if not is_one and run.tokens[0].key in page.words.saints:
        return "LOCATION", 0.6, "context"
    if run.before in page.words.at and run.before not in page.words.links:
        return "ORG", 0.65, "context"
    if run.before in page.words.towards and capitals <= 2:
        return "LOCATION", 0.6, "context"
    has_article = run.before in language_of(page.language).stop_words.determiners
    is_plain = not (
        is_one
        or has_article
        or run.begins
        or len(run.tokens) > 3
        or (run.tokens[0].text.isupper() and len(run.tokens[0].text) > 1)
    )
    return ("PERSON", 0.6, "context") if is_plain else None


def _is_of_project(page: NamingText, run: NameRun) -> bool:
    """Test whether a project's paper stands before a name: "Plan de A2"."""
    start = run.tokens[0].start
    before = _TWO_BEFORE.search(page.text[max(0, start - 40) : start])
    return before is not None and re.search(rf"(?<!\w)(?:{page.words.papers})\Z", f"{folded(before[0])} ") is not None
