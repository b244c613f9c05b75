"""The answers of a stand-in for Ollama that behaves: its models, embeddings and chat.

Paths, shapes and error texts are those of Ollama 0.13 and later (``server/routes.go`` of ollama/ollama).
"""

import functools
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ollama_server import OllamaServer, RecordedRequest

Body = dict[str, Any]
CREATED_AT = "2025-01-01T00:00:00Z"
LOADED_BYTES = 322_122_547
"""What the server says that a model takes up in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model the server has; a word has ``tokens_per_word``. ``dimensions`` is None for a chat model."""

    name: str
    dimensions: int | None = None
    context_tokens: int = 8192
    tokens_per_word: int = 1
    parameters: str = ""
    template: str = "{{ .Prompt }}"


class Refusal(Exception):  # noqa: N818 - an answer, not an error of this program
    def __init__(self, status: int, message: str, *, body: Body | None = None) -> None:
        self.status = status
        self.message = message
        self.body = body
        super().__init__(message)


def answer_honestly(handle: "OllamaServer", request: "RecordedRequest") -> Body | list[Body] | str:  # noqa: PLR0911  one a path
    match request.method, request.path:
        case "GET", "/":
            return "Ollama is running"
        case "GET", "/api/version":
            return {"version": "0.13.5"}
        case "GET", "/api/tags":
            return {"models": [_tag(model) for model in handle.models.values()]}
        case "GET", "/api/ps":
            loaded = {body.get("model") for body in handle.bodies("/api/embed")}
            return {"models": [_loaded(model) for model in handle.models.values() if model.name in loaded]}
        case "POST", "/api/show":
            return _show(_find(handle, request.body))
        case "POST", "/api/embed":
            return _embed(handle, _find(handle, request.body), request.body)
        case "POST", "/api/chat":
            return _chat(handle, _find(handle, request.body), request.body)
    raise Refusal(404, "404 page not found")


def _find(handle: "OllamaServer", body: Body) -> ServedModel:
    name = str(body.get("model") or body.get("name") or "")
    model = handle.models.get(name) or handle.models.get(name.removesuffix(":latest"))
    if model is None:
        raise Refusal(404, f'model "{name}" not found, try pulling it first')
    return model


def _tag(model: ServedModel) -> Body:
    name = model.name if ":" in model.name else f"{model.name}:latest"
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED_AT,
        "size": 274_302_450,
        "digest": "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
        "details": _details(),
    }


def _loaded(model: ServedModel) -> Body:
    tag = _tag(model)
    held = {"expires_at": CREATED_AT, "size_vram": 0, "size": LOADED_BYTES}
    return {key: tag[key] for key in ("name", "model", "digest", "details")} | held


def _details() -> Body:
    return {"format": "gguf", "family": "stand-in", "parameter_size": "137M", "quantization_level": "F16"}


def _show(model: ServedModel) -> Body:
    info: Body = {"general.architecture": "stand-in", "stand-in.context_length": model.context_tokens}
    if model.dimensions is not None:
        info["stand-in.embedding_length"] = model.dimensions
    return {
        "details": _details(),
        "model_info": info,
        "capabilities": ["embedding"] if model.dimensions is not None else ["completion"],
        "parameters": model.parameters,
        "template": model.template,
        "modified_at": CREATED_AT,
    }


def _embed(handle: "OllamaServer", model: ServedModel, body: Body) -> Body:
    if model.dimensions is None:
        raise Refusal(501, "this model does not support embeddings")
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "invalid input type")
    if any(handle.refuses(text) for text in texts):
        raise Refusal(400, "failed to encode input")
    limit = min(model.context_tokens, (body.get("options") or {}).get("num_ctx", 4096))
    kept = [_fit(text, limit, is_truncating=body.get("truncate", True)) for text in texts if text]
    return {
        "model": model.name,
        "embeddings": [embed_text(text, model=model.name, dimensions=model.dimensions) for text in kept],
        "total_duration": 14_143_917,
        "load_duration": 1_019_500,
        "prompt_eval_count": sum(len(text.split()) for text in kept),
    }


def _fit(text: str, limit: int, *, is_truncating: bool) -> str:
    words = text.split()
    if len(words) <= limit:
        return text
    if not is_truncating:
        raise Refusal(400, "the input length exceeds the context length")
    return " ".join(words[:limit])


def embed_text(text: str, *, model: str, dimensions: int) -> list[float]:
    """Embed a text as the stand-in does: the sum of a random direction a word, scaled to length one."""
    sums = [0.0] * dimensions
    for word in text.casefold().split() or [text]:
        direction = _direction(word, model, dimensions)
        sums = [total + part for total, part in zip(sums, direction, strict=True)]
    norm = math.sqrt(math.fsum(part * part for part in sums))
    return [part / norm for part in sums]


@functools.lru_cache(maxsize=4096)
def _direction(word: str, model: str, dimensions: int) -> tuple[float, ...]:
    generator = random.Random(f"{model}\0{word}")
    return tuple(generator.gauss(0, 1) for _ in range(dimensions))


def _chat(handle: "OllamaServer", model: ServedModel, body: Body) -> Body | list[Body]:
    if model.dimensions is not None:
        raise Refusal(400, f'"{model.name}" does not support chat')
    read = _tokens_read(handle, model, body)
    pieces = handle.bits_of(handle.reply(body))
    limit = (body.get("options") or {}).get("num_predict", len(pieces))
    last = {"done_reason": "length" if limit < len(pieces) else "stop", "prompt_eval_count": read}
    if body.get("stream", True) is False:
        return _chat_part(model, "".join(pieces[:limit]), **last)
    return [*(_chat_part(model, piece) for piece in pieces[:limit]), _chat_part(model, "", **last)]


def _tokens_read(handle: "OllamaServer", model: ServedModel, body: Body) -> int:
    """The prompt's tokens, all of them or, where the server cuts, as many as the context holds."""
    words = sum(len(message["content"].split()) for message in body["messages"])
    limit = min(model.context_tokens, (body.get("options") or {}).get("num_ctx", 4096))
    if words * model.tokens_per_word <= limit:
        return words * model.tokens_per_word
    if body.get("truncate", True) or handle.cuts_prompts:
        return int(limit)
    raise Refusal(400, "the input length exceeds the context length")


def _chat_part(model: ServedModel, content: str, *, done_reason: str | None = None, prompt_eval_count: int = 0) -> Body:
    part: Body = {
        "model": model.name,
        "created_at": CREATED_AT,
        "message": {"role": "assistant", "content": content},
        "done": done_reason is not None,
    }
    if done_reason is not None:
        counted = {"prompt_eval_count": prompt_eval_count, "eval_count": len(content.split())}
        part |= {"done_reason": done_reason, "total_duration": 5_191_566_416} | counted
    return part
