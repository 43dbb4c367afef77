"""`ash web` in front of a daemon, and a visitor who reads pages and sends forms."""

from __future__ import annotations

import contextlib
import html
import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from daemons import Daemon
    from failing_daemon import FailingDaemon

BIN = Path(sys.executable).parent
_PATIENCE_S = 60


class Answer(NamedTuple):
    """An answer: `headers` have names in small letters."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def words(self) -> str:
        """The text of the page without its markup."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", "", self.text)).split())


class Site:
    """A running `ash web`: where it answers, and the file that opens it."""

    def __init__(self, daemon: Any, process: subprocess.Popen[str], page: Path) -> None:
        self.daemon = daemon
        self.process = process
        self.page = page
        text = page.read_text()
        self.host = re.search(r'action="http://([^/]+)/login"', text)[1]
        self.token = html.unescape(re.search(r'name="token" value="([^"]+)"', text)[1])
        self.port = int(self.host.rpartition(":")[2])

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def request(
        self, method: str, path: str, fields: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """One request with no header but `Host` and those given; a header None is left out."""
        sent = {"Host": self.host, **(headers or {})}
        body = fields if isinstance(fields, bytes | None) else urlencode(fields, doseq=True)
        if body is not None:
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_S)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, named, answer.read().decode())
        finally:
            connection.close()

    def log_in(self) -> Visitor:
        """Use the one-time token, as the file's form does."""
        headers = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
        answer = self.request("POST", "/login", {"token": self.token}, headers)
        assert answer.status == 200, answer
        return Visitor(self, answer.headers["set-cookie"].partition(";")[0])


class Visitor:
    """The browser that signed in, as far as requests go."""

    def __init__(self, site: Site, cookie: str) -> None:
        self.site = site
        self.cookie = cookie
        self.form_token = _form_token(self.get("/"))

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Cookie": self.cookie,
            "Sec-Fetch-Site": "same-origin",
            "Origin": self.site.url,
        }

    def get(self, path: str) -> Answer:
        """A page."""
        return self.site.request("GET", path, None, self.headers)

    def post(self, path: str, **fields: Any) -> Answer:
        """The answer to a form of this session, with the page that it leads to."""
        answer = self.site.request("POST", path, {"token": self.form_token, **fields}, self.headers)
        page = self.get(answer.headers["location"]) if answer.status == 303 else answer
        if path == "/viewing" and page.status == 200:  # another view has other forms
            self.form_token = _form_token(page)
        return page

    def undo(self, answer: Answer) -> Answer:
        """The answer to the button beside a page's notice."""
        form = re.search(
            r'<div class="notice".*?<form method="post" action="([^"]+)"(.*?)</form>',
            answer.text,
            re.DOTALL,
        )
        assert form, answer.words
        fields = re.findall(r'name="([^"]+)" value="([^"]*)"', form[2])
        return self.post(form[1], **{name: html.unescape(value) for name, value in fields})


def _form_token(page: Answer) -> str:
    return re.search(r'name="token" value="([^"]+)"', page.text)[1]


@contextlib.contextmanager
def opened(
    daemon: Daemon | FailingDaemon,
    *options: str,
    browser: Path | None = None,
    before: Sequence[str] = (),
    **environment: str,
) -> Iterator[Site]:
    """Run `ash web` for as long as the context lasts; with `browser` it opens that program.

    `before` are options of `ash` itself.
    """
    opens = ["--no-open"] if browser is None else []
    if browser is not None:
        environment["BROWSER"] = str(browser)
    process = subprocess.Popen(
        [BIN / "ash", "--socket", daemon.socket, *before, "web", *opens, *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        process.stderr.readline()  # the code, for a browser that cannot read the file
        found = re.search(r"Open (\S+/open\.html)", line)
        assert found, line + process.stderr.read()
        yield Site(daemon, process, Path(found[1]))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        process.wait(_PATIENCE_S)
        process.stderr.close()
        assert "page_failed" not in said, said
