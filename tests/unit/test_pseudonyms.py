"""Pseudonyms: the same for the same value, of no use to anybody without the secret, and the secret is made once."""

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from rag_core.access.pseudonyms import FILE_NAME, Pseudonyms, _kept_secret, pseudonyms
from rag_core.errors import ConfigurationError
from rag_core.settings import read_settings

ONE, OTHER = Pseudonyms(secret=b"a" * 32), Pseudonyms(secret=b"b" * 32)


class TestPseudonyms:
    def test_it_is_the_hmac_of_the_value_under_the_key_of_its_purpose(self) -> None:
        import hashlib
        import hmac

        key = hmac.new(b"a" * 32, b"brain-sync/user", hashlib.sha256).digest()

        assert ONE.user_hash("ana") == hmac.new(key, b"ana", hashlib.sha256).hexdigest()

    @given(st.text(st.characters(codec=None)))
    def test_the_same_value_has_one_pseudonym_a_purpose_and_a_secret(self, value: str) -> None:
        made = {ONE.user_hash(value), ONE.query_hash(value), OTHER.user_hash(value), OTHER.query_hash(value)}

        assert ONE.user_hash(value) in made
        assert len(made) == 4
        assert all(len(one) == 64 for one in made)

    def test_python_does_not_print_the_secret(self) -> None:
        assert "aaaa" not in repr(ONE)


class TestSecret:
    def test_it_is_made_for_its_owner_alone_and_found_again(self, tmp_path: Path) -> None:
        home = tmp_path / "home"

        first, again = _kept_secret(home / FILE_NAME), _kept_secret(home / FILE_NAME)

        assert first == again
        assert len(first) == 43
        assert stat.S_IMODE((home / FILE_NAME).stat().st_mode) == 0o600

    def test_of_many_that_start_at_once_all_have_the_same(self, tmp_path: Path) -> None:
        start, path = threading.Barrier(16), tmp_path / FILE_NAME

        def found(_number: int) -> bytes:
            start.wait()
            return _kept_secret(path)

        with ThreadPoolExecutor(16) as threads:
            secrets = set(threads.map(found, range(16)))

        assert len(secrets) == 1
        assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]

    def test_a_secret_of_the_environment_needs_no_file(self, tmp_path: Path) -> None:
        made = pseudonyms(tmp_path, SecretStr("x" * 32))

        assert made.secret == b"x" * 32
        assert list(tmp_path.iterdir()) == []

    def test_two_homes_have_two_secrets(self, tmp_path: Path) -> None:
        assert pseudonyms(tmp_path / "a").user_hash("ana") != pseudonyms(tmp_path / "b").user_hash("ana")

    def test_a_file_that_was_cut_off_is_refused_with_the_remedy(self, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).write_text("corto\n")

        with pytest.raises(
            ConfigurationError, match="has 5 characters, expected 32 at least; put it back from a backup"
        ):
            pseudonyms(tmp_path)

    def test_a_home_that_cannot_be_written_is_told_with_the_remedy(self, tmp_path: Path) -> None:
        (tmp_path / "home").write_text("a file where the home should be")

        with pytest.raises(ConfigurationError, match="or set BRAIN_SECRET"):
            pseudonyms(tmp_path / "home")

    def test_a_short_secret_of_the_environment_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BRAIN_SECRET", "corto")

        with pytest.raises(ConfigurationError, match=r"BRAIN_SECRET.*at least 32"):
            read_settings()

    def test_what_is_refused_is_not_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BRAIN_SECRET", "corto-y-secreto")

        with pytest.raises(ConfigurationError) as refused:
            read_settings()
        assert "corto-y-secreto" not in str(refused.value)
