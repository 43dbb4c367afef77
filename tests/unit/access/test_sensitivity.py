"""Texts without a label: what people keep to themselves is personal. Budget: 3 s."""

import threading
from pathlib import Path

import numpy as np
import pytest
from embedders import minilm_models

from ashd import log
from ashd.access import sensitivity
from ashd.access.sensitivity import classify, described, label, read, read_details
from ashd.language import text_caches
from ashd.providers.registry import load

SENTENCES = Path(__file__).parents[3] / "benchmarks" / "sensitivity"

PERSONAL = """
I am allergic to peanuts
I have type 2 diabetes
My mother was diagnosed with breast cancer
Sarah is treated for depression
I take 20 mg of citalopram every morning
Bob is HIV positive
She is pregnant and due in June
My son has ADHD
He is an alcoholic
Anna is having knee surgery on Friday
My therapist recommended a break
I wear a hearing aid
My salary is 85,000 euros
My salary went up
We owe the bank 12,000
He filed for bankruptcy
I cannot pay the rent this month
I am a practising Muslim
He goes to the mosque on Fridays
I pray five times a day
I voted for the Greens
I stopped believing in God
I am gay
She came out as trans last spring
He is having an affair
I was arrested for drunk driving
My divorce will be final in May
She has a restraining order against her ex
My asylum application was rejected
He went to prison for fraud
""".strip().splitlines()

PUBLIC = """
We purge the cache every night
Our savings plan for cloud costs starts in May
The customer's hospital uses our API
The trial period of the software ends in June
Tax is included in the price
The terminal theme is dark
The function returns a sentence
The login is guarded by a session token
The build broke last night
The courtyard is being painted
The tennis court is booked for six
Charge the battery with the USB cable
My boss likes short e-mails
My sister is a nurse in Leeds
My parents met in Paris
I take the bus to work
I am vegetarian
My favourite colour is red
We have two cats and a hamster
Thursday at nine at the usual place
""".strip().splitlines()

PERSONAL_BESIDE = """
cancer
chemo
therapist
HIV positive
diagnosis: HIV positive
salary: 74000
religion: Hindu
my oncologist Dr Ziff
my divorce lawyer
""".strip().splitlines()

PUBLIC_BESIDE = """
my wife
my son Tom
my boss
Dr Ziff
Faith
Christian
release
billing
ticket: ABC-123
language: de
""".strip().splitlines()

OTHER_LANGUAGES = """
Ich bin schwanger
Mein Gehalt ist 3.000 Euro
Elle est séropositive
Je suis enceinte
Estoy embarazada
Tengo una deuda de 5000 euros
Ho un tumore
Estou grávida
Ik ben zwanger
я беременна
我怀孕了
私はうつ病です
저는 임신 중이에요
""".strip().splitlines()


@pytest.mark.parametrize("text", [*PERSONAL, *PERSONAL_BESIDE, *OTHER_LANGUAGES])
def test_somebodys_private_matters_are_personal(text: str) -> None:
    """Health, money, faith, sexuality and law, in a sentence, a tag or a subject."""
    assert "personal" == classify(text)


@pytest.mark.parametrize("text", [*PUBLIC, *PUBLIC_BESIDE])
def test_work_and_everyday_life_are_public(text: str) -> None:
    """Sentences that share a word with such matters too, and names alone."""
    assert classify(text) is None


@pytest.mark.parametrize("name", ["lives", "mixed"])
def test_shipped_weights_fit_the_features(name: str) -> None:
    """The sentences they were fitted on are told apart; a change of the features shows here."""
    rows = [line.split("\t") for line in (SENTENCES / f"{name}.tsv").read_text().splitlines()[1:]]
    hits = {"personal": [], "public": []}
    for given, text in rows:
        hits[given].append(classify(text) is not None)

    assert np.mean(hits["personal"]) >= 0.95
    assert np.mean(hits["public"]) <= 0.06


def test_minilm_finds_what_is_only_hinted_at() -> None:
    """MiniLM's vector of a sentence decides together with the words."""
    minilm = load("minilm", models_dir=minilm_models())
    hint = "Grandpa doesn't know who we are any more"
    vectors = [made.pooled for made in minilm.embed([hint])]

    assert "personal" == label([read(hint)], vectors)


