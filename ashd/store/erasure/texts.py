"""Erase memories, messages and conversations with their index entries and dependent rows.

Pages are overwritten (`secure_delete`), and the log is emptied afterwards (`traces`).
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence

from ashd.store import jobs, passages
from ashd.store.erasure import rows
from ashd.store.erasure.register import GOES_WITH, JOBS, REMADE, VECTORS, Root
from ashd.store.transaction import Tx


def take(
    tx: Tx, root: Root, numbers: Collection[int], *, erase: bool, remade: bool = False
) -> Counter[str]:
    """Count or erase dependent rows; with `remade`, also texts derived from the given ones."""
    kinds = (*(REMADE[root] if remade else ()), *GOES_WITH[root])
    return rows.take(tx, kinds, {"numbers": json.dumps(list(numbers))}, erase=erase)


def take_passages(tx: Tx, kind: int, items: Sequence[int], *, erase: bool) -> Counter[str]:
    """Count or erase the passages of memories or messages: full text, queue, and their vectors.

    A vector belongs to a text; it stays while another passage has the same text.
    """
    params = {"kind": kind, "numbers": json.dumps(list(items))}
    counted = rows.take(tx, [VECTORS], params, erase=erase)
    numbers = passages.of_items(tx, kind, items)
    if erase:
        passages.delete(tx, numbers)
    return counted + Counter({"passages": len(numbers)})


def take_jobs(tx: Tx, texts: Collection[str], *, erase: bool) -> Counter[str]:
    """Count or erase the unfinished jobs whose payload holds one of the texts."""
    written = [
        json.dumps(text, ensure_ascii=pure)[1:-1] for text in texts for pure in (False, True)
    ]
    counted = rows.take(tx, [JOBS], {"texts": json.dumps(written)}, erase=erase)
    if erase and counted:
        jobs.move_up_bereft(tx)
    return counted


def take_conversations(
    tx: Tx, numbers: Collection[int], messages: Collection[int], *, erase: bool
) -> Counter[str]:
    """Count or erase conversations that have no messages besides these."""
    params = {"numbers": json.dumps(list(numbers)), "messages": json.dumps(list(messages))}
    return rows.take(tx, GOES_WITH["conversation"], params, erase=erase)
