"""Help texts and usage errors in the reader's language; typer and click know English alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from rag_core.cli.messages import help_of, localised, tr

_UsageError: Any = typer.BadParameter.__base__
"""Click's class, or that of the copy of click inside typer."""
_formatter: Any = typer.Context.formatter_class


class _Formatter(_formatter):  # type: ignore[misc]  # a class found at run time
    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or tr("Usage: "))


class _Context(typer.Context):
    formatter_class = _Formatter

    def __init__(self, command: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(command, *arguments, **options)
        if (option := command.get_help_option(self)) is not None:
            option.help = tr("Show this message and exit.")

    def get_help(self) -> str:
        """Return the help text."""
        _translate_frame()
        return super().get_help()


_FIRST = ("import", "folder", "index", "search", "ask", "up", "down", "status", "doctor")
"""Commands that everybody needs, in the order in which they are needed."""


class LocalisedGroup(TyperGroup):
    """The whole command line; its help and its usage errors are in the reader's language."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands, those first that everybody needs."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the words of the command line."""
        _translate_command(self, "brain")
        with _localised_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _localised_errors():
            return super().invoke(ctx)


@contextmanager
def _localised_errors() -> Iterator[None]:
    try:
        yield
    except (typer.Abort, EOFError, KeyboardInterrupt):
        _translate_frame()
        raise
    except _UsageError as error:
        _translate_frame()
        message = error.format_message()
        error.message = localised(error.message)
        translated = localised(error.format_message())
        if translated == message:
            raise
        raise _UsageError(translated, ctx=error.ctx) from None


def _translate_frame() -> None:
    """Translate the titles and remarks that typer puts around help texts and errors; importing what prints them takes 50 ms."""
    from typer import rich_utils

    rich_utils.ARGUMENTS_PANEL_TITLE = tr("Arguments")
    rich_utils.OPTIONS_PANEL_TITLE = tr("Options")
    rich_utils.COMMANDS_PANEL_TITLE = tr("Commands")
    rich_utils.ERRORS_PANEL_TITLE = tr("Error")
    rich_utils.ABORTED_TEXT = tr("Aborted.")
    rich_utils.DEFAULT_STRING = tr("[default: {}]")
    rich_utils.REQUIRED_LONG_STRING = tr("[required]")
    rich_utils.RICH_HELP = tr("Try [blue]'{command_path} {help_option}'[/] for help.")


def _translate_command(command: Any, path: str) -> None:
    """Translate the help of a command, of its parameters and of the commands in it."""
    command.context_class = _Context
    command.options_metavar = tr("[OPTIONS]")
    command.help = help_of(path) or command.help
    for parameter in command.params:
        _translate_parameter(parameter)
    if isinstance(command, TyperGroup):
        command.subcommand_metavar = tr("COMMAND [ARGS]...")
        for name, inner in command.commands.items():
            _translate_command(inner, f"{path} {name}")


def _translate_parameter(parameter: Any) -> None:
    parameter.help = help_of(parameter.help) or parameter.help
    if parameter.metavar is not None:
        parameter.metavar = help_of(parameter.metavar) or parameter.metavar
    elif parameter.param_type_name == "argument":
        parameter.metavar = help_of(parameter.name.upper()) or parameter.metavar
    if parameter.rich_help_panel is not None:
        parameter.rich_help_panel = help_of(parameter.rich_help_panel) or parameter.rich_help_panel
