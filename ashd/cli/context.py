"""`ash context` and `ash recall`: what an agent should know before it answers."""

from typing import Any, Final

import click

from ashd.cli import project_hint
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, call_command, flag, limit, option, pass_caller
from ashd.cli.formats import text_of
from ashd.cli.inputs import words
from ashd.cli.views import Each, Line, Note, Table, Title, View

_CONTEXT: Final = View(Line("{text:block}"), Note("{token_count:count token}."))


def _by_section(result: dict[str, Any]) -> None:
    """Group the lines by section, in their order."""
    from ashd import wording

    for line in result["explained"]:
        found = line["why"] == "in"
        line["why"] = wording.brought_by(line["reason"]) if found else wording.left_out(line["why"])
    sections = {section["name"]: section for section in result["sections"]}
    result["sections"] = [
        {
            "heading": name.replace("_", " "),
            **sections.get(name, {}),
            "lines": [line for line in result["explained"] if line["section"] == name],
        }
        for name in dict.fromkeys(line["section"] for line in result["explained"])
    ]


_EXPLAINED: Final = View(
    _by_section,
    Each(
        "sections",
        View(
            Title("{heading}: {tokens:count token}", "tokens"),
            Title("{heading}: left out whole", "!tokens"),
            Table(
                "lines",
                "TOKENS>! {tokens} | SCORE>? {score:.2f} | WHY {why} | LINE~ {text}",
                lines=4,
            ),
            Line(""),
        ),
    ),
    Note("{token_count:count token} in all."),
)


def _sources(result: dict[str, Any]) -> None:
    """Bring the results of all kinds into one form."""
    for hit in result["results"]:
        # A result has its kind as a key; if not, it is the hit itself.
        inner = hit.get(hit["source_type"])
        source = hit["source"] = inner if isinstance(inner, dict) else hit
        if hit["source_type"] == "memory":
            hit["text"] = text_of(source, hit.get("passage"))
            continue
        text = hit.get("passage") or source.get("content") or source.get("overall") or ""
        speaker = source.get("speaker") or source.get("role")
        hit["text"] = f"{speaker}: {text}" if speaker else text


_RECALLED: Final = View(
    _sources,
    Table(
        "results",
        "SCORE> {:score} | KIND {source_type} | ID {source.id:short}"
        " | CONTENT~ {text}"
        " | TIME {source.at or source.observed_at or source.created_at:day}",
        lines=4,
    ),
    Note("{results:count result}.", "results"),
    Note("Nothing relevant found.", "!results"),
    project_hint.remark,
)


@click.command("context", cls=Command)
@words("message")
@option("--max-tokens", type=int, metavar="N", help="Size of the block [2000].")
@option(
    "--max-memories",
    type=int,
    metavar="N",
    help="The N best memories [10]; further ones only if they may answer.",
)
@option("--max-messages", type=int, metavar="N", help="At most so many messages [5].")
@option(
    "--min-similarity",
    "min_message_similarity",
    type=float,
    help="Least similarity of a message [0.3].",
)
@option("--section", "sections", multiple=True, help="Only these sections.")
@flag("--explain", "Show each line with its tokens, why it is in, and what was left out.")
@pass_caller
def context(caller: Caller, /, *, explain: bool | None, **params: Any) -> None:
    """Print the block for the prompt of a model that is to answer MESSAGE."""
    result = caller.call("context.get", explain=explain, **params)
    caller.answer(result, _EXPLAINED if explain else _CONTEXT)


recall = call_command(
    *("recall", "search.all", _RECALLED),
    "Find QUERY in memories, messages and summaries together.",
    words("query"),
    limit("At most so many [10]."),
)
