"""Every limit of the daemon, with its unit in its name; `session.hello` returns the caller's."""

from typing import Final

import msgspec

CONTENT_CHARS: Final = 10_000
FACTS_PER_CALL: Final = 100
RESULTS_PER_CALL: Final = 100
MESSAGES_PER_CALL: Final = 500
MESSAGES_PER_EXTRACTION: Final = 100
QUERY_CHARS: Final = 4_000
NAME_CHARS: Final = 200
SUBJECTS_PER_FACT: Final = 20
TAGS_PER_FACT: Final = 50
TAG_CHARS: Final = 100
TOOL_ARGUMENTS_CHARS: Final = 131_072
"""Characters in a tool's arguments, if the model wrote them as one text."""
TOOL_ARGUMENTS_VALUES: Final = 5_000
METADATA_BYTES: Final = 16_384
METADATA_VALUES: Final = 256
"""Keys and values in metadata: each is checked for a secret."""
KEY_CHARS: Final = 200
REFERENCE_KEY_CHARS: Final = 1_000
"""Longest normalised reference to a person, nested references included (`my son's boss`)."""
LABEL_CHARS: Final = 40
"""Characters in a client's name for itself, or in an embedder's name."""
TIME_CHARS: Final = 40
CURSOR_CHARS: Final = 100
GROWTH_DAYS: Final = 400
EXPIRY_DAYS: Final = 36_500
GRANT_SECONDS: Final = 10 * 365 * 86_400
"""Longest duration of a grant that has an end."""
LLM_TOKENS_PER_CALL: Final = 10_000_000
"""Most tokens that may be reported for one completion, sent and received each."""
CONTEXT_TOKENS: Final = 100_000
"""Largest `max_tokens` of a context."""
MESSAGES_AROUND: Final = 10
"""Largest number of messages before and after a found one."""
GRAPH_DEPTH: Final = 4
"""Largest distance from the named entity in a search of the graph."""
WRONG_TOKENS_PER_MINUTE: Final = 30
"""After so many invalid tokens the listener asks callers to wait."""
PEOPLE_PER_CHAT: Final = 2_000
"""Largest number of people who can be introduced in one chat, private chats included."""
PARTICIPANTS: Final = 5_000
ID_PREFIX_CHARS: Final = 6
UUID_CHARS: Final = 36
GRANT_ID_CHARS: Final = 12
STATEMENT_CHARS: Final = 600
"""A longer memory is not a single statement: it neither supersedes nor is superseded automatically.
"""
PASSAGE_CHARS: Final = 600
"""The length of a passage: a longer text is indexed in pieces of about this many characters (E11).

MiniLM reads 256 tokens of a text: 1,000 characters of plain English, but 600 of most languages in
Latin letters and of lists of names.
"""

NESTING: Final = 32
"""Deepest nesting of JSON that is accepted."""
VALUES_PER_MESSAGE: Final = 100_000
"""Values in a message, keys included: building them takes time and memory."""
NUMBER_CHARS: Final = 64
"""Characters of a number in a message; a double never needs more than 25."""

IDEMPOTENCY_SECONDS: Final = 86_400
SOCKET_PATH_BYTES: Final = 107
PATH_CHARS: Final = 4_096
BACKUPS_KEPT: Final = 10_000
RECIPIENT_CHARS: Final = 100
IMPORT_LINE_BYTES: Final = 4 * 1024 * 1024
IMPORT_COUNT: Final = 2**53 - 1
"""The largest number that every program reads from JSON as it is; the database holds it, too."""
IMPORT_FACTS: Final = 500_000
"""Memories in a file of another system: they are sorted in memory."""
IMPORT_REFUSALS: Final = 1_000
"""Largest number of refused records that an import reports one by one."""
IMPORT_WRITE_SECONDS: Final = 0.02
"""Seconds that an import holds the writer thread at a time."""
WRITE_GROUP: Final = 64
"""Largest number of waiting writes that are committed together."""
WRITE_GROUP_SECONDS: Final = 0.02
"""How long such a commit takes in further writes."""
SLICE_SECONDS: Final = 0.015
"""How long a call that stores much has the writer thread at a time; other writes come in between.
"""
FACTS_PER_TRANSACTION: Final = 20
"""Largest number of facts of a batch that one transaction stores."""
ANSWER_SECONDS: Final = 1.5
"""How long before its end a call stops storing facts, so that it is answered."""
LEAST_READING_SECONDS: Final = 1.0
"""Seconds that any call may spend on reading its facts; a longer call may spend half its time."""
LEAST_STORING_SECONDS: Final = 0.5
"""Seconds that a call may always spend on storing its first facts, however late it is."""
WRITER_SECONDS: Final = 3.0
"""Seconds that a sandbox's batch may be in the writer thread; the facts after that are refused."""


class SocketLimits(msgspec.Struct, frozen=True):
    """The limits of one kind of socket."""

    request_bytes: int
    reply_bytes: int
    connections: int
    frame_seconds: float
    idle_seconds: float
    write_seconds: float
    call_seconds: float
    batch: int
    values: int
    id_chars: int


SANDBOX: Final = SocketLimits(
    request_bytes=4 * 1024 * 1024,
    reply_bytes=8 * 1024 * 1024,
    connections=8,
    frame_seconds=5,
    idle_seconds=30,
    write_seconds=5,
    call_seconds=10,
    batch=0,
    values=25_000,
    id_chars=256,
)
UNKNOWN: Final = msgspec.structs.replace(
    SANDBOX, request_bytes=4_096, connections=64, idle_seconds=5
)
"""Limits of all connections together that have not yet shown a token on the shared socket."""
CONTROL: Final = SocketLimits(
    request_bytes=32 * 1024 * 1024,
    reply_bytes=32 * 1024 * 1024,
    connections=64,
    frame_seconds=10,
    idle_seconds=300,
    write_seconds=10,
    call_seconds=60,
    batch=50,
    values=VALUES_PER_MESSAGE,
    id_chars=16_384,
)