def test_a_score_that_is_no_number_is_personal() -> None:
    """A model that fails may give such vectors."""
    dimension = len(sensitivity._weights().vectors["contextual"])
    nothing = np.full(dimension, np.nan, dtype=np.float32)
    assert label([read("The lamp is green")], [nothing]) == "personal"


@pytest.mark.parametrize(("model", "name"), sensitivity.CONTEXTUAL.items())
def test_a_vector_can_make_a_text_public_or_personal(model: str, name: str) -> None:
    """The words alone do not decide where a model has read the text, in whatever language."""
    weights = sensitivity._weights().vectors[name]

    assert label([read("I have diabetes")], [-9 * weights], model) is None
    assert "personal" == label([read("Der Zug nach Ulm")], [9 * weights], model)
    assert label([read("Der Zug nach Ulm")]) is None


def test_one_sentence_makes_a_long_text_personal() -> None:
    """Each sentence is judged by itself."""
    plain = ["The build broke last night.", "We deploy on Fridays.", "The server is called apollo."]

    assert classify(" ".join(plain)) is None
    assert "personal" == classify(" ".join([*plain, "My mother has breast cancer.", *plain]))


def test_one_item_makes_a_long_list_personal() -> None:
    """Each clause of a long sentence is judged by itself, and ordinary lists stay public."""
    hits = {"personal": [], "public": []}
    for row in (SENTENCES / "lists.tsv").read_text().splitlines()[1:]:
        given, text = row.split("\t")
        hits[given].append(label([read(text)]) is not None)

    assert np.mean(hits["personal"]) >= 0.6
    assert np.mean(hits["public"]) <= 0.05


def test_a_long_sentence_without_commas_is_read_in_windows() -> None:
    """Words far from the private ones do not hide them."""
    plain = "We moved the desks to the other room and repainted the walls there because"
    noise = "could not stand the noise of the printer next to the kitchen"

    assert label([read(f"{plain} Jens {noise}")]) is None
    assert "personal" == label([read(f"{plain} Jens who has schizophrenia {noise}")])


def test_minilm_does_not_outvote_a_clause() -> None:
    """Its one vector of a list holds little of a single item."""
    text = (
        "Minutes: lamps fixed, Kai was diagnosed with ADHD, bins emptied on Friday, lift inspected."
    )
    against = -9 * sensitivity._weights().vectors["contextual"]

    assert "personal" == label([read(text)], [against])


@pytest.mark.parametrize("value", ["diabetes", "gay", "HIV", "asthma", "lesbian", "Muslim"])
def test_a_value_of_the_metadata_is_read_without_its_key_too(value: str) -> None:
    """A key that says nothing does not hide the value."""
    assert "personal" == label(map(read_details, described({"k": value})))
    assert (
        label(map(read_details, described({"k": "May", "author": "Lydia", "fuel": "gas"}))) is None
    )


def test_metadata_is_read_with_its_keys() -> None:
    """A value says little without its key; lists and objects are opened."""
    metadata = {"diagnosis": "HIV", "source": {"pages": [1, 2], "note": None}}

    assert ["diagnosis: HIV", "pages: 1", "pages: 2", "note"] == described(metadata)


def test_what_cannot_be_judged_is_personal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A classifier without weights treats everything as personal, and logs no text."""
    monkeypatch.setattr(sensitivity, "WEIGHTS", tmp_path / "missing.npz")
    sensitivity._weights.cache_clear()
    text_caches.empty()
    log.configure("info")

    assert "personal" == classify("The terminal theme is dark")
    assert "personal" == label([read("The terminal theme is dark")], [np.zeros(384)])

    sensitivity._weights.cache_clear()
    logged = capsys.readouterr().err
    assert "sensitivity_not_judged" in logged
    assert "theme" not in logged


def test_loading_reads_the_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards it is known to be loaded."""
    read: list[str] = []
    monkeypatch.setattr(sensitivity, "_LOADED", threading.Event())
    monkeypatch.setattr(sensitivity, "read", read.append)

    assert not sensitivity.is_loaded()
    sensitivity.load()
    sensitivity.load()
    assert sensitivity.is_loaded()
    assert read == [""]
