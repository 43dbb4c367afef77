"""Problems that a request ends with, apart from the daemon's own errors."""


class Problem(Exception):
    """A request that is refused: an HTTP status, what is wrong, and what to do."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint
