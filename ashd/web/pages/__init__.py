"""The pages: one module each, with its routes; the navigation names those that have an entry."""

from typing import Final, NamedTuple

from starlette.routing import Route

from ashd.web.pages import audit, danger, jobs, overview, statistics, viewing


class Entry(NamedTuple):
    """An entry of the navigation."""

    path: str
    title: str


NAVIGATION: Final = [
    Entry("/", "Overview"),
    Entry("/statistics", "Statistics"),
    Entry("/jobs", "Jobs"),
    Entry("/audit", "Audit"),
    Entry("/danger", "Danger zone"),
]

ROUTES: Final[list[Route]] = [
    *overview.ROUTES,
    *statistics.ROUTES,
    *jobs.ROUTES,
    *audit.ROUTES,
    *danger.ROUTES,
    *viewing.ROUTES,
]
