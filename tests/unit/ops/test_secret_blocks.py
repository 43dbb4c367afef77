"""A section with a secret is stored without the blocks that hold one. Budget: 2 s."""

import pytest

from ashd.ops.transfer import secret_blocks
from ashd.ops.transfer.formats import markdown
from ashd.ops.transfer.formats.items import BadItem, FactItem


def parted(text: str) -> tuple[list[int], list[str]]:
    """Return the lines that were refused, and the texts of the facts, of one section."""
    [passage] = markdown.read(text).passages
    fact = FactItem(
        passage.line,
        "id",
        f"House: {passage.text}",
        None,
        metadata={"file": "/notes/house.md", "links": list(passage.links)},
        blocks=passage.blocks,
    )
    items = list(secret_blocks.parted(fact))
    lines = [item.line for item in items if isinstance(item, BadItem)]
    return lines, [item.content for item in items if isinstance(item, FactItem)]


def test_a_section_without_a_secret_stays_whole() -> None:
    """Its id stays, too: nothing of it is new."""
    text = "The stopcock is outside.\n- Blue paint\n\nBins go out on Mondays."
    assert ([], [f"House: {text}"]) == parted(text)


def test_the_line_is_that_of_the_secret() -> None:
    """A paragraph is refused whole, and the line within it is named."""
    text = "The bins go out on Mondays.\n\nThe router is grey.\nIts password is hunter2-Xy77\n"
    assert ([4], ["House: The bins go out on Mondays."]) == parted(text)


@pytest.mark.parametrize(
    "text",
    [
        "The PIN of my card is\n\n4471",
        "4471\n\nis the PIN of my card",
        "The password of the router is:\n\nzucchini\n\nThe password of the page: hunter2-Xy77",
    ],
)
def test_a_secret_that_only_several_blocks_give_away_refuses_the_section(text: str) -> None:
    """The fact is left whole, so that its own check refuses it once."""
    assert ([], [f"House: {text}"]) == parted(text)


def test_a_word_beside_the_name_of_a_password_is_refused_by_its_shape() -> None:
    """The name of the password says nothing without it."""
    text = "The password of the router is\n\nhunter2-Xy77"
    assert ([3], ["House: The password of the router is"]) == parted(text)


def test_values_beside_a_secret_are_refused_by_their_shape() -> None:
    """Passwords are noted together, and not each is recognised by itself."""
    text = "- Gmail password: hunter2-Xy77\n- Bank: blueHorse77\n- Plumber: Jens, 0171 5551234"
    assert ([1, 2], ["House: - Plumber: Jens, 0171 5551234"]) == parted(text)


def test_a_key_with_an_empty_line_is_refused_whole() -> None:
    """No part of a private key is stored as a paragraph of its own."""
    row = "MIIEpAIBAAKCAQEAx4kT9m2Qv7ZrLw8Nf3KdYb6HsJ1uGcXaPeRtMoWi5BqDyVzE"
    begin, end = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
    key = f"{begin}\nProc-Type: 4,ENCRYPTED\n\n{row}\n{row}\n{end}"
    lines, facts = parted(f"{key}\n\nThe bins go out on Mondays.")
    assert [1, 4] == lines
    assert ["House: The bins go out on Mondays."] == facts
