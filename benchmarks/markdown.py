"""The few pieces of Markdown that the benchmarks' pages are made of."""

from collections.abc import Iterable, Sequence
from typing import Any


def machine(described: dict[str, Any]) -> str:
    """Describe the machine that the figures below were measured on."""
    packages = ", ".join(f"{name} {version}" for name, version in described["packages"].items())
    return (
        f"{described['date']}: {described['processor']}, {described['cores']} cores,"
        f" {described['memory_gib']} GiB, {described['system']}, Python {described['python']};"
        f" {packages}. Load when it began: {described['load_at_start']}.\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with its head."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join([*lines, ""])
