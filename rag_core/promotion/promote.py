"""The change of what is served: a configuration is tried against it first, and what was served before is one step away."""

from collections.abc import Sequence

from rag_core.errors import InvalidInputError, PromotionRefusedError
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.promotion.trial import Progress, TrialBench, silent, try_configuration
from rag_core.storage.configurations import ConfigurationPromotion, append_promotion, list_promotions
from rag_core.storage.database import Database


def promote_configuration(
    bench: TrialBench,
    number: int,
    *,
    force: bool = False,
    set_name: str = DEFAULT_SET,
    reason: str | None = None,
    on_progress: Progress = silent,
) -> ConfigurationPromotion:
    """Serve a configuration from now on, if it is no worse than what is served; one that is served already stays.

    The trial is kept with the promotion. With ``force`` its objection is kept too and does not count. Processes that serve
    notice within ``served.REMEMBERED_SECONDS``.

    Raises:
        NotFoundError, ConfigurationError: see ``try_configuration``.
        PromotionRefusedError: it is worse, too slow, or nothing tells.
        ConflictError: something else was promoted during the trial.
    """
    last = _last_promotion(bench.database, bench.tenant)
    if last is not None and last.configuration == number:
        return last
    trial = try_configuration(bench, number, set_name=set_name, on_progress=on_progress)
    if trial.objection is not None and not force:
        raise PromotionRefusedError(
            f"configuration {number} was not promoted: {trial.objection}. Nothing changed; --force promotes it all the same",
            evidence=trial.to_json(),
        )
    with bench.database.transaction(bench.tenant) as connection:
        return append_promotion(
            connection,
            bench.tenant,
            configuration=number,
            action="promote",
            expected=trial.served.promotion,
            reason=reason,
            evidence={**trial.to_json(), "is_forced": trial.objection is not None},
        )


def return_to_former(
    database: Database, tenant: TenantId, *, reason: str | None = None, expected: int | None = None
) -> ConfigurationPromotion:
    """Serve what was served before the last promotion; again, what was served before that. Nothing is measured.

    ``expected`` is the number of the promotion that is meant; None: whichever is the last.

    Raises:
        InvalidInputError: nothing was served before.
        ConflictError: the last promotion is another than ``expected``.
    """
    with database.transaction(tenant) as connection:
        history = list_promotions(connection, tenant)
        stack = served_stack(history)
        if len(stack) < 2:
            raise InvalidInputError(
                "the program's defaults are served, and nothing was before them; brain promote shows the history"
            )
        return append_promotion(
            connection,
            tenant,
            configuration=stack[-2],
            action="return",
            expected=history[0].number if expected is None else expected,
            reason=reason,
        )


def served_stack(history: Sequence[ConfigurationPromotion]) -> list[int | None]:
    """Return the stack of served configurations, the current one last; ``history`` is newest first.

    The first is always None, the program's defaults.
    """
    stack: list[int | None] = [None]
    for promotion in reversed(history):
        if promotion.action != "return":
            stack.append(promotion.configuration)
        elif len(stack) > 1:
            stack.pop()
    return stack


def reset_to_defaults(
    database: Database, tenant: TenantId, *, reason: str | None = None
) -> ConfigurationPromotion | None:
    """Serve the program's defaults, the shipped weights included; None when they are served already. Nothing is measured."""
    last = _last_promotion(database, tenant)
    if last is None or last.configuration is None:
        return None
    with database.transaction(tenant) as connection:
        return append_promotion(
            connection, tenant, configuration=None, action="reset", expected=last.number, reason=reason
        )


def _last_promotion(database: Database, tenant: TenantId) -> ConfigurationPromotion | None:
    with database.transaction(tenant) as connection:
        return next(iter(list_promotions(connection, tenant, limit=1)), None)
