"""Checks of what Brain Sync needs, each finding with its remedy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote

from rag_core.access.exposure import check_exposure
from rag_core.access.pseudonyms import FILE_NAME
from rag_core.chat import chat_provider
from rag_core.configuration.served import served_configuration
from rag_core.embedding import provider_of
from rag_core.embedding.first import find_model_of_meaning, how_to_change
from rag_core.errors import ConfigurationError, RagError
from rag_core.folders.opening import classifications_that_leave, open_docling
from rag_core.model.addresses import leaves_machine
from rag_core.model.counting import in_english
from rag_core.model.embedding import EmbeddingModel
from rag_core.operation.running_api import fetch_access
from rag_core.operation.running_parts import read_parts
from rag_core.parsing.recognition import can_recognise
from rag_core.parsing.services.options import DoclingOptions
from rag_core.runtime.engine import open_engine
from rag_core.runtime.homes import check_home
from rag_core.settings import Settings, read_settings
from rag_core.storage.api_keys import list_keys
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database
from rag_core.storage.documents import list_folders
from rag_core.storage.migrate import read_migrations
from rag_core.storage.models import list_models
from rag_core.storage.status import fetch_server_facts

_OLLAMA_SECONDS = _SERVICE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """One check: what was found, and what to do when it is not well."""

    name: str
    is_ok: bool
    found: str
    remedy: str = ""

    def to_json(self) -> dict[str, object]:
        """The finding as JSON."""
        return {"name": self.name, "ok": self.is_ok, "found": self.found, "remedy": self.remedy}


def examine() -> list[DoctorFinding]:
    """Every check; those that need the database are left out when it cannot be opened."""
    try:
        settings = read_settings()
    except RagError as error:
        return [
            DoctorFinding(name="settings", is_ok=False, found=str(error), remedy="correct the environment variable")
        ]
    database, registered = _database(settings)
    return [
        DoctorFinding(name="settings", is_ok=True, found=f"home {settings.home}, time zone {settings.timezone}"),
        *database,
        *_secret(settings),
        _running(settings),
        *_ollama(settings, registered),
        *_parsers(settings),
    ]


def _database(settings: Settings) -> tuple[list[DoctorFinding], list[EmbeddingModel]]:
    """Findings on the database, and the embedding models it knows."""
    try:
        check_home(settings)
        with open_engine(settings) as engine:
            with engine.database.owner() as connection:
                registered = [known.model for known in list_models(connection)]
                better = find_model_of_meaning(connection, settings)
                usable = sum(key.is_usable(datetime.now(UTC)) for key in list_keys(connection))
            return [
                *_server(engine.database, engine.settings),
                _access(_as_running(settings), usable),
                _model(engine.model, engine.settings, registered, better),
                *_configurations(engine.database, engine.model),
                *_folders(engine.database),
            ], registered
    except RagError as error:
        return [DoctorFinding(name="database", is_ok=False, found=str(error), remedy="as the message says")], []


def _server(database: Database, settings: Settings) -> Iterator[DoctorFinding]:
    facts = fetch_server_facts(database)
    kind = "DATABASE_URL" if settings.database_url else "embedded"
    yield DoctorFinding(name="PostgreSQL", is_ok=True, found=f"{facts.server}, {kind}")
    yield DoctorFinding(name="pgvector", is_ok=True, found=facts.pgvector)
    newest = read_migrations()[-1].version
    yield DoctorFinding(
        name="schema", is_ok=facts.migration == newest, found=f"migration {facts.migration} of {newest}"
    )
    is_isolated = facts.can_bypass is False and facts.open_tables == 0
    ability = "CAN" if facts.can_bypass else "cannot"
    yield DoctorFinding(
        name="tenant isolation",
        is_ok=is_isolated,
        found=f"role brain_app {ability} bypass row-level security, {facts.open_tables} tables without it",
        remedy="" if is_isolated else "ALTER ROLE brain_app NOSUPERUSER NOBYPASSRLS",
    )


def _as_running(settings: Settings) -> Settings:
    """The settings with the access of the API that `brain up` runs in their home, whatever this shell's environment says."""
    access = fetch_access(port=settings.api_port, home=settings.home)
    return settings if access is None else settings.model_copy(update={"access": access})


