"""Records of a fixed form with a field for a password: a line of .pgpass, a code for a network.

Owns the two forms that people copy whole: "host:port:database:user:password" of PostgreSQL and
"WIFI:T:WPA;S:name;P:password;;" of the codes that a phone's camera reads. The description of a form
and its template are no secrets.
"""

from typing import Final

from ashd.access.secrets import password_values
from ashd.access.secrets.normalisation import Reading, is_placeholder
from ashd.language.lazy_pattern import pattern_of

# The port is an asterisk or has three digits, so neither times nor hardware addresses match.
_PGPASS: Final = pattern_of(
    r"(?<![\w.:/@*-])(?:[\w-][\w.-]{0,80}|\*):(?P<port>\d{3,5}|\*):(?P<database>[\w-]{1,64}|\*)"
    r":[\w.@-]{1,64}:(?P<value>(?:\\[:\\]|[!-9;-\[\]-~]){4,128})(?![!-~])"
)
_PORTS_OF_POSTGRES: Final = frozenset({"*", "5432", "5433", "5434", "6432"})
_NETWORK: Final = pattern_of(
    r"(?i:WIFI):(?:(?!P:)[A-Z0-9]{1,3}:(?:\\.|[^;\\\n]){0,128};){0,8}P:(?P<value>(?:\\.|[^;\\\n]){4,128});"
    r"(?=;|[A-Z0-9]{1,3}:)",
)
_FORMS: Final = frozenset({"password", "passwd", "mypassword", "mypass", "yourpassword", "secret"})


def find_record(reading: Reading) -> str | None:
    """Return "password" for a record whose password field is filled in."""
    for start, _ in reading.at(("wifi:",)):
        network = _NETWORK.match(reading.text, start)
        if network and _is_filled_in(network["value"]):
            return "password"
    if ":" not in reading.text:
        return None
    of_file = "pgpass" in reading.lower
    for line in _PGPASS.finditer(reading.text):
        value = line["value"].rstrip("\"'`,.;)")
        named = of_file or (
            line["port"] in _PORTS_OF_POSTGRES
            and not line["database"].isdigit()
            and password_values.looks_made_alone(value)
        )
        if named and _is_filled_in(value):
            return "password"
    return None


def _is_filled_in(value: str) -> bool:
    """Return whether a field holds a password, not its name or a variable."""
    plain = value.strip("\"'")
    return plain.lower() not in _FORMS and not is_placeholder(plain)
