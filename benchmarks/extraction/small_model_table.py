"""The tables of what a real small model answered, and what was stored and refused of it."""

from typing import Any

from benchmarks import markdown


def page(result: dict[str, Any]) -> str:
    """The section."""
    notes = (
        f"`make small-model`: {result['model']} reads three conversations of two or three turns of"
        " the person; their facts are right where a quote proves them. Entities and relations are"
        " asked for in three ways (`graph` of `[llm]`)."
    )
    columns = ("entities", "answers", "cut", "facts with evidence", "refused", "turns unread")
    table = markdown.table((*columns, "tokens", "s"), map(_row, result["graph"].items()))
    parts = [markdown.machine(result["machine"]), notes, "", table]
    read = result["daemon"]
    if "error" in read:
        parts.append(f"\nThe same with a daemon failed: {read['error']}")
    else:
        columns = ("job", "attempts", "tokens", "state", "outcome")
        jobs = markdown.table(columns, ([*_job(job)] for job in read["jobs"]))
        stored = f"{len(read['memories'])} memories and {len(read['summaries'])} summaries stored"
        parts += [f"\nThe same with a daemon, {read['seconds']:,} s: {stored}.\n", jobs]
        parts += [f"\n`ash doctor`: {line}" for line in read["doctor"]]
    return "\n".join(parts)


def _job(job: dict[str, Any]) -> tuple[object, ...]:
    state = job["state"].replace("_", " ")
    return job["kind"], job["attempts"], f"{job['tokens']:,}", state, job["outcome"]


def _row(named: tuple[str, dict[str, Any]]) -> tuple[object, ...]:
    name, row = named
    if "error" in row:
        return name, row["error"], "", "", "", "", "", ""
    refused = ", ".join(f"{reason} {count}" for reason, count in row["facts_refused"].items())
    return (
        *(name, row["answers"], row["cut"], row["facts_with_evidence"], refused or "none"),
        *(row["turns_unread"], f"{row['tokens']:,}", row["seconds"]),
    )
