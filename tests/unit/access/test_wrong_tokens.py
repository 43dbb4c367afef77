"""Wrong tokens are counted by the minute, whoever gives them."""

from ashd import errors, limits
from ashd.access.grant_tokens import Attempts
from ashd.clock import SECOND

NOW = (60 * 5 + 10) * SECOND


def test_a_caller_who_guesses_waits_until_the_next_minute() -> None:
    """The error says how long that is; then it is answered again."""
    attempts = Attempts()

    told = [attempts.wrong(NOW) for _ in range(limits.WRONG_TOKENS_PER_MINUTE + 1)]
    later = attempts.wrong(NOW + 50 * SECOND)

    assert {type(one) for one in told[:-1]} == {errors.Denied}
    assert isinstance(told[-1], errors.RateLimited)
    assert told[-1].to_data()["retry_after_ms"] == 50_000
    assert isinstance(later, errors.Denied)
