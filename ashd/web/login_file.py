"""The file that passes the one-time token to the browser.

A token on the command line or in a URL could be read by others.
"""

import tempfile
from html import escape
from pathlib import Path
from typing import Final

_PAGE: Final = """\
<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>ash</title>
<form method="post" action="http://{host}/login">
<input type="hidden" name="token" value="{token}">
<p><button autofocus>Open</button></p>
</form>
<p>If the browser does not find the address, use one that keeps names in .localhost on this
machine, as Firefox and Chromium do.</p>
<script>
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") document.forms[0].submit();
</script>
"""


class LoginFile:
    """A page in a file that only its owner can read; it posts the token and is then removed."""

    def __init__(self, host: str, token: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ash-web-"))
        self.path = self._folder / "open.html"
        page = _PAGE.format(host=escape(host), token=escape(token))
        self.path.touch(mode=0o600)
        self.path.write_text(page, encoding="utf-8")

    def remove(self) -> None:
        """Remove the file, which is no longer needed."""
        self.path.unlink(missing_ok=True)
        if self._folder.exists():
            self._folder.rmdir()
