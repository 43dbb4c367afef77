"""The switch of memory: while it is off nothing is stored and nothing is put into prompts (E12)."""

from typing import NamedTuple

from ashd import errors


class MemorySwitch(NamedTuple):
    """The switch `[memory] enabled`: memory is on or off."""

    on: bool

    def require(self) -> None:
        """Refuse to store anything new while memory is switched off.

        Raises:
            errors.Denied: it is.
        """
        if not self.on:
            raise errors.Denied(
                "Memory is switched off: nothing is stored.",
                "The person on the host can switch it on: [memory] enabled = true in config.toml.",
            )
