"""`ash-sb` as one file, made from the installed package beside this one.

That package is found and read, never imported: it belongs to the sandbox.
"""

import importlib.util
import shutil
import tempfile
import zipapp
from pathlib import Path
from typing import Final

_INTERPRETER: Final = "/usr/bin/env -S python3 -IS"


def write_client(target: Path) -> Path:
    """Write the client to `target`, executable, and return it. Raises `AshCallError`."""
    from ashd.client.protocol import AshCallError

    spec = importlib.util.find_spec("ash_sb")
    folders = list(spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise AshCallError(
            "The package ash_sb is not installed beside ashd.",
            kind="not_found",
            code=200,
            hint="Install ashd again: both packages come in one distribution.",
        )
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        shutil.copytree(
            folders[0], Path(folder, "ash_sb"), ignore=shutil.ignore_patterns("__pycache__")
        )
        zipapp.create_archive(folder, target, _INTERPRETER, main="ash_sb.__main__:main")
    target.chmod(0o755)
    return target


def client_bytes() -> bytes:
    """The client as one file's content. Raises `AshCallError`."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        return write_client(Path(folder, "ash-sb.pyz")).read_bytes()
