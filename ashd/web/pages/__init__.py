"""The pages: one module each, with its routes; the navigation names those that have an entry."""

from typing import Final, NamedTuple

from starlette.routing import Route

from ashd.web.pages import overview, viewing


class Entry(NamedTuple):
    """An entry of the navigation."""

    path: str
    title: str


NAVIGATION: Final = [
    Entry("/", "Overview"),
]

ROUTES: Final[list[Route]] = [
    *overview.ROUTES,
    *viewing.ROUTES,
]
