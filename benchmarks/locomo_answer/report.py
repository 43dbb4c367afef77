"""Report a run by category code: token F1, the judge's verdicts, tokens, time and cost.

python -m benchmarks.locomo_answer.report results.jsonl [--price-in USD --price-out USD]
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, quantiles

from benchmarks import markdown
from benchmarks.locomo_answer.data import ADVERSARIAL, CODES
from benchmarks.locomo_answer.results import Row, read


def report(rows: Sequence[Row], prices: tuple[float, float] | None = None) -> str:
    """Tables in Markdown; prices are USD for a million tokens sent and received."""
    answerable = [row for row in rows if row["category"] != ADVERSARIAL]
    groups: list[tuple[str, Iterable[Row]]] = [("**codes 1-4**", answerable)]
    groups += [
        (f"{code} {name}", [row for row in rows if row["category"] == code])
        for code, name in CODES.items()
    ]
    quality = markdown.table(
        ("category", "questions", "token F1", "judged correct", "unclear"),
        [_quality(name, list(group)) for name, group in groups if list(group)],
    )
    return f"{quality}\n{_cost(rows, prices)}"


def _quality(name: str, rows: list[Row]) -> tuple[str, int, str, str, int]:
    correct = fmean(row["verdict"] == "correct" for row in rows)
    unclear = sum(row["verdict"] == "unclear" for row in rows)
    return name, len(rows), f"{fmean(row['f1'] for row in rows):.3f}", f"{correct:.1%}", unclear


def _cost(rows: Sequence[Row], prices: tuple[float, float] | None) -> str:
    table = []
    for part in ("context", "answer", "judge"):
        seconds = [row[part]["seconds"] for row in rows]
        late = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
        sent, received = (
            sum(row[part].get(name, 0) for row in rows) for name in ("sent", "received")
        )
        cost = "-"
        if prices is not None and part != "context":
            cost = f"{(sent * prices[0] + received * prices[1]) / 1e6:.2f} USD"
        table.append((part, f"{fmean(seconds):.3f} s", f"{late:.3f} s", sent, received, cost))
    head = ("part", "mean", "95th percentile", "tokens sent", "tokens received", "cost")
    return markdown.table(head, table)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="locomo_answer.report", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--price-in", type=float, metavar="USD", help="for a million tokens sent")
    parser.add_argument("--price-out", type=float, metavar="USD", help="for a million received")
    given = parser.parse_args(arguments)
    settings, rows = read(given.results)
    if not rows:
        raise SystemExit("No question is done yet.")
    print(", ".join(f"{name} {value}" for name, value in settings.items()), end="\n\n")
    prices = None
    if given.price_in is not None and given.price_out is not None:
        prices = (given.price_in, given.price_out)
    print(report(rows, prices), end="")


if __name__ == "__main__":
    main()
