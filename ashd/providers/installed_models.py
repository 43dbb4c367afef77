"""The folder of installed models, which several homes may share."""

import os
import sys
from pathlib import Path

from ashd import installation
from ashd.providers import minilm_install


def folder(home: Path) -> Path:
    """Return the folder of installed models: ASH_MODELS, else the home's, else that of `make`.

    A folder whose MiniLM is of this version comes first, then one whose MiniLM it can use.
    """
    named = os.environ.get("ASH_MODELS")
    if named:
        return Path(named)
    folders = [home / "models", (installation.environment() or Path(sys.prefix)) / "models"]
    suitable = (_is_current, _is_usable, _has_models)
    best_first = [one for suits in suitable for one in folders if suits(one)]
    return best_first[0] if best_first else folders[0]


def _is_current(folder: Path) -> bool:
    return minilm_install.PACKAGE.is_current(folder / minilm_install.FOLDER)


def _is_usable(folder: Path) -> bool:
    return minilm_install.PACKAGE.installed(folder / minilm_install.FOLDER) is not None


def _has_models(folder: Path) -> bool:
    return any(folder.glob("*/manifest.json"))
