"""The environment, read once at an entry point and passed on as values.

Every name is documented in ``docs/configuration.md``; a test holds the two together.
"""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator

from rag_core.errors import ConfigurationError
from rag_core.home.remembered_ports import remembered_ports

TENANT_NAME = "[a-z0-9][a-z0-9_-]{0,62}"
Port = Annotated[int, Field(ge=0, le=65535)]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
AlertSeverity = Literal["info", "warning", "critical"]
AccessMode = Literal["open", "keys"]
_OF_OTHERS: Final = ("database_url", "ollama_host", "llamaparse_api_key")
"""Settings whose variables others read too, so that their names have no prefix."""


class Settings(BaseModel):
    """Settings of the process: places, limits and shares of the machine."""

    model_config = ConfigDict(frozen=True, validate_default=True)

    home: Path = Field(Path(".brain"), description="Folder of the embedded server, Dagster's home and logs.")
    database_url: str | None = Field(
        None,
        description="A PostgreSQL server (16 or later, pgvector 0.8 or later) instead of the embedded one.",
    )
    dagster_database_url: str | None = Field(
        None, description="Dagster's own database; default: a database `<name>_dagster` on the same server."
    )
    tenant: str | None = Field(
        None, description="Whose notes to use; default: `default`, or the demo while that is empty."
    )
    timezone: str = Field("Europe/Madrid", description="Zone of dates that carry none, and of the schedules.")
    api_port: Port = Field(
        8000, description="Port of the API and its page; default: the one that `brain up` was given last."
    )
    api_host: str = Field("127.0.0.1", description="Address the API listens on; others than loopback need keys.")
    allowed_hosts: str = Field(
        "", description="Names, separated by commas, that requests may call this machine by beside those of loopback."
    )
    access: AccessMode = Field(
        "open", description="`open`: whoever reaches the API may do everything; `keys`: each request carries a key."
    )
    secret: SecretStr | None = Field(
        None, min_length=32, description="What pseudonyms are made with; default: a file in the home, made once."
    )
    questions_per_minute: int | None = Field(
        None, ge=1, description="Questions a caller may ask in a minute; default: 10 with a key, else any number."
    )
    questions_per_hour: int | None = Field(
        None, ge=1, description="Questions a caller may ask in an hour; default: 100 with a key, else any number."
    )
    mcp_key: SecretStr | None = Field(
        None, description="Key whose permissions `brain mcp` has; default: it reads only."
    )
    dagster_port: Port = Field(
        3000, description="Port of Dagster's UI, on loopback; default: the one that `brain up` was given last."
    )
    ollama_host: str = Field("http://127.0.0.1:11434", description="Ollama's server; used only by models that say so.")
    chat_model: str | None = Field(
        None, description="A chat model for answers, HyDE, LLM re-ranking, summaries and relations; default: none."
    )
    chat_context_tokens: int = Field(
        8192, ge=1024, description="Tokens of a chat model's context that are used, prompt and answer together."
    )
    answer_context_tokens: int = Field(
        3000,
        ge=100,
        description="Tokens of sources that an answer is made from, less where the model's context is small.",
    )
    answer_candidates: int = Field(
        30,
        ge=1,
        le=50,
        description="Candidates that an answer's sources are chosen from, unless a configuration says it.",
    )
    answer_sources: int = Field(
        8, ge=1, le=12, description="Passages that an answer is made from at most, unless a configuration says it."
    )
    answer_recent_notes: bool = Field(
        default=True,
        description="Whether `POST /chat` and `brain ask` read the newest notes where nothing fits the question.",
    )
    chat_provider: str = Field("ollama", description="Who serves the chat models: `ollama`, `openai` or a plugin's.")
    chat_url: str | None = Field(
        None, description="Address of the server of provider `openai`; others than loopback get questions and notes."
    )
    chat_api_key: SecretStr | None = Field(None, description="Key for that server, sent as bearer token.")
    judge_model: str | None = Field(
        None, description="A chat model that judges answers; default: the chat model, its own answers too."
    )
    embedding_provider: str | None = Field(
        None,
        description="What a new home embeds with: `e5` or `use` (meanings, in this process), `hashing` or a plugin's.",
    )
    chunker: str = Field(
        "sentence, document=hierarchical",
        description="What cuts notes into chunks: `sentence`, `semantic`, `late`, `fixed`, `table`, `hierarchical` or a plugin's, "
        "and after a comma what differs by kind or tenant: `sentence, document=hierarchical, ana/document=semantic`.",
    )
    chunker_breaks: str = Field(
        "percentile:95",
        description="Distance between sentences that parts chunks of `semantic`: `percentile:N`, `standard_deviation:N` or "
        "`interquartile:N`.",
    )
    ollama_concurrency: int = Field(5, ge=1, le=64, description="Calls to Ollama and the chat server at a time.")
    context_summaries: bool = Field(
        default=False,
        description="Embed chunks with a summary of their note by the chat model, not with its first words.",
    )
    reranker: str = Field(
        "embedded", description="What re-ranks: `embedded`, `llm`, `http`, `cross_encoder` or a plugin's."
    )
    reranker_url: str | None = Field(None, description="Address of the re-ranking server, without `/rerank`.")
    reranker_model: str | None = Field(None, description="Name of the model the re-ranking server shall use.")
    reranker_api_key: SecretStr | None = Field(None, description="Key for the re-ranking server, sent as bearer token.")
    reranker_classifications: str = Field(
        "", description="Classifications, separated by commas, of notes that a re-ranking server elsewhere may get."
    )
    reranker_path: Path | None = Field(
        None, description="Folder with the cross-encoder's `model.onnx` and `tokenizer.json`."
    )
    chat_timeout_ms: int = Field(
        30_000, ge=100, description="Time for writing one answer, after its sources were found."
    )
    session_days: int = Field(30, ge=1, description="How long a conversation is kept after its last question.")
    session_idle_minutes: int = Field(
        60, ge=1, description="A conversation in which nothing is asked for so long ends at its last question."
    )
    answer_evidence: float = Field(
        0.3,
        ge=0,
        le=1,
        description="With less evidence among its sources a question gets no answer; 0: every one does.",
    )
    answer_rerank_score: float = Field(
        0.6, ge=0, le=1, description="The same for the best score of a re-ranker whose scores are probabilities."
    )
    answer_groundedness: float = Field(
        0.7, ge=0, le=1, description="An answer of which less is held by its sources is of low confidence."
    )
    answer_reject_low_groundedness: bool = Field(
        default=False, description="Whether an answer below that is refused; a request of RAG V2 may say otherwise."
    )
    answer_disclaimer: bool = Field(
        default=True, description="Whether one that is not refused ends with a disclaimer; the same."
    )
    answer_judge: bool = Field(
        default=False,
        description="Whether the chat model is asked if the sources say what its answer cites, at the end.",
    )
    guardrails_injection: Literal["block", "warn", "off"] = Field(
        "block",
        description="Questions that would command the model: refused, answered with a warning, or not looked at.",
    )
    guardrails_judge: bool = Field(
        default=False, description="Whether the chat model is asked if a question tries to command it, after the rules."
    )
    guardrails_personal_data: Literal["redact", "warn", "off"] | None = Field(
        None,
        description="Personal data and secrets in answers: hidden, told of, or not looked for; default: hidden in RAG V2, told of "
        "elsewhere.",
    )
    guardrails_warn_score: float = Field(
        0.5, gt=0, le=1, description="A question that scores as much by the rules, or by the judge, brings a warning."
    )
    guardrails_block_score: float = Field(
        0.8, gt=0, le=1, description="With `block` one that scores as much is refused; not below the warning's score."
    )
    guardrails_question_min_characters: int = Field(
        3, ge=1, le=2000, description="Shorter questions are refused by RAG V2; the other contracts refuse empty ones."
    )
    guardrails_question_max_characters: int = Field(
        2000, ge=10, le=2000, description="Longer questions are refused; a search reads no more than 2,000 characters."
    )
    guardrails_answer_max_tokens: int = Field(
        4000, ge=100, le=32_000, description="An answer is cut after the last sentence that fits."
    )
    query_cache_seconds: int = Field(300, ge=0, description="How long an answer is kept; 0: not at all.")
    embedding_cache_seconds: int = Field(3600, ge=0, description="How long a query's vector is kept; 0: not at all.")
    context_cache_seconds: int = Field(7200, ge=0, description="How long a window's text is kept; 0: not at all.")
    dagster_url: str | None = Field(
        None, description="Where people reach Dagster's UI, for links; default: 127.0.0.1 and its port."
    )
    api_url: str = Field(
        "",
        description="Where people reach the page, for links; default: 127.0.0.1 and the API's port.",
    )
    alert_urls: SecretStr | None = Field(
        None, description="Who is told of alerts: apprise's addresses, separated by blanks or commas."
    )
    alert_least_severity: AlertSeverity = Field("warning", description="Less severe alerts are recorded only.")
    alert_cooldown_hours: float = Field(6, gt=0, le=168, description="When people are reminded of what goes on.")
    alert_latency_ms: float = Field(2000, gt=0, description="A higher p95 of ten minutes is an alert.")
    alert_error_rate: float = Field(0.05, ge=0, le=1, description="A larger share of failed requests is an alert.")
    alert_least_requests: int = Field(20, ge=1, description="Fewer requests in ten minutes are not judged.")
    alert_stale_hours: float = Field(3, gt=0, description="Notes that are stale for longer are an alert.")
    alert_graph_lag_minutes: float = Field(
        15, gt=0, description="A note that the graph has not read for longer is an alert."
    )
    alert_unevaluated_hours: float = Field(
        36, gt=0, description="A longer time without nightly evaluation is an alert."
    )
    alert_stalled_minutes: float = Field(
        30, gt=0, description="A migration that chunks nothing for longer is an alert."
    )
    alert_silent_minutes: float = Field(5, ge=2, description="An API process without figures for longer is an alert.")
    gate_hit_rate: float = Field(
        0.85, ge=0, le=1, description="A lower hit rate @10 of the best hybrid strategy fails the evaluation's gate."
    )
    gate_latency_ms: float = Field(2000, gt=0, description="A higher p95 of any strategy fails the evaluation's gate.")
    gate_goes_back: bool = Field(
        default=False, description="Whether a promotion after which the nightly gate fails is taken back by itself."
    )
    log_level: LogLevel = Field("INFO", description="Least severe record that is logged.")
    log_text: bool = Field(default=False, description="Whether logs may hold the text of queries and notes.")
    max_note_characters: int = Field(1_000_000, ge=1, le=10_000_000, description="Longer notes are rejected.")
    note_version_days: int = Field(
        30, ge=0, le=36_500, description="How long earlier versions of notes and deleted notes are kept; 0 keeps none."
    )
    document_max_mb: int = Field(100, ge=1, le=500, description="Larger files are refused.")
    uploads_max_mb: int = Field(10_000, ge=1, description="All uploads of a tenant together have no more.")
    uploads_max_files: int = Field(100_000, ge=1, description="A tenant has no more uploads.")
    uploads_max_pages: int = Field(1_000_000, ge=1, description="All uploads of a tenant together have no more.")
    document_max_pages: int = Field(2000, ge=1, description="Documents with more pages are refused.")
    document_seconds: float = Field(120, ge=1, description="A file that takes longer to parse has failed.")
    document_memory_mb: int = Field(2000, ge=256, description="Memory of a process that parses files.")
    parser_primary: Literal["native", "docling", "llamaparse"] = Field(
        "native", description="Who reads files: the embedded parser, or a service that is set up."
    )
    parser_fallbacks: str = Field(
        "table_heavy, complex_layout, docling_failed",
        pattern=r"^( *(table_heavy|complex_layout|docling_failed|handwritten) *(,|$))*$",
        description="When another one reads a file: tables, columns, a failure of the first, handwriting.",
    )
    parser_validate: bool = Field(
        default=False, description="Whether tables are compared with those of a second parser."
    )
    docling_url: str | None = Field(None, description="Address of a docling-serve, without `/v1`.")
    docling_api_key: SecretStr | None = Field(None, description="Key for it, sent as `X-Api-Key`.")
    docling_ocr_enabled: bool = Field(default=True, description="Whether it recognises the text of images.")
    docling_ocr_languages: str = Field(
        "de,en,es", pattern=r"^[A-Za-z][\w-]{0,19}( *, *[A-Za-z][\w-]{0,19})*$", description="Codes of its engine."
    )
    docling_table_mode: Literal["fast", "accurate"] = Field("accurate", description="How it reads tables.")
    llamaparse_enabled: bool = Field(
        default=False, description="Whether documents may be sent to LlamaParse, a service in the cloud."
    )
    llamaparse_classifications: str = Field(
        "", description="Classifications, separated by commas, of the uploads that may be sent; others never are."
    )
    llamaparse_api_key: SecretStr | None = Field(None, description="Key for LlamaParse.")
    llamaparse_url: str = Field("https://api.cloud.llamaindex.ai", description="Address of LlamaParse.")
    ingest_hosts: str = Field(
        "", description="Hosts, separated by commas, that `POST /api/ingest` may fetch from; `*`: any public one."
    )
    ingest_folders: str = Field(
        "", description="Folders, separated as in `PATH`, that `POST /api/ingest` may read documents from."
    )
    dagster_previews: bool = Field(
        default=False, description="Whether Dagster's metadata may hold words of other notes than the demo's."
    )
    request_timeout_ms: int = Field(2000, ge=50, description="Time for one retrieval, all stages together.")
    pool_max_size: int = Field(20, ge=2, le=80, description="Connections the API keeps at most.")
    requests_at_once: int = Field(
        12,
        ge=4,
        le=64,
        description="Requests with keys that are worked on at a time; a tenant gets half, beside others one or two.",
    )
    plugins: str = Field(
        "",
        pattern=r"^[\w.]*( *, *[\w.]+)*$",
        description="Modules, separated by commas, that add chunkers, models and the like.",
    )
    shared_buffers_mb: int | None = Field(
        None, ge=16, description="Memory of the embedded server; default: by the machine."
    )

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        return home.expanduser().resolve()

    @field_validator(
        "database_url",
        "dagster_database_url",
        "tenant",
        "embedding_provider",
        "chat_model",
        "chat_url",
        "chat_api_key",
        "judge_model",
        "reranker_url",
        "reranker_model",
        "dagster_url",
        "docling_url",
        "docling_api_key",
        "llamaparse_api_key",
        "alert_urls",
        "secret",
        mode="before",
    )
    @classmethod
    def _empty_is_unset(cls, value: str | None) -> str | None:
        return value or None

    @field_validator("tenant")
    @classmethod
    def _named_tenant(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(TENANT_NAME, name):
            raise ValueError("no name for a tenant; use lower-case letters, digits, - and _, at most 63")
        return name

    @field_validator("guardrails_block_score")
    @classmethod
    def _not_below_warning(cls, score: float, others: ValidationInfo) -> float:
        warning = others.data.get("guardrails_warn_score", 0.0)
        if score < warning:
            raise ValueError(f"expected at least BRAIN_GUARDRAILS_WARN_SCORE, {warning}")
        return score

    @field_validator("api_url")
    @classmethod
    def _reachable_page(cls, address: str, others: ValidationInfo) -> str:
        return address.rstrip("/") or f"http://127.0.0.1:{others.data.get('api_port')}"

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"no time zone named {name!r}; use an IANA name such as Europe/Madrid") from error
        return name

    @cached_property
    def zone(self) -> ZoneInfo:
        """The zone of dates without one."""
        return ZoneInfo(self.timezone)

    @property
    def dagster_page(self) -> str:
        """Address of Dagster's UI for users."""
        return self.dagster_url or f"http://127.0.0.1:{self.dagster_port}"

    @property
    def dagster_home(self) -> Path:
        """Folder in which Dagster reads its dagster.yaml."""
        return self.home / "dagster"


