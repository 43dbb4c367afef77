"""Settings, typed: the keys of `config.toml`, with their defaults and ranges.

An unknown key, a wrong type or a value out of range stops the start with the file, the key, the
value and what is allowed. A setting exists only if something reads it.
"""

import grp
import os
import pwd
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from ashd import errors, validation_messages
from ashd import home as home_folder


class Storage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[storage]`."""

    path: str | None = None
    """The whole path of the database file; `<home>/data/ash.db` unless set."""
    url: str | None = None
    """A database of a PostgreSQL server in place of the file, without a password; also from
    ASH_STORAGE_URL."""
    password_file: str | None = None
    """A file with the password for the server, of mode 0600; else PGPASSFILE is used."""
    group: str | None = None
    """A group of the system whose members may use the control socket."""
    encryption: bool = False
    """Whether the database is encrypted; `ash db encrypt` makes the key and encrypts it."""
    key_file: str | None = None
    """A file with the key, of mode 0600; systemd's credential `ashd.key` takes precedence."""
    key_command: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    """A program with its arguments that prints the key; without it the keyring is asked."""

    def __post_init__(self) -> None:
        """Refuse contradictions, and relative paths, which the daemon would not find."""
        if self.key_file and self.key_command:
            raise ValueError("key_file and key_command exclude each other")
        if self.url and self.encryption:
            raise ValueError(
                "encryption is for a file: at url the server's disk is what to encrypt"
            )
        if self.url and self.path:
            raise ValueError("path and url exclude each other")
        if self.password_file and not Path(self.password_file).expanduser().is_absolute():
            raise ValueError("password_file is not an absolute path")
        if self.key_file and not Path(self.key_file).expanduser().is_absolute():
            raise ValueError("key_file is not an absolute path")


class Embedding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[embedding]`."""

    provider: Literal["auto", "wordllama", "minilm", "multilingual", "openai", "none"] = "auto"
    """The embedder; auto: the one that made the stored vectors, else the best installed."""
    base_url: str | None = None
    """An OpenAI-compatible endpoint."""
    model: str | None = None
    """The endpoint's model; text-embedding-3-small unless set."""
    api_key_file: str | None = None
    """A file that holds the key; else the environment's OPENAI_API_KEY."""


_PASSWORD: Final = re.compile(r"(?<=://)[^/@]*@")
"""User and password in a URL."""
_TIMEOUT_S: Final = 600.0
LlmTask = Literal[
    "extract_facts", "judge_conflicts", "summarise", "update_profile", "plan_search", "chat"
]


class Llm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[llm]`: a language model; without this section there is none."""

    base_url: str | None = None
    """An OpenAI-compatible endpoint; OPENAI_BASE_URL or OpenAI's own unless set."""
    model: str | None = None
    """The model's name at the endpoint; required if there is a section `[llm]`."""
    models: dict[LlmTask, str] = {}
    """Other models for single tasks, such as `models.chat`."""
    api_key_file: str | None = None
    """A file that holds the key; else the environment's OPENAI_API_KEY."""
    timeout_s: Annotated[float, msgspec.Meta(ge=1, le=600)] = _TIMEOUT_S
    """Seconds that a whole answer may take."""
    idle_timeout_s: Annotated[float, msgspec.Meta(ge=1, le=600)] = 60.0
    """Seconds to wait for the next piece of an answer; five times that for its first one."""
    context_tokens: Annotated[int, msgspec.Meta(ge=1_024, le=10**7)] | None = None
    """The model's window, to which conversations are cut; unless set, the endpoint's statement."""
    graph: bool | None = None
    """Whether entities and relations are asked for: unless set, together with the facts; true: in
    a second call, which is easier for a small model; false: not at all."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    """The sampling temperature in background tasks; not sent to a model that refuses it."""
    max_tokens_per_day: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | None = None
    """Tokens a day (UTC), sent and received, after which the model is not asked until midnight."""
    may_replace: bool = True
    """Whether the model's verdict replaces a memory; if not, the memory is only marked."""

    def __post_init__(self) -> None:
        """Refuse a section that names no model."""
        others = (self.base_url, self.models, self.api_key_file, self.max_tokens_per_day)
        if not self.model and (any(others) or self.timeout_s != _TIMEOUT_S):
            raise ValueError("model is missing: name the endpoint's model")


Connections = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
PerMinute = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
PerDay = Annotated[int, msgspec.Meta(ge=1, le=100_000_000)]
Bytes = Annotated[int, msgspec.Meta(ge=1, le=2**50)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[limits]`: the limits of sandboxes; the sizes of messages are fixed (limits.py)."""

    control_connections: Connections = 64
    """Connections at a time to the control socket."""
    connections: Connections = 8
    """Connections at a time through one grant."""
    request_bytes_per_minute: Bytes = 128 * 1024 * 1024
    """Bytes of requests a minute through one grant, refused ones included."""
    writes_per_minute: PerMinute = 600
    """Changes a minute through one grant; each fact of a batch is one. `grant.create` overrides."""
    writes_per_day: PerDay = 20_000
    """Changes a day (UTC) through one grant."""
    stored_bytes: Bytes = 256 * 1024 * 1024
    """Bytes of memories that came through one grant."""
    reply_bytes_per_day: Bytes = 1024 * 1024 * 1024
    """Bytes of answers a day through one grant."""
    embedder_calls_per_day: PerDay = 100_000
    """Texts that one grant may have embedded a day: a search is one, a fact one or more."""
    owner_request_bytes_per_minute: Bytes = 256 * 1024 * 1024
    """All grants of one owner together: bytes of requests a minute."""
    owner_writes_per_minute: PerMinute = 1_200
    """All grants of one owner together: changes a minute."""
    owner_writes_per_day: PerDay = 40_000
    """All grants of one owner together: changes a day (UTC)."""
    owner_stored_bytes: Bytes = 1024 * 1024 * 1024
    """All grants of one owner together: bytes of memories."""
    owner_reply_bytes_per_day: Bytes = 4 * 1024 * 1024 * 1024
    """All grants of one owner together: bytes of answers a day."""
    owner_embedder_calls_per_day: PerDay = 200_000
    """All grants of one owner together: texts a day for the embedder."""


class Sandbox(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[sandbox]`."""

    tcp_port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] | None = None
    """A port on 127.0.0.1 for sandboxes that use a token because nothing can be mounted."""


