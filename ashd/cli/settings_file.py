"""The daemon's settings and places, for commands that work on its files."""

from pathlib import Path

from ashd import config
from ashd.providers import installed_models


def load(
    home: Path | None, config_file: Path | None, run_dir: Path | None
) -> tuple[config.Settings, config.Places]:
    """Load the configuration that a daemon with these options would use.

    Raises:
        errors.StartError: it cannot be used.
    """
    at_home = config.home(home)
    file = config_file or at_home / "config.toml"
    settings = config.load(file, required=config_file is not None)
    run = config.run_dir(run_dir, at_home)
    return settings, config.places(settings, at_home, run, file, installed_models.folder(at_home))
