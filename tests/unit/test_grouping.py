"""Tests that share an installation or a module's fixture run in one worker."""

import pytest


@pytest.fixture(scope="module")
def made_once() -> int:
    """A fixture that each worker would make anew."""
    return 1


def test_what_shares_a_fixture_is_sent_to_one_worker(request: pytest.FixtureRequest, made_once: int) -> None:
    is_shared_out = getattr(request.config.option, "loadgroup", False)

    assert request.node.nodeid.endswith("@tests/unit/test_grouping.py") == is_shared_out


@pytest.mark.xdist_group("together")
def test_a_group_is_sent_to_one_worker(request: pytest.FixtureRequest) -> None:
    is_shared_out = getattr(request.config.option, "loadgroup", False)

    assert request.node.nodeid.endswith("@together") == is_shared_out
