"""`ash context` and `ash recall`: what an agent should know before it answers."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, flag, option, pass_caller
from ashd.cli.inputs import words


@click.command("context", cls=Command)
@words("message")
@option("--max-tokens", type=int, metavar="N", help="Size of the block [2000].")
@option(
    "--max-memories",
    type=int,
    metavar="N",
    help="So many memories by rank [10]; further ones only if they may answer.",
)
@option("--max-messages", type=int, metavar="N", help="At most so many messages [5].")
@option("--min-similarity", "min_message_similarity", type=float, help="Of messages [0.3].")
@option("--section", "sections", multiple=True, help="Only these sections.")
@flag("--explain", "Show each line with its tokens, why it is in, and what was left out.")
@pass_caller
def context(caller: Caller, /, *, explain: bool | None, **params: Any) -> None:
    """Print the block for the prompt of a model that is to answer MESSAGE."""
    result = caller.call("context.get", explain=explain, **params)
    caller.answer(result, _explained if explain else _context)


@click.command("recall", cls=Command)
@words("query")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [10].")
@pass_caller
def recall(caller: Caller, /, **params: Any) -> None:
    """Find QUERY in memories, messages and summaries together."""
    caller.answer(caller.call("search.all", **params), _recalled)


def _context(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, note

    click.echo(block(result["text"]))
    note(f"{count(result['token_count'], 'token')}.")


def _explained(result: dict[str, Any]) -> None:
    from ashd import wording
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, note, paint, table

    sections = {section["name"]: section for section in result["sections"]}
    for name in dict.fromkeys(one["section"] for one in result["explained"]):
        section = sections.get(name)
        title = section["heading"] if section else name.replace("_", " ")
        size = count(section["tokens"], "token") if section else "left out whole"
        click.echo(f"{paint(title, bold=True)}: {size}")
        lines = [one for one in result["explained"] if one["section"] == name]
        table(
            [
                Column("TOKENS", right=True, whole=True),
                Column("SCORE", right=True, spare=True),
                Column("WHY"),
                Column("LINE", flexes=True),
            ],
            [
                (
                    one["tokens"],
                    None if one["score"] is None else f"{one['score']:.2f}",
                    wording.brought_by(one["reason"])
                    if one["why"] == "in"
                    else wording.left_out(one["why"]),
                    one["text"],
                )
                for one in lines
            ],
            lines=4,
        )
        click.echo()
    note(f"{count(result['token_count'], 'token')} in all.")


def _recalled(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, score, short
    from ashd.cli.output import Column, day, note, table

    rows = []
    for hit in result["results"]:
        # A result has its kind as a key; if not, it is the hit itself.
        inner = hit.get(hit["source_type"])
        source = inner if isinstance(inner, dict) else hit
        rows.append(
            (
                score(hit),
                hit["source_type"],
                short(source.get("id")),
                hit.get("passage")
                or source.get("content")
                or source.get("overall")
                or source.get("text"),
                day(source.get("at") or source.get("created_at")),
            )
        )
    if rows:
        table(
            [
                Column("SCORE", right=True),
                Column("KIND"),
                Column("ID"),
                Column("CONTENT", flexes=True),
                Column("TIME"),
            ],
            rows,
            lines=4,
        )
    note(f"{count(len(rows), 'result')}." if rows else "Nothing relevant found.")
