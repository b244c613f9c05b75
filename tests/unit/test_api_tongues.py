"""The language of an answer that is told before anything is known of a question: what Accept-Language wants most."""

import pytest
from starlette.datastructures import Headers

from rag_core.api.errors import access_tongue_of, tongue_of
from rag_core.api.guard import refusal
from rag_core.api.messages import english, german


@pytest.mark.parametrize(
    ("accepted", "tongue"),
    [
        ("de", "de"),
        ("de-AT,de;q=0.9", "de"),
        ("EN-gb", "en"),
        ("en;q=0.1, de;q=0.9", "de"),
        ("en;q=0.9,de;q=0.9", "en"),
        ("fr, de;q=0.2, en;q=0.1", "de"),
        ("es;q=0, de", "de"),
        ("de-AT;q=0, de;q=0.5", "de"),
        ("en ; q=0.300 , de;q=1.000", "de"),
        ("de;q=2, en;q=0.1", "en"),  # no weight is above 1
        ("de;quality=1, en", "en"),
    ],
)
def test_the_language_with_the_greatest_weight_is_spoken(accepted: str, tongue: str) -> None:
    assert tongue_of("/chat", accepted) == tongue
    assert access_tongue_of("/api/v2/rag/search", accepted) == tongue


@pytest.mark.parametrize("accepted", ["", "*", "fr", "de;q=0", "de;q=0.000, en;q=0", ";;,=", "q=1"])
def test_who_wants_no_language_of_ours_is_told_in_the_routes_own(accepted: str) -> None:
    assert tongue_of("/chat", accepted) == "es"
    assert tongue_of("/api/query", accepted) == "en"
    assert access_tongue_of("/api/v2/rag/search", accepted) == "es"


def test_a_wish_changes_nothing_where_a_contract_has_one_language() -> None:
    assert tongue_of("/api/v2/rag/search", "en") == "de"
    assert tongue_of("/api/notes", "en") == "es"


def test_who_calls_the_machine_by_a_wrong_name_is_told_so_in_the_language_they_want() -> None:
    """As docs/api.md says of 400 for a wrong Host, beside 401 and 403; what is wrong with a body is told in German."""
    search, wanted = "/api/v2/rag/search", {"accept-language": "de;q=0.5, en"}

    stranger = refusal("POST", Headers({**wanted, "host": "evil.example"}), path=search, hosts={"localhost"})
    no_json = refusal(
        "POST", Headers({**wanted, "host": "localhost", "content-length": "1"}), path=search, hosts={"localhost"}
    )

    assert stranger is not None
    assert (stranger.status, stranger.details) == (400, english.WRONG_HOST)
    assert no_json is not None
    assert (no_json.status, no_json.error) == (415, german.HTTP[415][0])
