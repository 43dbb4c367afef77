"""The samples in the text of `system.metrics`, which is in Prometheus' format."""

import re
from collections.abc import Iterator
from typing import Final

_SAMPLE: Final = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
_LABEL: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield the name, the labels and the value of each sample, in order."""
    for line in text.splitlines():
        if (found := _SAMPLE.fullmatch(line)) is not None:
            yield found[1], dict(_LABEL.findall(found[2] or "")), float(found[3])