def read_settings(**overrides: object) -> Settings:
    """Read the environment, and the ports that the home remembers; keyword arguments win over both.

    Raises:
        ConfigurationError: a value is out of bounds; the message names the variable.
    """
    settings = _checked(overrides)
    remembered = remembered_ports(settings.home)
    left = {name: port for name, port in remembered.items() if name not in settings.model_fields_set}
    return _checked({**overrides, **left}) if left else settings


def variable_of(setting: str) -> str:
    """The environment's name of a setting: ``BRAIN_API_PORT`` of ``api_port``."""
    return setting.upper() if setting in _OF_OTHERS else f"BRAIN_{setting.upper()}"


def _checked(overrides: Mapping[str, object]) -> Settings:
    environment = {name.upper(): value for name, value in os.environ.items()}
    variables = ((name, variable_of(name)) for name in Settings.model_fields)
    read = {name: environment[variable] for name, variable in variables if variable in environment}
    try:
        return Settings.model_validate({**read, **overrides})
    except ValidationError as error:
        raise ConfigurationError("; ".join(_line(item) for item in error.errors())) from error


def _line(item: object) -> str:
    details = dict(item)  # type: ignore[call-overload]
    name = str(details["loc"][0])
    given = "" if _is_secret(name) else f"={details.get('input')!r}"
    return f"{variable_of(name)}{given}: {details['msg']}"


def _is_secret(name: str) -> bool:
    field = Settings.model_fields.get(name)
    return field is not None and SecretStr in (field.annotation, *get_args(field.annotation))
