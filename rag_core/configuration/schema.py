"""The retrieval configuration: groups, bounds, deep merge, canonical hash.

On the wire the names are camelCase (``hybridSearch.rrfK``), inside snake_case. Values that depend on the embedding
model are null by default, which means "what the model's registry row says".
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from rag_core.errors import ConfigurationError, IndexTimeSettingError
from rag_core.model.retrieval import Strategy
from rag_core.plugins.names import NameIn
from rag_core.reranking import RERANKERS

Weight = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
MAX_TOP_K = 50
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K)]
FusionMethod = Literal["rrf", "relative_score", "convex", "weighted"]


class _Group(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


class Chunking(_Group):
    """Sizes in tokens, as estimated by ``rag_core.chunking.estimate_tokens``."""

    max_chunk_size: int = Field(512, ge=8, le=8192)
    overlap_size: int = Field(50, ge=0)
    min_chunk_size: int = Field(100, ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> "Chunking":
        if self.overlap_size >= self.max_chunk_size:
            raise ValueError("overlapSize debe ser menor que maxChunkSize")
        if self.min_chunk_size > self.max_chunk_size:
            raise ValueError("minChunkSize no puede superar maxChunkSize")
        return self


class HybridSearch(_Group):
    """Fusion of the legs; null takes the embedding model's measured default.

    ``weighted`` adds recency to relative scores: a note loses half of its recency every ``recency_half_life_days``.
    """

    enabled: bool = True
    method: FusionMethod | None = None
    rrf_k: int = Field(60, ge=1, le=10_000)
    semantic_weight: Weight | None = None
    fulltext_weight: Weight | None = None
    recency_weight: Weight = 0.15
    recency_half_life_days: float = Field(30, gt=0, le=36_500, allow_inf_nan=False)
    threshold: Weight | None = None

    @model_validator(mode="after")
    def _weighted(self) -> "HybridSearch":
        if self.semantic_weight == 0 and self.fulltext_weight == 0:
            raise ValueError("semanticWeight y fulltextWeight no pueden ser cero a la vez")
        return self


class Reranking(_Group):
    """Second look at the best candidates; ``timeout`` in milliseconds, ``provider`` null takes the process's own.

    A passage whose score is below ``score_threshold`` is left out; null leaves none out. Of a calibrated re-ranker's passages the
    score is ``hybrid_weight`` parts of what it was before and the rest the re-ranker's.
    """

    enabled: bool = True
    provider: Annotated[str, NameIn(RERANKERS)] | None = None
    batch_size: int = Field(5, ge=1, le=100)
    timeout: int = Field(5000, ge=1, le=60_000)
    score_threshold: Weight | None = None
    hybrid_weight: Weight = 0


class ContextExpansion(_Group):
    """Sentences shown around a match, and the most tokens of a window, joined or not; a match alone may have more.

    No window goes beyond its section or table. With ``sections`` it is all of that where it fits.
    """

    enabled: bool = True
    sections: bool = False
    sentences_before: int = Field(2, ge=0, le=50)
    sentences_after: int = Field(2, ge=0, le=50)
    max_window_size: int = Field(1024, ge=1, le=16_384)


class QueryTransformation(_Group):
    """Transformations allowed on the query before the search."""

    enabled: bool = True
    enable_hyde: bool = Field(default=True, alias="enableHyDE")
    enable_decomposition: bool = True
    enable_time_expressions: bool = True


class ContextualEmbeddings(_Group):
    """Choice of the vector of a chunk that is searched; null takes the embedding model's measured default."""

    enabled: bool = True
    use_for_retrieval: bool | None = None


class TopKs(_Group):
    """Numbers of results passed from stage to stage: retrieval >= reranking >= final."""

    retrieval: TopK = 20
    reranking: TopK = 10
    final: TopK = 5

    @model_validator(mode="after")
    def _ordered(self) -> "TopKs":
        if not self.retrieval >= self.reranking >= self.final:
            raise ValueError("topK debe cumplir retrieval >= reranking >= final")
        return self


class GraphRag(_Group):
    """Causal traversal; ``weight`` is the graph's in the fusion, beside those of the legs."""

    enabled: bool = True
    max_depth: int = Field(3, ge=1, le=10)
    min_relevance: Weight = 0.6
    weight: Weight = 0.5


class RetrievalConfig(_Group):
    """Settings that decide what a query returns."""

    strategy: Strategy = "hybrid+rerank"
    chunking: Chunking = Chunking()
    hybrid_search: HybridSearch = HybridSearch()
    reranking: Reranking = Reranking()
    context_expansion: ContextExpansion = ContextExpansion()
    query_transformation: QueryTransformation = QueryTransformation()
    contextual_embeddings: ContextualEmbeddings = ContextualEmbeddings()
    top_k: TopKs = TopKs()
    graph_rag: GraphRag = Field(default=GraphRag(), alias="graphRAG")

    def to_wire(self) -> dict[str, Any]:
        """The configuration as JSON-ready camelCase."""
        return self.model_dump(mode="json", by_alias=True)


DEFAULT_RETRIEVAL_CONFIG = RetrievalConfig()


