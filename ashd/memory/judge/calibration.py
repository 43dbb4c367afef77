"""Calibration: the share of pairs in which the newer text replaces the older, by a model's figure.

A model's own figures say little: on a stream of notes one candidate in sixty is a change. The
points of the cross-encoder were fitted on such streams (`benchmarks/statements/calibrate.py`).
"""

from functools import cache
from pathlib import Path
from typing import Final

import msgspec

POINTS: Final = Path(__file__).with_name("calibration.json")
"""For each model, pairs of its figure and the share, both rising."""


@cache
def of(model: str) -> "Calibration":
    """Return the function from a model's figure to the share; between two points it is straight."""
    points = msgspec.json.decode(POINTS.read_bytes(), type=dict[str, list[tuple[float, float]]])
    return Calibration(points[model])


class Calibration:
    """A rising function through points."""

    def __init__(self, points: list[tuple[float, float]]) -> None:
        self._points = points

    def __call__(self, figure: float) -> float:
        """Return the share at a figure: that of the first or last point beyond them."""
        before = self._points[0]
        for after in self._points:
            if figure < after[0]:
                width = after[0] - before[0]
                part = (figure - before[0]) / width if width else 1.0
                return before[1] + max(part, 0.0) * (after[1] - before[1])
            before = after
        return before[1]
