"""Measures the speed of what is installed: `make bench`, about four minutes.

    python -m benchmarks.run [--quick] [--models FOLDER] [--out FILE]

Ratios are taken within rounds of one run and mean the same on a busy machine; times do not, so
nothing here passes or fails by them. MiniLM is measured where it is installed.
"""

import argparse
import json
from pathlib import Path

from benchmarks import readme
from benchmarks.speed import commands, daemons, machine, start, store

PACKAGES = ("ashd", "apsw", "sqlite-vec", "numpy", "onnxruntime", "msgspec", "anyio")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a few calls of each: does it run")
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--out", type=Path, help="write the figures here, and the README anew")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    result = {"machine": machine.describe(PACKAGES), "quick": arguments.quick}
    result["commands"] = commands.measure(quick=arguments.quick)
    result["start"] = start.measure(models, quick=arguments.quick)
    result["store"] = store.measure(models, quick=arguments.quick)
    print(readme.speed(result))
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        readme.write()


if __name__ == "__main__":
    main()
