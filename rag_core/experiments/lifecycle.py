"""An experiment begins and ends."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rag_core.configuration.schema import configure, of_search
from rag_core.configuration.served import ServedConfiguration, as_served
from rag_core.errors import ConfigurationError, InvalidInputError
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.experiment import Experiment, Mode
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, with_configuration
from rag_core.storage.configurations import fetch_configuration
from rag_core.storage.database import Database
from rag_core.storage.experiments import find_experiment, insert_experiment, stop_experiment
from rag_core.storage.notes import hold_tenant

MAX_NAME_CHARACTERS = 100


def begin_experiment(
    engine: Engine,
    tenant: TenantId,
    *,
    name: str,
    mode: Mode,
    share: float,
    override: Mapping[str, Any] | None = None,
    configuration: int | None = None,
) -> Experiment:
    """Try a candidate on live queries: a stored configuration by its number, or an ``override`` over what is served now.

    What is served at this moment is the control. Processes that serve take notice within seconds.

    Raises:
        InvalidInputError: there is no name, the share leaves a side without queries, both candidates or none are given, or the
            candidate is what is served.
        ConfigurationError: a value is out of bounds, or cannot be searched with here.
        NotFoundError: there is no such configuration.
        ConflictError: the name is taken, or another experiment is running.
    """
    _check(name, mode, share)
    if (override is None) == (configuration is None):
        raise InvalidInputError("give one candidate: a configuration's number, or a file with what differs")
    control = engine.served(tenant)
    candidate, configuration_id = _candidate(
        engine.database, tenant, control, model=engine.model, override=override, configuration=configuration
    )
    if (candidate.config, candidate.weights.version) == (control.config, control.weights.version):
        raise InvalidInputError("the candidate is what is served; give a configuration that differs")
    with_configuration(engine, candidate).model_names(tenant, candidate.config)  # tells a re-ranker that is not set up
    with engine.database.transaction(tenant) as connection:
        hold_tenant(engine.database, connection, tenant)
        return insert_experiment(
            connection,
            tenant,
            name=name.strip(),
            mode=mode,
            share=share,
            control=control.config.to_wire(),
            candidate=candidate.config.to_wire(),
            control_reranker=control.reranker_version,
            candidate_reranker=candidate.reranker_version,
            candidate_configuration_id=configuration_id,
        )


def _check(name: str, mode: Mode, share: float) -> None:
    if not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        raise InvalidInputError(f"an experiment has a name of 1 to {MAX_NAME_CHARACTERS} characters")
    if not 0 < share <= 1:
        raise InvalidInputError(f"the share is {share}; expected more than 0 and at most 1")
    if mode == "split" and share == 1:
        raise InvalidInputError("a split with share 1 leaves the control without queries; give less, such as 0.5")


def _candidate(
    database: Database,
    tenant: TenantId,
    control: ServedConfiguration,
    *,
    model: EmbeddingModel,
    override: Mapping[str, Any] | None,
    configuration: int | None,
) -> tuple[ServedConfiguration, UUID | None]:
    if configuration is None:
        given = configure(of_search(override or {}), base=control.config)
        return _changed(control, given.to_wire()), None
    with database.transaction(tenant) as connection:
        stored = fetch_configuration(connection, tenant, configuration)
        candidate = as_served(connection, tenant, stored, model)
    if candidate.problems:
        raise ConfigurationError(f"configuration {configuration} cannot be tried: {'; '.join(candidate.problems)}")
    return candidate, stored.configuration_id


def _changed(control: ServedConfiguration, wire: Mapping[str, Any]) -> ServedConfiguration:
    """Return the served configuration with other values and the same weights."""
    return ServedConfiguration(
        config=configure(wire), override=wire, reranker_version=control.reranker_version, weights=control.weights
    )


def end_experiment(database: Database, tenant: TenantId, name: str) -> Experiment:
    """Let live queries take part no longer; what was recorded stays. One that has ended stays as it is.

    Raises:
        NotFoundError: there is no such experiment.
    """
    with database.transaction(tenant) as connection:
        experiment = find_experiment(connection, tenant, name)
        stop_experiment(connection, tenant, experiment.id)
        return find_experiment(connection, tenant, str(experiment.id))
