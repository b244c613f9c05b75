"""Configurations that are proposed, promoted and taken back."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rag_core.configuration.proposals import propose_configuration
from rag_core.reranking.weights import shipped_weights
from rag_core.storage.configurations import (
    Configuration,
    append_promotion,
    fetch_served,
)

MORE = {"topK": {"retrieval": 30}}
SHIPPED = shipped_weights()
TUNED = SHIPPED.to_json() | {"version": "tuned-1"}
REVERSED = replace(SHIPPED, version="reversed", coefficients=tuple(-one for one in SHIPPED.coefficients)).to_json()
"""What answers a query best comes last."""
Propose = Callable[..., Configuration]


@pytest.fixture
def propose(database, tenant) -> Propose:
    """Store a configuration as tuning does."""

    def stored(override, **values) -> Configuration:
        with database.transaction(values.pop("owner", tenant)) as connection:
            return propose_configuration(
                connection,
                values.pop("named", tenant),
                override=override,
                embedding_model=values.pop("embedding_model", None),
                **values,
            )

    return stored


@pytest.fixture
def serve(database, tenant) -> Callable[[int | None], None]:
    """Promote without a trial."""

    def now(number: int | None) -> None:
        with database.transaction(tenant) as connection:
            last = fetch_served(connection, tenant).promotion
            append_promotion(connection, tenant, configuration=number, action="promote", expected=last)

    return now
