"""Secrets beside the texts that look most like them, class by class: each is told apart."""

import pytest

from ashd.access.secrets import find_secret

_SIGNED = "q2w)z!5x^r&8k$1m(v7=t@4-n#9*y3+b6"
_HEX = "9b2f47c1d08e5a63b7f1c29e04d8a56f"
_UUID = "2ad8dea4-708b-43ed-befa-71fafc7f327e"
_AGE = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # A key of signs, letters and digits; without quotes an expression looks like it.
        (f"SECRET_KEY = '{_SIGNED}'", "api_key"),
        (f"secret_key: {_SIGNED}w8)d!2", None),
        (f"secret_key: {_SIGNED}w8)d!2k&5h^0", "api_key"),
        (f"secret_key: '{_SIGNED[:20]}'", "api_key"),
        (f"secret_key: '{_SIGNED[:19]}'", None),
        (f"SECRET_KEY_PATTERN = '{_SIGNED}'", None),
        ("SECRET_KEY = '{q}2w)z!5x^r&8k$1m(v7=t@4-n#9*y3+b6'", None),
        ("secret_key = a1[2]*b3+(c4/5)-d6%e7&f8|g9^h1!=i2[3]*j4-k5", None),
        # Capitals and small letters that change all over, and words that are joined.
        ("Fastly-Key: qWmZrTnYxKpLvBcHs-fGj7-UoIeARtYkLmW", "api_key"),
        ("X-Layout-Key: CheckoutPageHeaderTitle-NewUserOfTheShop2", None),
        ("Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==", None),
        ("Surrogate-Key: qWmZrTnYxKpLvBcHs-fGjUoIeA-RtYk2Lm", None),
        # Hashes of web servers and directories, and what is written about them.
        ("anna:$apr1$k3Jd9sQ1$Zr8uXw2bTn5vYp0cLm7eF/", "password_hash"),
        ("anna:$apr1$xxxxxxxx$xxxxxxxxxxxxxxxxxxxxxx", None),
        ("backup:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "password_hash"),
        ("{SHA} in a line of htpasswd has no salt", None),
        # Lines of .pgpass: any value where the file is named, else a made-up one at its ports.
        ("db-3:5432:*:archiver:Pebble%Beach08", "password"),
        ("db-3:8080:*:archiver:Pebble%Beach08", None),
        ("db-3:5432:12:archiver:Pebble%Beach08", None),
        ("db-3:5432:shop:archiver:pebble", None),
        ("in .pgpass: db-3:8080:shop:archiver:pebble", "password"),
        ("in .pgpass: db-3:5432:shop:archiver:password", None),
        ("in .pgpass: db-3:5432:shop:archiver:<pebble>", None),
        # What the camera reads of a network.
        ("WIFI:T:WPA;S:Attic;P:brambles;;", "password"),
        ("WIFI:P:bram\\;bles;T:WPA;S:Attic;;", "password"),
        ("WIFI:T:nopass;S:Attic;P:;;", None),
        ("WIFI:T:WPA;S:{ssid};P:{password};;", None),
        ("WIFI:T:WPA;S:Attic;P:password;;", None),
        # A value that what follows calls a secret.
        (f"Client(sid, '{_HEX}')  # 2nd arg is the auth token", "api_key"),
        (f"{_HEX} (our webhook secret, rotate it)", "api_key"),
        (f"{_HEX}, that is the token", "api_key"),
        (f"{_HEX} and the token", None),
        (f"{_HEX}  # commit that removed the token", None),
        (f"commit {_HEX}, the token", None),
        (f"uses: actions/checkout@{_HEX} # new token", None),
        (f"{_HEX}  # the public key", None),
        (f"{_HEX}  # wrong token", None),
        (f"{_HEX}  # the token count", None),
        ("login('marta', 'kestrel2011')  # my password", "password"),
        ("read kestrel2011  # my password", None),
        ("kestrel2011 (not my password)", None),
        # Codes of an alarm, turns of a dial.
        ("disarm code 1744 then hash", "pin"),
        ("arm code 4417", "pin"),
        ("Unscharf-Code 2257", "pin"),
        ("ARM code 2019", None),
        ("disarm error code 1744", None),
        ("gun safe combination: 34 left, 12 right, 57 left", "pin"),
        ("gun safe: L34-R12-L57", "pin"),
        ("gun safe: 3 times right to 34, left to 12, right to 57", "pin"),
        ("seats: 34 left, 12 right, 57 left", None),
        ("The safe is new. Seats: 34 left, 12 right, 57 left", None),
        ("gun safe: 34 left, 12 right", None),
        ("combination for the cabinet: 34-12-57", "pin"),
        ("the combination 34-12-57 of screws", None),
        # Words between the name of a password and the value.
        ("password off the sticker underneath: acker7918", "password"),
        ("password as noted in the blue folder: acker7918", "password"),
        ("password as noted in the blue folder: v2.14", None),
        ("password printed on the label: v2.14", None),
        ("password rules as agreed in ticket: SEC-1293", None),
        ("password off the sticker: see below", None),
        ("password, see file: users2024.csv", None),
        # Ids, checksums and public keys that somebody shows.
        (f"Device id of the speaker as shown in the log: {_UUID}", None),
        (f"sha256 of the image as published: {_HEX}{_HEX}", None),
        (f"Checked as published on the mirror: {_HEX}", None),
        (f"sops encrypts the backup to {_AGE}", None),
        # Figures that count something, and those that open.
        ("Level 12 unlocks the glider, she is at level 11 with 3480 points", None),
        ("Level 12 unlocks the glider, she is at level 11 with 3480", None),
        ("The gate opens with 3480 gems", None),
        ("The gate opens with 3480 works every time", "pin"),
        ("The tablet unlocks with 3480", "pin"),
        ("It unlocks, she gets in with 3487", "pin"),
    ],
)
def test_a_secret_is_told_from_its_look_alike(text: str, kind: str | None) -> None:
    """Each class of secrets is found, and the harmless texts of the same form are stored."""
    assert find_secret(text) == kind
