"""The pages of experiments, and reading them as JSON."""

from uuid import uuid4

import pytest
from trying import ALWAYS, QUERY, TEXTS, ask, recorded
from trying import begin as begin  # noqa: PLC0414  a fixture, re-exported to pytest
from trying import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.experiments.lifecycle import end_experiment
from rag_core.runtime.engine import DEFAULT_TENANT


class TestPage:
    def test_a_note_that_is_opened_from_the_results_is_reported(self, client, engine, begin) -> None:
        experiment = begin("interleave")
        page = client.get("/", params={"q": QUERY}).text
        (record,) = recorded(engine, experiment)
        link = page.split('<h2 id="r1"><a href="')[1].split('"')[0].replace("&amp;", "&")

        note = client.get(link)

        assert note.status_code == 200
        assert recorded(engine, experiment)[0].opened == {record.served_notes[0]}
        assert "¿Responde esta nota a tu búsqueda?" in note.text

    def test_who_comes_back_to_the_results_gets_the_same_list_and_is_not_counted_twice(
        self, client, engine, begin
    ) -> None:
        experiment = begin("interleave")
        first = client.get("/", params={"q": QUERY}).text
        link = first.split('<h2 id="r1"><a href="')[1].split('"')[0].replace("&amp;", "&")
        back = client.get(link).text.split('<a href="/?')[1].split('"')[0].replace("&amp;", "&")

        again = client.get(f"/?{back}").text

        def titles(page: str) -> list[str]:
            return [part.split("</a>")[0].split(">")[-1] for part in page.split('<h2 id="r')[1:]]

        assert titles(again) == titles(first)
        assert len(recorded(engine, experiment)) == 1

    @pytest.mark.parametrize("mode", ["split", "interleave"])
    def test_the_id_of_an_answer_does_not_go_over_to_another_query(self, client, engine, begin, mode: str) -> None:
        experiment = begin(mode, share=ALWAYS)
        client.get("/", params={"q": QUERY})
        (record,) = recorded(engine, experiment)

        same = client.get("/", params={"q": QUERY, "consulta": str(record.id)}).text
        other = client.get("/", params={"q": "tomates y albahaca", "consulta": str(record.id)}).text

        assert f"/opinion/{record.id}/util" in same
        assert str(record.id) not in other
        assert '<h2 id="r1">' in other

    @pytest.mark.parametrize(
        ("method", "headers"),
        [
            ("HEAD", {}),
            ("GET", {"Sec-Purpose": "prefetch;prerender"}),
            ("GET", {"Purpose": "prefetch"}),
            ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
            ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
        ],
    )
    def test_a_note_that_nobody_reads_yet_is_not_opened(self, client, engine, begin, method, headers) -> None:
        experiment = begin("split", share=ALWAYS)
        answer = ask(client)
        query_id, note_id = answer["metadata"]["experiment"]["queryId"], answer["results"][0]["noteId"]

        note = client.request(method, f"/notas/{note_id}", params={"consulta": query_id}, headers=headers)

        assert note.status_code == 200
        assert recorded(engine, experiment)[0].feedback == ()

    def test_the_buttons_work_without_javascript(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        page = client.get("/", params={"q": QUERY}).text
        yes = page.split('formaction="')[1].split('"')[0].replace("&amp;", "&")

        answer = client.post(yes, headers={"content-type": "application/x-www-form-urlencoded"})

        assert answer.status_code == 200
        assert "Gracias por tu opinión" in answer.text
        assert recorded(engine, experiment)[0].is_helpful is True

    def test_another_way_of_searching_does_not_take_part(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)

        for more in ({"modo": "palabras"}, {"tiempo": "no"}):
            page = client.get("/", params={"q": QUERY, **more}).text
            assert "/opinion/" not in page

        assert recorded(engine, experiment) == []

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_search_that_a_page_of_another_origin_leads_to_takes_no_part(self, client, engine, begin, site) -> None:
        experiment = begin("split", share=ALWAYS)
        navigation = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}

        page = client.get("/", params={"q": QUERY}, headers=navigation)

        assert page.status_code == 200
        assert "/opinion/" not in page.text
        assert recorded(engine, experiment) == []

    def test_without_an_experiment_nobody_is_asked(self, client, add_note) -> None:
        add_note(TEXTS[0])

        assert "/opinion/" not in client.get("/", params={"q": QUERY}).text

    def test_an_opinion_leads_back_to_this_site_only(self, client, begin) -> None:
        begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]

        page = client.post(f"/opinion/{query_id}/util", params={"volver": "https://example.org/"}).text

        assert "example.org" not in page


class TestReading:
    def test_experiments_are_listed_newest_first(self, client, engine, begin) -> None:
        assert client.get("/api/experiments").json() == {"experiments": []}
        first = begin("split", share=ALWAYS)
        ask(client)
        end_experiment(engine.database, DEFAULT_TENANT, first.name)
        second = begin("shadow")

        listed = client.get("/api/experiments").json()["experiments"]

        assert [(one["id"], one["state"], one["queries"]) for one in listed] == [
            (str(second.id), "running", 0),
            (str(first.id), "stopped", 1),
        ]
        assert listed[1]["stoppedAt"] is not None
        assert listed[0]["candidate"]["strategy"] == "fulltext"

    @pytest.mark.parametrize("mode", ["split", "interleave", "shadow"])
    def test_one_is_read_by_its_name_or_id_with_its_figures(self, client, begin, mode) -> None:
        experiment = begin(mode, share=0.5)

        by_id = client.get(f"/api/experiments/{experiment.id}")
        by_name = client.get(f"/api/experiments/{experiment.name}").json()

        assert by_id.status_code == 200
        assert by_id.json() == by_name
        assert (by_name["name"], by_name["mode"], by_name["share"]) == (experiment.name, mode, 0.5)
        assert (by_name["isPaused"], by_name["conclusion"].split()[0]) == (False, "Todavía")
        assert {"split": "helpful", "interleave": "moreQueries", "shadow": "rankBiasedOverlap"}[mode] in by_name[
            "figures"
        ]

    def test_preferences_are_counted(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]
        client.post("/api/experiments/feedback", json={"queryId": query_id, "kind": "helpful"})

        figures = client.get(f"/api/experiments/{experiment.name}").json()["figures"]

        assert (figures["candidate"]["helpful"], figures["candidate"]["helpfulRate"]) == (1, 1.0)

    def test_an_unknown_one_is_told_in_spanish(self, client, add_note) -> None:
        add_note("Una nota.")

        for name in ("ninguno", str(uuid4())):
            answer = client.get(f"/api/experiments/{name}")
            assert answer.status_code == 404
            assert answer.json()["details"].startswith("No existe ningún experimento con ese nombre")
