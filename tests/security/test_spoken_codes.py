"""Codes, passwords and answers that are said in a sentence, in the main languages (row A9)."""

import pytest

from ashd.access.secrets import find_secret


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # A code, the thing that it opens, and letters of a keypad.
        ("Der Code vom Schlüsselkasten am Haus ist 9-2-7-5", "pin"),
        ("Alarmcode 7731, bitte sofort eingeben", "pin"),
        ("Le code de l'immeuble, c'est 2580A", "pin"),
        ("Digicode : 1234B", "pin"),
        ("La combinación de la caja fuerte es 22-14-36", "pin"),
        ("Il codice dell'allarme è 4471", "pin"),
        ("de code van de voordeur is 4471", "pin"),
        ("Gate code: A4471", "pin"),
        # The thing or the digits first.
        ("Kellertür: Code 8812", "pin"),
        ("Das Zahlenschloss hat die Kombination 472", "pin"),
        ("la puerta se abre con el código 4471", "pin"),
        ("2580 is the door code", "pin"),
        ("4711 ist meine PIN", "pin"),
        # A password that is named first and said later, or the other way round.
        ("ma banque : mon mot de passe en ligne, c'est Br1se!Colline", "password"),
        ("Das Passwort hat sich geändert, es ist jetzt Sommer2024!", "password"),
        ("hunter2 ist mein Passwort", "password"),
        ("le code wifi du gîte est Lavande2023", "password"),
        ("Mein Passwort ist Müllabfuhr", "password"),
        ("log in with the passphrase copper hinge walrus tangent", "password"),
        ("The passphrase is copper hinge walrus tangent 62", "password"),
        # The answer to the question that is asked instead of a password.
        ("Security question at the bank, first pet: the answer I gave is Muffin", "password"),
        ("la réponse à ma question secrète est Médor", "password"),
        ("Sicherheitsfrage Haustier: Waldi", "password"),
        ("meine Backup-Codes 4829 1937 / 8821 0042", "recovery_codes"),
        ("GitHub recovery codes a1b2c-d3e4f 9f8e7-d6c5b", "recovery_codes"),
        ("Unseal key 2 of 5: gczYelAE1plSdabuvym49+WUgVO62Mzg+4m+kK3ooF+q", "api_key"),
        (
            "https://api.telegram.org/bot2001963350:AA" + "-a2hCQacTZgzWRfKGAdjy4E27gUp9JjiI/x",
            "telegram_bot_token",
        ),
    ],
)
def test_a_spoken_secret_is_found(text: str, kind: str) -> None:
    """The words for a code, a password and an answer are known in more than English."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "the error code for the door is 404",
        "Der Fehlercode der Tür ist 4012",
        "el código de error de la puerta es 4012",
        "The QR code on the gate is 2048",
        "Fehler an der Tür: Code 4012",
        "washer door: code 4012 means a blocked filter",
        "the code for the safe parser is 300 lines",
        "The code in the lock file is 1234",
        "Der Code im Monitor ist 1200",
        "Motorcode: 4471",
        "code postal de la maison : 75011",
        "7016 is the colour code of the door",
        "Le mot de passe, c'est compliqué",
        "le mot de passe, c'est Paul qui l'a",
        "La clave del éxito es trabajo",
        "ORA-01017 is a wrong password",
        "Perfect Passwords: Selection, Protection, Authentication",
        "sign in with the passphrase Alice gave you yesterday",
        "He asked a security question and the answer was evasive",
        "Security question: What is your mother's maiden name?",
        "The answer is Muffin, said Tom; then we wrote a security question",
        "The password people reuse across sites",
        "the recovery codes page 2024 has none",
        "backup codes 10 of 10 unused",
        "Unseal key 2 of 5 is with Noor",
    ],
)
def test_a_sentence_about_one_is_stored(text: str) -> None:
    """A code that opens nothing, an error, a title and the question alone are no secrets."""
    assert find_secret(text) is None
