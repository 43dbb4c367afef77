"""The commands as data: what is typed, which method it calls, what its options mean.

Parsing, help and the tests read this one table. An option puts its value under the name of the
method's parameter; names that are no parameters (`expires`, `file` …) are turned into such by
the command's function in `inputs`.
"""

from __future__ import annotations

from ash_sb import inputs
from ash_sb.inputs import number, text, whole
from ash_sb.wire_values import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Option:
    """A flag: `--name VALUE`, or `--name` alone where there is no metavar."""

    __slots__ = ("constant", "flag", "many", "metavar", "param", "read", "short", "summary")

    def __init__(
        self,
        flag: str,
        metavar: str,
        param: str,
        summary: str,
        read: Callable[[str, str], Any] = text,
        *,
        short: str = "",
        many: bool = False,
        constant: bool = True,
    ) -> None:
        self.flag = flag
        self.metavar = metavar
        self.param = param
        self.summary = summary
        self.read = read
        self.short = short
        self.many = many
        self.constant = constant


class Command:
    """A command: its words, the method, the operand, options, one line of help and an example."""

    __slots__ = ("build", "example", "method", "operand", "options", "summary", "words")

    def __init__(
        self,
        words: str,
        method: str,
        operand: str,
        summary: str,
        example: str,
        *options: Option,
        build: Callable[[list[str], dict[str, Any]], dict[str, Any]],
    ) -> None:
        self.words = words
        self.method = method
        self.operand = operand
        self.summary = summary
        self.example = example
        self.options = options
        self.build = build


JSON = Option("--json", "", "json", "one JSON document instead of lines")
HELP = Option("--help", "", "help", "how the command is used", short="-h")
_PROJECT = Option(
    "--project",
    "DIR|ID|none",
    "project",
    "in the project of this folder, not in that of the repository that you work in",
)
EVERYWHERE = (JSON, HELP, _PROJECT)
"""What every command takes; `cli.run` looks for `--json` before it knows the command."""

_FILE = Option("--file", "F", "file", "take the text from a file")
_LIMIT = Option("--limit", "N", "limit", "at most N of them", whole, short="-n")
_CURSOR = Option("--cursor", "C", "cursor", "go on where a list ended")
_ABOUT = Option("--about", "NAME", "about", "only what is about this person")
_TYPES = Option("--type", "T", "types", "only this type; repeat for more", many=True)
_TAGS = Option("--tag", "S", "tags", "only with this tag; repeat for more", many=True)
_SINCE = Option("--since", "D", "since", "from this day or time on")
_UNTIL = Option("--until", "D", "until", "up to this day or time")
_SUPERSEDED = Option(
    "--include-superseded", "", "include_superseded", "also what a newer memory replaced"
)
_EXPIRES = Option(
    "--expires", "DAYS|DATE", "expires", "forget it after so many days, after 2w or 36h, or then"
)
_SENSITIVITY = Option("--sensitivity", "S", "sensitivity", "public, personal or sensitive")
_SUBJECT = Option("--subject", "NAME", "subjects", "whom it is about; repeat for more", many=True)
_TYPE = Option("--type", "T", "type", f"one of {TYPES}")
_TAG = Option("--tag", "S", "tags", "a tag; repeat for more", many=True)

