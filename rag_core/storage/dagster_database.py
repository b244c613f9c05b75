"""The database in which Dagster keeps its runs, events and schedules: a second one on the server of the notes."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rag_core.errors import DatabaseSetupError, DatabaseUnavailableError
from rag_core.settings import Settings
from rag_core.storage.connecting import CONNECT_TIMEOUT_SECONDS, ensure_database
from rag_core.storage.database import Database

EMBEDDED_NAME = "dagster"


def dagster_database_url(settings: Settings, database: Database) -> str:
    """The URL of Dagster's database, as SQLAlchemy reads it; the database is made unless it is given or there already.

    ``BRAIN_DAGSTER_DATABASE_URL`` if set, else `dagster` on the embedded server or `<name>_dagster` on another one.

    Raises:
        DatabaseSetupError: we may not make it.
        DatabaseUnavailableError: the server does not answer.
    """
    name = _name(settings, database)
    try:
        if settings.dagster_database_url is not None:
            psycopg.connect(settings.dagster_database_url, connect_timeout=CONNECT_TIMEOUT_SECONDS).close()
            return sqlalchemy_url(settings.dagster_database_url)
        return sqlalchemy_url(ensure_database(database.owner_conninfo, name))
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseSetupError(
            f"the database {name} for Dagster cannot be made ({error.diag.message_primary}); make it yourself, or give "
            "one in BRAIN_DAGSTER_DATABASE_URL"
        ) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailableError(f"no connection to Dagster's database {name}: {str(error).strip()}") from error


def _name(settings: Settings, database: Database) -> str:
    if settings.dagster_database_url is not None:
        return "of BRAIN_DAGSTER_DATABASE_URL"
    if settings.database_url is None:
        return EMBEDDED_NAME
    return f"{conninfo_to_dict(database.owner_conninfo).get('dbname') or 'brain'}_dagster"


def shown_url(conninfo: str) -> str:
    """The connection string as a URL that people may see and `psql` takes: without the password."""
    return sqlalchemy_url(make_conninfo(conninfo, password=""))


def sqlalchemy_url(conninfo: str) -> str:
    """A libpq connection string of either form as ``postgresql://`` URL; a socket's folder goes into the query."""
    parts = {name: str(value) for name, value in conninfo_to_dict(conninfo).items() if value not in (None, "")}
    user, password = parts.pop("user", ""), parts.pop("password", "")
    host, port, name = parts.pop("host", ""), parts.pop("port", ""), parts.pop("dbname", "")
    if host.startswith("/"):
        parts |= {"host": host} | ({"port": port} if port else {})
        host, port = "", ""
    return f"postgresql://{_credentials(user, password)}{_address(host, port)}/{quote(name, safe='')}{_query(parts)}"


def _credentials(user: str, password: str) -> str:
    if not user:
        return ""
    return quote(user, safe="") + (f":{quote(password, safe='')}" if password else "") + "@"


def _address(host: str, port: str) -> str:
    return (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")


def _query(parameters: Mapping[str, str]) -> str:
    return f"?{urlencode(parameters, quote_via=quote, safe='')}" if parameters else ""
