"""Figures of the parsers as tables on the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

Figures = dict[str, Any]


def print_files(files: Sequence[Figures], means: Mapping[str, Figures], metrics: Sequence[str]) -> None:
    """A row a file, then the means of each format, then the problems."""
    shown = _shown(files, metrics)
    table = Table(*("file", "format", "parser", "pages"), *(metric.replace("_", " ") for metric in shown))
    for figures in files:
        leading = (figures.get(name) for name in ("file", "format", "parser", "pages"))
        table.add_row(*("–" if value is None else str(value) for value in leading), *_columns(figures, shown))
    table.add_section()
    for name, figures in means.items():
        table.add_row("mean", name, "", "", *_columns(figures, shown))
    Console(width=220).print(table)
    for figures in files:
        if "problem" in figures:
            print(f"{figures['file']}: {figures['problem']}")


def print_kinds(kinds: Mapping[str, Figures], metrics: Sequence[str]) -> None:
    """A row a kind of drawn table."""
    shown = _shown(kinds.values(), metrics)
    table = Table("tables", "files", *(metric.replace("_", " ") for metric in shown))
    for name, figures in kinds.items():
        table.add_row(name, str(figures["files"]), *_columns(figures, shown))
    Console(width=220).print(table)


def print_recall(recall: Mapping[str, Any]) -> None:
    """The figures of each strategy, and what was missed."""
    for strategy, figures in recall.items():
        print(
            f"{strategy}: {figures['questions']} questions, Recall@10 {figures['recall_at_10']:.3f}, at 1 "
            f"{figures['recall_at_1']:.3f}, page right of the found {figures['page_right']:.3f}"
        )
        for one in figures["missed"]:
            print(
                f"  rank {one['rank']}, page {one['found_page']} of {one['pages']}: {one['question']} ({one['file']})"
            )


def _shown(rows: Any, metrics: Sequence[str]) -> tuple[str, ...]:
    return tuple(metric for metric in metrics if any(metric in figures for figures in rows))


def _columns(figures: Figures, metrics: Sequence[str]) -> list[str]:
    return [f"{figures[metric]:.3f}" if metric in figures else "–" for metric in metrics]
