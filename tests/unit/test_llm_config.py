"""The section `[llm]` of config.toml: what it may say, and what is shown of it."""

import json
from pathlib import Path

import pytest

from ashd import config, errors, protected_paths

GOOD = '[llm]\nbase_url = "https://me:pass@llm.example/v1"\nmodel = "m"\nmodels.chat = "large"\n'


def load(tmp_path: Path, text: str) -> config.Settings:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return config.load(path, required=True)


def test_without_the_section_there_is_no_model(tmp_path: Path) -> None:
    assert load(tmp_path, "").llm.model is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[llm]\nbase_url = "http://127.0.0.1:1"\n', "model is missing"),
        ("[llm]\ntimeout_s = 30\n", "model is missing"),
        ('[llm]\nmodel = "m"\ntimeout_s = 0\n', "1 to 600"),
        ('[llm]\nmodel = "m"\nmax_tokens_per_day = 0\n', "llm.max_tokens_per_day"),
        ('[llm]\nmodel = "m"\nmodels.cook = "n"\n', "cook"),
        ('[llm]\nmodel = "m"\nkey = "sk-very-secret"\n', "unknown key 'key'"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, words: str) -> None:
    """The error names the section or key; it does not repeat a misplaced secret."""
    with pytest.raises(errors.StartError) as caught:
        load(tmp_path, text)
    assert words in str(caught.value)
    assert "llm" in str(caught.value)
    assert "sk-very-secret" not in str(caught.value)


def places_in(home: Path, settings: config.Settings) -> config.Places:
    """The places of a daemon with this home."""
    return config.places(settings, home, home / "run", home / "config.toml", home / "models")


def test_the_shown_configuration_has_no_password(tmp_path: Path) -> None:
    """`ashd check-config` masks it in the address."""
    settings = load(tmp_path, GOOD)
    places = places_in(tmp_path, settings)
    shown = config.masked(settings, places)
    assert shown["llm"]["base_url"] == "https://***@llm.example/v1"
    assert shown["llm"]["models"] == {"chat": "large"}
    assert "pass" not in json.dumps(shown["llm"])


def test_no_sandbox_is_given_the_key(tmp_path: Path) -> None:
    """The key's file is among the daemon's protected paths."""
    settings = load(tmp_path, '[llm]\nmodel = "m"\napi_key_file = "/etc/llm.key"\n')
    places = places_in(tmp_path, settings)
    protected = protected_paths.protected(settings, places)
    assert ("/etc/llm.key", True) in [(one.path, one.secret) for one in protected]
