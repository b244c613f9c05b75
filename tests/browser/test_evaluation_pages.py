"""The pages of evaluations in Chromium: they load, their charts are drawn, their links work, on desk and telephone."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from databases import cloned_database
from playwright.sync_api import Browser, Page, expect

from rag_core.api.pages.evaluation.files import run_file
from rag_core.configuration.schema import configure
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.retrieval import Strategy
from rag_core.operation.demo_corpus import demo_file, load_demo
from rag_core.runtime.engine import DEMO_TENANT, Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import register_batches, stale_batches

pytestmark = pytest.mark.browser

QUERIES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the pages are, and the two runs they show."""

    address: str
    before: EvaluationRun
    after: EvaluationRun
    file: Path

    @property
    def pages(self) -> dict[str, str]:
        """Every kind of page that runs have."""
        asked = self.after.queries[0].query_id
        return {
            "overview": f"{self.address}/evaluation",
            "run": f"{self.address}/evaluation/runs/{self.after.run_id}",
            "comparison": (
                f"{self.address}/evaluation/compare?baseline={self.before.run_id}&candidate={self.after.run_id}"
            ),
            "query": (
                f"{self.address}/evaluation/runs/{self.after.run_id}/queries/{asked}?baseline={self.before.run_id}"
            ),
            "file": self.file.as_uri(),
        }


