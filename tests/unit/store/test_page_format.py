"""Pages of a database file are read as SQLite writes them: rows' numbers, trees, and gaps."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from encrypted import needs_plain_pages
from hypothesis import example, given
from hypothesis import strategies as st

from ashd import errors
from ashd.store import page_format
from ashd.store.page_format import Pages

pytestmark = [pytest.mark.sqlite_file, needs_plain_pages]
_WORD = "quixotry" * 5


def _varint(number: int) -> bytes:
    """Encode a number as SQLite's documentation says."""
    value = number % (1 << 64)
    if value >= 1 << 56:
        high = [0x80 | value >> 8 + 7 * place & 0x7F for place in reversed(range(8))]
        return bytes([*high, value & 0xFF])
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(0x80 | value & 0x7F)
    return bytes(reversed(groups))


@example(0)
@example(127)
@example(128)
@example((1 << 56) - 1)
@example(1 << 56)
@example((1 << 63) - 1)
@example(-1)
@example(-(1 << 63))
@given(st.integers(min_value=-(1 << 63), max_value=(1 << 63) - 1))
def test_a_varint_is_read_with_its_length(number: int) -> None:
    """One to nine bytes; the highest bit of nine is the sign."""
    encoded = _varint(number)

    assert page_format._varint(b"\xff" + encoded + b"\x85" * 9, 1) == (number, 1 + len(encoded))


class File:
    """A file that SQLite wrote, without overwriting what is deleted."""

    def __init__(self, path: Path, page_size: int) -> None:
        self.path = path
        with closing(apsw.Connection(str(path))) as db:
            db.pragma("page_size", page_size)
            db.pragma("secure_delete", 0)
            db.pragma("auto_vacuum", 0)
            db.execute("create table t (id integer primary key, x text); create index i on t (x)")

    def change(self, *statements: str) -> None:
        """Run statements."""
        with closing(apsw.Connection(str(self.path))) as db:
            db.pragma("secure_delete", 0)
            for statement in statements:
                db.execute(statement)

    def root(self, name: str) -> int:
        """The first page of a table or an index."""
        with closing(apsw.Connection(str(self.path))) as db:
            return int(db.execute("select rootpage from sqlite_schema where name = ?", (name,)).get)

    def gaps(self, name: str = "t") -> list[tuple[int | None, int]]:
        """The gaps of a table."""
        with page_format.opened(self.path) as pages:
            return list(pages.gaps(self.root(name)))

    def has_traces(self, most: int) -> bool:
        """Whether the index has words in its gaps."""
        with page_format.opened(self.path) as pages:
            return pages.has_traces(self.root("i"), most)


@pytest.fixture(params=[512, 4096, 65_536])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> File:
    """A file with pages of several sizes."""
    return File(tmp_path / "a.db", request.param)


@pytest.mark.parametrize("first", [-(1 << 40), -1, 1, 127, 128, 70_000, 1 << 40])
@pytest.mark.parametrize("size", [60, 200])
def test_a_gap_is_known_by_the_first_row_of_its_page(file: File, first: int, size: int) -> None:
    """Whatever number the row has, and however many bytes its size takes."""
    insert = f"insert into t (id, x) values ({{}}, '{'x' * size}')"
    file.change(insert.format(first), insert.format(first + 1))
    assert file.gaps() == []

    file.change(f"delete from t where id = {first + 1}")

    ((row, gap),) = file.gaps()
    assert row == first
    assert gap > size


def test_an_empty_table_has_no_first_row(file: File) -> None:
    """Its only page has a gap nevertheless."""
    file.change(f"insert into t values (1, '{_WORD}')", "delete from t where id = 1")

    ((row, gap),) = file.gaps()
    assert row is None
    assert gap > len(_WORD)


def test_every_page_of_a_large_table_is_looked_at(tmp_path: Path) -> None:
    """In trees of several levels; pages without a word in their gap are left out."""
    file = File(tmp_path / "a.db", 512)
    file.change(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)"
        f" insert into t select i, '{_WORD}' || i from n"
    )
    with page_format.opened(file.path) as pages:
        leaves = [page_format._first_row(page) for page in pages._leaves(file.root("t"))]
    assert sorted(row for row in leaves if row is not None)[:1] == [1]
    assert len(leaves) > 300
    assert len(set(leaves)) == len(leaves)

    file.change("delete from t where id = 3000", "delete from t where id = 2999")

    assert [row for row, _ in file.gaps()] == [max(row for row in leaves if row is not None)]


def test_an_index_of_few_pages_is_looked_through(tmp_path: Path) -> None:
    """One with more pages than asked for is not; a word has at least eight bytes."""
    file = File(tmp_path / "a.db", 512)
    file.change(f"insert into t values (1, '{_WORD}'), (2, 'b{_WORD}'), (3, 'c{_WORD}')")
    assert not file.has_traces(9)

    file.change("delete from t where id = 3")

    assert file.has_traces(9)
    assert file.has_traces(1)
    assert not file.has_traces(0)


@pytest.mark.parametrize(
    ("left", "is_full"), [(b"", False), (b"1234567", False), (b"12345678", True)]
)
def test_less_than_a_word_is_no_trace(left: bytes, *, is_full: bool) -> None:
    """A gap that is empty, or that has only a few bytes."""
    cells = 3
    header = bytes([13, 0, 0, 0, cells, 0, 60, 0])
    page = (header + bytes(2 * cells) + b"\0\0" + left).ljust(60, b"\0") + b"content of the cells"

    assert page_format._gap(page) == (8 + 2 * cells, 60)
    assert page_format._has_bytes(page) is is_full


def test_a_page_that_is_no_such_tree_is_damage(tmp_path: Path) -> None:
    """An index in place of a table, pages that are not there, and pages that name each other."""
    file = File(tmp_path / "a.db", 512)
    with page_format.opened(file.path) as pages:
        for root in (file.root("i"), 99):
            with pytest.raises(errors.DatabaseDamaged):
                list(pages.gaps(root))
        with pytest.raises(errors.DatabaseDamaged):
            pages.has_traces(file.root("t"), 9)

    class Turning:
        """A file of two pages, which lead to each other."""

        def xFileSize(self) -> int:  # noqa: N802  as SQLite calls it
            return 1024

        def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  as SQLite calls it
            other = 1 if offset else 2
            return bytes([5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, other]).ljust(amount, b"\0")

    with pytest.raises(errors.DatabaseDamaged):
        list(Pages(Turning(), 512).gaps(1))  # type: ignore[arg-type]  # a stand-in for a file


def test_a_page_of_a_huge_file_is_known_by_all_four_bytes_of_its_number() -> None:
    """A root whose last child is beyond the first 64 GB of pages of 4096 bytes."""
    child = (1 << 24) + 5
    read = []

    class Huge:
        """A file of which the root and one leaf are read."""

        def xFileSize(self) -> int:  # noqa: N802  as SQLite calls it
            return (child + 1) * 4096

        def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  as SQLite calls it
            read.append(offset // 4096 + 1)
            root = bytes([5, 0, 0, 0, 0, 0, 0, 0]) + child.to_bytes(4)
            return (root if offset == 0 else bytes([13])).ljust(amount, b"\0")

    list(Pages(Huge(), 4096).gaps(1))  # type: ignore[arg-type]  # a stand-in for a file

    assert read == [1, child]
