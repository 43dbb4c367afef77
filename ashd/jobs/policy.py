"""Decide whether a failed job is tried again, and when, or set aside. Pure decisions."""

from typing import Final, Literal, NamedTuple

from ashd import errors
from ashd.clock import HOUR, MINUTE, SECOND

MOST_FAILURES: Final = 3
"""So many attempts may fail by the job's own fault: a malformed answer, a request refused."""
_FREE_INTERRUPTIONS: Final = 3
"""So often may the daemon end while a job runs before the job is suspected of it."""
_FIRST_PAUSE: Final = 15 * SECOND
_LONGEST_PAUSE: Final = HOUR
_PAUSE_UNAUTHORISED: Final = 5 * MINUTE
_PAUSE_LEFT_ALONE: Final = MINUTE


def pause_after(interruptions: int) -> int:
    """Return how long to delay a job that the daemon stopped in so often, to avoid a crash loop.

    It is not set aside for it, since whoever kills the daemon may well hit the same job again.
    """
    over = interruptions - _FREE_INTERRUPTIONS
    return min(_FIRST_PAUSE << min(over - 1, 10), _LONGEST_PAUSE) if over > 0 else 0


class Verdict(NamedTuple):
    """The decision about a failed job."""

    then: Literal["again", "aside", "stop"]
    """Try again after `pause`, set it aside, or stop the queue for `pause` and keep the job."""
    counts: bool
    """Whether the attempt counts against the job."""
    pause: int
    """Microseconds."""
    error: str
    """The reason, for a person to read; it holds no content."""
    tried: bool = True
    """True if there was an attempt: none where the language model was not asked."""


def verdict(error: Exception, *, attempts: int, failures: int, answered: bool) -> Verdict:
    """Decide on a job from its error; `attempts` with this one, `failures` without it.

    `answered`: whether other jobs got through since this one failed before. An endpoint that is
    away is no fault of any job, however long that takes; one that fails this job only is.
    """
    reason = error.message.rstrip(".") if isinstance(error, errors.AshError) else "internal error"
    pause = min(_FIRST_PAUSE << min(attempts - 1, 10), _LONGEST_PAUSE)
    counts = not isinstance(error, errors.StorageError)
    if isinstance(error, errors.LlmUnavailable):
        if not error.asked or error.unauthorised:
            pause = _PAUSE_UNAUTHORISED if error.unauthorised else _PAUSE_LEFT_ALONE
            return Verdict("stop", counts=False, pause=pause, error=reason, tried=error.asked)
        counts = error.of_request or answered
    aside = counts and failures + 1 >= MOST_FAILURES
    return Verdict("aside" if aside else "again", counts=counts, pause=pause, error=reason)
