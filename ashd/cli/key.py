"""`ash key`: keys for clients of `ashd http`; needs a daemon if the database is on a server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli.caller import Caller, account_of
from ashd.cli.commands import Group, completed, flag, option, pass_caller
from ashd.cli.views import Line, Note, Table, View

if TYPE_CHECKING:
    from ashd.key_file import Key, KeyFile


_CREATED: Final = View(
    Line("{key}"),
    Note("Key {id} for {whose}. It is shown this once; `ash key revoke {id}` ends it."),
)
_KEYS: Final = View(
    Table(
        "keys",
        "ID {id} | FOR {whose} | KEEPS TURNS {stores} | CREATED {created_at:day}",
    ),
    Note("{keys:count key}."),
)
_REVOKED: Final = View(
    Line("{revoked}", verb="Revoked"),
    Note("Nothing makes it good again; `ash key create` makes another."),
)


@click.group("key", cls=Group)
def key() -> None:
    """Keys for clients of `ashd http`."""


@key.command("create")
@option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="An agent that the key may act as; repeat it for more, '*' for all.",
)
@option(
    "--as",
    "account",
    metavar="[PROVIDER:]USER",
    shell_complete=completed("account"),
    help="For a person's own account, which shares its memory with `ash connect`.",
)
@flag("--store", "Keep the turns of its chats, without a header in each.")
@pass_caller
def create(
    caller: Caller, /, agents: tuple[str, ...], *, account: str | None, store: bool | None
) -> None:
    """Make a key and print it, this once; only its hash is kept."""
    if bool(agents) == (account is not None):
        raise click.UsageError("Say whom the key is for: --agent NAME, --agent '*', or --as USER.")
    named = None
    if account is not None:
        scope = account_of(account)
        if not scope.get("user_id"):
            raise click.UsageError("--as names no user.")
        named = (scope["provider"], str(scope["user_id"]))
    if _is_shared(caller):
        from ashd import key_file

        token = key_file.new_token()
        whose = {"provider": named[0], "user_id": named[1]} if named else None
        params = {"agents": list(agents), "account": whose, "stores": bool(store)}
        made = _key(caller.call("key.create", hash=key_file.digest(token), **params))
    else:
        with _readable():
            made, token = _keys(caller).create(agents, named, stores=bool(store))
    caller.answer({**_shown(made), "key": token}, _CREATED)


def _key(told: dict[str, Any]) -> "Key":
    """Return a key as the daemon tells it."""
    from ashd.key_file import Key

    account = told["account"] and (told["account"]["provider"], told["account"]["user_id"])
    return Key(**{**told, "account": account})


def _shown(key: "Key") -> dict[str, Any]:
    """Return a key as it is shown: whom it is for, and whether it keeps turns."""
    account = None if key.account is None else ":".join(key.account)
    return {
        "id": key.id,
        "agents": key.agents,
        "account": account,
        "stores": key.stores,
        "created_at": key.created_at,
        "whose": account or ", ".join(key.agents),
    }


@key.command("list")
@pass_caller
def list_(caller: Caller, /) -> None:
    """List the keys; their text is not stored."""
    caller.answer({"keys": [_shown(one) for one in _all(caller)]}, _KEYS)


def _all(caller: Caller) -> "list[Key]":
    """Return the keys that are good, of the server or of the home."""
    if _is_shared(caller):
        return [_key(one) for one in caller.call("key.list")["keys"]]
    with _readable():
        return list(_keys(caller).all())


def _offered(context: click.Context, _param: click.Parameter, typed: str) -> Any:
    """Offer the shell the ids of keys."""
    from click.shell_completion import CompletionItem

    from ashd_client.protocol import AshCallError

    top = context.find_root().params
    try:
        keys = _all(Caller(socket=top.get("socket"), home=top.get("home")))
    except (AshCallError, click.ClickException):
        return []
    shown = [_shown(one) for one in keys if one.id.startswith(typed)]
    return [CompletionItem(one["id"], help=one["whose"]) for one in shown]


@key.command("revoke")
@click.argument("key_ids", metavar="ID…", nargs=-1, required=True, shell_complete=_offered)
@pass_caller
def revoke(caller: Caller, /, key_ids: tuple[str, ...]) -> None:
    """Revoke keys by their ids; they are refused from now on."""
    caller.answer_each(key_ids, lambda one: _revoked(caller, one), _REVOKED)


def _revoked(caller: Caller, key_id: str) -> dict[str, Any]:
    from ashd_client.protocol import AshCallError

    if _is_shared(caller):
        return {"revoked": caller.call("key.revoke", id=key_id)["id"]}
    with _readable():
        found = _keys(caller).revoke(key_id)
    if found is None:
        raise AshCallError(
            "There is no key of that id.",
            kind="not_found",
            code=200,
            hint="`ash key list` shows the ids.",
        )
    return {"revoked": found.id}


def _is_shared(caller: Caller) -> bool:
    """Return whether the keys are in the database of a server, which several daemons may share."""
    from ashd import config, errors
    from ashd_client.protocol import AshCallError

    named = os.environ.get("ASH_CONFIG")
    try:
        path = Path(named) if named else config.home(caller.home) / "config.toml"
        return config.load(path, required=named is not None).storage.url is not None
    except errors.StartError as error:
        raise AshCallError(
            str(error), kind="invalid_params", code=errors.InvalidParams.code
        ) from error


@contextmanager
def _readable() -> Iterator[None]:
    """Report a damaged file of keys in one line."""
    from ashd.key_file import KeysUnreadable
    from ashd_client.protocol import AshCallError

    try:
        yield
    except KeysUnreadable as error:
        raise AshCallError(error.message, kind="storage_error", code=500, hint=error.hint) from None


def _keys(caller: Caller) -> "KeyFile":
    from ashd import config
    from ashd.key_file import FILE_NAME, KeyFile

    return KeyFile(config.home(caller.home) / FILE_NAME)
