"""Damage pages of a database file as a failing disk would."""

import random
from collections import defaultdict
from pathlib import Path

from rows import opened

PAGE_BYTES = 4096


def pages(home: Path) -> dict[str, list[int]]:
    """The leaf pages of each table and index of a stopped daemon's database, in order."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    with opened(home) as connection:
        connection.pragma("wal_checkpoint(truncate)")
        for name, page in connection.execute(
            "select name, pageno from dbstat where pagetype = 'leaf' and ncell > 0 order by pageno"
        ):
            found[name].append(page)
    return dict(found)


def flip(home: Path, page: int, chance: random.Random) -> None:
    """Change one bit somewhere in a page."""
    _change(home, page, chance.randrange(100, PAGE_BYTES - 8), bytes([1 << chance.randrange(8)]))


def overwrite(home: Path, page: int, chance: random.Random) -> None:
    """Change many bytes of a page."""
    _change(home, page, chance.randrange(8, 2000), chance.randbytes(1500))


def _change(home: Path, page: int, offset: int, mask: bytes) -> None:
    with (home / "data" / "ash.db").open("r+b") as file:
        place = (page - 1) * PAGE_BYTES + offset
        file.seek(place)
        before = file.read(len(mask))
        file.seek(place)
        file.write(bytes(old ^ new for old, new in zip(before, mask, strict=True)))
