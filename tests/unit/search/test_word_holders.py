"""The newest memories with a word: what is kept of earlier lookups never shows."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from random import Random

import pytest
from rows import begin
from services import FixedClock

from ashd.language import ngrams
from ashd.search import query, word_holders
from ashd.search.word_holders import WordHolders
from ashd.store import passages
from ashd.store.database import Database, Tx
from ashd.store.full_text_terms import Term
from ashd.store.passages import MEMORY, MESSAGE, Passage

WORDS = ("heron", "lantern", "quarry", "thistle")
TERMS = [Term(word) for word in WORDS]


class Store:
    """A database with passages of some words in three chats, and what finds them."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.holders = WordHolders(db)
        db.on_deletion(self.holders.clear)
        self.items = 0

    async def add(self, chat: int, text: str, kind: int = MEMORY) -> int:
        """Index a text as an add does it; return the passage."""
        self.items += 1
        texts = (text, "", "2024 may", ngrams.index_grams(text))
        passage = Passage(*(kind, self.items, 0, chat, b"", *texts, False, 0.0, False, 1))
        return await self.db.write(lambda tx: passages.insert(tx, passage), scoped=True)

    async def delete(self, number: int, *, scoped: bool = False) -> None:
        """Delete a passage."""
        await self.db.write(lambda tx: passages.delete(tx, [number]), scoped=scoped)

    async def newest(self, *chats: int) -> list[list[int]]:
        """Return what is found of each word."""
        found = await self.db.read(lambda tx: self.holders.newest(tx, chats, TERMS))
        return [numbers.tolist() for numbers in found]

    async def found(self, *chats: int, terms: Sequence[Term] = TERMS) -> list[list[int]]:
        """Return what is found of each word, which must be what the index gives."""

        def read(tx: Tx) -> tuple[list[list[int]], list[list[int]]]:
            scopes = [passages.scope_token(MEMORY, chat) for chat in chats]
            kept = self.holders.newest(tx, chats, terms)
            index = passages.newest_with(tx, terms, scopes, word_holders.MOST)
            return [numbers.tolist() for numbers in kept], index

        found, index = await self.db.read(read)
        assert found == index
        return found


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    database = Database.open(tmp_path / "a.db", FixedClock())
    await database.write(lambda tx: begin(tx, chats=3))
    yield Store(database)
    database.close()


@pytest.mark.parametrize(("few", "kept"), [(32, 1_000), (0, 1_000), (4, 5)])
async def test_the_answer_is_what_the_index_gives(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: int, kept: int
) -> None:
    """After any adds and deletions, with few and with many in between."""
    monkeypatch.setattr(word_holders, "MOST", 6)
    monkeypatch.setattr(word_holders, "FEW", few)
    monkeypatch.setattr(word_holders, "KEPT_WORDS", kept)
    pick, numbers = Random(4), []
    for _ in range(150):
        for _ in range(pick.choice((0, 1, 1, 2, 9))):
            text = " ".join(pick.sample(WORDS, 2))
            kind = pick.choice((MEMORY, MEMORY, MESSAGE))
            numbers.append(await store.add(pick.choice((1, 2, 3)), text, kind))
        if numbers and pick.random() < 0.1:
            await store.delete(numbers.pop(pick.randrange(len(numbers))))
        await store.found(*pick.choice(((1,), (2,), (1, 3))))


async def test_new_memories_are_split_as_the_index_splits_them(store: Store) -> None:
    """Endings, accents, phrases, dates, and the pairs of scripts without spaces."""
    texts = (
        *("She paints herons", "He painted a Café in 2024-05-01", "the café: 2024 05 01", "05-01"),
        *("err_4011 again", "4011 err", "naïve NAIVE", "a 'quoted' e-mail: a@b.example", "京都府"),
        *("京 都", "東京都の京都", "x" * 300, "٣ ३", "Ωmega-3 ﬁsh", "don't", "10,000", "U.S.A."),
        *("I ♥ tea", "ẞtraße STRASSE", "नमस्ते दुनिया", "a_b c_d"),
    )
    terms = [term for text in texts for term in query.by_word(text)]
    terms += [Term("paint"), Term("caf", is_prefix=True), Term("05", "dates"), Term("a b c d e")]
    await store.found(1, terms=terms)
    for text in texts:
        await store.add(1, text)
        await store.found(1, terms=terms)
    assert any(await store.found(1, terms=[Term("painting")]))


async def test_words_are_looked_up_again_if_much_has_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading past everybody's passages would take longer than asking the index."""
    monkeypatch.setattr(word_holders, "REACH", 3)
    numbers = [await store.add(1, "a heron")]
    for others in (2, 3, 9):
        await store.found(1)
        for _ in range(others):
            await store.add(2, "a heron too")
        numbers.insert(0, await store.add(1, "the heron again"))
        assert (await store.found(1))[0] == numbers


async def test_a_new_memory_is_found_beside_kept_ones(store: Store) -> None:
    """Also if others have added the same word meanwhile."""
    first = await store.add(1, "a heron")
    assert (await store.found(1))[0] == [first]
    await store.add(2, "a heron too")
    second = await store.add(1, "the heron and the lantern")
    assert (await store.found(1))[:2] == [[second, first], [second]]


async def test_words_of_few_memories_are_known_without_the_index(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that none of them holds; a word that was added since is found."""
    await store.add(1, "a heron")
    assert (await store.newest(1)) == [[1], [], [], []]

    def asked(*_: object) -> list[list[int]]:
        raise AssertionError("the index was asked")

    monkeypatch.setattr(passages, "newest_with", asked)
    await store.add(1, "the lantern")
    assert (await store.newest(1)) == [[1], [2], [], []]


@pytest.mark.parametrize("scoped", [True, False])
async def test_a_deleted_memory_is_forgotten_at_once(store: Store, scoped: bool) -> None:
    """Nothing of what was looked up stays in memory with it."""
    number = await store.add(1, "a heron")
    await store.found(1)
    assert store.holders.bytes
    await store.delete(number, scoped=scoped)
    assert not store.holders.bytes
    assert (await store.found(1))[0] == []


async def test_a_text_that_was_repaired_is_read_anew(store: Store) -> None:
    """A passage that gets other words under its number is not found by its old ones."""
    number = await store.add(1, "a heron")
    await store.found(1)

    def repair(tx: Tx) -> None:
        made = Passage(MEMORY, 1, 0, 1, b"", "a quarry", "", "", "", False, 0.0, False, 1)
        passages.put(tx, number, made)
        tx.touch(("chat", 1))

    await store.db.write(repair, scoped=True)
    assert (await store.found(1))[0] == []


async def test_an_earlier_snapshot_is_not_shown_later_memories(store: Store) -> None:
    """A reader that began before them does not get what a later one kept."""
    first = await store.add(1, "a heron")
    with store.db.snapshot() as earlier:
        earlier.generation = store.db.generation
        assert earlier.value("select count(*) from passages") == 1
        later = await store.add(1, "the heron again")
        assert (await store.found(1))[0] == [later, first]

        assert store.holders.newest(earlier, (1,), TERMS)[0].tolist() == [first]
    assert (await store.found(1))[0] == [later, first]


async def test_the_words_kept_have_a_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words that were looked up last stay."""
    monkeypatch.setattr(word_holders, "KEPT_WORDS", 3)
    await store.found(2)  # a chat without memories has none to keep
    await store.add(1, " ".join(WORDS))
    await store.found(1)
    assert store.holders.bytes == 3 * 8
