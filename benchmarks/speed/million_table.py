"""The page of a run on a million memories."""

from typing import Any

from benchmarks import markdown


def page(result: dict[str, Any]) -> str:
    """The database that was built, its start, and the cost of calls."""
    build, start = result["build"], result["start"]
    size = result["bytes"]["ash.db"]
    built = (
        f"{build['memories']:,} memories of {build['owners']:,} owners with vectors"
        f" ({build['embedder']}, the static embedder of the package), written through the store's"
        f" inserts and the search index: {build['cpu_s']:,} s of CPU, {build['wall_s']:,} s beside"
        f" other load. The database file has {size / 2**20:,.0f} MiB,"
        f" {size / build['memories'] / 1024:.1f} KiB a memory. The daemon is ready after"
        f" {start['cpu_ms']:,} ms of CPU ({start['wall_ms']:,} ms), with"
        f" {start['resident_mib']} MiB.\n"
    )
    how = (
        "Medians of single calls, one after the other; CPU of the whole daemon. *Resident* is"
        " after the row's calls, in the order of the table.\n"
    )
    calls = (
        (
            f"`{row['call']}`" if " " not in row["call"] else row["call"],
            f"{row['calls']} ({row['cut_off']} cut off)" if row["cut_off"] else row["calls"],
            f"{row['cpu_ms']:,}",
            f"{row['wall_p50_ms']:,}",
            f"{row['wall_max_ms']:,}",
            row["resident_mib"],
        )
        for row in result["calls"]
    )
    head = ("call", "calls", "CPU, ms", "p50, ms", "most, ms", "resident, MiB")
    return "\n".join([markdown.machine(result["machine"]), built, how, markdown.table(head, calls)])
