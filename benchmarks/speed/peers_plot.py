"""The plots of a run beside the peers, as SVG written by hand: CPU by what is stored."""

import math
from collections import defaultdict
from html import escape
from typing import Any

from benchmarks.speed import peers_tables

_WIDTH, _HEIGHT, _TOP, _BOTTOM, _LEFT = 300, 330, 62, 44, 52
_LEGEND = 190
_OURS, _INK, _GRID = ("#0d47a1", "#42a5f5"), "#212121", "#e0e0e0"
_THEIRS = ("#e65100", "#2e7d32", "#6a1b9a", "#757575", "#c62828")
_XMLNS = "http://www.w3.org/2000/svg"
_END = f'text-anchor="end" fill="{_INK}"'
_FONT = 'font-family="sans-serif" font-size="12"'


def plot(result: dict[str, Any], method: str) -> str:
    """A panel for each number of clients: CPU in milliseconds over what is stored, both by tens."""
    lines: dict[int, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for system, stored, cell in peers_tables.cells(result, method):
        lines[cell["clients"]][system["name"]].append((stored, cell["cpu_ms"]))
    names = [system["name"] for system in result["systems"]]
    values = [value for panel in lines.values() for line in panel.values() for _, value in line]
    sizes = sorted(
        {size for panel in lines.values() for line in panel.values() for size, _ in line}
    )
    if not values:
        values, sizes = [1.0], [1]
    decades = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
    colours = _colours(names)
    width = len(lines) * _WIDTH + _LEGEND
    title = f"{escape(peers_tables.METHODS[method])}: CPU a call in ms, by facts stored"
    parts = [
        f'<svg xmlns="{_XMLNS}" viewBox="0 0 {width} {_HEIGHT}" {_FONT}>',
        f'<rect width="{width}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="15" fill="{_INK}">{title}</text>',
    ]
    for number, (clients, panel) in enumerate(sorted(lines.items())):
        parts += _panel(number * _WIDTH, clients, panel, sizes, decades, colours)
    for number, name in enumerate(names):
        y = _TOP + 16 + 22 * number
        x = len(lines) * _WIDTH + 8
        parts += [
            f'<circle cx="{x}" cy="{y}" r="5" fill="{colours[name]}"/>',
            f'<text x="{x + 12}" y="{y + 4}" fill="{_INK}">{escape(name)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _colours(names: list[str]) -> dict[str, str]:
    ours = [name for name in names if name.startswith("ashd")]
    theirs = [name for name in names if name not in ours]
    return {**dict(zip(ours, _OURS, strict=False)), **dict(zip(theirs, _THEIRS, strict=False))}


def _panel(
    left: int,
    clients: int,
    panel: dict[str, list[tuple[int, float]]],
    sizes: list[int],
    decades: tuple[int, int],
    colours: dict[str, str],
) -> list[str]:
    low, high = decades
    right, bottom = left + _WIDTH - 14, _HEIGHT - _BOTTOM

    def x(size: int) -> float:
        share = sizes.index(size) / max(len(sizes) - 1, 1)
        return round(left + _LEFT + share * (right - left - _LEFT - 10), 1)

    def y(value: float) -> float:
        share = (math.log10(value) - low) / max(high - low, 1)
        return round(bottom - share * (bottom - _TOP), 1)

    title = f"{clients} client{'s' if clients > 1 else ''}"
    parts = [f'<text x="{left + _LEFT}" y="{_TOP - 12}" fill="{_INK}">{title}</text>']
    for decade in range(low, high + 1):
        at, value = y(10**decade), f"{10.0**decade:g}"
        parts += [
            f'<line x1="{left + _LEFT}" y1="{at}" x2="{right}" y2="{at}" stroke="{_GRID}"/>',
            f'<text x="{left + _LEFT - 6}" y="{at + 4}" {_END}>{value}</text>',
        ]
    parts += [
        f'<text x="{x(size)}" y="{bottom + 18}" text-anchor="middle" fill="{_INK}">{size:,}</text>'
        for size in sizes
    ]
    for name, line in panel.items():
        points = " ".join(f"{x(size)},{y(value)}" for size, value in sorted(line))
        stroke = 3 if name.startswith("ashd") else 1.5
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colours[name]}"'
            f' stroke-width="{stroke}"/>'
        )
        parts += [
            f'<circle cx="{x(size)}" cy="{y(value)}" r="3.5" fill="{colours[name]}"/>'
            for size, value in line
        ]
    return parts
