"""The plot of a recall run, as an SVG written by hand: a dot and its interval for each system."""

from collections.abc import Sequence
from html import escape
from typing import Any

_LEFT, _RIGHT, _ROW, _TOP, _WIDTH = 210, 70, 26, 58, 760
_OURS, _THEIRS, _INK, _GRID = "#1565c0", "#757575", "#212121", "#e0e0e0"
_XMLNS = "http://www.w3.org/2000/svg"
_FONT = 'font-family="sans-serif" font-size="13"'
_FAINT = 'stroke-width="3" stroke-opacity="0.45"'
_MIDDLE = f'text-anchor="middle" fill="{_INK}"'


def plot(systems: Sequence[dict[str, Any]], *, title: str, measure: str = "R@10") -> str:
    """Systems by how much they find, the best on top; the line is the 95 % interval."""
    shown = sorted(
        (one for one in systems if "headline" in one),
        key=lambda one: -one["headline"][measure]["mean"],
    )
    height = _TOP + _ROW * len(shown) + 34
    parts = [
        f'<svg xmlns="{_XMLNS}" viewBox="0 0 {_WIDTH} {height}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="15" fill="{_INK}">{escape(title)}</text>',
        *_axis(height),
    ]
    for number, one in enumerate(shown):
        parts += _row(one, one["headline"][measure], _TOP + _ROW * number + _ROW // 2)
    return "\n".join([*parts, "</svg>", ""])


def _x(share: float) -> float:
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _axis(height: int) -> list[str]:
    lines = []
    for tenths in range(0, 11, 2):
        at = _x(tenths / 10)
        lines += [
            f'<line x1="{at}" y1="{_TOP - 10}" x2="{at}" y2="{height - 30}" stroke="{_GRID}"/>',
            f'<text x="{at}" y="{height - 12}" {_MIDDLE}>{tenths / 10:.1f}</text>',
        ]
    return lines


def _row(one: dict[str, Any], value: dict[str, float], y: int) -> list[str]:
    colour, weight = (_OURS, "bold") if one["ours"] else (_THEIRS, "normal")
    ink = f'font-weight="{weight}" fill="{_INK}"'
    low, mean, high = (_x(value[name]) for name in ("low", "mean", "high"))
    return [
        f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end" {ink}>{escape(one["name"])}</text>',
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" {_FAINT} stroke="{colour}"/>',
        f'<circle cx="{mean}" cy="{y}" r="5" fill="{colour}"/>',
        f'<text x="{_WIDTH - 14}" y="{y + 4}" text-anchor="end" {ink}>{value["mean"]:.3f}</text>',
    ]
