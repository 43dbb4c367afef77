"""The scripted model of the frameworks' tests."""

from collections.abc import Iterator

import pytest
from endpoint import Endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that answers as a test says."""
    made = Endpoint()
    yield made
    made.end()
