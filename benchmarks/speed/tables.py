"""The tables of a speed run."""

from pathlib import Path
from typing import Any

from benchmarks import markdown

_NOTES = Path(__file__).with_name("notes.md")


def speed(result: dict[str, Any]) -> str:
    """The tables of a speed run."""
    store = result["store"]
    return "\n".join(
        [
            markdown.machine(result["machine"]),
            "**Whole processes**, the installed `ash-sb`\n",
            markdown.table(
                ("command", "p50 ms", "p95 ms", "in bare interpreters", "goal"),
                (
                    (
                        f"`{row['command']}`",
                        row["p50_ms"],
                        row["p95_ms"],
                        row["ratio"],
                        f"≤ {row['goal']}" if row["goal"] else "",
                    )
                    for row in result["commands"]
                ),
            ),
            "**Start** of `ashd serve` on a home with memories\n",
            markdown.table(
                (
                    "embedder",
                    "first `system.status`, ms",
                    "in bare interpreters",
                    "first search with vectors, ms",
                    "resident then, MiB",
                ),
                (
                    (
                        row["embedder"],
                        row["status_ms"],
                        row["status_ratio"],
                        row["search_ms"] or "-",
                        row["resident_mib"],
                    )
                    for row in result["start"]
                ),
            ),
            "**Calls** over the socket, one after the other\n",
            markdown.table(
                (
                    "call",
                    "embedder",
                    "stored in the scope",
                    "p50 ms",
                    "p95 ms",
                    "in statuses",
                    "larger / smaller",
                    "embedder's share",
                ),
                map(_call, store["calls"]),
            ),
            _NOTES.read_text(encoding="utf-8"),
            _context(store["context"]),
            _beside(store["other_owners"]),
            "**Writers** at once (wordllama)\n",
            markdown.table(
                ("writers", "adds a second", "p50 ms", "syncs an add"),
                (
                    (
                        row["writers"],
                        row["adds_per_s"],
                        row["p50_ms"],
                        _or_dash(row["syncs_per_add"]),
                    )
                    for row in store["writers"]
                ),
            ),
            "**Resident memory**, MiB\n",
            markdown.table(
                ("embedder", "empty", "filled and searched", "memories and turns then"),
                (
                    (name, row["empty"], row["full"], f"{row['stored']:,}")
                    for name, row in store["resident_mib"].items()
                ),
            ),
        ]
    )


def _call(row: dict[str, Any]) -> tuple[object, ...]:
    if "embedder" not in row:
        return (row["call"], "", "", row["p50_ms"], row["p95_ms"], "", "", "")
    share = row.get("embedder_share")
    return (
        f"`{row['call']}`",
        row["embedder"],
        f"{row['stored']:,}",
        row["p50_ms"],
        row["p95_ms"],
        row["in_statuses"],
        row.get("to_small", ""),
        "" if share is None else f"{share:.0%}",
    )


def _context(one: dict[str, Any]) -> str:
    return (
        f"**Contexts**: `context.get` ({one['embedder']}) for an owner with {one['memories']:,}"
        f" memories and {one['turns']:,} turns, another message each call: p50 {one['p50_ms']} ms,"
        f" p95 {one['p95_ms']} ms (goal ≤ {one['goal_p95_ms']}), {one['in_statuses']} in statuses;"
        f" the same message again within ten seconds: p50 {one['cached_ms']} ms.\n"
    )


def _beside(other: dict[str, Any]) -> str:
    same = "the same" if other["same_results"] else "**not the same**"
    return (
        f"**Other owners**: {other['own']} memories searched ({other['embedder']}) in a store of"
        f" their own, {other['alone_ms']} ms, and beside {other['others']:,} memories of others,"
        f" {other['crowded_ms']} ms: {other['ratio']} times as long (goal ≤ {other['goal']});"
        f" results and scores {same}.\n"
    )


def _or_dash(value: object) -> object:
    return "-" if value is None else value
