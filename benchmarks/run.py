"""Measures the speed of what is installed: `make bench`, about fifteen minutes.

    python -m benchmarks.run [--quick] [--models FOLDER] [--write]

Ratios are taken within rounds of one run and mean the same on a busy machine; times do not, so
nothing here passes or fails by them. MiniLM is measured where it is installed.
"""

import argparse
import sys
import time
from pathlib import Path

from benchmarks import readme
from benchmarks.speed import commands, daemons, machine, scale, scale_tables, start, store, tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a few calls of each: does it run")
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    quick = arguments.quick
    result: dict[str, object] = {"machine": machine.describe(scale.PACKAGES), "quick": quick}
    parts = {
        "commands": lambda: commands.measure(quick=quick),
        "start": lambda: start.measure(models, quick=quick),
        "store": lambda: store.measure(models, quick=quick),
    }
    for name, measure in parts.items():
        print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)
        result[name] = measure()
    sizes = scale.measure(models, quick=quick)
    print(tables.speed(result))
    print(scale_tables.page(sizes))
    if arguments.write:
        readme.keep_speed(result)
        readme.keep_scale(sizes)


if __name__ == "__main__":
    main()
