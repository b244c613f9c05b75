"""Registries of named entries and the loading of plugins."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from rag_core.errors import ConfigurationError
from rag_core.plugins.loading import PluginLoader
from rag_core.plugins.names import NameIn
from rag_core.plugins.registry import Registry


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of imports; what was imported from it is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def plugin_loader(monkeypatch: pytest.MonkeyPatch, modules: str) -> PluginLoader:
    monkeypatch.setenv("BRAIN_PLUGINS", modules)
    return PluginLoader()


def empty_registry(kind: str = "fruit") -> Registry[object]:
    return Registry(kind, load_plugins=lambda: None)


def fruit_package(folder: Path) -> Registry[object]:
    """A package ``fruits`` with a registry whose folder holds the module ``pear``."""
    (folder / "fruits/kinds").mkdir(parents=True)
    (folder / "fruits/__init__.py").write_text(
        "from rag_core.plugins.registry import Registry\n"
        "FRUITS = Registry('fruit', folder='fruits.kinds', load_plugins=lambda: None)\n"
    )
    (folder / "fruits/kinds/__init__.py").write_text("")
    (folder / "fruits/kinds/pear.py").write_text(
        "from fruits import FRUITS\n@FRUITS.register('pear')\ndef pear(): ...\n"
    )
    from fruits import FRUITS  # type: ignore[import-not-found]

    return FRUITS  # type: ignore[no-any-return]


def test_an_entry_is_found_by_its_name() -> None:
    fruits = empty_registry()

    @fruits.register("pear")
    def pear() -> None: ...

    assert fruits.get("pear") is pear


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    fruits = empty_registry()
    fruits.register("pear")("a pear")
    fruits.register("fig")("a fig")

    with pytest.raises(ConfigurationError, match=r"unknown fruit 'plum'; expected one of: pear, fig"):
        fruits.get("plum")


def test_a_name_is_registered_once() -> None:
    fruits = empty_registry()
    fruits.register("pear")("a pear")

    with pytest.raises(ConfigurationError, match="fruit 'pear' is registered already"):
        fruits.register("pear")("another")


def test_a_module_of_the_folder_is_imported_when_its_entry_is_looked_up(folder: Path) -> None:
    fruits = fruit_package(folder)

    assert fruits.names() == ("pear",)
    assert "fruits.kinds.pear" not in sys.modules

    assert fruits.get("pear") is not None
    assert "fruits.kinds.pear" in sys.modules


def test_the_name_of_a_module_of_the_folder_is_taken_before_it_is_imported(folder: Path) -> None:
    fruits = fruit_package(folder)

    with pytest.raises(ConfigurationError, match="fruit 'pear' is registered already"):
        fruits.register("pear")("another")


def test_modules_named_by_the_variable_are_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "first_plugin.py").write_text("")
    (folder / "second_plugin.py").write_text("")

    plugin_loader(monkeypatch, " first_plugin, second_plugin,").load()

    assert {"first_plugin", "second_plugin"} <= set(sys.modules)


def test_entry_points_are_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "installed_plugin.py").write_text("")
    metadata = folder / "installed_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: installed-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[brain_sync.plugins]\nmine = installed_plugin\n")

    plugin_loader(monkeypatch, "").load()

    assert "installed_plugin" in sys.modules


def test_plugins_are_loaded_when_a_name_is_not_known_otherwise() -> None:
    loaded: list[str] = []
    fruits: Registry[str] = Registry("fruit", load_plugins=lambda: loaded.append("plugins"))
    fruits.register("pear")("a pear")

    fruits.get("pear")
    assert loaded == []

    assert fruits.find("plum") is None
    assert loaded == ["plugins"]


def test_plugins_are_loaded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "counted.py").write_text("")
    loader = plugin_loader(monkeypatch, "counted")

    loader.load()
    del sys.modules["counted"]
    loader.load()

    assert "counted" not in sys.modules


@pytest.mark.parametrize(("code", "error"), [("1 / 0", "ZeroDivisionError"), ("raise SystemExit(0)", "SystemExit")])
def test_a_plugin_that_fails_is_named_at_every_call(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, error: str
) -> None:
    (folder / "broken_plugin.py").write_text(code)
    loader = plugin_loader(monkeypatch, "broken_plugin")

    for _ in range(2):
        with pytest.raises(ConfigurationError, match=rf"plugin broken_plugin \(BRAIN_PLUGINS\).*{error}"):
            loader.load()


def test_a_plugin_may_look_up_a_registry_while_it_is_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "curious_plugin.py").write_text("import tested_loader\ntested_loader.LOADER.load()\n")
    (folder / "tested_loader.py").write_text("LOADER = None")
    loader = plugin_loader(monkeypatch, "curious_plugin")
    import tested_loader  # type: ignore[import-not-found]

    tested_loader.LOADER = loader

    loader.load()

    assert "curious_plugin" in sys.modules


class TestNameIn:
    """A string field that takes the names of a registry."""

    @pytest.fixture
    def fruit(self) -> TypeAdapter[str]:
        fruits = empty_registry()
        fruits.register("pear")("a pear")
        fruits.register("fig")("a fig")
        return TypeAdapter(Annotated[str, NameIn(fruits)])

    def test_a_registered_name_is_taken(self, fruit: TypeAdapter[str]) -> None:
        assert fruit.validate_python("fig") == "fig"

    def test_another_name_is_refused_with_the_registered_ones(self, fruit: TypeAdapter[str]) -> None:
        with pytest.raises(ValidationError) as refused:
            fruit.validate_python("plum")

        [problem] = refused.value.errors()
        assert (problem["type"], problem["ctx"]) == ("literal_error", {"expected": "'pear' or 'fig'"})

    def test_the_json_schema_lists_the_registered_names(self, fruit: TypeAdapter[str]) -> None:
        assert fruit.json_schema() == {"type": "string", "enum": ["pear", "fig"]}
