"""Make the README the page of the wheel, on which a link into the repository would lead nowhere.

Such a link becomes its words and the name of the file, which the wheel has under `share/doc/ashd`.
"""

import re
from pathlib import Path

from setuptools import setup

RELATIVE_LINK = re.compile(r"\[([^]]+)\]\((?!https?:)([^)#]*)[^)]*\)")
TITLE = "# ashd\n"
NOTE = """
The files that this page names are in the installation, below `share/doc/ashd`; `ash --help`
prints the path of one of them. `make` works in a clone.
"""


def without_links(page: str) -> str:
    """Return a page that names files in place of links to them."""
    return RELATIVE_LINK.sub(_named, page).replace(TITLE, TITLE + NOTE, 1)


def _named(link: re.Match[str]) -> str:
    words, path = link.groups()
    return f"{words} (`{path}`)" if path and path not in words else words


setup(
    long_description=without_links(Path("README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
