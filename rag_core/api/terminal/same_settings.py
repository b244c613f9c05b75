"""Comparison of a command's settings with those of the process that shall answer in its place."""

from collections.abc import Mapping
from typing import Final

from pydantic import SecretStr, ValidationError

from rag_core.access.pseudonyms import pseudonyms
from rag_core.settings import Settings, variable_of
from rag_core.terminal.home_proof import CONCEALED, concealed

OF_NO_ANSWER: Final = frozenset(
    {
        "home",  # the proof says it
        "secret",
        "api_port",
        "api_host",
        "api_url",
        "allowed_hosts",
        "dagster_port",
        "dagster_url",
        "dagster_database_url",
        "questions_per_minute",
        "questions_per_hour",
        "query_cache_seconds",
        "embedding_cache_seconds",
        "context_cache_seconds",
        "log_level",
        "log_text",
        "pool_max_size",
        "requests_at_once",
        "shared_buffers_mb",
        "max_note_characters",
        "chunker",
        "chunker_breaks",
        "context_summaries",
        "embedding_provider",
    }
)
"""Settings that change no search and no answer, beside those of alerts and gates."""
_OF_NO_ANSWER_EITHER: Final = ("alert_", "gate_")


def differing_variables(settings: Settings, environment: Mapping[str, str]) -> list[str]:
    """Variables by which a search or an answer under another environment may differ; values that cannot be read differ too.

    A value that ``environment_of`` concealed is compared as a text.
    """
    given = {name.upper(): value for name, value in environment.items()}
    variables = {name: variable_of(name) for name in Settings.model_fields if not _is_of_no_answer(name)}
    hidden = {name: given[of] for name, of in variables.items() if given.get(of, "").startswith(CONCEALED)}
    values = {name: given[of] for name, of in variables.items() if of in given and name not in hidden}
    try:
        others = Settings.model_validate(values)  # texts, as in an environment
    except ValidationError as error:
        return sorted({variable_of(str(item["loc"][0])) for item in error.errors()})
    names = pseudonyms(settings.home, settings.secret)
    return [
        variable
        for name, variable in variables.items()
        if (
            hidden[name] != concealed(names, _text(getattr(settings, name)))
            if name in hidden
            else getattr(others, name) != getattr(settings, name)
        )
    ]


def _text(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return "" if value is None else str(value)


def _is_of_no_answer(name: str) -> bool:
    return name in OF_NO_ANSWER or name.startswith(_OF_NO_ANSWER_EITHER)
