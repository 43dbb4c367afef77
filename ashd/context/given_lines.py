"""Record the lines that were put into prompts, so that their echo is recognised (E9)."""

from ashd import errors, log
from ashd.access.actor import Call
from ashd.conversation import echoed_context
from ashd.store import given_lines
from ashd.store.database import Database
from ashd.store.deferred_writes import DeferredWrites


class GivenLines(DeferredWrites):
    """Notes the digests of the lines that were put into a chat's prompts."""

    def __init__(self, db: Database) -> None:
        super().__init__()
        self._db = db
        self._noted: set[tuple[int, bytes]] = set()

    def note(self, chat: int | None, text: str) -> None:
        """Note the items of a text that goes into a prompt, if its chat is known."""
        if chat is not None and (digests := echoed_context.lines_given(text)):
            self._noted.update((chat, digest) for digest in digests)
            self.wake()

    async def note_answer(self, call: Call, text: str) -> None:
        """Note the items of a tool's answer."""
        if echoed_context.lines_given(text):
            self.note(await self._db.read(lambda tx: call.look(tx).chat), text)

    async def flush(self) -> None:
        """Store what was noted."""
        noted, self._noted = self._noted, set()
        if not noted:
            return
        try:
            await self._db.write(lambda tx: given_lines.note(tx, noted), quiet=True)
        except errors.StorageError as error:
            log.warning("given_lines_lost", count=len(noted), reason=error.message)
