"""Answers of searches and questions: from the running API of this home, else from this process."""

from collections.abc import Generator

from rag_core.cli.app import say
from rag_core.cli.messages import localised
from rag_core.terminal.requests import Event, TerminalQuestion, TerminalSearch
from rag_core.terminal.running_api import ApiUnusableError, ask_running_api


def answer_events_of(asked: TerminalSearch | TerminalQuestion) -> Generator[Event, None, None]:
    """The events that answer a command; one that has begun to be shown is not begun again elsewhere.

    Raises:
        RagError: the answer is an error, or broke off.
    """
    has_begun = False
    try:
        for event in ask_running_api(asked):
            has_begun = True
            yield event
    except ApiUnusableError as error:
        if has_begun:
            raise
        if str(error):
            say(f"({localised(str(error))})")
    else:
        return
    yield from _answered_here(asked)


def _answered_here(asked: TerminalSearch | TerminalQuestion) -> Generator[Event, None, None]:
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.terminal.asking import ask_events
    from rag_core.terminal.searching import search_events

    with open_engine(read_settings_to_read()) as engine:
        if isinstance(asked, TerminalSearch):
            yield from search_events(engine, asked)
        else:
            engine.warm_up_embedder()  # which may take longer than a question has
            yield from ask_events(engine, asked)
