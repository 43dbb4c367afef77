"""An independent model of who may see what, compared with a daemon over random histories.

It knows the rules of `docs/who-sees-what.md` in its own words and shares no code with the daemon.
`rules` has the rules, `history` makes random things happen in both, `surfaces` ask the daemon in
every way there is, and `comparison` compares the answers. `make check-disclosure` makes as many
comparisons as it is asked for.
"""

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(_TESTS.parent), str(_TESTS), str(_TESTS / "http"), str(_TESTS / "web")]
