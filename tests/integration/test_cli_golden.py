"""`brain golden`: sets listed, covered, verified and thinned out, as files in either form."""

import json

import pytest
from command_line import Brain, printed_json

LINES = [
    {"id": "g1", "query": "¿Quién riega?", "relevant_ids": ["n1"], "category": "factual", "difficulty": "easy"},
    {
        "id": "g2",
        "query": "¿Cuándo riega?",
        "relevance": [{"id": "n1", "grade": 2, "spans": [{"quote": "al alba"}]}],
        "category": "multi_hop",
        "difficulty": "hard",
        "key_facts": ["al alba"],
        "verified_by": "Lucía",
        "verified_at": "2025-03-01T08:00:00+00:00",
    },
]


@pytest.fixture
def lines(make_note, tmp_path):
    """A file of two queries on one note."""
    make_note("El señor Ferrer riega los tomates al alba.")
    file = tmp_path / "golden.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return file


def test_a_document_goes_out_and_comes_in_as_the_same_set(brain: Brain, lines, tmp_path) -> None:
    document = tmp_path / "rv.json"
    brain("golden", "import", lines, "--set", "rv")

    brain("golden", "export", "--set", "rv", "-o", document)
    before = printed_json(brain("golden", "export", "--set", "rv", "--json"))
    brain("golden", "remove", "g1", "g2", "--set", "rv")
    again = printed_json(brain("golden", "import", document, "--json"))
    after = printed_json(brain("golden", "export", "--set", "rv", "--json"))

    assert json.loads(document.read_text(encoding="utf-8")) == before
    assert again == {"imported": 2, "rejected": []}
    assert (after["set"], after["vocabulary"]) == ("rv", "rag_v2")
    assert after["queries"] == before["queries"]
    assert after["queries"][1]["verified_at"] == "2025-03-01T08:00:00+00:00"


def test_an_import_says_what_is_new_what_was_changed_and_what_was_left(brain: Brain, lines, tmp_path) -> None:
    first = brain("golden", "import", lines)
    entry = {"query": "¿Quién riega?", "relevant_ids": ["n1"], "key_facts": ["Ferrer"]}
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(json.dumps(one) for one in (entry, LINES[1])), encoding="utf-8")

    again = brain("golden", "import", str(changed))

    assert "imported 2 (2 new, 0 updated, 0 unchanged)  rejected 0" in first.stdout
    assert "imported 2 (0 new, 1 updated, 1 unchanged)  rejected 0" in again.stdout


def test_lines_go_out_one_a_query(brain: Brain, lines, tmp_path) -> None:
    brain("golden", "import", lines)

    done = brain("golden", "export")

    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["g1", "g2"]
    assert [json.loads(line)["difficulty"] for line in done.stdout.splitlines()] == ["easy", "hard"]


def test_a_new_set_takes_the_vocabulary_asked_for(brain: Brain, make_note, tmp_path) -> None:
    make_note("El señor Ferrer riega.")
    file = tmp_path / "plain.jsonl"
    file.write_text('{"query": "¿Quién?", "relevant_ids": ["n1"]}\n', encoding="utf-8")

    printed_json(brain("golden", "import", file, "--set", "rv", "--vocabulary", "rag_v2", "--json"))
    refused = brain("golden", "import", file, "--set", "rv", "--vocabulary", "brain_sync", "--json")

    (golden_set,) = printed_json(brain("golden", "list", "--json"))["sets"]
    assert (golden_set["set"], golden_set["vocabulary"], golden_set["queries"]) == ("rv", "rag_v2", 1)
    assert refused.exit_code == 1
    assert "in the words of rag_v2" in json.loads(refused.stdout)["error"]


def test_sets_are_listed_with_what_they_hold(brain: Brain, lines) -> None:
    assert "no golden set yet" in brain("golden", "list").stderr
    brain("golden", "import", lines)

    shown = brain("golden", "list").stdout
    (listed,) = printed_json(brain("golden", "list", "--json"))["sets"]

    assert {name: listed[name] for name in ("set", "version", "queries", "without_notes", "verified", "with_spans")} == {
        "set": "default", "version": 1, "queries": 2, "without_notes": 0, "verified": 1, "with_spans": 1,
    }  # fmt: skip
    assert "rag_v2" in shown


def test_coverage_says_what_is_missing(brain: Brain, lines) -> None:
    brain("golden", "import", lines)

    covered = printed_json(brain("golden", "coverage", "--json"))
    shown = brain("golden", "coverage").stdout

    rows = {one["category"]: (one["total"], one["minimum"], one["missing"]) for one in covered["coverage"]}
    assert rows["factual"] == (1, 20, 19)
    assert rows["multi_hop"] == (1, 15, 14)
    assert (covered["minimum"], covered["missing"]) == (85, 83)
    assert [line.split() for line in shown.splitlines() if "multi_hop" in line] == [
        ["│", "multi_hop", "│", "0", "│", "0", "│", "1", "│", "1", "│", "15", "│", "14", "│"]
    ]


def test_queries_are_verified_and_removed_by_either_id(brain: Brain, lines) -> None:
    brain("golden", "import", lines)
    (first, _) = printed_json(brain("golden", "export", "--json"))["queries"]
    assert "verified_by" not in first

    verified = printed_json(brain("golden", "verify", "g1", "--by", "Ana", "--json"))
    by_id = printed_json(brain("golden", "remove", verified["verified"][0], "--json"))

    (left,) = printed_json(brain("golden", "export", "--json"))["queries"]
    assert by_id == {"removed": verified["verified"]}
    assert (left["id"], left["verified_by"]) == ("g2", "Lucía")


def test_a_name_that_is_nobodys_or_several_queries_changes_nothing(brain: Brain, lines, tmp_path) -> None:
    brain("golden", "import", lines)
    same = tmp_path / "same.jsonl"
    same.write_text('{"id": "g1", "query": "¿Otra?", "relevant_ids": ["n1"]}\n', encoding="utf-8")
    brain("golden", "import", same)

    unknown = brain("golden", "remove", "g2", "g9")
    ambiguous = brain("golden", "verify", "g1", "--by", "Ana")

    assert (unknown.exit_code, ambiguous.exit_code) == (1, 1)
    assert "no golden query 'g9' in the set 'default'" in unknown.stderr
    assert "'g1' is the name of several queries" in ambiguous.stderr
    assert len(printed_json(brain("golden", "export", "--json"))["queries"]) == 3
