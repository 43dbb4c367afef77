"""Standard error of a server: order, drops, lines that were cut, and an end in bounded time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

from ashd.standard_error import WAITING_LINES, Stream

FULL = "/dev/full"


def _notice(count: int) -> str:
    return f"{count} lost\n"


def _text(stream: Stream, text: str) -> None:
    assert len(text) == stream.write(text)


def test_lines_keep_their_order(tmp_path: Path) -> None:
    """Parts of a line wait for its end, which a flush is too."""
    path = tmp_path / "log"
    with path.open("wb") as file:
        stream = Stream(file.fileno(), _notice)
        for number in range(WAITING_LINES // 2):
            _text(stream, f"{number}")
            _text(stream, "\n")
        _text(stream, "one\ntwo\nthe end")
        assert stream.wait(60)

    lines = [*map(str, range(WAITING_LINES // 2)), "one", "two", "the end"]
    assert path.read_text() == "\n".join(lines)
    assert stream.dropped == 0


def test_a_full_disk_costs_lines_which_are_counted() -> None:
    """A line that cannot be written raises nothing."""
    with Path(FULL).open("wb", buffering=0) as file:
        stream = Stream(file.fileno(), _notice)
        _text(stream, "one\ntwo\n")

        assert stream.wait(60)
        assert stream.dropped == 2


def test_closed_standard_error_drops_lines() -> None:
    """Nothing is written to a file that got the number since."""
    stream = Stream(None, _notice)
    _text(stream, "one\n")

    assert stream.wait(60)
    assert stream.dropped == 1
    with pytest.raises(OSError, match="closed"):
        stream.fileno()
    assert not stream.isatty()


def test_a_pipe_that_nobody_reads_holds_up_nobody() -> None:
    """So many lines wait, more are dropped; when somebody reads, a line says how many."""
    reader, writer = os.pipe()
    stream = Stream(writer, _notice)
    lines = [f"{number:>0100}\n" for number in range(3 * WAITING_LINES)]
    for line in lines:
        _text(stream, line)

    assert not stream.wait(0.01)
    assert 0 < stream.dropped < 2 * WAITING_LINES
    dropped = stream.dropped

    read = b""
    while not read.endswith(b"lost\n"):
        read += os.read(reader, 65_536)
    *written, notice = read.decode().splitlines(keepends=True)
    assert len(written) == len(lines) - dropped
    assert sorted(written) == written
    assert notice == _notice(dropped)
    _text(stream, "again\n")
    assert stream.wait(60)
    assert os.read(reader, 100) == b"again\n"
    os.close(reader)
    os.close(writer)


def test_a_descriptor_that_does_not_block_loses_nothing() -> None:
    """Whoever shares it may have made it so."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    stream = Stream(writer, _notice)
    lines = [f"{number:>0100}\n" for number in range(WAITING_LINES)]
    for line in lines:
        _text(stream, line)
    read = b""
    while len(read) < len("".join(lines)):
        read += os.read(reader, 65_536)

    assert read.decode() == "".join(lines)
    assert stream.dropped == 0
    os.close(reader)
    os.close(writer)


def test_a_line_that_was_cut_does_not_run_into_the_next(tmp_path: Path) -> None:
    """The rest of a line that found no room is dropped, and the next one begins its own."""
    program = """
import resource, signal, sys
from ashd import standard_error
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8, resource.RLIM_INFINITY))
standard_error.install(lambda count: f"{count} lost\\n")
print("whole", file=sys.stderr)
print("cut here", file=sys.stderr)
print("dropped", file=sys.stderr)
assert sys.stderr.wait(60)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print("next", file=sys.stderr)
"""
    path = tmp_path / "log"
    with path.open("wb") as log:
        subprocess.run([sys.executable, "-c", program], check=True, stderr=log)

    assert path.read_text().splitlines() == ["whole", "cu", "next", "2 lost"]


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("pass", 0, []),
        ("sys.exit(3)", 3, []),
        ("sys.exit('no reason')", 1, ["no reason"]),
        ("raise ValueError", 1, ["Traceback", "ValueError"]),
    ],
)
def test_the_last_lines_are_written_at_the_end(end: str, status: int, said: list[str]) -> None:
    """Those of an exit, of an exception, and of the libraries' own logs."""
    program = f"""
import logging, sys
from ashd import log
log.never_block()
logging.getLogger("library").warning("of a library")
log.info("last_line")
{end}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, stderr=subprocess.PIPE, text=True
    )

    assert done.returncode == status
    assert "of a library" in done.stderr.splitlines()[0]
    assert "last_line" in done.stderr.splitlines()[1]
    assert [text for text in said if text not in done.stderr] == []


@pytest.mark.parametrize("where", [f"2>{FULL}", "2>&-", ">&- 2>&-", "0<&- >&- 2>&-"])
def test_the_exit_status_is_right_without_a_standard_error(where: str) -> None:
    """A full disk, and streams that were closed: files opened later get other numbers."""
    program = (
        "import os, sys; from ashd import log, standard_error; log.never_block();"
        "file = open(os.devnull);"
        "log.error('nowhere'); print('text', file=sys.stderr); standard_error.wait();"
        "good = file.fileno() > 2 and standard_error.dropped() == 2;"
        "sys.exit(5 if good else 'wrong')"
    )
    done = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "$1" {where}', "sh", program], check=False
    )

    assert done.returncode == 5


def test_an_end_does_not_wait_for_a_reader_that_never_comes() -> None:
    """The process ends with its own status."""
    program = "import sys; from ashd import log; log.never_block()\n"
    program += "for _ in range(20_000): log.info('line' * 50)\n"
    program += "sys.exit(4)"
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", program], stderr=writer)
    try:
        assert until(lambda: process.poll() is not None)
        assert process.returncode == 4
    finally:
        process.kill()
        process.wait()
        os.close(reader)
        os.close(writer)