@pytest.fixture(scope="module")
def evaluated(server: str, template: str, serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Notes of the demonstration with thirty of its questions, asked by meaning alone and then by both ways of searching."""
    folder = tmp_path_factory.mktemp("report")
    golden = folder / "golden.jsonl"
    lines = demo_file("golden.jsonl").read_text(encoding="utf-8").splitlines()[:QUERIES]
    golden.write_text("\n".join(lines), encoding="utf-8")
    with (
        cloned_database(server, template) as database_url,
        open_engine(read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)) as engine,
        serve(engine) as address,
    ):
        load_demo(engine.database, engine.settings, golden=golden)
        _index(engine)
        before, after = _measure(engine, "semantic"), _measure(engine, "hybrid")
        file = folder / "informe.html"
        file.write_text(run_file(engine.database, engine.settings, DEMO_TENANT, after.run_id), encoding="utf-8")
        yield Site(address=address, before=before, after=after, file=file)


def _index(engine: Engine) -> None:
    register_batches(engine.database, DEMO_TENANT)
    keys = stale_batches(engine.database, DEMO_TENANT, fingerprint=engine.pipeline.fingerprint)
    stage_notes(engine.database, DEMO_TENANT, keys, engine.pipeline)
    embed_staged(engine.database, DEMO_TENANT, keys, engine.pipeline)
    publish_staged(engine.database, DEMO_TENANT, keys, engine.pipeline)


def _measure(engine: Engine, strategy: Strategy) -> EvaluationRun:
    config = configure(strategy=strategy)
    return evaluate(
        engine.database,
        DEMO_TENANT,
        evaluated_search(engine, DEMO_TENANT, config=config, timeout_ms=10_000),
        set_name="default",
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", ["overview", "run", "comparison", "query", "file"])
def test_a_page_fits_the_window_and_its_letters_can_be_read(page: Page, evaluated: Site, kind: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})

    page.goto(evaluated.pages[kind])

    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    for chart in page.locator("svg.chart:visible").all():
        scale = chart.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")
        assert scale * 11.5 >= 10, chart.text_content()  # pixels of the smallest letters


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("overview", ["Evaluaciones"]),
        ("run", ["Peores consultas", "Todas las consultas"]),
        ("comparison", ["Las consultas que más pierden", "Las consultas que más ganan"]),
    ],
)
def test_no_figure_of_a_table_is_out_of_sight(
    page: Page, evaluated: Site, kind: str, names: list[str], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})

    page.goto(evaluated.pages[kind])

    for name in names:
        region = page.locator(f".scroll[aria-label='{name}']")
        assert region.evaluate("box => box.scrollWidth <= box.clientWidth"), name


def test_on_a_telephone_every_figure_has_its_name_and_lists_are_no_longer_than_the_window(
    page: Page, evaluated: Site
) -> None:
    page.set_viewport_size({"width": 390, "height": 900})

    page.goto(evaluated.pages["run"])

    region = page.locator(".scroll[aria-label='Todas las consultas']")
    figure = region.locator("tbody tr").first.locator("td[data-label='nDCG@10']")
    assert figure.evaluate("cell => getComputedStyle(cell, '::before').content") == '"nDCG@10 "'
    assert region.bounding_box()["height"] <= 900 * 0.76
    assert region.evaluate("box => box.scrollHeight > box.clientHeight")


@pytest.mark.parametrize("kind", ["run", "comparison", "overview", "file"])
def test_charts_are_drawn_and_named(page: Page, evaluated: Site, kind: str) -> None:
    page.goto(evaluated.pages[kind])

    charts = page.get_by_role("img").and_(page.locator("svg"))
    assert charts.count() >= 3
    for chart in charts.all():
        marks = chart.locator("circle, rect, polyline, polygon").all()
        boxes = [box for mark in marks if (box := mark.bounding_box()) is not None]
        assert any(box["width"] > 2 and box["height"] > 2 for box in boxes)
        named = [
            page.locator(f"[id='{name}']").text_content() for name in chart.get_attribute("aria-labelledby").split()
        ]
        assert all(named)


def test_one_drawing_of_each_chart_is_shown(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.pages["run"])

    for plot in page.locator(".plot").all():
        expect(plot.locator("svg.chart:visible")).to_have_count(1)


def test_no_letters_of_a_chart_leave_its_frame(page: Page, evaluated: Site) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(evaluated.pages["run"])

    outside = page.evaluate(
        """() => [...document.querySelectorAll("svg.chart text")].filter((text) => {
          const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
          return box.width && (box.left < frame.left - 12 || box.right > frame.right + 12);
        }).map((text) => text.textContent)"""
    )

    assert outside == []


def test_one_finds_the_way_from_the_search_to_a_note_that_was_missed(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.address)

    page.get_by_role("link", name="evaluación", exact=True).click()
    page.locator(".heads").get_by_role("link").first.click()
    page.locator("#consultas tbody tr").first.get_by_role("link").click()
    expect(page.locator("main table")).to_be_visible()
    page.locator("main table").get_by_role("link").first.click()

    expect(page.locator("article.note")).to_be_visible()


def test_two_runs_are_chosen_and_compared(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.pages["overview"])

    page.get_by_role("button", name="Comparar").click()

    expect(page.get_by_role("heading", name="Comparación")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text(f"sobre {QUERIES} consultas en común")


def test_a_click_on_a_head_sorts_and_another_turns_it_round(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.pages["run"])
    table = page.locator("#consultas")
    figures = table.locator("tbody tr td:nth-child(5)")

    table.get_by_role("button", name="nDCG@10").click()
    ascending = [float(text.replace(",", ".")) for text in figures.all_text_contents()]
    table.get_by_role("button", name="nDCG@10").click()
    descending = [float(text.replace(",", ".")) for text in figures.all_text_contents()]

    assert ascending == sorted(ascending)
    assert descending == sorted(descending, reverse=True)
    assert len(set(ascending)) > 1


def test_choosing_a_category_leaves_its_queries(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.pages["run"])
    wanted = [result for result in evaluated.after.queries if result.category == "temporal"]

    page.locator("select[name=categoria]").select_option("temporal")

    expect(page.locator("#consultas tbody tr:visible")).to_have_count(len(wanted))
    expect(page.locator("[data-shown]")).to_have_text(str(len(wanted)))


@pytest.fixture
def plain_page(browser: Browser) -> Iterator[Page]:
    """A page of a browser that runs no scripts."""
    context = browser.new_context(java_script_enabled=False, locale="es-ES")
    yield context.new_page()
    context.close()


def test_without_scripts_the_filter_is_a_form(plain_page: Page, evaluated: Site) -> None:
    plain_page.goto(evaluated.pages["run"])
    wanted = [result for result in evaluated.after.queries if result.category == "causal"]

    plain_page.locator("select[name=categoria]").select_option("causal")
    plain_page.get_by_role("button", name="Filtrar").click()

    expect(plain_page.locator("#consultas tbody tr:visible")).to_have_count(len(wanted))
    assert "categoria=causal" in plain_page.url


def test_the_file_asks_nobody_for_anything_and_unfolds_what_is_linked(page: Page, evaluated: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(evaluated.pages["file"])

    page.locator("#consultas tbody tr").first.get_by_role("link").click()

    expect(page.locator("details.sheet[open]")).to_have_count(1)
    expect(page.locator("details.sheet[open] li").first).to_be_visible()
    assert [url for url in asked if not url.startswith("file:")] == []


def test_dark_windows_get_dark_charts(browser: Browser, evaluated: Site) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, locale="es-ES")
        page = context.new_page()
        page.goto(evaluated.pages["run"])
        dot = page.locator("svg.chart:visible .dot").first
        plot = page.locator(".plot").first
        colours[scheme] = (
            dot.evaluate("dot => getComputedStyle(dot).fill"),
            plot.evaluate("plot => getComputedStyle(plot).backgroundColor"),
        )
        context.close()

    assert colours["light"][0] != colours["dark"][0]
    assert colours["light"][1] != colours["dark"][1]


def test_figures_of_a_chart_can_be_read_as_a_table(page: Page, evaluated: Site) -> None:
    page.goto(evaluated.pages["run"])
    plot = page.locator(".plot").first

    plot.get_by_text("Las cifras").click()

    row = plot.get_by_role("row").filter(has_text=re.compile(r"^nDCG@10"))
    expect(row).to_contain_text(f"{evaluated.after.metrics.ndcg_at_10:.3f}".replace(".", ","))
    assert json.dumps(evaluated.after.total_queries) in row.text_content()
