"""The pages: one module each, with its routes; the navigation names those that have an entry."""

from typing import Final, NamedTuple

from starlette.routing import Route

from ashd.web import undo
from ashd.web.pages import (
    accounts,
    audit,
    conflicts,
    context,
    conversations,
    danger,
    grants,
    identity,
    jobs,
    memories,
    memory,
    overrides,
    people,
    person,
    profile,
    search,
    start,
    statistics,
    system,
    viewing,
)


class Entry(NamedTuple):
    """An entry of the navigation."""

    path: str
    title: str
    of_daemon: bool = False
    """Whether it is about the whole daemon: under *System*, and left out for one account."""


NAVIGATION: Final = [
    Entry("/", "Start"),
    Entry("/memories", "Memories"),
    Entry("/search", "Search"),
    Entry("/conflicts", "Conflicts"),
    Entry("/context", "Prompt"),
    Entry("/people", "People"),
    Entry("/profile", "Profile"),
    Entry("/overrides", "Pinned facts"),
    Entry("/conversations", "Conversations"),
    Entry("/system", "System", of_daemon=True),
    Entry("/grants", "Grants", of_daemon=True),
    Entry("/accounts", "Accounts and chats", of_daemon=True),
    Entry("/statistics", "Statistics", of_daemon=True),
    Entry("/jobs", "Jobs", of_daemon=True),
    Entry("/audit", "Audit", of_daemon=True),
    Entry("/danger", "Danger zone", of_daemon=True),
]

ROUTES: Final[list[Route]] = [
    *start.ROUTES,
    *system.ROUTES,
    *memories.ROUTES,
    *memory.ROUTES,
    *search.ROUTES,
    *conflicts.ROUTES,
    *context.ROUTES,
    *undo.ROUTES,
    *people.ROUTES,
    *person.ROUTES,
    *identity.ROUTES,
    *profile.ROUTES,
    *overrides.ROUTES,
    *conversations.ROUTES,
    *grants.ROUTES,
    *accounts.ROUTES,
    *statistics.ROUTES,
    *jobs.ROUTES,
    *audit.ROUTES,
    *danger.ROUTES,
    *viewing.ROUTES,
]
