"""`ashd`: run the daemon, install it as a service, check its configuration, say its version."""

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

import ashd
from ashd.cli.commands import PlainGroup
from ashd.cli.install import install, uninstall

_EXIT_INTERRUPTED = 130
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


@click.group(cls=PlainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ashd.__version__, message="%(version)s", help="Print the version and exit.")
def main() -> None:
    """The memory daemon."""


@main.command()
@_HOME
@_CONFIG
@_RUN_DIR
def serve(home: Path | None, config_file: Path | None, run_dir: Path | None) -> None:
    """Run the daemon in the foreground until SIGTERM or Ctrl-C."""
    # Small matrix products would wake every core; numpy reads this when it is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A garbage collection finds nothing before the daemon is ready, and takes a sixth of the start.
    gc.disable()
    try:
        from ashd import errors, log, standard_error

        log.never_block()  # before anything opens a file, which could get its number
        from ashd import daemon
        from ashd.cli import settings_file
        from ashd.ops.home_commands import addressed

        settings, places = settings_file.load(home, config_file, run_dir)
        try:
            daemon.serve(settings, places)
        except errors.StartError as error:
            _fail(addressed(str(error), places.home))
    except KeyboardInterrupt:
        # The daemon does not handle signals yet, and nothing is running that needs to be ended.
        sys.exit(_EXIT_INTERRUPTED)
    except errors.StartError as error:
        _fail(error)
    # Everything is written and closed. A thread that still waits for an endpoint is left behind.
    standard_error.wait()
    os._exit(0)


@main.command()
@_HOME
@_CONFIG
@_RUN_DIR
@click.option("--socket", type=click.Path(path_type=Path), help="Control socket of the daemon.")
def http(
    home: Path | None, config_file: Path | None, run_dir: Path | None, socket: Path | None
) -> None:
    """Serve HTTP until SIGTERM or Ctrl-C: the gateway, MCP and JSON-RPC, for clients with a key."""
    from ashd import errors, log
    from ashd.cli import settings_file
    from ashd.http import serve as http_server
    from ashd_client.protocol import SOCKET_NAME

    log.never_block()
    try:
        settings, places = settings_file.load(home, config_file, run_dir)
        http_server.serve(settings, places, socket or places.run / SOCKET_NAME)
    except errors.StartError as error:
        _fail(error)


@main.command("check-config")
@_HOME
@_CONFIG
@_RUN_DIR
def check_config(home: Path | None, config_file: Path | None, run_dir: Path | None) -> None:
    """Check the configuration and print what is in effect, as JSON."""
    import msgspec

    from ashd import config, errors
    from ashd.cli import settings_file
    from ashd.providers import registry

    try:
        settings, places = settings_file.load(home, config_file, run_dir)
        config.socket_group(settings)
    except errors.StartError as error:
        _fail(error)
    for package in registry.PACKAGES:
        name = package.name
        if settings.embedding.provider == name and not package.installed(places.models / name):
            hint = f"Install it with `ash model install {name}`; until then searches go by words."
            click.echo(f"embedding.provider is {name}, which is not installed. {hint}", err=True)
    text = msgspec.json.format(msgspec.json.encode(config.masked(settings, places)), indent=2)
    click.echo(text.decode())


@main.command()
@_HOME
@_CONFIG
@click.option(
    "--to",
    required=True,
    metavar="URL|FILE",
    help="A database of a PostgreSQL server (postgresql://USER@HOST/DATABASE), or a new file.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with the password for that server, of mode 0600 [PGPASSFILE].",
)
def migrate(
    home: Path | None, config_file: Path | None, to: str, password_file: Path | None
) -> None:
    """Copy the database to a PostgreSQL server, or back into a file, while no daemon runs.

    Every row is compared. The database itself stays as it is: put the other one into [storage], and
    start the daemon again.
    """
    from ashd import atomic_file, errors
    from ashd.cli import settings_file
    from ashd.clock import SystemClock
    from ashd.ops import encrypting, locks, moving

    try:
        settings, places = settings_file.load(home, config_file, None)
        with suppress(OSError):  # the lock says why
            atomic_file.make_folder(places.database.parent, 0o700)
        with locks.hold_database(places.database):
            encrypting.unlock(settings, places)
            with click.progressbar(length=0, label="Copying", file=sys.stderr) as bar:

                def show(done: int, total: int) -> None:
                    bar.length = total
                    bar.update(done - bar.pos)

                moved = moving.move(settings, places, to, password_file, SystemClock(), show)
    except errors.StartError as error:
        _refuse(str(error))
    except errors.AshError as error:
        _refuse(f"{error.message} {error.hint}")
    key, other = ("url", "path") if settings.storage.url is None else ("path", "url")
    click.echo(
        f"{moved.memories} memories and everything else, {moved.rows} rows, are the same at"
        f" {moved.to}."
    )
    instead = f" in place of `{other}`" if getattr(settings.storage, other) else ""
    click.echo(
        f"To use it, set `{key} = {moved.to!r}` under [storage]{instead}, and start the daemon."
    )


@main.command()
def version() -> None:
    """Print the version."""
    click.echo(ashd.__version__)


main.add_command(install)
main.add_command(uninstall)


def _fail(error: Exception | str) -> NoReturn:
    _refuse(f"ashd cannot start: {error}")


def _refuse(text: str) -> NoReturn:
    click.echo(text, err=True)
    sys.exit(1)
