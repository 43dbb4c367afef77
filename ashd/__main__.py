"""`python -m ashd` is `ashd`."""

from ashd.cli.ashd import main

main()
