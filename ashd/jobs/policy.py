"""What becomes of a job that failed: tried again, and when, or set aside. Pure decisions."""

from typing import Final, Literal, NamedTuple

from ashd import errors
from ashd.clock import SECOND

MOST_FAILURES: Final = 3
"""So many attempts may fail by the job's own fault: a malformed answer, a request refused."""
MOST_INTERRUPTIONS: Final = 10
"""So often may the daemon end while a job runs before the job is suspected of it."""
_FIRST_PAUSE: Final = 15 * SECOND
_LONGEST_PAUSE: Final = 3600 * SECOND


class Verdict(NamedTuple):
    """What to do with a failed job."""

    then: Literal["again", "aside", "stop"]
    """Try again after `pause`, set it aside, or stop the queue and leave the job as it was."""
    counts: bool
    """Whether the attempt counts against the job."""
    pause: int
    error: str
    """The reason, for a person to read; it holds no content."""


def verdict(error: Exception, *, attempts: int, failures: int) -> Verdict:
    """Decide on a job from its error; `attempts` with this one, `failures` without it."""
    reason = error.message.rstrip(".") if isinstance(error, errors.AshError) else "internal error"
    pause = min(_FIRST_PAUSE << min(attempts - 1, 10), _LONGEST_PAUSE)
    if isinstance(error, errors.LlmUnavailable):
        if error.data.get("authorisation"):
            return Verdict("stop", counts=False, pause=0, error=reason)
        # An endpoint that is away is no fault of the job, however long that takes.
        return Verdict("again", counts=False, pause=pause, error=reason)
    if isinstance(error, errors.StorageError):
        return Verdict("again", counts=False, pause=pause, error=reason)
    then: Literal["again", "aside"] = "aside" if failures + 1 >= MOST_FAILURES else "again"
    return Verdict(then, counts=True, pause=pause, error=reason)