class Memory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[memory]`."""

    enabled: bool = True
    """Whether memory is on; while it is off nothing is stored and nothing goes into prompts."""
    auto_gc: bool = True
    """Whether the daily clean-up archives superseded, expired and faded memories."""
    max_entries: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] | None = None
    """Most memories an owner may have; the least valuable are archived. No limit unless set."""
    extraction_enabled: bool = True
    """Whether facts are extracted from conversations, if there is a language model."""
    extraction_debounce_s: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 60
    """Seconds without a new turn after which a conversation is read."""
    extraction_batch_turns: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
    """Number of new turns after which a conversation is read without waiting for a pause."""
    extraction_confidence_threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.7
    """Facts with a lower confidence of the language model are not stored."""
    summary_debounce_s: Annotated[int, msgspec.Meta(ge=10, le=3_600)] = 60
    """Seconds without a new turn after which a conversation is summarised."""
    summary_retention_days: Annotated[int, msgspec.Meta(ge=0, le=3_650)] = 180
    """Days until a summary is removed; 0: never."""
    profile_regenerate_threshold: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 10
    """New statements of users about themselves after which their profile is written anew."""
    profile_max_tokens: Annotated[int, msgspec.Meta(ge=100, le=10_000)] = 2_000
    """Tokens that a profile may have."""
    working_memory_budget_tokens: Annotated[int, msgspec.Meta(ge=50, le=10_000)] = 3_000
    """Tokens of memories in a prompt."""
    summary_budget_tokens: Annotated[int, msgspec.Meta(ge=50, le=10_000)] = 3_000
    """Tokens of the latest summaries in a prompt, and of those that answer the message."""
    chunk_budget_tokens: Annotated[int, msgspec.Meta(ge=50, le=20_000)] = 3_000
    """Tokens of excerpts from conversations in a prompt."""
    graph_budget_tokens: Annotated[int, msgspec.Meta(ge=50, le=5_000)] = 300
    """Tokens of relationships in a prompt."""
    temporal_decay_half_life_days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 30
    """Days after which a passing matter's rank has lost half of what it can lose by age."""


class Backup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[backup]`: the automatic backups."""

    every_hours: Annotated[int, msgspec.Meta(ge=0, le=8_760)] = 24
    """Hours between two backups; 0: the daemon makes none by itself."""
    keep: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 7
    """Number of backups that stay in the backup folder, and of those made before upgrades; older
    ones are removed."""


_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


HostName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$")]
"""The name of a host, without a port."""


class Http(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[http]`: `ashd http`, a process of its own."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 1337
    """The port to listen on."""
    names: tuple[HostName, ...] = ()
    """Names by which clients or a load balancer call the gateway, besides `host` and localhost."""
    unix_socket: str | None = None
    """A socket file to listen on as well, for this user alone."""
    open_loopback: bool = False
    """Whether calls need no key, so that all users and programs of this machine count as one."""
    header_seconds: Annotated[float, msgspec.Meta(ge=1, le=600)] = 30.0
    """Seconds in which the headers of a request must arrive."""
    body_seconds: Annotated[float, msgspec.Meta(ge=1, le=3_600)] = 90.0
    """Seconds in which the body of a request must arrive."""

    def __post_init__(self) -> None:
        """Refuse to run without keys if other machines can reach the port."""
        if self.open_loopback and self.host not in _LOOPBACK:
            raise ValueError("open_loopback is for a host of the loopback: 127.0.0.1 or ::1")

    def host_names(self) -> frozenset[str]:
        """Return the names, beside those of the loopback, that requests may address."""
        return frozenset(name.lower() for name in (self.host, *self.names))


class Log(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[log]`."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is logged."""
    format: Literal["auto", "text", "json"] = "auto"
    """Text lines or JSON; auto: text, with the journal's priorities under systemd."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    storage: Storage = Storage()
    embedding: Embedding = Embedding()
    llm: Llm = Llm()
    memory: Memory = Memory()
    limits: Limits = Limits()
    sandbox: Sandbox = Sandbox()
    backup: Backup = Backup()
    http: Http = Http()
    log: Log = Log()


class Places(msgspec.Struct, frozen=True):
    """The paths of the daemon's files and directories."""

    home: Path
    config: Path
    database: Path
    models: Path
    run: Path

    @property
    def backups(self) -> Path:
        """The backup folder, on the database's file system so that a file can be moved."""
        return self.database.parent / "backups"


