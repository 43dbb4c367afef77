"""The commands `ashd` and `ash`: a module a command group; imports stay inside the commands."""

from typing import Final

TYPED: Final = "ash.typed"
"""The key in the outermost context that holds the command line, as a list of words."""
