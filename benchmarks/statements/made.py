"""Pairs made from written ones by rule: swaps that keep both facts true, and other names.

A swap teaches what no repetition exchanges: "Tom owes Anna 5 euros", "Anna owes Tom 5 euros".
"""

import random
import re
from collections.abc import Iterator, Sequence

from ashd.language.tagged_words import Kind, read

Row = tuple[str, str, str]
"""What is wanted (replace, repeat, keep), the older text and the newer one."""
_NAMES = """\
Anna Ben Carla David Elena Farid Grace Hugo Iris Jonas Karim Lena Marco Nadia Oskar Petra Quinn
Rosa Samir Tilda Umar Vera Wanda Yusuf Zoe Priya Mateo Ingrid Kofi Bram Dana Emil Noor Paulo Ruth
Sven Tamsin Olga Leila Theo
"""
_EXCHANGES = """\
{A} owes {B} {n} euros|{A} reports to {B}|{A} sits next to {B} but behind {C}
{A} taught {B} to swim|{A} is older than {B}|{A} lent {B} the drill|{A} works for {B}
{A} beat {B} at chess|{A} reviews the code of {B}|{A} has {n} cats and {B} has {m}
{n} bags of oats and {m} of rye|{A} takes the {n}:15 bus and {B} the {m}:40|row {n}, seat {m}
Room {n} is for {A}, room {m} for {B}|{A} earns more than {B}|{A} cooks and {B} cleans
{A} gives {B} a lift on Mondays|{A} got divorced before {B}|{n} adults and {m} children
{A} sold the car to {B}|The key of {A} is red, the key of {B} is blue|{A} adopted {B}
{A} drives {B} to school|Server {n} is the backup of server {m}|{A} introduced {B} to {C}
{A} is taller than {B} by {n} cm|Shelf {n} holds {m} boxes|{A} left the house to {B}
Gate {n} to {A}, gate {m} to {B}|I owe {A} {n} euros but {B} owes me {m}|{A} is the boss of {B}
"""
_SERIES = """\
Locker {} is rented|Invoice {} is paid|Bus {} stops here|Shelf {} holds spare parts
Printer {} is broken|Room {} has a projector|Server {} runs Debian|Ticket {} is closed
Exam {} counts half|Bay {} is free|Platform {} has a lift|Tenant {} pays late
Chapter {} is drafted|Warehouse {} is full|Lot {} is sold|My flight on day {} is booked
Team {} won its match|Apartment {} has new windows|Sensor {} reads low|Batch {} passed the check
Row {} is reserved|Key {} opens the shed|Student {} passed|Sample {} is clean
"""
SPEAKERS = 0.4
"""So many pairs are told once more with one side in the words of an assistant."""
FRAMES = 24
"""Pairs of each frame."""
NAMES = tuple(_NAMES.split())
EXCHANGES = tuple(_EXCHANGES.strip().replace("\n", "|").split("|"))
SERIES = tuple(_SERIES.strip().replace("\n", "|").split("|"))
_MY = re.compile(r"\b(My|my|The user's|User's)\b")
_SIDES = re.compile(r"^(.+?) (than|before|after) (.+?)([.!]?)$")


def of_rows(rows: Sequence[Row]) -> list[Row]:
    """New pairs from written ones."""
    rng = random.Random(0)
    found: list[Row] = []
    for row in rows:
        found += _of_text(row[2], rng)
        found += _of_pair(row, rng)
        if rng.random() < SPEAKERS:
            found += _of_speaker(row, rng)
    return found


def of_frames() -> list[Row]:
    """Pairs by the frames above."""
    return list(_of_frames(random.Random(0)))


