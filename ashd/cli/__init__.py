"""The commands `ashd` and `ash`: a module a command group; imports stay inside the commands."""
