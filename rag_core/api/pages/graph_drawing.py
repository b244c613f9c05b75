"""Drawing of a neighbourhood in columns: what it is of, its neighbours, and theirs. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

WIDTH, HEIGHT = 224, 26
"""Size of the box of a node."""
ROW, COLUMN = 34, 318
MARGIN = 4
CHARACTERS = 26
"""Longest name that fits a box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A note or an entity: its page, and the address of its own graph; ``linked`` are nodes of the column before."""

    key: str
    name: str
    kind: str
    is_note: bool
    page: str
    graph: str
    linked: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedNode:
    """A node with the corner of its box."""

    node: GraphNode
    x: int
    y: int

    @property
    def label(self) -> str:
        """The name, as much of it as fits."""
        name = self.node.name
        return name if len(name) <= CHARACTERS else name[: CHARACTERS - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnEdge:
    """A line between the boxes of two nodes."""

    ends: tuple[str, str]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDrawing:
    """A drawing of a size, its nodes by column from above to below."""

    width: int
    height: int
    box: tuple[int, int]
    columns: Sequence[Sequence[PlacedNode]]
    edges: Sequence[DrawnEdge]


def drawn(columns: Sequence[Sequence[GraphNode]]) -> GraphDrawing:
    """Place nodes: each column in the middle, a node at the mean height of those it is linked to, so that few lines cross."""
    rows = max(map(len, columns), default=0)
    height = rows * ROW + 2 * MARGIN
    places: dict[str, PlacedNode] = {}
    placed = []
    for number, column in enumerate(columns):
        top = (height - len(column) * ROW) // 2 + (ROW - HEIGHT) // 2
        ordered = sorted(column, key=lambda node: _mean_height(node, places))
        placed.append(
            [PlacedNode(node=node, x=MARGIN + number * COLUMN, y=top + row * ROW) for row, node in enumerate(ordered)]
        )
        places |= {one.node.key: one for one in placed[-1]}
    return GraphDrawing(
        width=2 * MARGIN + (len(columns) - 1) * COLUMN + WIDTH,
        height=height,
        box=(WIDTH, HEIGHT),
        columns=placed,
        edges=[
            DrawnEdge(ends=(key, one.node.key), path=_path(places[key], one))
            for column in placed
            for one in column
            for key in one.node.linked
            if key in places
        ],
    )


def _mean_height(node: GraphNode, places: Mapping[str, PlacedNode]) -> float:
    return fmean(heights) if (heights := [places[key].y for key in node.linked if key in places]) else 0.0


def _path(left: PlacedNode, right: PlacedNode) -> str:
    start, end, bend = left.x + WIDTH, right.x, (COLUMN - WIDTH) // 2
    above, below = left.y + HEIGHT // 2, right.y + HEIGHT // 2
    return f"M{start} {above}C{start + bend} {above} {end - bend} {below} {end} {below}"
