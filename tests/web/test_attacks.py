"""Other pages in the person's own browser: none of them reads or changes anything."""

import http.server
import threading
from collections.abc import Iterator

import pytest
from browsers import Watch, context_of
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sites import Site, Visitor, opened


class Elsewhere(http.server.ThreadingHTTPServer):
    """A server of somebody else: one page, and what browsers sent it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = ""
        self.cookies: list[str] = []


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Elsewhere

    def do_GET(self) -> None:
        self.server.cookies.append(self.headers.get("cookie", ""))
        body = self.server.page.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815  http.server looks for these names

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def victim(browser: Browser, visitor: Visitor) -> Iterator[BrowserContext]:
    """The person's browser, signed in, with the page open in a tab."""
    context = context_of(browser, visitor)
    context.new_page().goto(visitor.site.url)
    yield context
    context.close()


def audited(site: Site) -> int:
    """The number of the newest row of the audit."""
    rows = site.daemon.call("audit.list", limit=1)["entries"]
    return rows[0]["id"] if rows else 0


@pytest.mark.parametrize("name", ["evil.test", "127.0.0.1", "localhost", "other.ash.localhost"])
def test_form_of_another_page_changes_nothing(
    victim: BrowserContext, visitor: Visitor, elsewhere: Elsewhere, name: str
) -> None:
    """Forms of another site or another port fail, even with the form's token."""
    site, before = visitor.site, audited(visitor.site)
    elsewhere.page = (
        f'<form method="post" action="{site.url}/sync">'
        f'<input name="token" value="{visitor.form_token}"><button>Win</button></form>'
    )
    page = victim.new_page()
    page.goto(f"http://{name}:{elsewhere.server_port}/")
    page.get_by_role("button").click()

    expect(page.get_by_text("Other pages may not ask here.")).to_be_visible()
    assert audited(site) == before


@pytest.mark.parametrize("name", ["evil.test", "127.0.0.1"])
def test_script_of_another_page_reads_nothing(
    victim: BrowserContext, visitor: Visitor, elsewhere: Elsewhere, name: str
) -> None:
    """A fetch, a script, a style and a picture are all refused."""
    page = victim.new_page()
    page.goto(f"http://{name}:{elsewhere.server_port}/")
    read = page.evaluate(
        """async (url) => {
            const got = [];
            for (const mode of ["cors", "no-cors"]) {
                try {
                    const answer = await fetch(url, {mode, credentials: "include"});
                    got.push(await answer.text());
                } catch { got.push(""); }
            }
            return got.join("");
        }""",
        visitor.site.url,
    )

    assert read == ""


def test_page_under_a_rebound_name_gets_nothing(victim: BrowserContext, visitor: Visitor) -> None:
    """The name leads here, the port is ours, and no browser says whence the request comes."""
    page = victim.new_page()
    answer = page.goto(f"http://evil.test:{visitor.site.port}/")

    assert answer.status == 421
    assert page.evaluate("document.cookie") == ""
    status = page.evaluate(
        "async () => (await fetch('/sync', {method: 'POST', body: new URLSearchParams()})).status"
    )
    assert status == 421


def test_page_shows_in_no_frame(
    victim: BrowserContext, visitor: Visitor, elsewhere: Elsewhere
) -> None:
    """The page cannot be laid under another page's buttons."""
    elsewhere.page = f'<iframe src="{visitor.site.url}/"></iframe>'
    page = victim.new_page()
    page.goto(f"http://evil.test:{elsewhere.server_port}/")

    framed = page.frames[-1]
    assert framed.locator("nav").count() == 0
    assert framed.locator("form").count() == 0


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_cookie_goes_to_no_other_port(
    victim: BrowserContext, elsewhere: Elsewhere, name: str
) -> None:
    """Another user's server on this machine learns nothing."""
    victim.new_page().goto(f"http://{name}:{elsewhere.server_port}/")

    assert elsewhere.cookies
    assert set(elsewhere.cookies) == {""}


def test_file_signs_in_once(browser: Browser, visitor: Visitor) -> None:
    """The file opens the start page; the same form afterwards opens nothing."""
    with opened(visitor.site.daemon) as site:
        source = site.page.read_text()
        watch = Watch(site.url)
        context = browser.new_context()
        watch.over(context)
        page = context.new_page()
        page.goto(site.page.as_uri())
        expect(page.get_by_role("heading", name="What is remembered")).to_be_visible()
        (cookie,) = context.cookies()
        assert cookie["name"] == "__Host-ash"
        assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
        assert watch.faults() == []

        other = browser.new_context()
        stolen: Page = other.new_page()
        stolen.set_content(source)  # its script sends the form
        expect(stolen.get_by_role("alert")).to_contain_text("was used already")
        assert other.cookies() == []
        other.close()
        context.close()
