"""The commands `ashd` and `ash`: a module a command group; imports stay inside the commands."""

from typing import Final

TYPED: Final = "ash.typed"
"""Under this name the outermost context has the command line, as a list of words."""
