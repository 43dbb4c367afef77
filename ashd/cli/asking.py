"""Ask before something is taken away; `--yes` answers ahead."""

import sys

import click


def ask(question: str) -> None:
    """Go on after a yes only.

    Raises:
        click.Abort: the answer was no.
        click.UsageError: there is nobody to answer.
    """
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.UsageError("Nobody can be asked here: give --yes.") from None
    if not agreed:
        raise click.Abort
