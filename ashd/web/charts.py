"""Small charts as SVG, made on the server: a line of a running total, bars of counts.

Each is beside a table with the same numbers, so it is hidden from screen readers. Attributes only:
the page's policy allows no inline style.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

_WIDTH: Final = 440
_HEIGHT: Final = 160
_MARGIN: Final = 24
_ROW: Final = 24
_LABEL: Final = 180
_VALUE: Final = 70


def line(values: Sequence[float], first: str, last: str) -> Markup:
    """Return a line from the first value to the last; the labels are below its two ends."""
    top = max(values, default=0) or 1
    step = _WIDTH / max(len(values) - 1, 1)
    inner = _HEIGHT - 2 * _MARGIN
    points = [
        (round(at * step, 1), round(_MARGIN + inner * (1 - value / top), 1))
        for at, value in enumerate(values)
    ]
    path = " ".join(f"{x},{y}" for x, y in points)
    bottom = _HEIGHT - _MARGIN
    return _svg(
        _HEIGHT,
        Markup(
            '<polygon class="area" points="0,{bottom} {path} {end},{bottom}"/>'
            '<polyline class="line" points="{path}"/>'
            '<text x="0" y="{low}">{first}</text>'
            '<text x="{width}" y="{low}" text-anchor="end">{last}</text>'
            '<text x="0" y="14">{top}</text>'
        ).format(
            path=path,
            end=points[-1][0] if points else 0,
            bottom=bottom,
            low=_HEIGHT - 6,
            width=_WIDTH,
            first=first,
            last=last,
            top=f"{top:,.0f}",
        ),
    )


def bars(rows: Sequence[tuple[str, float, str]]) -> Markup:
    """Return a chart of bars; each row is a name, a value, and the value as text."""
    top = max((value for _, value, _ in rows), default=0) or 1
    room = _WIDTH - _LABEL - _VALUE
    parts = [
        Markup(
            '<text x="{label}" y="{text}" text-anchor="end">{name}</text>'
            '<rect class="bar" x="{start}" y="{y}" width="{width}" height="14" rx="2"/>'
            '<text x="{after}" y="{text}">{shown}</text>'
        ).format(
            label=_LABEL - 8,
            text=at * _ROW + 16,
            name=name,
            start=_LABEL,
            y=at * _ROW + 4,
            width=round(max(room * value / top, 1), 1),
            after=round(_LABEL + max(room * value / top, 1) + 6, 1),
            shown=shown,
        )
        for at, (name, value, shown) in enumerate(rows)
    ]
    return _svg(max(len(rows), 1) * _ROW, Markup("").join(parts))


def _svg(height: int, inside: Markup) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">'
        "{inside}</svg>"
    ).format(width=_WIDTH, height=height, inside=escape(inside))
