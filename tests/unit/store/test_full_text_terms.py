"""The full-text expression: quoted terms, and scope tokens that cannot be syntax."""

import pytest

from ashd.store.full_text_terms import Term, expression, in_scopes


@pytest.mark.parametrize(
    "token",
    ["", " ", "a b", 'c1" OR "c2', "c1) OR (c2", "c*", "c-1", "body:", "é", "\uff11", "c\x00", "²"],
)
def test_a_scope_token_cannot_be_syntax(token: str) -> None:
    """Only ASCII letters and digits are one, alone and beside good ones."""
    for scopes in ([token], ["c1", token], [token, "c1"]):
        with pytest.raises(ValueError, match="letters and digits"):
            in_scopes(scopes)
        with pytest.raises(ValueError, match="letters and digits"):
            expression([Term("tea")], scopes)


def test_no_scope_is_not_every_scope() -> None:
    """An empty list of scopes is an error; None asks for no scope."""
    with pytest.raises(ValueError, match="letters and digits"):
        in_scopes([])
    with pytest.raises(ValueError, match="letters and digits"):
        expression([Term("tea")], [])
    with pytest.raises(ValueError, match="at least one term"):
        expression([], ["c1"])

    found = expression([Term("tea")])
    assert found == '{body names dates grams} : ("tea")'
    assert expression([Term("tea")], ["c1", "p2"]) == f'scope : ("c1" OR "p2") AND ({found})'


def test_terms_are_quoted_and_grouped_by_column() -> None:
    """Quotes are doubled; a prefix has its star outside of them."""
    terms = [Term('a" OR "b', "text"), Term("te", "text", is_prefix=True), Term("may", "dates")]

    assert expression(terms) == (
        '{body names grams} : ("a"" OR ""b" OR "te" *) OR {dates} : ("may")'
    )