COMMANDS = (
    Command(
        "memory add",
        "memory.add",
        "TEXT… | -",
        "store one fact, or many with --facts-json",
        'ash-sb memory add "Sarah is allergic to peanuts" --subject Sarah --type knowledge',
        _FILE,
        Option("--facts-json", "F", "facts_json", "a JSON list of {content, …} from a file, or -"),
        _SUBJECT,
        _TYPE,
        Option("--shared", "", "shared", "the memory belongs to the group, not to the person"),
        _EXPIRES,
        _SENSITIVITY,
        _TAG,
        Option("--supersedes", "ID", "supersedes", "the memory that this one replaces"),
        Option("--key", "K", "idempotency_key", "the same key stores once, within 24 hours"),
        build=inputs.add,
    ),
    Command(
        "memory search",
        "memory.search",
        "QUERY… | -",
        "find memories by words and meaning",
        'ash-sb memory search "what does she eat" --about Sarah -n 5',
        _LIMIT,
        _ABOUT,
        _TYPES,
        _TAGS,
        _SINCE,
        _UNTIL,
        Option("--as-of", "D", "as_of", "what was known and valid then"),
        Option("--min-score", "S", "min_score", "drop what scores lower (0 to 1)", number),
        Option("--mode", "M", "mode", "hybrid, lexical or vector"),
        _SUPERSEDED,
        Option("--explain", "", "explain", "how each result was found"),
        _FILE,
        build=inputs.query,
    ),
    Command(
        "memory list",
        "memory.list",
        "",
        "list memories, the newest first",
        "ash-sb memory list -n 20 --type preference",
        _LIMIT,
        _CURSOR,
        _ABOUT,
        _TYPES,
        _TAGS,
        _SUPERSEDED,
        build=inputs.nothing,
    ),
    Command(
        "memory show",
        "memory.get",
        "ID",
        "show a memory with everything known of it",
        "ash-sb memory show 3f2a1c",
        build=inputs.explained,
    ),
    Command(
        "memory update",
        "memory.update",
        "ID [TEXT… | -]",
        "change a memory; a new text becomes a new memory that replaces it",
        'ash-sb memory update 3f2a1c "Sarah lives in Irvine"',
        _FILE,
        _SUBJECT,
        _TYPE,
        _EXPIRES,
        _SENSITIVITY,
        _TAG,
        Option("--revision", "N", "expected_revision", "only if it still has this revision", whole),
        build=inputs.update,
    ),
    Command(
        "memory supersede",
        "memory.supersede",
        "ID OLDER",
        "settle whether a memory replaces an older one, or both hold",
        "ash-sb memory supersede 3f2a1c 90bd4e",
        Option("--verdict", "V", "verdict", "replaces; both: keep the two; unsure: undo either"),
        build=inputs.supersede,
    ),
    Command(
        "memory conflicts",
        "memory.conflicts",
        "",
        "memories that newer ones perhaps replace, to settle with memory supersede",
        "ash-sb memory conflicts",
        _LIMIT,
        _CURSOR,
        build=inputs.nothing,
    ),
    Command(
        "memory delete",
        "memory.delete",
        "ID",
        "forget a memory (the person on the host can undo it)",
        "ash-sb memory delete 3f2a1c",
        build=inputs.identifier,
    ),
    Command(
        "memory history",
        "memory.history",
        "ID",
        "what a memory replaced and what replaced it, the oldest first",
        "ash-sb memory history 3f2a1c",
        build=inputs.identifier,
    ),
    Command(
        "memory extract",
        "memory.extract",
        "TEXT… | -",
        "let the language model find facts in messages (JSON list of {role, content} or text)",
        "ash-sb memory extract --wait -",
        _FILE,
        Option("--wait", "", "wait", "wait for what is found"),
        build=inputs.extract,
    ),
    Command(
        "person resolve",
        "person.resolve",
        "REFERENCE…",
        "who is meant by a name, a handle or a relationship",
        'ash-sb person resolve "my wife" --hint "My wife Sarah loves tea"',
        Option("--hint", "TEXT", "content_hint", "the sentence it was said in"),
        Option(
            "--no-create", "", "create", "do not add a person that is not known", constant=False
        ),
        build=inputs.reference,
    ),
    Command(
        "person list",
        "person.list",
        "[NAME…]",
        "list the people known here",
        "ash-sb person list -n 50",
        _LIMIT,
        build=inputs.optional_query,
    ),
    Command(
        "person show",
        "person.get",
        "ID",
        "show a person",
        "ash-sb person show 81bb02",
        build=inputs.identifier,
    ),
    Command(
        "context",
        "context.get",
        "MESSAGE… | -",
        "all that matters for answering a message, ready for the prompt",
        'ash-sb context "What should I cook for Sarah?" --max-tokens 1000',
        Option("--max-tokens", "N", "max_tokens", "at most N tokens", whole),
        _FILE,
        build=inputs.message,
    ),
    Command(
        "conversation search",
        "conversation.search",
        "QUERY… | -",
        "find past messages",
        'ash-sb conversation search "the trip to Lisbon" --window 1',
        _LIMIT,
        Option("--conversation", "ID", "conversation_id", "only this conversation"),
        _SINCE,
        _UNTIL,
        Option("--window", "N", "window", "with N messages before and after", whole),
        _FILE,
        build=inputs.query,
    ),
    Command(
        "recall",
        "search.all",
        "QUERY… | -",
        "find memories and messages together",
        'ash-sb recall "peanut allergy"',
        _LIMIT,
        _FILE,
        build=inputs.query,
    ),
    Command(
        "status",
        "session.hello",
        "",
        "is the daemon there, and what may be done here",
        "ash-sb status",
        build=inputs.nothing,
    ),
)
BY_WORDS = {command.words: command for command in COMMANDS}
GROUPS = {command.words.partition(" ")[0] for command in COMMANDS if " " in command.words}
