"""Judge memories that could not be judged when they were stored.

Either no embedder answered, and they are judged once they have their vectors, or there was no time.
Or their owner's account was joined to another since: they are compared with what the other one was
told, and a replacement is only linked. Or more pairs were to be read than the one that is read for
the answer.
Runs in the background. Each memory is compared with earlier ones, which it may replace, and with
later ones, which may replace it. Links that were made before, by the opinion of a lesser model, are
removed unless they are confirmed now; a pair that somebody settled, or left open, is left alone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from ashd import errors, log
from ashd.memory import candidates, protection, verdicts
from ashd.memory import opinions as judging
from ashd.memory.candidates import Near, Place
from ashd.memory.judge import Opinion
from ashd.memory.judge.verdict import OFFERED_FROM
from ashd.memory.opinions import Reader
from ashd.memory.statements import statement_of
from ashd.memory.status_changes import supersede
from ashd.memory.supersede import Newer, may_confirm
from ashd.memory.verdicts import IMPORTED, MOST_LINKED, Linked, Scope, Verdicts
from ashd.providers.embedder import Embedding, TokenVectors, pooled_from_bytes
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.indexing import TextVectors, digest
from ashd.search.stored_vectors import InForce
from ashd.store import chats, embeddings, memories, memory_links
from ashd.store.database import Database, Tx
from ashd.store.memories import Record, is_active
from ashd.store.memory_links import ToJudge
from ashd.store.visibility import EVERY_PROJECT, Viewer

_AT_ONCE: Final = 20
"""Memories judged in one transaction; other writes come in between."""
_RETRY_SECONDS: Final = 30.0


class LateJudging:
    """Judges in the background. One for the daemon."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        *,
        ask_model: Callable[[Tx, Record], object] | None = None,
        wake_model: Callable[[], None] = lambda: None,
    ) -> None:
        """Calls `ask_model` for a memory with new conflicts, for a language model to settle them.

        Then it calls `wake_model`, once the transaction has been committed.
        """
        self._db = db
        self._embeddings = embeddings
        self._ask_model = ask_model
        self._wake_model = wake_model
        self._wake = anyio.Event()
        embeddings.stored = self.wake

    def wake(self) -> None:
        """Look for new vectors."""
        self._wake.set()

    async def run(self) -> None:
        """Judge waiting memories, for as long as the daemon runs."""
        while True:
            self._wake = anyio.Event()
            try:
                while await self._judge_some():
                    pass
            except errors.AshError as error:
                log.warning("memories_not_judged", kind=error.kind, reason=error.message)
                with anyio.move_on_after(_RETRY_SECONDS):
                    await self._wake.wait()
            else:
                await self._wake.wait()

    async def _judge_some(self) -> bool:
        used = self._embeddings.in_force
        if used is None and self._embeddings.state != "off":
            return False
        index = used.vectors.id if used is not None else None
        waiting = await self._db.read(
            partial(memory_links.ready_to_judge, embedding_set=index, limit=_AT_ONCE)
        )
        near = Near.of(self._embeddings)
        found = []
        if waiting:
            await judging.load(used.embedder if used is not None else None)
        for one in waiting:  # one by one: others have the reader in between
            opinions = partial(_opinions, waits=one, used=used, near=near)
            found.append((one.memory, await self._db.read(opinions)))
        if found:
            decide = partial(_decide, found=found, ask_model=self._ask_model)
            await self._db.write(decide, scoped=True)
            self._wake_model()
        return bool(found)


def _opinions(tx: Tx, *, waits: ToJudge, used: InForce | None, near: Near) -> dict[int, Opinion]:
    """Return opinions on a memory and its neighbours, by neighbour.

    Each says what the later one does to the earlier one.
    """
    reader = Reader.of(used.embedder if used is not None else None)
    record = active(tx, waits.memory)
    if reader is None or record is None:
        return {}
    place = _place_of(tx, record, across_accounts=waits.across_accounts)
    return _on_neighbours(tx, record, place, reader, used, near)


def active(tx: Tx, number: int) -> Record | None:
    """Return a memory, if it still exists and is active."""
    record = memories.by_id(tx, number) if memories.exists(tx, number) else None
    return record if record is not None and is_active(record, tx.now) else None


def _place_of(tx: Tx, record: Record, *, across_accounts: bool) -> Place:
    """Return the place whose memories a stored one is compared with."""
    viewer = viewer_of(tx, record)
    if across_accounts:
        others = tuple(account for account in viewer.accounts if account != record.owner)
        chats_ = tuple(memories.private_chats_of(tx, others))
        return Place(others, None, chats_, viewer.project)
    place = candidates.place_of(tx, viewer, shared=record.owner is None)
    if viewer.group and record.owner is None and record.stated_by is not None:
        return place._replace(owners=(record.stated_by,))
    return place


def _on_neighbours(
    tx: Tx, record: Record, place: Place, reader: Reader, used: InForce | None, copies: Near
) -> dict[int, Opinion]:
    vectors = _vectors(tx, record, used)
    speaker = chats.account_by_id(tx, record.stated_by) if record.stated_by else None
    names = judging.names_of(tx, speaker)
    sides = reader.sides(tx, place, record.content, vectors, copies, names)
    if sides is None:
        return {}
    side, near = sides
    lines = reader.waiting(tx, place, vectors, names)
    earlier = [(number, one) for number, one in near if number < record.id]
    before = [words for number, words in lines if number < record.id]
    opinions, _ = reader.opinions(side, [one for _, one in earlier], before)
    found = dict(zip((number for number, _ in earlier), opinions, strict=True))
    lines += [(number, one.words) for number, one in near]
    for number, one in near:
        if number > record.id:
            before = [words for at, words in lines if at < number]
            ((found[number],), _) = reader.opinions(one, [side], before)
    return found