def load(path: Path, *, required: bool) -> Settings:
    """Return the settings of a file; the defaults if there is none and none is required.

    ASH_STORAGE_URL goes before `storage.url`.

    Raises:
        errors.StartError: the file cannot be used; the message names what to change.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if required:
            raise errors.StartError(f"{path} is not there. Give another file.") from None
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise errors.StartError(f"{path} cannot be read ({type(error).__name__}).") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise errors.StartError(f"{path} is not TOML: {error}. Mend that line.") from error
    if (url := os.environ.get("ASH_STORAGE_URL")) and isinstance(
        storage := values.setdefault("storage", {}), dict
    ):
        storage["url"] = url
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise errors.StartError(
            f"{path}: {validation_messages.of_config(str(error), values, Settings())}"
        ) from error


def places(settings: Settings, home: Path, run: Path, config: Path, models: Path) -> Places:
    """Return the daemon's paths, from the settings and the options of the command line.

    Raises:
        errors.StartError: the path of the database depends on the working directory.
    """
    database = settings.storage.path
    named = Path(database).expanduser() if database else home / "data" / "ash.db"
    if not named.is_absolute():
        raise errors.StartError(
            f"storage.path = {database!r} is another file in each directory. Name the whole path."
        )
    return Places(
        home=home,
        config=config,
        database=named,
        models=models,
        run=run,
    )


def home(option: Path | None) -> Path:
    """Return the home: option, ASH_HOME, systemd's STATE_DIRECTORY, else ~/.ash.

    Raises:
        errors.StartError: there is no telling where ~ is, or SQLite cannot name a file there.
    """
    found = home_folder.home(option)
    if found.startswith("~"):
        raise errors.StartError(
            "This user has no home directory. Set HOME, or name another place (--home, ASH_HOME)."
        )
    try:
        found.encode()
    except UnicodeEncodeError:
        raise errors.StartError(
            f"The path of the home is not UTF-8: {found!a}. Name another place (--home)."
        ) from None
    return Path(found)


def run_dir(option: Path | None, at_home: Path) -> Path:
    """Return the run directory: option, ASH_RUN_DIR, RUNTIME_DIRECTORY, else a default."""
    named = option or os.environ.get("ASH_RUN_DIR") or os.environ.get("RUNTIME_DIRECTORY")
    if named:
        return Path(named).expanduser().absolute()
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "ash" if runtime and _is_own(runtime) else at_home / "run"


def _is_own(folder: str) -> bool:
    """Return whether a folder is ours: `su` and `sudo` may leave another user's named."""
    try:
        return Path(folder).stat().st_uid == os.geteuid()
    except OSError:
        return False


def local_user() -> str:
    """Return the login name of the daemon's user: the user of calls without a scope."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def masked(settings: Settings, found: Places) -> dict[str, Any]:
    """Return the effective configuration for a person, without keys and passwords."""
    values = msgspec.to_builtins(settings)
    for section in (values["embedding"], values["llm"]):
        if section["base_url"]:
            section["base_url"] = _PASSWORD.sub("***@", section["base_url"])
    return {
        **values,
        "places": {name: str(getattr(found, name)) for name in Places.__struct_fields__},
    }


def socket_group(settings: Settings) -> int | None:
    """Return the number of the group that may use the control socket.

    Raises StartError if there is no such group.
    """
    if settings.storage.group is None:
        return None
    try:
        return grp.getgrnam(settings.storage.group).gr_gid
    except KeyError:
        raise errors.StartError(
            f"storage.group = {settings.storage.group!r} is no group of this system. "
            "Make it (groupadd), or leave the setting out."
        ) from None