def _of_text(text: str, rng: random.Random) -> Iterator[Row]:
    """A text after itself with two names or two numbers, or the sides of "than", exchanged."""
    if sides := _SIDES.match(text):
        one, word, other, end = sides.groups()
        if len(one.split()) < 5 and len(other.split()) < 5:
            yield "keep", text, f"{other[:1].upper()}{other[1:]} {word} {one}{end}"
    for kind in (Kind.NAME, Kind.NUMBER):
        spans = [s for s in _spans(text) if s[2] is kind]
        if len({text[a:b] for a, b, _ in spans}) >= 2:
            (a, b, _), (c, d, _) = sorted(rng.sample(spans, 2))
            if text[a:b] != text[c:d]:
                yield "keep", text, text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _of_pair(row: Row, rng: random.Random) -> Iterator[Row]:
    want, older, newer = row
    before, after = read(older), read(newer)
    shared = sorted(before.sets[Kind.NAME] & after.sets[Kind.NAME])
    if shared:
        name = rng.choice(shared)
        other = rng.choice(NAMES)
        if rng.random() < 0.5:
            yield want, _renamed(older, name, other), _renamed(newer, name, other)
        if want != "keep" and rng.random() < 0.5:
            yield "keep", older, _renamed(newer, name, other)
    number = _leading_number(older)
    if want != "keep" and number and number == _leading_number(newer):
        other = str(rng.randint(2, 99))
        yield "keep", older, re.sub(rf"\b{re.escape(number)}\b", other, newer, count=1)
    if want != "keep" and _MY.search(newer) and rng.random() < 0.35:
        whose = rng.choice(
            ["sister", "brother", "boss", "neighbour", "mother", "husband", "friend"]
        )
        yield "keep", older, _MY.sub(rf"\1 {whose}'s", newer, count=1).replace("'s's", "'s")


_AS_USER = (
    (r"\bI'm\b|\bI am\b", "{} is"),
    (r"\bI've\b|\bI have\b", "{} has"),
    (r"\bI (was|had|can|will|used|got|moved|don't|never|now|no|just|also)\b", r"{} \1"),
    (r"\bI (\w+?)(e?)\b", r"{} \1\2s"),
    (r"\b[Mm]y\b", "{}'s"),
)


def _of_speaker(row: Row, rng: random.Random) -> Iterator[Row]:
    """The pair with one side about "I" and the other about "User": they are one person."""
    want, older, newer = row
    both = [older, newer]
    side = rng.randrange(2)
    if not re.search(r"\b(?:I|I'm|I've|[Mm]y)\b", both[side]):
        return
    user = rng.choice(["User", "The user"])
    for pattern, form in _AS_USER:
        both[side] = re.sub(pattern, form.format(user), both[side], count=1)
    yield want, both[0], both[1]


def _leading_number(text: str) -> str | None:
    """The number that tells which thing a text is about: among its first three words."""
    found = re.match(r"(?:\w+ ){1,2}([A-Z]*-?\d+)\b", text)
    return found[1] if found else None


def _renamed(text: str, name: str, other: str) -> str:
    return re.sub(rf"\b{re.escape(name)}\b", other, text, flags=re.IGNORECASE)


def _spans(text: str) -> list[tuple[int, int, Kind]]:
    """Return where names and bare numbers occur."""
    found = []
    read_text = read(text)
    for match in re.finditer(r"\b\w[\w-]*", text):
        word = match.group().lower()
        if word in read_text.sets[Kind.NAME]:
            found.append((*match.span(), Kind.NAME))
        elif word.isdigit():
            found.append((*match.span(), Kind.NUMBER))
    return found


def _of_frames(rng: random.Random) -> Iterator[Row]:
    ends = [".", ""]
    for frame in EXCHANGES:
        for _ in range(FRAMES):
            a, b, c = rng.sample(NAMES, 3)
            n, m = rng.sample(range(2, 40), 2)
            end = rng.choice(ends)
            one = frame.format(A=a, B=b, C=c, n=n, m=m) + end
            if rng.random() < 0.25:
                yield "repeat", one, frame.format(A=a, B=b, C=c, n=n, m=m) + rng.choice(ends)
                continue
            if "{A}" in frame and "{B}" in frame:
                yield "keep", one, frame.format(A=b, B=a, C=c, n=n, m=m) + end
            else:
                yield "keep", one, frame.format(A=a, B=b, C=c, n=m, m=n) + end
    for frame in SERIES:
        for _ in range(FRAMES):
            n, m = rng.sample(range(1, 120), 2)
            yield "keep", frame.format(n) + ".", frame.format(m) + "."
