"""A program that is to print the key, and does not: the error says what to do."""

import pytest

from ashd import errors
from ashd.ops import database_key


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["/nowhere/key-of", "ash"], "cannot be run (No such file or directory). Check its path"),
        (["sleep", "60"], "did not end in time. It has to print the key without asking"),
        (["false"], "printed no key (status 1). It has to print 64 hexadecimal digits"),
    ],
)
def test_a_program_that_gives_no_key_is_told_with_its_remedy(
    command: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arguments are not repeated: they may hold a secret."""
    if command[0] == "sleep":
        monkeypatch.setattr(database_key, "_COMMAND_SECONDS", 0.01)

    with pytest.raises(errors.StartError) as raised:
        database_key.Command(command).load()

    assert str(raised.value).startswith(f"[storage] key_command {said}")
    assert command[-1] not in str(raised.value).removeprefix("[storage] key_command")