def _access(settings: Settings, usable_keys: int) -> DoctorFinding:
    """Finding on access: with keys, or open to whoever reaches the API."""
    keys = in_english(usable_keys, "usable key")
    if settings.access == "keys":
        return DoctorFinding(
            name="access",
            is_ok=usable_keys > 0,
            found=f"by key, {keys}; the API listens on {settings.api_host}",
            remedy="" if usable_keys else "`brain key create NAME`",
        )
    try:
        check_exposure(settings)
    except ConfigurationError as error:
        return DoctorFinding(name="access", is_ok=False, found="open", remedy=str(error))
    unused = f"; {keys} that nobody is asked for until BRAIN_ACCESS=keys" if usable_keys else ""
    return DoctorFinding(
        name="access",
        is_ok=True,
        found=f"open: whoever reaches {settings.api_host}:{settings.api_port} reads and changes all notes{unused}",
    )


def _secret(settings: Settings) -> Iterator[DoctorFinding]:
    """Finding on who can read the secret of the pseudonyms on this machine; nothing before it is made."""
    path = settings.home / FILE_NAME
    if settings.secret is not None or not path.exists():
        return
    is_private = path.stat().st_mode & 0o077 == 0
    yield DoctorFinding(
        name="secret",
        is_ok=is_private,
        found=f"{path}, readable by {'its owner alone' if is_private else 'others too'}",
        remedy="" if is_private else f"chmod 600 {path}",
    )


def _running(settings: Settings) -> DoctorFinding:
    """Finding on `brain up` in this home, and its address; not running is no failure, a part that is down is one."""
    parts = read_parts(settings.home)
    if parts is None:
        return DoctorFinding(name="brain up", is_ok=True, found="does not run")
    down = [f"{name} is {state}" for name, state in parts.items() if state != "runs"]
    return DoctorFinding(
        name="brain up",
        is_ok=not down,
        found=f"runs; the page is {settings.api_url}/, Dagster {settings.dagster_page}/",
        remedy="; ".join(down),
    )


def _model(
    model: EmbeddingModel, settings: Settings, registered: Sequence[EmbeddingModel], better: EmbeddingModel | None
) -> DoctorFinding:
    problem = provider_of(model).find_fault(model, settings, _OLLAMA_SECONDS)
    return DoctorFinding(
        name="embedding model",
        is_ok=problem is None,
        found=f"{model.name}, {model.dimensions} dimensions, provider {model.provider}, fusion {model.fusion_method}"
        + "".join(_ready(other.name) for other in registered if other.state == "ready")
        + (f"; {better.name} knows meanings: {how_to_change(better)}" if better is not None else ""),
        remedy=problem or "",
    )


def _configurations(database: Database, model: EmbeddingModel) -> Iterator[DoctorFinding]:
    """Findings on the configurations served to every tenant that has promotions."""
    for tenant in list_tenants(database):
        served = served_configuration(database, tenant, model)
        if served.promotion is None:
            continue
        left_out = (
            f"; its values for {served.embedding_model} are left out" if served.is_model_dependent_left_out else ""
        )
        yield DoctorFinding(
            name="configuration",
            is_ok=not served.problems,
            found=f"{tenant} is served {served.name}, re-ranker weights {served.weights.version}{left_out}",
            remedy="; ".join(served.problems)
            or ("`brain tune` finds values for the model that is active" if left_out else ""),
        )


def _folders(database: Database) -> Iterator[DoctorFinding]:
    """Folders whose last import left something undone, or with files that were not taken."""
    for tenant in list_tenants(database):
        with database.transaction(tenant) as connection:
            folders = list_folders(connection, tenant)
        for folder in folders:
            untaken = folder.refused + folder.failed
            if folder.problem or untaken:
                yield DoctorFinding(
                    name="folders",
                    is_ok=folder.problem is None,
                    found=folder.problem or f"files of {folder.source} that could not be taken: {untaken:,}",
                    remedy=f"see `brain folder status {quote(folder.source)} --problems`",
                )


def _ready(name: str) -> str:
    return (
        f"; {name} is ready: `brain models evaluate {name}` compares it with this one, `brain models promote {name}` puts it in its "
        "place"
    )


def _ollama(settings: Settings, registered: Sequence[EmbeddingModel]) -> Iterator[DoctorFinding]:
    """Ollama is optional: its absence is said, and is a failure only of what was configured to use it."""
    from rag_core.chat.ollama_client import fetch_model_names

    try:
        names = fetch_model_names(settings.ollama_host, timeout_seconds=_OLLAMA_SECONDS)
    except ConfigurationError as error:
        yield DoctorFinding(name="Ollama", is_ok=False, found=str(error), remedy="correct OLLAMA_HOST")
        names = None
    else:
        yield DoctorFinding(name="Ollama", is_ok=True, found=_ollama_found(settings, names, registered))
    yield _chat(settings, has_server=names is not None)


