"""Run the comparison by itself."""

import argparse
import sys

from disclosure_oracle.comparison import compare
from disclosure_oracle.world import World


def main() -> None:
    """Compare, and say how often and what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="the first history's")
    parser.add_argument("--daemons", type=int, default=1, help="on one database of a server")
    arguments = parser.parse_args()
    sys.stdout.write(f"seed {arguments.seed}\n")
    sys.stdout.flush()
    with World.running(arguments.daemons) as world:
        done, wrong = compare(world, arguments.comparisons, seed=arguments.seed)
    lines = [*wrong[:20], f"{done:,} comparisons, {len(wrong)} divergences", ""]
    sys.stdout.write("\n".join(lines))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
