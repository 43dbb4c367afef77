"""Modules that cost much to import are imported when they are used, not at every start."""

import subprocess
import sys

import pytest

DAEMON = {
    *("openai", "pydantic", "httpx", "starlette", "uvicorn"),
    *("jsonschema", "referencing", "attr", "onnxruntime", "sentencepiece", "click"),
    *("stdnum", "mnemonic", "http.server", "apsw.ext"),
}
COMMAND = {
    *("anyio", "msgspec", "apsw", "numpy", "asyncio", "ssl", "openai", "tomllib"),
    *("difflib", "ashd.config", "ashd_client.types", "ashd_client.aio", "ashd.cli.erasing"),
    *("ashd.cli.withdrawing", "ashd.cli.person", "ashd.cli.chat", "ashd.cli.watch"),
}
ASH = "from ashd.cli import memory, memory_view, output, views; from ashd.cli.ash import cli"


@pytest.mark.parametrize(
    ("program", "left_out"), [("import ashd.daemon", DAEMON), (ASH, COMMAND)], ids=["ashd", "ash"]
)
def test_a_start_leaves_out_what_it_does_not_need(program: str, left_out: set[str]) -> None:
    """Each of them takes milliseconds at every start; import it inside of what uses it."""
    report = f"import sys; {program}; print(*sys.modules)"

    assert left_out & set(_run(report, check=True).stdout.split()) == set()


def test_the_schema_library_is_there_for_others() -> None:
    """Only the import of jsonrpcserver replaces the library, and the replacement checks nothing."""
    program = (
        "import sys; from ashd.rpc import dispatch, jsonrpc_library;"
        "import jsonrpcserver.main as library, jsonschema;"
        "print(jsonschema.validators.validator_for.__module__, 'jsonschema' in sys.modules);"
        "library.default_validator({})"
    )
    done = _run(program, check=False)

    assert done.stdout.split() == ["jsonschema.validators", "True"]
    assert "NotImplementedError" in done.stderr


def _run(program: str, *, check: bool) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=check, capture_output=True, text=True)
