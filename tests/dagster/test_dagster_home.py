"""Where Dagster finds its configuration and its database."""

from pathlib import Path

import pytest

from rag_core.errors import DatabaseUnavailableError
from rag_core.operation.dagster_home import prepare_dagster_home, write_if_changed
from rag_core.settings import read_settings
from rag_core.storage.dagster_database import sqlalchemy_url
from rag_core.storage.database import Database


@pytest.mark.parametrize(
    ("conninfo", "url"),
    [
        ("host='/tmp/my home/postgres' user=postgres dbname=dagster", "postgresql://postgres@/dagster?host=%2Ftmp%2Fmy%20home%2Fpostgres"),
        ("postgresql://ana:p%40ss@db:5433/brain?sslmode=require", "postgresql://ana:p%40ss@db:5433/brain?sslmode=require"),
        ("host=::1 dbname=brain", "postgresql://[::1]/brain"),
        ("host=/run/postgresql port=5433 dbname=x", "postgresql:///x?host=%2Frun%2Fpostgresql&port=5433"),
    ],
)  # fmt: skip
def test_a_connection_string_becomes_a_url(conninfo: str, url: str) -> None:
    assert sqlalchemy_url(conninfo) == url


def test_the_home_gets_the_shipped_configuration_and_a_database_of_its_own(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    import psycopg2

    settings = read_settings(home=tmp_path / "my home", database_url=database_url)

    variables = prepare_dagster_home(settings, database)

    home = Path(variables["DAGSTER_HOME"])
    assert home == tmp_path / "my home" / "dagster"
    assert "BRAIN_DAGSTER_PG_URL" in (home / "dagster.yaml").read_text()
    assert variables["DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR"] == "true"
    connection = psycopg2.connect(variables["BRAIN_DAGSTER_PG_URL"])
    assert connection.info.dbname == f"{database.pool.conninfo.split('dbname=')[1].split()[0]}_dagster"
    connection.close()


def test_an_existing_home_of_dagster_is_tightened_to_its_owner(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "dagster").mkdir(mode=0o755)

    prepare_dagster_home(read_settings(home=tmp_path, database_url=database_url), database)

    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("dagster", "dagster/dagster.yaml")]
    assert modes == [0o700, 0o600]


def test_a_given_database_that_does_not_answer_is_an_error_that_names_the_variable(
    database: Database, tmp_path: Path
) -> None:
    settings = read_settings(home=tmp_path, dagster_database_url="postgresql://127.0.0.1:9/nobody")

    with pytest.raises(DatabaseUnavailableError, match="BRAIN_DAGSTER_DATABASE_URL"):
        prepare_dagster_home(settings, database)


def test_a_file_is_written_when_it_differs_and_left_alone_when_not(tmp_path: Path) -> None:
    file = tmp_path / "dagster.yaml"
    write_if_changed(file, "a: 1\n")
    before = file.stat().st_mtime_ns

    write_if_changed(file, "a: 1\n")

    assert file.stat().st_mtime_ns == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["dagster.yaml"]
