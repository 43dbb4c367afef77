"""The scripted language model of the tests, with the daemon that asks it.

The tests' modules import one another by name alone, so their folders go onto the path.
"""

import sys
from pathlib import Path

from tests.endpoint import faulty

_TESTS = Path(__file__).parents[2] / "tests"
sys.path[:0] = [str(_TESTS), str(_TESTS / "rpc")]

from daemons import Daemon  # noqa: E402  found by the path added above
from scripted_model import ModelWorld  # noqa: E402  found by the path added above

__all__ = ["Daemon", "ModelWorld", "faulty"]
