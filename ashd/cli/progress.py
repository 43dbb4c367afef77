"""A call that may take minutes, with a progress bar on standard error for a person."""

import sys
import threading
import time
import uuid
from typing import Any, Final

import click

from ashd.cli.caller import Caller

_IMPORT: Final = "db.import"
_STEPS: Final = {"db.check": ("trial", "Trying the language model (Ctrl-C ends it)")}
"""Steps of commands that show how long they take: their names in `system.status`, and labels."""
_GOES_ON: Final = (
    "The daemon goes on: `ash status` shows how far it is. To end it too, stop the daemon;"
    " what was stored stays, and the same command continues."
)
_INTERRUPTED: Final = {
    "db.check": "A trial of the language model ends, too; a repair that has begun goes on."
}
_LOOK_EVERY_SECONDS: Final = 0.3


def call(caller: Caller, method: str, /, *, label: str, **params: Any) -> dict[str, Any]:
    """Call a method and show its progress, which `system.status` reports.

    Ctrl-C ends an import in the daemon, too: this one, and no other of the same path.
    """
    if method == _IMPORT:
        params["import_id"] = str(uuid.uuid4())
    try:
        return _call(caller, method, label=label, **params)
    except KeyboardInterrupt:
        if method == _IMPORT and _stop_import(caller, params):
            click.echo("It ends; what was stored stays. The same command continues.", err=True)
            raise
        click.echo(_INTERRUPTED.get(method, _GOES_ON), err=True)
        raise


def _stop_import(caller: Caller, params: dict[str, Any]) -> bool:
    """End an import; return whether the daemon had it."""
    named = {name: params[name] for name in ("path", "import_id")}
    return bool(caller.call("db.stop_import", **named)["stopping"])


def _call(caller: Caller, method: str, /, *, label: str, **params: Any) -> dict[str, Any]:
    if not sys.stderr.isatty():
        return caller.call_lasting(method, **params)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(caller, method, label, over), daemon=True)
    watcher.start()
    try:
        return caller.call_lasting(method, **params)
    finally:
        over.set()
        watcher.join()


def _watch(caller: Caller, method: str, label: str, over: threading.Event) -> None:
    from ashd_client.protocol import AshCallError

    step, step_label = _STEPS.get(method, ("", ""))
    began = time.monotonic()
    with click.progressbar(length=0, label=label, file=sys.stderr, show_pos=True) as bar:
        while not over.wait(_LOOK_EVERY_SECONDS):
            try:
                running = caller.call("system.status")["running"]
            except AshCallError:
                return  # the call itself reports the error
            for one in running:
                if one["name"] == method.partition(".")[2]:
                    bar.length = one["total"] or None
                    bar.update(one["done"] - bar.pos)
            is_in_step = any(one["name"] == step for one in running)
            bar.label = f"{step_label}, {time.monotonic() - began:.0f} s" if is_in_step else label
            bar.render_progress()
