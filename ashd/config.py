"""Settings, typed: what `config.toml` may say, with its defaults and ranges.

An unknown key, a wrong type or a value out of range stops the start with the file, the key, the
value and what is allowed. A setting stands here only because something reads it.
"""

import os
import pwd
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from ashd import errors


class Storage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[storage]`."""

    path: str | None = None
    """The database file; `<home>/data/ash.db` unless set."""
    group: str | None = None
    """A group of the system whose members may use the control socket."""


class Embedding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[embedding]`."""

    provider: Literal["auto", "wordllama", "minilm", "openai", "none"] = "auto"
    """What makes vectors; auto: what the stored ones were made with, else the best installed."""
    base_url: str | None = None
    """An OpenAI-compatible endpoint."""
    model: str | None = None
    """The endpoint's model; text-embedding-3-small unless set."""
    api_key_file: str | None = None
    """A file that holds the key; else the environment's OPENAI_API_KEY."""


class Log(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[log]`."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """What is left out of the log: everything less than this."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    storage: Storage = Storage()
    embedding: Embedding = Embedding()
    log: Log = Log()


class Places(msgspec.Struct, frozen=True):
    """Where everything is."""

    home: Path
    config: Path
    database: Path
    models: Path
    run: Path


def load(path: Path, *, required: bool) -> Settings:
    """The settings of a file; the defaults when there is none and none is required.

    Raises:
        errors.StartError: the file cannot be used; the message names what to change.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if required:
            raise errors.StartError(f"{path} is not there. Give another file.") from None
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise errors.StartError(f"{path} cannot be read ({type(error).__name__}).") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise errors.StartError(f"{path} is not TOML: {error}. Mend that line.") from error
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise errors.StartError(f"{path}: {_explain(str(error), values)}") from error


def places(settings: Settings, home: Path, run: Path, config: Path) -> Places:
    """Where everything is, from the settings and the start's options."""
    database = settings.storage.path
    return Places(
        home=home,
        config=config,
        database=Path(database).expanduser() if database else home / "data" / "ash.db",
        models=Path(os.environ.get("ASH_MODELS") or home / "models"),
        run=run,
    )


def home(option: Path | None) -> Path:
    """The home: option, ASH_HOME, systemd's STATE_DIRECTORY, else ~/.ash."""
    named = option or os.environ.get("ASH_HOME") or os.environ.get("STATE_DIRECTORY")
    return (Path(named) if named else Path.home() / ".ash").expanduser().absolute()


def run_dir(option: Path | None, at_home: Path) -> Path:
    """The run directory: option, ASH_RUN_DIR, systemd's RUNTIME_DIRECTORY, else the user's own."""
    named = option or os.environ.get("ASH_RUN_DIR") or os.environ.get("RUNTIME_DIRECTORY")
    if named:
        return Path(named).expanduser().absolute()
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "ash" if runtime else at_home / "run"


def local_user() -> str:
    """The login name of whoever runs the daemon: the user of calls without a scope."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def masked(settings: Settings, found: Places) -> dict[str, Any]:
    """The effective configuration for a person to read; there is no secret in it, only its file."""
    return {
        **msgspec.to_builtins(settings),
        "places": {name: str(getattr(found, name)) for name in Places.__struct_fields__},
    }


def _explain(message: str, values: dict[str, Any]) -> str:
    """What msgspec says, with the key as it stands in the file, its value and what is allowed."""
    reason, _, path = message.partition(" - at `$.")
    key = path.rstrip("`")
    if reason.startswith("Object contains unknown field"):
        name = reason.rsplit("`", 2)[1]
        where = f"[{key}]" if key else "the file"
        section = getattr(Settings(), key, None) if key else Settings()
        known = ", ".join(section.__struct_fields__) if section is not None else ""
        return f"{where} has an unknown key {name!r}. Known are: {known}."
    value: Any = values
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    allowed = _allowed(key)
    return f"{key} = {value!r} cannot be: {reason}.{f' Allowed: {allowed}.' if allowed else ''}"


def _allowed(key: str) -> str:
    section, _, name = key.partition(".")
    part = getattr(Settings(), section, None)
    if part is None or not name:
        return ""
    schema = msgspec.json.schema(type(part))
    properties = schema["$defs"][type(part).__name__]["properties"].get(name, {})
    if "enum" in properties:
        return ", ".join(str(choice) for choice in properties["enum"])
    low, high = properties.get("minimum"), properties.get("maximum")
    return f"{low} to {high}" if low is not None and high is not None else ""
