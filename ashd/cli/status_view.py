"""The daemon's health and what its database holds, as `ash status` shows them to a person.

The names of the wire stay in --json; a state without a word of its own is shown as on the wire.
"""

from collections.abc import Iterator
from typing import Any, Final

from ashd.cli.formats import count, memories
from ashd.cli.output import as_addressed, fields, when
from ashd.cli.views import Each, Line, View


def show(result: dict[str, Any]) -> None:
    """Print a status."""
    status = result["status"]
    fields(
        [
            ("ashd", f"{status['version']}, {status['state']}"),
            ("Running since", when(status["started_at"])),
            *_health(status),
            *_hooks(result.get("hooks")),
            *_stored(result["database"]),
        ]
    )
    for one in status["warnings"]:
        one["remedy"] = as_addressed(one["remedy"])
    _WARNINGS(status)


_WARNINGS: Final = View(
    Each(
        "warnings",
        View(Line("{detail} ({name})", verb="Warning:", colour="yellow"), Line("    {remedy}")),
    )
)


def _health(status: dict[str, Any]) -> Iterator[tuple[str, str]]:
    memory_on = status["memory_on"]
    if memory_on is not None:
        yield "Memory", "on" if memory_on else "off: nothing is stored, nothing goes into a prompt"
    yield "Embedder", _named(status["embedder"], status["model"])
    if status["waiting_for_vectors"]:
        yield "Without vectors", f"{count(status['waiting_for_vectors'], 'text')}, found by words"
    if building := status["building"]:
        done = f"{building['done']:,} of {building['total']:,} texts"
        yield "New vectors", f"{building['model']}: {done}"
    language_model = status["language_model"]
    yield "Language model", _named(language_model["state"], language_model["model"])
    if language_model["tokens_today"] is not None:
        yield "Tokens today", _tokens(language_model)
    for one in language_model["today"]:
        calls, tokens = count(one["calls"], "call"), one["sent"] + one["received"]
        yield f"  {_words(one['task'])}", f"{calls}, {tokens:,} tokens"
    for one in status["running"]:
        done = f": {one['done']:,} of {one['total']:,}" if one["total"] else ""
        yield "Under way", f"{one['name']}{done}"


def _hooks(hooks: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    for host, known in (hooks or {}).get("hosts", {}).items():
        came = when(known["last_event_at"]) if known.get("last_event_at") else "no event has come"
        left_out = [f"{number:,} x {kind}" for kind, number in known.get("left_out", {}).items()]
        not_stored = f"not stored: {', '.join(left_out)}" if left_out else ""
        origins = f"origins are {known['origins']}" if "origins" in known else ""
        yield f"Hooks of {host}", "; ".join(filter(None, [came, not_stored, origins]))
    if failure := (hooks or {}).get("last_failure"):
        kind = _words(str(failure.get("kind")))
        at = f", {when(failure['at'])}" if failure.get("at") else ""
        yield "Hooks", f"{failure.get('event')} failed{at}: {kind}"


def _stored(database: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "error" in database:
        yield "Database", database["error"]
        return
    counts = database["counts"]
    states = ((name, counts[f"memories_{name}"]) for name in ("archived", "superseded"))
    hidden = ", ".join(f"{number:,} {name}" for name, number in states if number)
    yield "Stored", memories(counts["memories"]) + (f", of which {hidden}" if hidden else "")
    rows = (
        count(counts["people"], "person", "people"),
        *(count(counts[name], name[:-1]) for name in ("accounts", "chats")),
        count(counts["grants"], "open grant"),
    )
    yield "Known", ", ".join(rows)
    yield "Database", f"{counts['database_bytes'] / 1e6:,.1f} MB"


def _named(state: str, model: str | None) -> str:
    return _words(state) + (f": {model}" if model else "")


def _words(name: str) -> str:
    return name.replace("_", " ")


def _tokens(usage: dict[str, Any]) -> str:
    most = usage["max_tokens_per_day"]
    return f"{usage['tokens_today']:,}" + (f" of {most:,}" if most else "")
