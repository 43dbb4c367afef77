"""A daemon whose clock a test moves."""

from pathlib import Path

from daemons import Daemon

_YEARS = 365.25 * 86_400


class ClockDaemon(Daemon):
    """A daemon whose clock can be set wrong."""

    program = (str(Path(__file__).with_name("clock_daemon.py")),)

    def __init__(self, folder: Path) -> None:
        self._clock = folder / "clock"
        super().__init__(folder / "home", environment={"ASH_CLOCK_FILE": str(self._clock)})
        self.jump(0)

    def jump(self, years: float) -> None:
        """Set the clock wrong by so many years."""
        written = self._clock.with_suffix(".new")
        written.write_text(str(years * _YEARS))
        written.replace(self._clock)  # at once: the daemon may read it at any moment
