"""Lines that were put into prompts, by chat and digest: their text is not stored."""

import json
from collections.abc import Collection, Iterable

from ashd.clock import DAY
from ashd.store.database import Tx
from ashd.store.dialect import text_list

_KEPT: int = 90 * DAY
_REMOVED_AT_ONCE = 1_000


def note(tx: Tx, given: Iterable[tuple[int, bytes]]) -> None:
    """Note lines that were given in a chat, and drop some old ones.

    A chat that was erased since is skipped.
    """
    digests: dict[int, set[str]] = {}
    for chat, digest in given:
        digests.setdefault(chat, set()).add(digest.hex())
    for chat, wanted in digests.items():
        tx.run(
            "insert into given_lines (chat, digest, given_at)"
            f" select c.id, unhex(w.value), ? from {text_list('?')} w cross join chats c"
            " on c.id = ? where true"  # else SQLite takes `on` for the join's
            " on conflict (chat, digest) do update set given_at = excluded.given_at",
            *(tx.now, json.dumps(sorted(wanted)), chat),
        )
    tx.run(
        "delete from given_lines where (chat, digest) in (select chat, digest from given_lines"
        " where given_at < ? limit ?)",
        *(tx.before(_KEPT), _REMOVED_AT_ONCE),
    )


def known(tx: Tx, chat: int | None, digests: Collection[bytes]) -> frozenset[bytes]:
    """Return those of the lines that were given in a chat."""
    wanted = json.dumps([digest.hex() for digest in digests])
    rows = tx.all(
        f"select g.digest from {text_list('?')} w cross join given_lines g"
        " on g.chat = ? and g.digest = unhex(w.value)",
        *(wanted, chat),
    )
    return frozenset(row[0] for row in rows)
