"""Write the client as one file, `ash-sb.pyz`: `python -m ash_sb.pyz OUT [PYTHON…]`.

The file is a zip behind two lines of shell, so it runs as `./ash-sb.pyz` and as
`python3 ash-sb.pyz`. The shell lines start `python3 -I -S` (isolated: neither the environment nor
a user's packages reach it) and import from the zip directly; Python's own way into a zip loads
`runpy` first, half an interpreter start more.

Nothing is compressed. Beside the sources, which run on any Python from 3.11 on, is their
byte code for this Python and for each further PYTHON named: name the one of the sandbox, any other
compiles the sources at every start, which takes twice the time. No clock goes into the file: the
same sources and interpreters give the same bytes.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

# Imported by both entry points; the path of the zip comes first in sys.path.
BOOT = """\
import sys
if sys.version_info < (3, 11):
    sys.stderr.write("error: unavailable: ash-sb needs Python 3.11 or newer, first on PATH.\\n")
    sys.exit(6)
sys.path.insert(0, sys.path[0] + "/" + sys.implementation.cache_tag)
from ash_sb.__main__ import main
main()
"""
MAIN = "import boot\n"
HEAD = """\
#!/bin/sh
exec python3 -I -S -c 'import sys; sys.path.insert(0, sys.argv.pop(1)); import boot' "$0" "$@"
"""

# Run by each Python: its tag, after it has compiled the package into a directory of that name.
# Unchecked byte code is not compared with the clock of the source beside it.
COMPILE = """\
import py_compile, sys
from pathlib import Path
source, target = Path(sys.argv[1]), Path(sys.argv[2], sys.implementation.cache_tag)
for file in source.glob("*.py"):
    py_compile.compile(
        str(file), str(target / "ash_sb" / (file.name + "c")), "ash_sb/" + file.name, True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
"""


def build(out: Path, pythons: list[str]) -> None:
    """Write the file, with byte code for each of the interpreters."""
    with (
        tempfile.TemporaryDirectory() as compiled,
        out.open("wb") as file,
    ):
        for python in pythons:
            command = [python, "-I", "-S", "-c", COMPILE, str(PACKAGE), compiled]
            subprocess.run(command, check=True)
        file.write(HEAD.encode())
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            _store(archive, "__main__.py", MAIN.encode())
            _store(archive, "boot.py", BOOT.encode())
            for path in sorted(Path(compiled).glob("*/ash_sb/*.pyc")):
                _store(archive, path.relative_to(compiled).as_posix(), path.read_bytes())
            for path in sorted(PACKAGE.glob("*.py")):
                _store(archive, f"ash_sb/{path.name}", path.read_bytes())
    out.chmod(0o755)


def _store(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content)


def main(arguments: list[str]) -> None:
    """Build OUT for the interpreters named, this one always among them."""
    if not arguments:
        sys.exit("usage: python -m ash_sb.pyz OUT [PYTHON…]")
    build(Path(arguments[0]), [sys.executable, *arguments[1:]])


if __name__ == "__main__":
    main(sys.argv[1:])
