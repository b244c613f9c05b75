"""The embedding model of a new home: the one of the settings, as long as no vector is stored."""

from collections.abc import Iterator

import pytest

from rag_core.embedding.first import choose_first_model, find_model_of_meaning, how_to_change
from rag_core.embedding.providers import e5, use
from rag_core.errors import ConfigurationError, EmbeddingError
from rag_core.settings import read_settings
from rag_core.storage.backup import is_empty
from rag_core.storage.database import Connection, Database
from rag_core.storage.models import list_models

E5 = read_settings(embedding_provider="e5")
UNSET = read_settings(embedding_provider=None)


@pytest.fixture
def owner(database: Database) -> Iterator[Connection]:
    with database.owner() as connection:
        yield connection


def store_vector(owner: Connection) -> None:
    owner.execute("insert into brain.tenants (tenant_id) values ('t') on conflict do nothing")
    owner.execute(
        "with n as (insert into brain.notes"
        " (note_id, tenant_id, external_id, source, title, content, content_hash, language, created_at)"
        " values (gen_random_uuid(), 't', 'one', 'import', '', 'uno', decode(repeat('00', 32), 'hex'), 'es', now()) returning note_id)"
        " insert into brain.embedding_cache (tenant_id, input_hash, note_id, vector)"
        " select 't', decode(repeat('00', 32), 'hex'), note_id, array_fill(1.0, array[768])::vector from n"
    )


@pytest.mark.parametrize(
    ("provider", "name"), [("e5", "multilingual-e5-small"), ("use", "universal-sentence-encoder-multilingual")]
)
def test_a_new_home_begins_with_the_model_of_the_settings(owner: Connection, provider: str, name: str) -> None:
    model = choose_first_model(owner, read_settings(embedding_provider=provider))

    assert (model.name, model.provider, model.state) == (name, provider, "active")
    assert [known.model.name for known in list_models(owner)] == [name]
    assert is_empty(owner)


def test_the_choice_is_made_once(owner: Connection) -> None:
    first = choose_first_model(owner, E5)

    assert choose_first_model(owner, E5) == first
    assert choose_first_model(owner, read_settings()) == first


def test_a_home_with_vectors_keeps_its_model(owner: Connection) -> None:
    store_vector(owner)

    assert choose_first_model(owner, E5).name == "hashing"


def test_another_model_that_was_registered_is_not_passed_over(owner: Connection) -> None:
    owner.execute(
        "insert into brain.embedding_models (name, provider, version, dimensions, context_tokens, fusion_method,"
        " semantic_weight, fulltext_weight, searched_vectors, state)"
        " values ('mine', 'hashing', '1', 64, 1000, 'rrf', 0.5, 0.5, 'contextual', 'candidate')"
    )

    assert choose_first_model(owner, E5).name == "hashing"


def test_a_home_with_vectors_is_not_asked_for_the_provider_of_the_settings(owner: Connection) -> None:
    store_vector(owner)

    assert choose_first_model(owner, read_settings(embedding_provider="none")).name == "hashing"


def test_an_unknown_provider_is_an_error_that_names_the_setting(owner: Connection) -> None:
    with pytest.raises(ConfigurationError, match=r"BRAIN_EMBEDDING_PROVIDER='none' is no known embedding provider"):
        choose_first_model(owner, read_settings(embedding_provider="none"))


def test_a_model_that_cannot_be_used_here_changes_nothing(owner: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "installed_weights", lambda: None)

    with pytest.raises(EmbeddingError, match=r"BRAIN_EMBEDDING_PROVIDER='e5'.*is not installed"):
        choose_first_model(owner, E5)
    assert [known.model.name for known in list_models(owner)] == ["hashing"]


@pytest.mark.parametrize(
    ("missing", "name"),
    [
        ((), "multilingual-e5-small"),
        (("e5",), "universal-sentence-encoder-multilingual"),
        (("e5", "use"), "hashing"),
    ],
)
def test_without_the_setting_a_new_home_begins_with_the_best_model_that_is_installed(
    owner: Connection, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], name: str
) -> None:
    if "e5" in missing:
        monkeypatch.setattr(e5, "installed_weights", lambda: None)
    if "use" in missing:
        monkeypatch.setattr(use, "find_spec", lambda _module: None)

    assert choose_first_model(owner, UNSET).name == name
    assert [known.model.name for known in list_models(owner)] == [name]


def test_a_home_of_hashed_vectors_is_told_which_model_knows_meanings_and_how_to_change(owner: Connection) -> None:
    store_vector(owner)

    better = find_model_of_meaning(owner, UNSET)

    assert choose_first_model(owner, UNSET).name == "hashing"
    assert better is not None
    assert how_to_change(better) == (
        "`brain models add multilingual-e5-small --provider e5`, `brain models backfill multilingual-e5-small`, "
        "`brain models promote multilingual-e5-small`"
    )


def test_nothing_is_told_of_a_model_to_a_new_home_or_where_one_was_chosen(owner: Connection) -> None:
    new = find_model_of_meaning(owner, UNSET)
    store_vector(owner)

    assert new is None
    assert find_model_of_meaning(owner, read_settings(embedding_provider="hashing")) is None