def configure(
    override: Mapping[str, Any] | None = None,
    *,
    strategy: Strategy | None = None,
    top_k: int | None = None,
    base: RetrievalConfig = DEFAULT_RETRIEVAL_CONFIG,
) -> RetrievalConfig:
    """Merge a partial configuration deeply over ``base`` and validate the whole.

    ``strategy`` and ``top_k`` are the request's own and win; the earlier ``topK`` stages are raised to the final one.
    An override that names only ``topK.final`` raises the earlier stages too.

    Raises:
        ConfigurationError: an unknown key, a wrong type or a value out of bounds.
    """
    given = deep_merge(base.to_wire(), dict(override or {}))
    if strategy is not None:
        given["strategy"] = strategy
    named = dict(override or {}).get("topK")
    _raise_top_k(given, final=top_k, named=named if isinstance(named, Mapping) else {})
    try:
        return RetrievalConfig.model_validate(given)
    except ValidationError as error:
        raise ConfigurationError("; ".join(describe_problem(item) for item in error.errors())) from error


def of_search(override: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a caller's override of a configuration unchanged; chunk sizes belong to the index, not to a search.

    Raises:
        IndexTimeSettingError: it names ``chunking``.
    """
    if "chunking" in override:
        raise IndexTimeSettingError
    return override


def _raise_top_k(given: dict[str, Any], *, final: int | None, named: Mapping[str, Any]) -> None:
    stages = given.get("topK")
    if not isinstance(stages, dict):
        return
    if final is not None:
        stages["final"] = final
    floor = stages.get("final")
    for stage in ("reranking", "retrieval"):
        if isinstance(floor, int) and isinstance(stages.get(stage), int):
            if final is not None or stage not in named:
                stages[stage] = max(stages[stage], min(floor, MAX_TOP_K))
            floor = stages[stage]


def deep_merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both as one, groups merged into each other; where both have a value, that of ``over``."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = deep_merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def config_hash(config: RetrievalConfig, *, model_names: Mapping[str, str]) -> str:
    """First 16 hex digits of SHA-256 over canonical JSON of the configuration and the names of the models in use.

    Keys are sorted at every depth, so equal configurations hash equal however they were written.
    """
    canonical = json.dumps(
        {"config": config.to_wire(), "models": dict(model_names)},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def describe_problem(item: Any) -> str:
    """One of pydantic's error entries in Spanish, with its place: ``hybridSearch.rrfK: debe ser mayor o igual que 1``."""
    place = ".".join(str(part) for part in item["loc"] if part != "body")
    limits = {name: str(value).replace("' or '", "' o '") for name, value in (item.get("ctx") or {}).items()}
    said = _SPANISH.get(item["type"], "valor no válido").format_map(_Limits(limits))
    return f"{place}: {said}" if place else said


class _Limits(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


_SPANISH = {
    "missing": "falta este campo",
    "extra_forbidden": "campo desconocido",
    "greater_than_equal": "debe ser mayor o igual que {ge}",
    "greater_than": "debe ser mayor que {gt}",
    "less_than_equal": "debe ser menor o igual que {le}",
    "less_than": "debe ser menor que {lt}",
    "literal_error": "valor no admitido; se espera {expected}",
    "enum": "valor no admitido; se espera {expected}",
    "int_type": "debe ser un número entero",
    "int_parsing": "debe ser un número entero",
    "int_from_float": "debe ser un número entero",
    "float_type": "debe ser un número",
    "float_parsing": "debe ser un número",
    "finite_number": "debe ser un número finito",
    "bool_type": "debe ser verdadero o falso",
    "bool_parsing": "debe ser verdadero o falso",
    "string_type": "debe ser un texto",
    "string_too_short": "demasiado corto; se esperan al menos {min_length} caracteres",
    "string_too_long": "demasiado largo; se admiten como máximo {max_length} caracteres",
    "too_short": "faltan elementos; se esperan al menos {min_length}",
    "too_long": "sobran elementos; se admiten como máximo {max_length}",
    "model_type": "debe ser un objeto",
    "model_attributes_type": "debe ser un objeto",
    "dict_type": "debe ser un objeto",
    "list_type": "debe ser una lista",
    "tuple_type": "debe ser una lista",
    "uuid_parsing": "no es un UUID válido",
    "uuid_type": "no es un UUID válido",
    "datetime_from_date_parsing": "no es una fecha ISO 8601 válida",
    "datetime_parsing": "no es una fecha ISO 8601 válida",
    "datetime_type": "no es una fecha ISO 8601 válida",
    "timezone_aware": "la fecha debe llevar zona horaria",
    "json_invalid": "el cuerpo no es JSON válido",
    "value_error": "{error}",
}


def served_strategy(config: RetrievalConfig) -> Strategy:
    """The strategy that is run: flags can only switch off. For ``routed`` it is that of most questions."""
    strategy = "hybrid+rerank" if config.strategy == "routed" else config.strategy
    if strategy in {"hybrid", "hybrid+rerank"} and not config.hybrid_search.enabled:
        return "semantic"
    if strategy == "hybrid+rerank" and not config.reranking.enabled:
        return "hybrid"
    return strategy
