"""Registration of the contract of Brain Sync."""

from rag_core.api.brain_sync import (
    comparison,
    configuration,
    evaluation,
    experiments,
    folders,
    golden_dataset,
    migration,
    notes,
    retrieval,
)
from rag_core.api.contracts import CONTRACTS, Contract, Rule

CONTRACTS.register("brain_sync")(
    Contract(
        routers=(
            retrieval.router,
            configuration.router,
            evaluation.router,
            comparison.router,
            golden_dataset.router,
            notes.router,
            folders.router,
            migration.router,
            experiments.router,
        ),
        rules={
            "/api/retrieve": Rule(reading="read", changing="read", about="searching"),
            "/api/retrieve/evaluate": Rule(reading="evaluate", changing="evaluate", about="evaluating"),
            "/api/retrieve/metrics": Rule(reading="evaluate", changing="evaluate", about="figures of evaluations"),
            "/api/retrieve/compare": Rule(
                reading="evaluate", changing="evaluate", about="two evaluations side by side"
            ),
            "/api/notes": Rule(reading="read", changing="write", about="notes"),
            "/api/folders": Rule(reading="read", changing="write", about="folders that notes come from"),
            "/api/configuration": Rule(reading="read", changing="admin", about="what searches are configured with"),
            "/api/migration": Rule(reading="read", changing="admin", about="how far a migration is"),
            "/api/golden-dataset": Rule(reading="evaluate", changing="evaluate", about="golden sets"),
            "/api/experiments": Rule(reading="evaluate", changing="evaluate", about="experiments"),
            "/api/experiments/feedback": Rule(reading="read", changing="read", about="a reader's opinion of an answer"),
        },
    )
)
