"""New messages are noted for the account that said them, whose own talk others' chats may show."""

from pathlib import Path

from services import house

from ashd.conversation.ingest import Ingest, IngestParams, MessageIn
from ashd.store.database import Tx


async def test_a_message_grows_what_its_account_may_see(tmp_path: Path) -> None:
    """Caches of the account are extended, and nobody else's."""
    async with house(tmp_path) as home:
        call = home.call("conversation.ingest")
        ingest = Ingest(home.db, home.embeddings)

        def account(tx: Tx) -> int:
            return int(tx.value("select id from accounts where user_id = 'u'"))

        async def tell(text: str) -> None:
            messages = [MessageIn(role="user", content=text)]
            await ingest.ingest(call, IngestParams(conversation_id="c", messages=messages))

        await tell("The boat is in the shed.")
        number, before = await home.db.read(account), home.db.generation
        await tell("The oars are there, too.")

        assert home.db.since([("account", number)], before) == "grown"
        assert home.db.since([("account", number + 1)], before) == "same"
