"""The drawing of a neighbourhood, and the notes that stand out among near ones."""

from itertools import pairwise
from uuid import UUID

from rag_core.api.pages.graph_drawing import GraphNode, drawn
from rag_core.api.pages.related_notes import standing_out


def node(key: str, *linked: str, name: str = "") -> GraphNode:
    return GraphNode(key=key, name=name or key, kind="nota", is_note=True, page="", graph="", linked=linked)


def test_a_node_stands_beside_those_it_is_linked_to() -> None:
    drawing = drawn([[node("a")], [node("b", "a"), node("c", "a")], [node("low", "c"), node("high", "b")]])

    assert [one.node.key for one in drawing.columns[2]] == ["high", "low"]
    assert [edge.ends for edge in drawing.edges] == [("a", "b"), ("a", "c"), ("b", "high"), ("c", "low")]


def test_boxes_of_a_column_do_not_overlap_and_lie_within_the_drawing() -> None:
    drawing = drawn([[node("a")], [node(str(number), "a") for number in range(40)]])
    tops = [one.y for one in drawing.columns[1]]

    assert min(low - high for high, low in pairwise(tops)) > drawing.box[1]
    assert tops[0] >= 0
    assert tops[-1] + drawing.box[1] <= drawing.height
    assert drawing.columns[1][0].x + drawing.box[0] <= drawing.width


def test_a_line_to_a_node_that_is_not_drawn_is_left_out() -> None:
    assert drawn([[node("a")], [node("b", "a", "missing")]]).edges[0].ends == ("a", "b")


def test_a_long_name_is_cut() -> None:
    (only,) = drawn([[node("a", name="Una reunión larguísima con todo el taller")]]).columns[0]

    assert only.label == "Una reunión larguísima co…"


def test_notes_far_above_the_mean_stand_out_best_first() -> None:
    keys = [UUID(int=number) for number in range(10)]
    scores = dict(zip(keys, [0.95, 0.97, *[0.8] * 8], strict=True))

    assert standing_out(scores) == [keys[1], keys[0]]
    assert standing_out(dict(list(scores.items())[:5])) == []
    assert standing_out(dict.fromkeys(keys, 0.8)) == []