def _ollama_found(settings: Settings, names: list[str] | None, registered: Sequence[EmbeddingModel]) -> str:
    if names is None:
        return f"nobody answers at {settings.ollama_host}; not needed, everything runs without"
    models = ", ".join(names) or "none yet"
    return (
        f"answers at {settings.ollama_host}, models: {models}; it embeds once a model of provider `ollama` is registered "
        f"and promoted{_unregistered(settings, names, registered)}"
    )


def _unregistered(settings: Settings, names: Sequence[str], registered: Sequence[EmbeddingModel]) -> str:
    """Hint on registering an embedding model that the server has and the registry does not know."""
    from rag_core.chat.ollama_client import list_embedding_models

    known = {model.name for model in registered}
    new = [name for name in names if name.removesuffix(":latest") not in known]
    embedding = list_embedding_models(settings.ollama_host, new, timeout_seconds=_OLLAMA_SECONDS)
    return "".join(_how_to_use(name.removesuffix(":latest")) for name in embedding)


def _how_to_use(name: str) -> str:
    steps = ", ".join(f"`brain models {step} {name}`" for step in ("add", "backfill", "evaluate", "promote"))
    return f"; {name} can embed: {steps}"


def _chat(settings: Settings, *, has_server: bool) -> DoctorFinding:
    name = settings.chat_model
    if name is None:
        how = "`ollama pull llama3.2` and BRAIN_CHAT_MODEL=llama3.2" if has_server else "Ollama and BRAIN_CHAT_MODEL"
        return DoctorFinding(name="chat model", is_ok=True, found=f"none; not needed, {how} would give one")
    try:
        provider = chat_provider(settings)
        problem = provider.find_fault(name, settings, _OLLAMA_SECONDS)
        address = provider.find_address(settings)
    except ConfigurationError as error:
        problem, address = str(error), None
    if problem is not None:
        return DoctorFinding(
            name="chat model", is_ok=False, found=f"{name}, BRAIN_CHAT_MODEL, cannot be used", remedy=problem
        )
    summaries = "with" if settings.context_summaries else "without"
    return DoctorFinding(
        name="chat model",
        is_ok=True,
        found=f"{name}, {settings.ollama_concurrency} calls at a time, {summaries} summaries for embedding"
        f"{_leaving(address)}",
    )


def _parsers(settings: Settings) -> Iterator[DoctorFinding]:
    """Findings on text recognition, and on the services that parse files, where they are set up."""
    yield DoctorFinding(
        name="text recognition",
        is_ok=True,
        found="reads images and scanned pages"
        if can_recognise()
        else "none; images and scanned pages are refused until `pip install 'brain-sync[ocr]'`",
    )
    if settings.docling_url is not None:
        is_up = open_docling(settings, settings.docling_url, DoclingOptions()).is_up(_SERVICE_SECONDS)
        found = f"answers at {settings.docling_url}" if is_up else f"does not answer at {settings.docling_url}"
        yield DoctorFinding(
            name="Docling",
            is_ok=is_up,
            found=f"{found}{_leaving(settings.docling_url, 'files')}",
            remedy="" if is_up else "start docling-serve, or correct BRAIN_DOCLING_URL",
        )
    if settings.llamaparse_enabled:
        sent = ", ".join(sorted(classifications_that_leave(settings)))
        missing = [] if settings.llamaparse_api_key else ["LLAMAPARSE_API_KEY"]
        missing += [] if sent else ["BRAIN_LLAMAPARSE_CLASSIFICATIONS"]
        yield DoctorFinding(
            name="LlamaParse",
            is_ok=not missing,
            found="is enabled and cannot be used"
            if missing
            else f"reads uploads classified {sent}{_leaving(settings.llamaparse_url, 'files')}",
            remedy=f"set {', '.join(missing)}" if missing else "",
        )


def _leaving(address: str | None, what: str = "questions and passages of notes") -> str:
    """Texts that are sent to another machine, and its address; '' when nothing is."""
    if address is None or not leaves_machine(address):
        return ""
    if address.startswith("https:"):
        return f"; {what} leave this machine for {address}"
    return f"; {what} leave this machine unencrypted for {address}"
