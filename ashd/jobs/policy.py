"""Decide whether a failed job is tried again, and when, or set aside. Pure."""

from typing import Final, Literal, NamedTuple

from ashd import errors
from ashd.clock import HOUR, MINUTE, SECOND

MOST_FAILURES: Final = 3
"""Attempts that may fail by the job's own fault, such as a refused request."""
_FIRST_PAUSE_UNUSABLE: Final = MINUTE
"""Longer, since a model that gave no usable answer is there: it needs other circumstances."""
_FREE_INTERRUPTIONS: Final = 3
"""Times that the daemon may end during a job before the job is suspected as the cause."""
_FIRST_PAUSE: Final = 15 * SECOND
_LONGEST_PAUSE: Final = HOUR
_PAUSE_UNAUTHORISED: Final = 5 * MINUTE
_PAUSE_LEFT_ALONE: Final = MINUTE


def pause_after(interruptions: int) -> int:
    """Return how long to delay a job during which the daemon ended so often, to avoid a crash loop.

    The job is not set aside for it, since whoever kills the daemon may well hit the same job again.
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
    """Whether there was an attempt: there is none if the language model was not asked."""


def verdict(error: Exception, *, attempts: int, failures: int, answered: bool) -> Verdict:
    """Decide on a job from its error; `attempts` includes this one, `failures` does not.

    `answered`: whether the model answered other jobs since this one last failed. An endpoint that
    is down is no fault of a job, however long that takes; one that fails only this job is.
    """
    reason = error.message.rstrip(".") if isinstance(error, errors.AshError) else "internal error"
    pause = min(_FIRST_PAUSE << min(attempts - 1, 10), _LONGEST_PAUSE)
    counts = not isinstance(error, errors.StorageError)
    if isinstance(error, errors.MalformedAnswer):
        return unusable(reason, failures=failures)
    if isinstance(error, errors.LlmUnavailable):
        if not error.asked or error.unauthorised:
            pause = _PAUSE_UNAUTHORISED if error.unauthorised else _PAUSE_LEFT_ALONE
            return Verdict("stop", counts=False, pause=pause, error=reason, tried=error.asked)
        counts = error.of_request or answered
    aside = counts and failures + 1 >= MOST_FAILURES
    return Verdict("aside" if aside else "again", counts=counts, pause=pause, error=reason)


def unusable(
    reason: str, *, failures: int, did_some: bool = False, ask_again: bool = True
) -> Verdict:
    """Decide on a job whose answers were of no use; a run that did a part of it is no failure.

    It is set aside at once if there is no use in asking again, and then nothing has failed.
    """
    counts = ask_again and not did_some
    aside = not ask_again or (counts and failures + 1 >= MOST_FAILURES)
    return Verdict(
        "aside" if aside else "again",
        counts=counts,
        pause=_FIRST_PAUSE_UNUSABLE << failures,
        error=reason,
    )
