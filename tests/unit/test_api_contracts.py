"""The registered contracts of the API together."""

import pytest

from rag_core.api.contracts import _joined
from rag_core.api.errors import http_reply
from rag_core.errors import ConfigurationError


def test_an_address_that_two_contracts_claim_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="two API contracts claim the address '/api/notes'"):
        _joined([{"/api/notes": 1, "/chat": 2}, {"/api/notes": 3}])


def test_a_language_without_texts_gets_english_ones() -> None:
    assert http_reply(404, "nl") == http_reply(404, "en")
