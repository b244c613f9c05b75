"""Texts that the pages use, read from their templates and modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment

PAGES = Path(__file__).resolve().parents[1] / "rag_core/api/pages"
TEMPLATES = PAGES / "web/templates"
TRANSLATING = {"tr": 1, "counted": 2, "headings": None, "Texts": 1}
"""Functions that take texts: how many of their first arguments are texts, None for all."""
_FOR_OTHERS = {"NotFoundError", "Rule", "log_degraded"}
"""Functions whose texts are for the command line and the operator, in English."""
_IN_TEMPLATES = ("_", "gettext", "ngettext", "counted")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SHOWN_ATTRIBUTES = re.compile(r'\b(?:aria-label|title|placeholder|alt|data-label|data-thanks)="([^"]*)"')
_SAME_EVERYWHERE = re.compile(
    r"aria-current=.page.|^broad report$|Brain Sync|Dagster|: time and memory|nDCG|MRR|brain \w+(?: \w+)?|brain_…"
    r"|created_at|\btext\b|\btitle\b|\bid\b"
)


def read_environment() -> Environment:
    environment = Environment(extensions=["jinja2.ext.i18n"], trim_blocks=True, lstrip_blocks=True, autoescape=True)
    environment.policies["ext.i18n.trimmed"] = True
    return environment


def texts_of_template(source: str) -> Iterator[str]:
    """The texts that a template translates."""
    for _, _, found in read_environment().extract_translations(source, _IN_TEMPLATES):
        yield from filter(None, [found] if isinstance(found, str) else found)


def texts_of_module(source: str) -> Iterator[str]:
    """The literal texts given to ``tr``, ``counted``, ``headings`` and ``Texts``; a mapping's keys are none."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in TRANSLATING:
            for argument in call.args[: TRANSLATING[call.func.id]]:
                yield from _literals(argument)


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _literals(value)
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def used_texts() -> set[str]:
    """Every text that a template or a module of the pages uses."""
    templates = {text for path in TEMPLATES.rglob("*.html") for text in texts_of_template(path.read_text("utf-8"))}
    return templates | {text for path in PAGES.rglob("*.py") for text in texts_of_module(path.read_text("utf-8"))}


def untranslated_in_template(source: str) -> Iterator[str]:
    """Words that a template shows as they stand: between tags, in attributes that are read, in string expressions."""
    source = re.sub(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}", "", source, flags=re.DOTALL)
    source = re.sub(r"\{#.*?#\}", "", source, flags=re.DOTALL)
    for expression in re.findall(r"\{\{(.*?)\}\}", source, flags=re.DOTALL):
        told = re.sub(r'(?:_|counted|ngettext)\((?:"[^"]*"(?:, )?)+', "", expression)
        yield from (text for text in re.findall(r'"([^"]*)"', told) if " " in text.strip() and _LETTERS.search(text))
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", source, flags=re.DOTALL)
    between = re.sub(r"<!.*?>|<(?:style|script)\b.*?</(?:style|script)>|<[^>]*>", "\n", plain, flags=re.DOTALL)
    for text in [*between.splitlines(), *_SHOWN_ATTRIBUTES.findall(plain)]:
        if _LETTERS.search(_SAME_EVERYWHERE.sub("", text)):
            yield text.strip()


def untranslated_in_module(source: str) -> Iterator[str]:
    """Literals of two or more words that are shown and given to nothing that translates them."""
    tree = ast.parse(source)
    told = set(texts_of_module(source)) | {node.value.value for node in ast.walk(tree) if _is_docstring(node)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inside |= {id(part) for node in ast.walk(tree) if _is_for_others(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        text = _template(node) if id(node) not in inside else ""
        if text not in told and re.search(
            r"[^\W\d_]{3,} [^\W\d_]{2,}", re.sub(r"<[^>]*>", "", _SAME_EVERYWHERE.sub("", text))
        ):
            yield text


def _is_for_others(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FOR_OTHERS


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _template(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""
