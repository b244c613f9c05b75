"""The shapes of experiments on the wire."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.schemas import Id
from rag_core.model.experiment import FeedbackKind, Mode, State

_QUERY_ID = "0b5c7a52-9f0e-4a55-8b64-5d3a3a1c2f10"


class FeedbackIn(BaseModel):
    """A reader's word on an answer."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    query_id: Annotated[Id, Field(description="`metadata.experiment.queryId` of the answer.", examples=[_QUERY_ID])]
    note_id: Annotated[
        Id | None, Field(description="The note that was opened or judged; absent for a word on the whole answer.")
    ] = None
    kind: FeedbackKind = Field(
        description="`open`: the note was opened. `helpful` and `unhelpful` take each other's place."
    )


class FeedbackOut(BaseModel):
    """The feedback that is stored."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    query_id: str
    note_id: str | None
    kind: FeedbackKind
    is_new: bool = Field(description="False when it was known already.")


class ExperimentBrief(BaseModel):
    """An experiment without its figures."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    id: str
    name: str
    mode: Mode
    share: float = Field(
        description="Of the live queries: those the candidate answers (split), else those that take part."
    )
    state: State
    started_at: datetime
    stopped_at: datetime | None
    control: dict[str, Any] = Field(description="What was served when it began.")
    candidate: dict[str, Any]
    control_reranker: str | None = Field(description="Version of fitted weights; null for the shipped ones.")
    candidate_reranker: str | None


class ExperimentListed(ExperimentBrief):
    """An experiment in the list."""

    queries: int = Field(description="Live queries that took part.")


class ExperimentsOut(BaseModel):
    """All experiments, newest first."""

    experiments: list[ExperimentListed]


class ExperimentOut(ExperimentBrief):
    """An experiment with what its records tell up to now."""

    is_paused: bool = Field(description="It runs, but no query takes part: what is served is no longer the control.")
    conclusion: str = Field(description="What the figures come to, in Spanish.")
    figures: dict[str, Any] = Field(description="By mode: wins and losses, rates by side, or overlap of the rankings.")
