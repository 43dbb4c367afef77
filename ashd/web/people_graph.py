"""A picture of people and their relationships, placed by a seeded simulation.

Pure: the same people and relationships give the same picture. People and relationships beyond a
readable number are left out and counted.
"""

import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

MOST_PEOPLE: Final = 60
"""People in one picture: more labels cannot be told apart."""
_STEPS: Final = 200
_LABEL_CHARS: Final = 18
_CHAR_WIDTH: Final = 8.0
_HEIGHT: Final = 26.0
_LINE: Final = 16.0
"""The height of the words beside a line."""
_PADDING: Final = 20.0
_GAP: Final = 10.0
_MARGIN: Final = 12.0
_PUSHES: Final = 400
_MOST_LABELLED: Final = 40
"""Relationships whose words are written at their lines; if there are more, only tooltips are."""

_Array = np.ndarray[Any, np.dtype[np.float64]]


class Node(NamedTuple):
    """A person in the picture: the middle, the width and the height of the box with the name."""

    id: str
    name: str
    label: str
    x: float
    y: float
    width: float
    height: float


class Edge(NamedTuple):
    """A line between two people, with all relationships of the one to the other."""

    x1: float
    y1: float
    x2: float
    y2: float
    words: str
    """The words beside the line, such as "wife", if they fit; else empty."""
    title: str


class Claim(NamedTuple):
    """A relationship of one person to another."""

    id: str
    name: str
    relationship: str
    to: str
    to_name: str


class Picture(NamedTuple):
    """The picture, and the relationships in it as text."""

    width: float
    height: float
    nodes: list[Node]
    edges: list[Edge]
    claims: list[Claim]


def draw(people: Sequence[Mapping[str, Any]]) -> Picture:
    """Return the picture of those of the first people who are related to each other.

    `people` are as `person.list` returns them, most connected first.
    """
    names = {one["id"]: one["name"] for one in people[:MOST_PEOPLE]}
    claims = _claims(people[:MOST_PEOPLE], names)
    pairs = sorted({(min(one.id, one.to), max(one.id, one.to)) for one in claims})
    ids = sorted({person for pair in pairs for person in pair})
    if not ids:
        return Picture(0, 0, [], [], [])
    place = {person: number for number, person in enumerate(ids)}
    labels = [shortened(names[person]) for person in ids]
    sizes = np.array([(_width(label), _HEIGHT) for label in labels])
    # Words beside the lines need space.
    is_sparse = len(pairs) <= _MOST_LABELLED
    scale = np.array([190.0, 110.0] if is_sparse else [130.0, 85.0])
    settled = _settled(len(ids), [(place[one], place[other]) for one, other in pairs])
    spots = _separated(_spread(settled, sizes, scale), sizes)
    low = (spots - sizes / 2).min(axis=0) - _MARGIN
    width, height = (spots + sizes / 2).max(axis=0) - low + _MARGIN
    spots -= low
    nodes = [
        Node(person, names[person], label, *map(_rounded, (*spot, *size)))
        for person, label, spot, size in zip(ids, labels, spots, sizes, strict=True)
    ]
    between: dict[tuple[str, str], list[Claim]] = {pair: [] for pair in pairs}
    for claim in claims:
        between[min(claim.id, claim.to), max(claim.id, claim.to)].append(claim)
    edges = [
        _edge(spots[place[one]], spots[place[other]], between[one, other], with_words=is_sparse)
        for one, other in pairs
    ]
    edges = _without_covering(edges, nodes)
    return Picture(_rounded(width), _rounded(height), nodes, edges, claims)


def shortened(name: str) -> str:
    """Return a name that fits into a box, on one line."""
    line = " ".join(name.split())
    return line if len(line) <= _LABEL_CHARS else line[: _LABEL_CHARS - 1].rstrip() + "…"


