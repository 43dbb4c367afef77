"""Edits of one table in TOML: the rest stays as it is written. Budget: 5 s."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.cli import toml_table
from ashd.cli.toml_table import NotToml

_TABLE = ("mcp_servers", "ash")
_FIELDS = {"command": "/bin/ash", "args": ["--as", "p:ü\U0001f600", "mcp"]}
_PARTS = st.lists(
    st.sampled_from(
        [
            "# about {n}\n[t{n}]\na = 1 # one\n",
            "\n[t{n}.sub]\n# inside\nb = [\n  1, # first\n  2,\n]\n",
            't{n} = """\n[mcp_servers.ash]\ncommand = \'no\'\n"""\n',
            "[[list]]\nn = {n}\n\n",
            '[mcp_servers.other{n}]\ncommand = "x"\n\n# end of others\n',
            "[t{n}]\r\nc = '[mcp_servers.ash]'\r\n",
        ]
    ),
    max_size=6,
)


@given(_PARTS, _PARTS, st.sampled_from(["", "\n", "\n# a note at the end"]))
def test_a_table_comes_and_goes_without_a_trace(
    before: list[str], after: list[str], ending: str
) -> None:
    """Tables that another program writes after ours stay, and so do all comments."""
    top = [one for one in before if one.startswith("t")]
    parts = top + [one for one in before if one not in top]
    text = "".join(one.replace("{n}", str(at)) for at, one in enumerate(parts)) + ending
    others = [one for one in after if not one.startswith("t")]
    later = "".join(one.replace("{n}", str(at + 9)) for at, one in enumerate(others))
    made = toml_table.put(text, _TABLE, _FIELDS)

    assert tomllib.loads(made)["mcp_servers"]["ash"] == _FIELDS
    assert toml_table.put(made, _TABLE, _FIELDS) == made
    newline = "" if not text or text.endswith("\n") else "\n"
    assert toml_table.remove(made + later, _TABLE).replace("\r", "") == (
        text + newline + later
    ).replace("\r", "")


def test_tables_below_go_too_and_foreign_fields_stay_until_then() -> None:
    """Another value of ours replaces the old one in its place."""
    text = (
        'model = "m"\n\n[mcp_servers.ash]\n# slow disk\nstartup_timeout_sec = 30\nargs = [\n'
        '  "mcp",\n]\ncommand = "old"\n\n[ "mcp_servers" . \'ash\' .env]\nA = "1"\n'
        "# of projects\n[projects]\n"
    )
    made = toml_table.put(text, _TABLE, _FIELDS)

    assert tomllib.loads(made)["mcp_servers"]["ash"] == {
        **_FIELDS,
        "startup_timeout_sec": 30,
        "env": {"A": "1"},
    }
    assert "# slow disk" in made
    assert toml_table.remove(made, _TABLE) == 'model = "m"\n\n# of projects\n[projects]\n'


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { ash = { command = "ash" } }\n',
        '[mcp_servers]\nash = { command = "ash" }\n',
        '[mcp_servers]\nash.command = "ash"\n',
        "a = [\n",
        "\ufeffa = 1\n",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    """A table without a header of its own, or a file that is not TOML, is left to the person."""
    with pytest.raises(NotToml):
        toml_table.put(text, _TABLE, _FIELDS)
    with pytest.raises(NotToml):
        toml_table.remove(text, _TABLE)
