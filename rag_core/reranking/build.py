"""The re-ranker that the settings name."""

from concurrent.futures import Executor
from pathlib import Path

from pydantic import SecretStr

from rag_core.chat import ChatModel
from rag_core.errors import ConfigurationError
from rag_core.model.retrieval import RerankingProvider
from rag_core.reranking import Reranker
from rag_core.reranking.embedded import EmbeddedReranker, Weights, shipped_weights


def build_reranker(
    provider: RerankingProvider,
    *,
    weights: Weights | None = None,
    chat: ChatModel | None = None,
    batch_size: int = 5,
    executor: Executor | None = None,
    url: str | None = None,
    model: str | None = None,
    path: Path | None = None,
    api_key: SecretStr | None = None,
) -> Reranker:
    """A re-ranker; nobody is contacted. Without ``weights`` the embedded one has the shipped ones.

    ``executor`` bounds the batches that are with the chat model at once; without it the re-ranker has threads of its own.

    Raises:
        ConfigurationError: what the provider needs is missing; the message names the setting.
    """
    match provider:
        case "embedded":
            return EmbeddedReranker(weights=weights or shipped_weights())
        case "llm":
            return _llm(chat, batch_size, executor)
        case "http":
            return _http(url, model, api_key)
        case "cross_encoder":
            return _cross_encoder(path)


def _llm(chat: ChatModel | None, batch_size: int, executor: Executor | None) -> Reranker:
    from rag_core.reranking.llm import LlmReranker

    if chat is None:
        raise ConfigurationError(
            "re-ranking by a chat model needs one: set BRAIN_CHAT_MODEL, or BRAIN_RERANKER=embedded"
        )
    if executor is None:
        return LlmReranker(chat=chat, batch_size=batch_size)
    return LlmReranker(chat=chat, batch_size=batch_size, executor=executor)


def _http(url: str | None, model: str | None, api_key: SecretStr | None) -> Reranker:
    from rag_core.reranking.http import open_http_reranker

    if not url:
        raise ConfigurationError("re-ranking over HTTP needs BRAIN_RERANKER_URL, such as http://127.0.0.1:8080")
    return open_http_reranker(url=url, model=model, api_key=api_key)


def _cross_encoder(path: Path | None) -> Reranker:
    from rag_core.reranking.cross_encoder import open_cross_encoder

    if path is None:
        raise ConfigurationError(
            "a cross-encoder needs BRAIN_RERANKER_PATH, the folder of its model.onnx and tokenizer.json"
        )
    return open_cross_encoder(path)