def _claims(people: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> list[Claim]:
    """Return the current claims between people in the picture, each once, whoever stated them."""
    return sorted(
        {
            Claim(one["id"], one["name"], claim["relationship"], claim["to"], names[claim["to"]])
            for one in people
            for claim in one["relationships"]
            if claim["ended_at"] is None and claim["to"] in names and claim["to"] != one["id"]
        }
    )


def _edge(start: _Array, end: _Array, between: Sequence[Claim], *, with_words: bool) -> Edge:
    words = dict.fromkeys(claim.relationship for claim in between)
    title = "; ".join(f"{one.name}: {one.relationship} of {one.to_name}" for one in between)
    shown = shortened(", ".join(words)) if with_words else ""
    x1, y1, x2, y2 = map(_rounded, (*start, *end))
    return Edge(x1, y1, x2, y2, shown, title)


def _settled(count: int, pairs: list[tuple[int, int]]) -> _Array:
    """Return the places to which Fruchterman and Reingold's forces move the people.

    All people repel one another, related ones attract one another, and all are drawn a little to
    the middle, so that unconnected groups stay in sight.
    """
    random = np.random.default_rng(seed=1)
    spots = random.random((count, 2)) - 0.5
    ideal = 1.0 / np.sqrt(count)
    tied = np.zeros((count, count))
    for one, other in pairs:
        tied[one, other] = tied[other, one] = 1.0
    for step in range(_STEPS):
        away = spots[:, None, :] - spots[None, :, :]
        distance = np.maximum(np.linalg.norm(away, axis=2), 1e-3)
        force = ideal**2 / distance**2 - tied * distance / ideal
        moved = (away * force[:, :, None]).sum(axis=1) - spots * 0.9
        length = np.maximum(np.linalg.norm(moved, axis=1), 1e-9)
        most = 0.1 * (1 - step / _STEPS) + 1e-3
        spots = spots + moved / length[:, None] * np.minimum(length, most)[:, None]
    return spots


def _spread(spots: _Array, sizes: _Array, scale: _Array) -> _Array:
    """Return the places scaled to the boxes and pushed apart; in a crowd some may still overlap."""
    span = np.maximum(spots.max(axis=0) - spots.min(axis=0), 1e-6)
    count = len(spots)
    spots = spots / span * np.sqrt(count) * scale
    room = (sizes[:, None, :] + sizes[None, :, :]) / 2 + _GAP
    for _ in range(_PUSHES):
        apart = spots[:, None, :] - spots[None, :, :]
        overlap = room - np.abs(apart)
        clash = (overlap > 0).all(axis=2) & ~np.eye(count, dtype=bool)
        if not clash.any():
            break
        # Move both by half of the shorter way out; boxes at the same place go by number.
        along = np.argmin(overlap, axis=2)
        order = np.sign(np.arange(count)[:, None] - np.arange(count)[None, :])
        for axis in (0, 1):
            side = np.where(apart[:, :, axis] == 0, order, np.sign(apart[:, :, axis]))
            push = np.where(clash & (along == axis), side * overlap[:, :, axis] / 2, 0.0)
            spots[:, axis] += push.sum(axis=1) * 0.6
    return spots


def _separated(spots: _Array, sizes: _Array) -> _Array:
    """Return the places with each box that covers another moved to the nearest free place.

    Boxes in the middle stay, those further out make way.
    """
    spots = spots.copy()
    room = (sizes[:, None, :] + sizes[None, :, :]) / 2 + _GAP / 2
    far = np.linalg.norm(spots - spots.mean(axis=0), axis=1)
    order = np.argsort(far, kind="stable")
    for place, one in enumerate(order):
        settled = order[:place]
        spots[one] = next(
            spot
            for spot in _around(spots[one])
            if not (np.abs(spots[settled] - spot) < room[one, settled]).all(axis=1).any()
        )
    return spots


def _around(spot: _Array) -> Iterator[_Array]:
    """Yield a place, then places on growing ellipses around it."""
    yield spot
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for ring in itertools.count(1):
        yield from spot + ring * 6.0 * np.column_stack([2 * np.cos(angles), np.sin(angles)])


def _without_covering(edges: Sequence[Edge], nodes: Sequence[Node]) -> list[Edge]:
    """Return the lines without the words that would cover a name or other words."""
    taken = [(node.x, node.y, node.width, node.height) for node in nodes]
    shown = []
    for edge in edges:
        x, y = (edge.x1 + edge.x2) / 2, (edge.y1 + edge.y2) / 2
        width = _width(edge.words)
        is_free = not any(
            abs(x - other_x) < (width + other_width) / 2 and abs(y - other_y) < (_LINE + high) / 2
            for other_x, other_y, other_width, high in taken
        )
        if edge.words and is_free:
            taken.append((x, y, width, _LINE))
        shown.append(edge if is_free else edge._replace(words=""))
    return shown


def _width(label: str) -> float:
    """Return the width of a label's box: East Asian characters are twice as wide."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in label)
    return (len(label) + wide) * _CHAR_WIDTH + _PADDING


def _rounded(value: float) -> float:
    return round(float(value), 1)
