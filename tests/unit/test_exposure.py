"""Exposure to other machines, and the names this one may be called by."""

import pytest

from rag_core.access.exposure import allowed_hosts, check_exposure
from rag_core.errors import ConfigurationError
from rag_core.settings import read_settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "localhost", "::1"])
def test_open_access_is_for_loopback(host: str) -> None:
    check_exposure(read_settings(api_host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "brain.example", "::ffff:192.168.1.5"])
def test_open_access_elsewhere_is_refused_with_the_remedy(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"BRAIN_API_HOST=.*brain key create NAME.*BRAIN_ACCESS=keys"):
        check_exposure(read_settings(api_host=host))


def test_a_name_that_a_proxy_would_be_reached_by_is_refused_too() -> None:
    with pytest.raises(ConfigurationError, match=r"BRAIN_ALLOWED_HOSTS names brain\.example"):
        check_exposure(read_settings(allowed_hosts="localhost, brain.example"))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5"])
def test_with_keys_any_address_may_be_listened_on(host: str) -> None:
    check_exposure(read_settings(api_host=host, access="keys", allowed_hosts="brain.example"))


@pytest.mark.parametrize(
    ("host", "names", "expected"),
    [
        ("127.0.0.1", "", {"127.0.0.1"}),
        ("0.0.0.0", "", set()),
        ("::", " Brain.Example. ,, otro ", {"brain.example", "otro"}),
        ("192.168.1.5", "casa", {"192.168.1.5", "casa"}),
        ("fd00::1", "", {"[fd00::1]"}),
    ],
)
def test_it_may_be_called_by_its_address_and_the_names_allowed(host: str, names: str, expected: set[str]) -> None:
    assert allowed_hosts(read_settings(api_host=host, allowed_hosts=names)) == expected
