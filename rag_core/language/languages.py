"""The languages that are spoken here: one folder each, found and checked when it is loaded.

A folder is named by the code of its language and has a file for every field of ``LanguageWords``; the file holds the value of that
field under the field's name in capitals (``es/times.py``: ``TIMES``). A new language is a new folder.
"""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from rag_core import language as folders
from rag_core.errors import LanguageError
from rag_core.language import LANGUAGES
from rag_core.language.answer_types import AnswerTypeWords
from rag_core.language.causality import CausalLanguage
from rag_core.language.citing import CitingWords
from rag_core.language.context import ContextWording
from rag_core.language.document_types import DocumentTypeWords
from rag_core.language.follow_ups import FollowUpWords
from rag_core.language.hyde import HydeWording
from rag_core.language.instructions import Instructions
from rag_core.language.intents import IntentWording
from rag_core.language.messages import Messages
from rag_core.language.names import NameWords
from rag_core.language.proposing import ProposalWording
from rag_core.language.quantities import QuantityWords
from rag_core.language.questions import QuestionWording
from rag_core.language.refusals import RefusalWords
from rag_core.language.relations import RelationWords
from rag_core.language.routing import RoutingWording
from rag_core.language.secrets import SecretWords
from rag_core.language.sentences import SentenceWords
from rag_core.language.stop_words import StopWords
from rag_core.language.subject_changes import SubjectChangeWords
from rag_core.language.times import TimeWording
from rag_core.language.totals import TotalWords
from rag_core.language.traits import LanguageTraits
from rag_core.language.word_forms import WordForms
from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWords:
    """The words of one language, by their use."""

    answer_types: AnswerTypeWords
    causality: CausalLanguage
    citing: CitingWords
    context: ContextWording
    document_types: DocumentTypeWords
    follow_ups: FollowUpWords
    hyde: HydeWording
    instructions: Instructions
    intents: IntentWording
    messages: Messages
    names: NameWords
    proposing: ProposalWording
    quantities: QuantityWords
    questions: QuestionWording
    refusals: RefusalWords
    relations: RelationWords
    routing: RoutingWording
    secrets: SecretWords
    sentences: SentenceWords
    stop_words: StopWords
    subject_changes: SubjectChangeWords
    times: TimeWording
    totals: TotalWords
    traits: LanguageTraits
    word_forms: WordForms


@cache
def language_of(language: Language) -> LanguageWords:
    """Words of a language, loaded on first use.

    Raises:
        LanguageError: its folder lacks a file, or a file lacks a value; the message names all that is missing.
    """
    return load_language(language)


def any_word(words: Callable[[LanguageWords], Iterable[str]]) -> str:
    """Pattern of the words of all languages, for a text whose language is not known."""
    return "|".join(dict.fromkeys(word for language in LANGUAGES for word in words(language_of(language))))


def load_language(language: str) -> LanguageWords:
    """Load the folder of a language and check that it is complete; raises like ``language_of``."""
    values: dict[str, Any] = {}
    missing: list[str] = []
    for field in fields(LanguageWords):
        try:
            values[field.name] = _value(f"{folders.__name__}.{language}.{field.name}", field.name.upper(), field.type)
        except LanguageError as error:
            missing.append(str(error))
    if missing:
        raise LanguageError(f"language {language!r} is incomplete: {'; '.join(missing)}")
    return LanguageWords(**values)


def _value(module: str, name: str, kind: Any) -> Any:
    path = "/".join(module.split(".")[-2:]) + ".py"
    try:
        value = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if not module.startswith(error.name or ""):  # an import inside the file
            raise
        raise LanguageError(f"no file {path}") from error
    except TypeError as error:
        raise LanguageError(f"{path}: {error}") from error
    if not isinstance(value, kind):
        raise LanguageError(f"{path} has no {name} of type {kind.__name__}")
    return value


if TYPE_CHECKING:
    LanguageChoice = str
else:
    LanguageChoice = Literal[LANGUAGES]
"""Type of a field of a Pydantic model that takes the code of a language, and no other text."""
