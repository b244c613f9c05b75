"""``GET /v1/models``: the one model that there is, one's notes."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel

from rag_core.api.errors import ExplainedError
from rag_core.api.openai.failures import OpenAIFailure
from rag_core.errors import NotFoundError

MODEL = "brain-sync"
NO_SUCH_MODEL = f"aquí solo hay el modelo {MODEL}, que responde con tus notas"

router = APIRouter(prefix="/v1/models", tags=["openai"])


class ModelOut(BaseModel):
    """A model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = MODEL


class ModelList(BaseModel):
    """The models."""

    object: Literal["list"] = "list"
    data: list[ModelOut]


@router.get("", response_model=ModelList, responses={503: {"model": OpenAIFailure, "description": "No database."}})
def list_models() -> dict[str, Any]:
    """Name the model to ask for."""
    return {"data": [{"id": MODEL}]}


@router.get(
    "/{model}", response_model=ModelOut, responses={404: {"model": OpenAIFailure, "description": "Another name."}}
)
def read_model(model: Annotated[str, Path(examples=[MODEL])]) -> dict[str, Any]:
    """Describe the model."""
    check_model(model)
    return {"id": model}


def check_model(name: str) -> None:
    """Check that there is a model of that name.

    Raises:
        ExplainedError: there is not.
    """
    if name != MODEL:
        raise ExplainedError(NO_SUCH_MODEL, kind=NotFoundError)
