"""Score the times that questions name: `python -m benchmarks.dates.report [--misses]`.

`questions.tsv` was written before its author had read the tables of `ashd.language`.
"""

import argparse
import datetime as dt
from collections import defaultdict
from pathlib import Path

from ashd.language import english_dates

_NOW = dt.datetime(2026, 9, 16, 12, tzinfo=dt.UTC)
_EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)


def span(question: str) -> str:
    """Return the first day that a question names and the day after the last; "-" for none."""
    found = english_dates.range_of(question, now=_NOW)
    if found is None:
        return "-"
    days = (_EPOCH + dt.timedelta(microseconds=at) for at in (found.start, found.end))
    return "..".join(day.date().isoformat() for day in days)


def main() -> None:
    """Print how many are right in each language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print each miss")
    shows = parser.parse_args().misses
    right: dict[str, list[bool]] = defaultdict(list)
    for line in Path(__file__).with_name("questions.tsv").read_text("utf-8").splitlines()[1:]:
        language, question, wanted = line.split("\t")
        got = span(question)
        right[language].append(got in wanted.split("|"))
        if shows and not right[language][-1]:
            print(f"{language}\t{question}\t{wanted}\t{got}")
    print(", ".join(f"{language} {sum(hits)}/{len(hits)}" for language, hits in right.items()))


if __name__ == "__main__":
    main()
