"""Make the README the page of the wheel, on which a link into the repository would lead nowhere.

Such a link becomes its words; the pages themselves are in the wheel, under `share/doc/ashd`.
"""

import re
from pathlib import Path

from setuptools import setup

RELATIVE_LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]+\)")

setup(
    long_description=RELATIVE_LINK.sub(r"\1", Path("README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
