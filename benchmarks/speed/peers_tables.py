"""The tables and plots of a run beside the peers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import markdown

_NOTES = Path(__file__).with_name("notes-peers.md")
METHODS = {"add": "Durable adds", "search": "Searches"}


def page(result: dict[str, Any]) -> str:
    """The section of a run: a table of adds and one of searches, and what is missing."""
    parts = [
        markdown.machine(result["machine"]),
        _NOTES.read_text(encoding="utf-8").format(
            limit_s=result["limit_s"], embedding_ms=result["embedding_ms"] or "-"
        ),
    ]
    for method, title in METHODS.items():
        parts += [
            f"**{title}**\n",
            f"![{title}](results/speed-peers-{method}.svg)\n",
            markdown.table(
                (
                    *("stored", "clients", "system", "p50 ms", "p95 ms", "p99 ms"),
                    *("a second", "CPU ms", "CPU / the leanest peer's", "load"),
                ),
                _rows(result, method),
            ),
        ]
    missing = [f"- {line}" for line in _missing(result)]
    if missing:
        parts.append("\n".join(["What is missing, or failed:\n", *missing, ""]))
    parts.append(_versions(result))
    return "\n".join(parts)


def cells(result: dict[str, Any], method: str) -> Iterator[tuple[dict[str, Any], int, Any]]:
    """(system, stored, cell) of every cell that was measured, by size, clients and system."""
    found = [
        (system, size["stored"], {**cell, "load": size["load"]})
        for system in result["systems"]
        for size in system["sizes"]
        for cell in size["cells"]
        if cell["method"] == method and "p50_ms" in cell
    ]
    yield from sorted(found, key=lambda one: (one[1], one[2]["clients"]))


def is_own(system: dict[str, Any]) -> bool:
    """Return whether it is the daemon."""
    return bool(system["name"].startswith("ashd"))


def _rows(result: dict[str, Any], method: str) -> Iterator[tuple[object, ...]]:
    every = list(cells(result, method))
    best: dict[tuple[int, int], float] = {}
    for system, stored, cell in every:
        key = (stored, cell["clients"])
        if not is_own(system) and "failed" not in cell:
            best[key] = min(best.get(key, float("inf")), cell["cpu_ms"])
    for system, stored, cell in every:
        reference = best.get((stored, cell["clients"]))
        ratio = round(cell["cpu_ms"] / reference, 2) if reference else "-"
        name = f"**{system['name']}**" if is_own(system) else system["name"]
        yield (
            *(f"{stored:,}", cell["clients"], name + (" ¹" if "failed" in cell else "")),
            *(cell["p50_ms"], cell["p95_ms"], cell["p99_ms"], cell["per_s"], cell["cpu_ms"]),
            *(ratio, cell["load"]),
        )


def _missing(result: dict[str, Any]) -> Iterator[str]:
    for system in result["systems"]:
        for size in system["sizes"]:
            where = f"{system['name']} with {size['stored']:,}"
            if "reason" in size:
                yield f"{where}: {size['reason']}; {len(size['cells'])} cells measured."
            for cell in size["cells"]:
                if "failed" in cell:
                    failed = f"{cell['failed']} of {cell['clients']} clients ended early"
                    yield f"¹ {where}, {cell['method']}: {failed}: {cell['error']}"


def _versions(result: dict[str, Any]) -> str:
    lines = [
        f"{', '.join(f'{name} {version}' for name, version in system['versions'].items())}"
        f" ({_syncs(system)})"
        for system in result["systems"]
        if system.get("versions")
    ]
    return f"Versions, and how often each asks the disk to sync for an add: {'; '.join(lines)}.\n"


def _syncs(system: dict[str, Any]) -> str:
    count = system.get("syncs_per_add")
    return "not counted" if count is None else f"{count:g}"
