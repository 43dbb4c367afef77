"""ash_sb: the memory client inside an agent's sandbox, standard library only.

It imports nothing of the daemon, and on the way of an ordinary call next to nothing of the
standard library either: start-up is most of what a call costs. So annotations stay unevaluated
(`TYPE_CHECKING` is a plain False that type checkers take for true), and help, files of JSON and
suggestions are imported where they are used.
"""

__version__ = "0.1.0"
