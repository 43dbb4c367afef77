"""Ask before data is removed; `--yes` answers in advance."""

import sys

import click


def ask(question: str) -> None:
    """Ask, and return only after a yes.

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
