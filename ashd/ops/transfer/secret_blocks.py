"""Keep a secret in a note from costing the rest of its section.

A section with a secret is stored without the blocks that hold one. What must always hold: nothing
is stored that a check of the whole finds a secret in, so a secret that only several blocks together
give away refuses the section.
"""

from collections.abc import Iterator, Sequence

from ashd import errors
from ashd.access.secrets import credential_shapes, find_secret, require_no_secret
from ashd.ops.transfer.formats.items import BadItem, BlockItem, FactItem, joined
from ashd.ops.transfer.formats.notes import identifier_of


def parted(fact: FactItem) -> Iterator[FactItem | BadItem]:
    """Yield a fact as it is; one with a secret as the blocks to refuse, and a fact of the others.

    A fact whose blocks cannot be parted so stays whole: its own check refuses it.
    """
    if not fact.blocks or find_secret(fact.content) is None:
        yield fact
        return
    before = fact.content.removesuffix(joined(fact.blocks))
    refused, kept = list[BadItem](), list[BlockItem]()
    for block in fact.blocks:
        error = _secret_in(before, block.text)
        if error is None:
            kept.append(block)
        else:
            refused.append(BadItem(block.line + _row(before, block.text), error, fact.file))
    content = before + joined(kept)
    if not kept or not refused or find_secret(content) is not None:
        yield fact
        return
    yield from refused
    yield _without(fact, kept, content)


def _secret_in(before: str, text: str) -> errors.ContentRefused | None:
    """Return why a block of a section with a secret is refused; `before`: its headings."""
    try:
        require_no_secret(before + text, "content")
    except errors.ContentRefused as error:
        return error
    # Passwords are noted together: beside one, a word of such a shape is enough.
    if any(credential_shapes.of_word(word) >= credential_shapes.LIKELY for word in text.split()):
        return errors.ContentRefused(
            "content is beside a secret and may hold one, too; secrets are never stored."
        )
    return None


def _row(before: str, text: str) -> int:
    """Return the first line of a block that holds a secret by itself; 0 if none does."""
    rows = text.split("\n")
    return next((at for at, row in enumerate(rows) if _secret_in(before, row)), 0)


def _without(fact: FactItem, kept: Sequence[BlockItem], content: str) -> FactItem:
    """Return the fact with these blocks alone, as a note without the others would give it."""
    metadata = {name: value for name, value in (fact.metadata or {}).items() if name != "links"}
    links = list(dict.fromkeys(link for block in kept for link in block.links))
    if links:
        metadata["links"] = links[:50]
    return fact._replace(
        line=kept[0].line,
        identifier=identifier_of(metadata["file"], content),
        content=content,
        metadata=metadata,
        blocks=tuple(kept),
    )