def _vectors(tx: Tx, record: Record, used: InForce | None) -> TextVectors:
    """Return the stored vectors of a memory's text."""
    if used is None:
        return TextVectors()
    key = digest(record.content)
    known = embeddings.known_vector(tx, used.vectors, key)
    by_digest = {}
    if known is not None:
        pooled, tokens = known
        dimension = used.embedder.token_dimension
        by_digest[key] = Embedding(
            pooled_from_bytes(pooled),
            TokenVectors.from_bytes(tokens, dimension) if tokens else None,
        )
    return TextVectors(used.embedder, used.vectors, by_digest)


def viewer_of(tx: Tx, record: Record) -> Viewer:
    """Return a viewer in the memory's place who sees everything that may be compared."""
    accounts: tuple[int, ...] = ()
    if record.owner is not None:
        accounts = chats.joined_accounts(tx, chats.account_by_id(tx, record.owner).person)
    return Viewer(
        everything=True,
        account=record.owner,
        accounts=accounts,
        persons=(),
        chat=record.learned_in,
        group=record.learned_type == "group",
        audience=(),
        audience_persons=(),
        audience_known=False,
        project=record.project or EVERY_PROJECT,
    )


def confirmer(tx: Tx, record: Record) -> Viewer:
    """Return its owner and its speaker as one viewer, who may confirm what a memory replaces."""
    accounts: tuple[int, ...] = ()
    if record.stated_by is not None:
        speaker = chats.account_by_id(tx, record.stated_by)
        accounts = chats.joined_accounts(tx, speaker.person)
    owners = viewer_of(tx, record)
    return replace(owners, everything=False, accounts=tuple({*owners.accounts, *accounts}))


def _decide(
    tx: Tx,
    *,
    found: Sequence[tuple[int, dict[int, Opinion]]],
    ask_model: Callable[[Tx, Record], object] | None = None,
) -> None:
    for number, opinions in found:
        for newer, on_older in _by_newer(number, opinions).items():
            record = active(tx, newer)
            if record is None:
                continue
            viewer = viewer_of(tx, record)
            confirms = partial(
                may_confirm, tx, confirmer(tx, record), Newer.of(record, viewer.accounts)
            )
            settled = memory_links.settled_by(tx, newer)
            on_record = verdicts.judge(
                tx,
                viewer,
                statement_of(record),
                to_group=statement_of(record, to_group=True),
                key=None,
                scope=Scope.of(record, viewer.accounts),
                stated_by=record.stated_by,
                sensitivity=record.sensitivity,
                portable=bool(record.portable),
                opinions={one: on_older[one] for one in on_older if one not in settled},
                may_confirm=confirms,
            )
            on_record = _across_accounts(on_record, record, confirms)
            if record.source == IMPORTED:
                on_record = on_record.replacing_nothing()
            kept = settled | memory_links.left_open(tx, newer)
            _withdraw(tx, newer, on_record, set(on_older) - kept)
            for loser, reason in on_record.replaces:
                supersede(tx, loser, newer, reason)
                protection.inherit(tx, newer, loser)
            verdicts.record_links(tx, newer, on_record)
            if ask_model is not None and on_record.conflicts:
                ask_model(tx, record)
    memory_links.judged(tx, [number for number, _ in found])


def _across_accounts(
    found: Verdicts, record: Record, confirms: Callable[[Record], bool]
) -> Verdicts:
    """Return the verdicts with what other accounts of the owner were told linked at most."""

    def is_own(entry: tuple[Record, str]) -> bool:
        return entry[0].owner == record.owner

    others = [
        Linked(*entry, OFFERED_FROM)
        for entry in found.replaces
        if not is_own(entry) and confirms(entry[0])
    ]
    return replace(
        found,
        replaces=[entry for entry in found.replaces if is_own(entry)],
        conflicts=[*others, *found.conflicts][:MOST_LINKED],
        repeats=[*(entry for entry in found.same if not is_own(entry)), *found.repeats],
    )


def _withdraw(tx: Tx, newer: int, on_older: Verdicts, judged: Collection[int]) -> None:
    """Remove the links to judged memories that are not made again."""
    said_again = {record.id for record, _ in (*on_older.same, *on_older.repeats)}
    again = {"may_replace": {one.record.id for one in on_older.conflicts}, "repeats": said_again}
    for link in memory_links.older_than(tx, newer):
        if link.older in judged and link.older not in again[link.kind]:
            memory_links.remove(tx, newer, link.older)


def _by_newer(number: int, opinions: dict[int, Opinion]) -> dict[int, dict[int, Opinion]]:
    """Return the opinions by the later memory of each pair, then by the earlier one."""
    pairs: dict[int, dict[int, Opinion]] = {}
    for other, opinion in opinions.items():
        newer, older = max(number, other), min(number, other)
        pairs.setdefault(newer, {})[older] = opinion
    return pairs
