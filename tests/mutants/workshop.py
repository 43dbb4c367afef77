"""A copy of the repository in which one mutant at a time is tested."""

import itertools
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_COPIED = (
    "ashd",
    "ashd_client",
    "ash_sb",
    "sandbox",
    "tests",
    "benchmarks",
    "docs",
    "scripts",
    "systemd",
    "pyproject.toml",
    "constraints.txt",
    "Makefile",
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
)
_SECONDS = 1_800
"""Much more than tests take beside other work: a mutant that only was slow is not noticed."""
_UNSHRUNK = "unshrunk"
"""A plugin of the copy: that a property fails is all there is to know, not its smallest example."""
_PLUGIN = """
from hypothesis import Phase, settings

settings.register_profile("unshrunk", phases=[Phase.explicit, Phase.generate])
settings.load_profile("unshrunk")
"""


class Workshop:
    """A copy of the repository, whose tests import and start the copy's modules."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._times = itertools.count(1_000_000_000)
        for name in _COPIED:
            source = REPOSITORY / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, self.root / name, ignore=ignored)
            else:
                shutil.copy(source, self.root / name)
        (self.root / f"{_UNSHRUNK}.py").write_text(_PLUGIN, encoding="utf-8")
        self._python = self._install()

    def _install(self) -> Path:
        """Make an environment with the copy's commands and the repository's libraries."""
        environment = self.root / ".venv"
        venv.create(environment, symlinks=True)
        commands = environment / "bin"
        for command in Path(sys.executable).parent.iterdir():
            if not (commands / command.name).exists():
                text = command.read_bytes().replace(
                    str(command.parent).encode(), str(commands).encode()
                )
                (commands / command.name).write_bytes(text)
                (commands / command.name).chmod(0o755)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
        for package in Path(sysconfig.get_path("purelib")).iterdir():
            if package.name.startswith("__editable__.ashd"):
                (packages / package.name).write_text(str(self.root), encoding="utf-8")
            else:
                (packages / package.name).symlink_to(package)
        return commands / "python"

    def run(self, arguments: tuple[str, ...]) -> bool:
        """Run pytest, and return whether all passed; what never ends has failed."""
        command = [str(self._python), "-m", "pytest", "-p", _UNSHRUNK, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        # Without bytecode every run would compile the whole copy.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        models = REPOSITORY / ".venv" / "models"
        environment.setdefault("ASH_MODELS", str(models))
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def survives(self, path: str, source: str, tests: tuple[str, ...]) -> bool:
        """Whether no test notices that a module has another source."""
        if missing := [name for name in tests if not (self.root / name).exists()]:
            raise SystemExit(f"There are no such tests: {', '.join(missing)}.")
        before = (self.root / path).read_text(encoding="utf-8")
        self._write(path, source)
        try:
            return self.run(("-x", *tests))
        finally:
            self._write(path, before)

    def _write(self, path: str, source: str) -> None:
        """Write a module with a time of its own: by it and the size its bytecode is told stale."""
        place = self.root / path
        place.write_text(source, encoding="utf-8")
        at = next(self._times)
        os.utime(place, (at, at))

    def remove(self) -> None:
        """Take the copy away."""
        shutil.rmtree(self.root)
