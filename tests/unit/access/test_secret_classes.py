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
        # A short value with signs, and variables and calls, which look like it.
        ("client secret key = x7!k9q2m", "api_key"),
        ("client secret key = $x7!k9q2m", None),
        ("client secret key = x7!(k9)q2", None),
        # Four plain words after "with the password" are a passphrase, two may say anything.
        ("Log in with the password purple lantern harbour bicycle", "password"),
        ("Log in with the password purple lantern", None),
        # A list of abstract nouns is the rest of a title.
        ("Password: kitchen", "password"),
        ("Password: security, identity and privacy", None),
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
        ("stream id is live_65f0c2a1b7d94e3f8a6c1d20", None),
        ("order at as-9f8e7d6c5b4a3f2e1d0c9b", None),
        (f"cache key prod:images-v2|{_HEX}{_HEX}", None),
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


_MEMBER = "Zk3mQ9xTz7B4vL1pW3dR6yN0cJ5hGsUeKoAiPqXtWb8"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # JSON web keys and .NET's: only the private members.
        (f'{{"kty":"OKP","crv":"Ed25519","x":"{_MEMBER}","d":"{_MEMBER}"}}', "private_key"),
        (f'{{"kty":"oct","k":"{_MEMBER}"}}', "private_key"),
        (f"kty: EC\ncrv: P-256\nd: {_MEMBER}", "private_key"),
        (f"<Modulus>{_MEMBER}</Modulus><D>{_MEMBER}</D>", "private_key"),
        (f'{{"kty":"OKP","crv":"Ed25519","x":"{_MEMBER}","kid":"2024"}}', None),
        ('{"kty":"EC","crv":"P-256","d":"<private exponent>"}', None),
        (f"<Modulus>{_MEMBER}</Modulus><Exponent>AQAB</Exponent>", None),
        # Keys that somebody paid for.
        ("JetBrains activation code 4F2K9-XQ7RM-1ZB8T", "product_key"),
        ("Lizenzschlüssel für Affinity: QK7D-92MX-ZP41-BV6T", "product_key"),
        ("App Store gift card code XK7Q 9MTB ZP4D 2RVL", "product_key"),
        ("4KX9-T7ZM-B2DP is the steam key for Noor", "product_key"),
        ("CD key of the old game is 2931-8842-1907-5566-2208", "product_key"),
        ("0Y4ZK-8L1DH-M7T92-0X2QP-3F6HJ", "product_key"),
        ("--- BEGIN LICENSE ---\nTeam\nA08AE374 4E83305F 72761F60\n", "product_key"),
        ("serial number of the boiler: FD96-0804-12AB", None),
        ("fingerprint of the release key: 9FB6 DBA1 8D13 5455 B6FE", None),
        ("booking ABCD-1234-EFGH at the hotel", None),
        ("redeem the coupon SUMMER-SALE-2024 at the till", None),
        ("--- BEGIN LICENSE ---\nMIT, copyright 2024 the authors\n", None),
        # Codes as a service sends them.
        ("signal: your registration code is 903-118", "one_time_code"),
        ("Je WhatsApp-code: 482-117. Deel deze code niet", "one_time_code"),
        ("mTAN fuer Ueberweisung ueber 320,50 EUR an Stadtwerke: 771204", "one_time_code"),
        ("Votre code de confirmation est 662 910", "one_time_code"),
        ("482917 is your Instagram code", "one_time_code"),
        ("the code PayPal just sent me: 118204", "one_time_code"),
        ("G-118203 came in by text", "one_time_code"),
        ("Do not share.\n\n@shop.example.com #559021", "one_time_code"),
        ("registration code of conduct, signed by 15 May 2024", None),
        ("Mr Tan is 482910 in the queue", None),
        ("your zip code is 10115", None),
        ("Votre code postal est 75011", None),
        ("G-730562 is the shelf in the depot", None),
        # Digits in words.
        ("the alarm code is four four seven one", "pin"),
        ("safe combination: three one, double four, nine", "pin"),
        ("de code van de kluis is twee acht vijf nul", "pin"),
        ("el código del portal es cinco dos ocho uno", "pin"),
        ("code one of the four exercises", None),
        ("the door code is one two three four, as a joke", None),
        ("error code: four one seven means no paper", None),
        # Lines that configure network gear.
        ("snmp-server community Zeewier RO", "password"),
        ("enable secret 0 Wisselspoor", "password"),
        ("username ops privilege 15 secret 9 $9$2MJBozw/9R3UsU$2lFhcKvpghcyw8de", "password"),
        ("radius-server host 10.0.0.5 key R4dius_Kelder", "password"),
        ("crypto isakmp key Vpn-Sleutel-44 address 203.0.113.9", "password"),
        ("snmp-server community public RO", None),
        ("enable secret scanning for the repository", None),
        ("neighbor 10.0.0.2 remote-as 65001", None),
        # Literals in calls.
        ("ConvertTo-SecureString 'Kraan#Dok7' -AsPlainText", "password"),
        ('new NetworkCredential("robot", "Zegel&Lak1904")', "password"),
        ('mysqli_connect("localhost", "shop", "Moestuin_77", "winkel")', "password"),
        ('user.setPassword("Dijk7braak!")', "password"),
        ("echo 'root:Kelder!Trap3' | chpasswd", "password"),
        ("ConvertTo-SecureString $env:PW -AsPlainText", None),
        ('new Credentials("https://login.example.org/v2", "tenant1")', None),
        ("widget.connect('key-press-event', 'on_key_2')", None),
        # A file of a key and what is in it.
        (f"config/production.key contains {_HEX}", "api_key"),
        (f"in secrets/api.token there is {_HEX}", "api_key"),
        (f"the md5 of server.key is {_HEX}", None),
        (f"public.key contains {_HEX}", None),
        # Devices and services as labels.
        ("laptop = Meeuw$Friet", "password"),
        ("HBO -> tess@post.example / ZomerAvond!", "password"),
        ("bitwarden master: copper walrus hinge tangent", "password"),
        ("laptop: MacBook-Pro-14", None),
        ("spotify: lena@post.example for the family", None),
        ("jan@post.example / Utrecht!", None),
        ("User's username on the forum is nightowl77.", None),
        # Questions and replies.
        ("Lena: what was the zoom passcode again\nMe: 8Qz1kP", "password"),
        ("Q: What is the PIN for the locker?\nA: 5520", "pin"),
        ("Tom: Wie war das WLAN-Passwort nochmal?\nIch: Zimtstern55", "password"),
        ('pw for the printer? it\'s "paper4ever"', "password"),
        ("A: what is the alarm code?\nB: only Ruud knows", None),
        ("Mum: what is the error code\nMe: 4012", None),
        ("Anna: how long should a password be?\nBen: 16", None),
        # Verbs that mostly speak of a password.
        ("the passphrase spells amber-fiddle-orbit-cactus", "password"),
        ("the password consists of Zee7Wind_Hond", "password"),
        ("the password contains at least 12 characters", None),
        ("passphrase goes into the vault", None),
        # Codes for when the usual way in fails.
        ("garage opener override = 0592", "pin"),
        ("shed keypad bypass: 3391", "pin"),
        ("master code of the safe 000417", "pin"),
        ("alarm: you have 30 seconds, the panel is behind the coats, code 6149", "pin"),
        ("the door has a fallback since 2021", None),
        ("Code of conduct for the building was printed in 2021.", None),
        # Names of passwords in further languages.
        ("mdp wifi : lavande2023", "password"),
        ("mijn ww is klompendans77", "password"),
        ("credenciais da loja: ana / PastelNata_35", "password"),
        ("code secret de la carte : 7093", "pin"),
        ("pincode van de kluis 4417", "pin"),
        ("ww was de naam van de straat", None),
        ("Zugangsdaten: Benutzername / Passwort", None),
        ("la parola d'ordine è semplicità", None),
        # Passwords that are described piece by piece.
        ('her mail opens with capital T, then "ulpen", then 1941 and a dollar sign', "password"),
        ("wachtwoord: hoofdletter T, dan ulpen, dan 1941 en een dollarteken", "password"),
        ("use a capital letter, a number and a dollar sign in your password", None),
        ('"vlinder", 44 and a question mark are on the poster', None),
        # Answers to what a service asks.
        ('Apple asks which teacher I liked most and I answered "mevrouw Quispel"', "password"),
        ('DigiD vraagt naar mijn eerste huisdier, ik heb "Moortje" ingevuld', "password"),
        ("the authenticator setup key for the registrar was PK74 SYK5 VERQ 2KTX", "totp_secret"),
        ("Anna asks which teacher I liked most and I answered honestly", None),
        ("ssh says SHA256:PIfi/w/FUh3swHd+sTvdpeKqbMxjtVO/Wsxti9UEF29", None),
    ],
)
def test_a_told_secret_is_told_from_its_neighbour(text: str, kind: str | None) -> None:
    """Secrets as people and programs write them, and texts with the same words without one."""
    assert find_secret(text) == kind
