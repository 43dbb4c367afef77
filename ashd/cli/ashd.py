"""`ashd`: run the daemon, check its configuration, say its version."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

import ashd

if TYPE_CHECKING:
    from ashd import config

_HOME = click.option(
    "--home", type=click.Path(path_type=Path), help="Where everything is [ASH_HOME, ~/.ash]."
)
_CONFIG = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    envvar="ASH_CONFIG",
    help="The configuration [<home>/config.toml].",
)
_RUN_DIR = click.option(
    "--run-dir", type=click.Path(path_type=Path), help="Where the sockets are [ASH_RUN_DIR]."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The memory daemon."""


@main.command()
@_HOME
@_CONFIG
@_RUN_DIR
def serve(home: Path | None, config_file: Path | None, run_dir: Path | None) -> None:
    """Run the daemon in the foreground until SIGTERM or Ctrl-C."""
    # Small matrix products wake every core for nothing; numpy reads this when it is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ashd import daemon, errors

    try:
        settings, places = _settings(home, config_file, run_dir)
        daemon.serve(settings, places)
    except errors.StartError as error:
        _fail(error)
    # All is written and closed. A thread may still wait for an endpoint that hangs: it is left.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@main.command("check-config")
@_HOME
@_CONFIG
@_RUN_DIR
def check_config(home: Path | None, config_file: Path | None, run_dir: Path | None) -> None:
    """Check the configuration and print what is in effect, as JSON."""
    import msgspec

    from ashd import config as settings_file
    from ashd import errors

    try:
        settings, places = _settings(home, config_file, run_dir)
    except errors.StartError as error:
        _fail(error)
    text = msgspec.json.format(
        msgspec.json.encode(settings_file.masked(settings, places)), indent=2
    )
    click.echo(text.decode())


@main.command()
def version() -> None:
    """Print the version."""
    click.echo(ashd.__version__)


def _settings(
    home: Path | None, config_file: Path | None, run_dir: Path | None
) -> "tuple[config.Settings, config.Places]":
    from ashd import config

    at_home = config.home(home)
    file = config_file or at_home / "config.toml"
    settings = config.load(file, required=config_file is not None)
    run = config.run_dir(run_dir, at_home)
    return settings, config.places(settings, at_home, run, file)


def _fail(error: Exception) -> NoReturn:
    click.echo(f"ashd cannot start: {error}", err=True)
    sys.exit(1)
