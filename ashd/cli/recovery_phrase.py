"""Show the recovery phrase of a key on the terminal, and let it be confirmed."""

import secrets
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ashd.store.encryption import Key


def confirm(new: "Key") -> None:
    """Show the phrase of a key that is new here, and let two of its words be typed."""
    words = show(new)
    for place in sorted(secrets.SystemRandom().sample(range(len(words)), 2)):
        while click.prompt(f"Type word {place + 1}", err=True).strip().lower() != words[place]:
            click.echo("That is another word.", err=True)


def show(of: "Key") -> list[str]:
    """Show the phrase of a key, and return its words."""
    from ashd.ops import database_key

    words = database_key.phrase(of)
    click.echo("Write these words down. They are the key: whoever has them reads all.", err=True)
    for start in range(0, len(words), 4):
        row = (f"{number:>2} {words[number - 1]:<10}" for number in range(start + 1, start + 5))
        click.echo("  ".join(row).rstrip(), err=True)
    return words


def require_terminal(instead: str = "") -> None:
    """Refuse to show a phrase where nobody sees it, or where it would be recorded."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(f"The recovery phrase is shown on a terminal only.{instead}")
