"""Credentials that a sentence tells without calling them a password (row A9)."""

import pytest

from ashd.access.secrets import find_secret

LINES = (
    "h8Fq2ZkT7vLr0XyNcWmPbJ5sQdEuAo3iGgKx9tRl6YzVfB1nHjMwCpSaD4eUOiI2\n"
    "Tz0RkXgLq5mWvYbN8pHsJ7cFdA3uEoQi1Z6rKtMxVyBf9nGhLjPwCeSaD2lU4OIk"
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # Getting in as somebody.
        ("Dad logs in as familie.brandt with Kirschkern82", "password"),
        ("connecte-toi en tant que lea.m avec Tournesol_19", "password"),
        ("you can get into my Netflix with lars@fjord.no and then sn0wPlough88", "password"),
        ("the portal Sonnen!blume6 works again", "password"),
        # Opening a thing that is locked.
        ("the restic repo opens with lunar-biscuit-canal-otter", "password"),
        ("borg repo unlocks with the sentence Oma fährt gern nach Husum 7x", "password"),
        ("the vault can be decrypted using granite owl parade seven kettle", "password"),
        ("the accountant's PDFs open with 17-80-9102", "pin"),
        # Typing it.
        ("if sudo asks, type B4nanenbrot!", "password"),
        ("at the BIOS screen you type in kestrel2011", "password"),
        ("to disarm the shop alarm type 4471# within 20 seconds", "pin"),
        ("front gate 4490#, then second door on the left", "pin"),
        ("my padlock at the gym is 31-07-22", "pin"),
        ("for the intranet it's all lowercase rotermilan7", "password"),
        ("the siren goes off, so enter 6630 followed by hash", "pin"),
        ("the panel at the depot beeps, it's 8816 and then star", "pin"),
        ("key box behind the bakery: 9340", "pin"),
        ("the lockbox next to the boiler is 6672", "pin"),
        ("pass for the archive is sumpfdotterblume", "password"),
        ("the pass to our veracrypt container: heron-paddle", "password"),
        ("Apple gave me an app-specific one, kfwq-bznp-otxr-mjvd", "password"),
        # Networks.
        ("join the wifi 'Seeblick', it's moorhuhn-taucht-12", "password"),
        ("the network is Fjellro_5G and you type in mangotango#12", "password"),
        ("FritzBox, WLAN-Schlüssel vom Aufkleber: 7848 0082 4345 1268 3002", "api_key"),
        # One that was given anew, or is used in many places.
        ("after the lockout IT set me to Welcome2Hell_ok", "password"),
        ("she uses Katze1987! everywhere", "password"),
        # Sessions and commands.
        ("PHPSESSID is dlunjn7egr854r04fnvu2r63v2, paste it", "api_key"),
        ("cargo login cioSmTaT4e1ZBX10jyCWJCvUKuaswJS2pPO", "api_key"),
        ("wandb login 0a4c91d7be5f3286a1d94e7cb05f8d3362e1f7ac", "api_key"),
        ("jdbc:oracle:thin:scott/6NKlipfCR@//ora19.lan:1521/ORCLPDB1", "url_with_credentials"),
        # Codes that are sent.
        ("Sparkasse sent 771 204 for verification", "one_time_code"),
        ("G-006555 is your Google verification code.", "one_time_code"),
        ("the sms just came, tan is 035002, hurry", "one_time_code"),
        ("the code my bank texted is 118 402", "one_time_code"),
        ("your Uber code is 4417, never share it", "one_time_code"),
        # Answers.
        ("the bank has my first school on file as Lindenhof", "password"),
        ("secret question: favourite teacher, answer: Frau Oberstolz", "password"),
        ("the security word at the alarm company is Papageno", "password"),
        # Parts of keys.
        (
            "tail of it:\nGYdD/gXsdbpr0KjYU4qHJtl68GSqQ+phk+QX1\nqw==\n-----END PRIVATE KEY-----",
            "private_key",
        ),
        ("the file begins with MIIEpAIBAAKCAQEAx7", "private_key"),
        (
            f"middle of id_rsa:\n{LINES}",
            "private_key",
        ),
    ],
)
def test_a_told_credential_is_found(text: str, kind: str) -> None:
    """A word shaped like a credential, handed over in the sentence of an act of getting in."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        # The act without a credential.
        "log in with your Google account to see the calendar",
        "sign in with Firefox115",
        "the film opens with a squeak",
        "the document opens with LibreOffice 7.6",
        "the novel opens with the sentence Call me Ishmael",
        "level two unlocks with the words of the old wizard",
        "type 2 diabetes runs in the family",
        "at the prompt type help and press enter",
        "type npm install react-router@6 when it asks",
        "enter the hall by the side door at 8:30",
        "the shop opens with a sale on 12/12",
        "the second gate opens at 1830 sharp",
        "set the alarm to 0615 for the ferry",
        "press 1 for English, 2 for German",
        "the button on the portal page is all lowercase now",
        "the alarm rang at 0630 and off we went",
        "we sold 6630 and then closed the shop",
        "the key box behind the bakery is green",
        "the lockbox by the door: 40 euros",
        "the pass for the museum is half-price",
        "the pass for the app is cheap",
        "the pass over the drive is closed",
        "the app-specific settings are in four-part-file-name order",
        "join the wifi 'Seeblick', it's slow",
        "fixed the login 0a4c91d7be5f3286a1d94e7cb05f8d3362e1f7ac",
        # Keys that everybody may read, and those of documents.
        "the checkout page loads Stripe with pk_live_9sKd72LmQx04Tz8RbVnWc3Yh",
        "posthog is set up with phc_4JqRv8Kx2mNc7TzLb9WdYs3HfGp6QaUe1Xo5",
        "the manual has AKIAI44QH8DHBEXAMPLE as its key",
        # A name of somebody, of a network or of a thing.
        "my login name is Otter_Blau42",
        "SSID is FRITZ!Box-7590, channel 11",
        "the network is a ResNet-50 with batchnorm-2d",
        "RDP to ts01 needs NLA and Win11",
        # The word without the act.
        "the header shows sn0wPlough88 in green",
        "the intranet shows sn0wPlough88 in its header",
        # Ids, public parts, facts of one's family.
        "the session id is 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "Session 2024-05-12T10 was recorded",
        "the file must end with -----END PRIVATE KEY-----",
        f"middle of chain.pem, the certs:\n{LINES}",
        "my first school is Lindenhof",
        "my mother's maiden name was Brandt, we are doing the family tree",
        "Mother's maiden name is asked by the bank",
        "scores 1122 3498 7765 0912 in the four leagues",
        "the Wi-Fi router has serial 91827364550",
        "use form 55 81 20 to confirm attendance",
        "verification took 771 204 steps",
        "your zip code is 10115",
        "jdbc:oracle:thin:@db7.lan:1521/XE",
    ],
)
def test_the_same_sentence_without_one_is_stored(text: str) -> None:
    """Neither an act of getting in nor such a word alone is a secret."""
    assert find_secret(text) is None
