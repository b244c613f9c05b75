"""`brain ask` in a process of its own: what takes long is done before the question has its time."""

from typing import Any

import pytest
from command_line import Brain

from rag_core.runtime.engine import Engine
from rag_core.terminal import asking


def test_the_model_is_loaded_before_the_time_of_the_question_begins(
    brain: Brain, monkeypatch: pytest.MonkeyPatch, make_note: Any
) -> None:
    make_note("Hubo una tarta de limón en el cumpleaños de Rosa.", external_id="cumple")
    done: list[str] = []
    answer = asking.answer_events

    def answered(*given: Any, **named: Any) -> Any:
        done.append("asked")
        return answer(*given, **named)

    monkeypatch.setattr(Engine, "warm_up_embedder", lambda _engine: done.append("loaded"))
    monkeypatch.setattr(asking, "answer_events", answered)

    assert brain("ask", "¿Qué tarta hubo en el cumpleaños de Rosa?").exit_code == 0

    assert done == ["loaded", "asked"]
