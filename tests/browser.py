"""A real browser for tests: Chromium without a window, through Playwright.

    with page_of(html) as seen:          # or page_of("http://127.0.0.1:8737/")
        seen.page.click("text=Copy")
        assert not seen.errors
        assert not seen.requests

The browser is started by the first page of a test module and closed when the module ends (see
conftest.py). While it is open its thread has a running event loop, so that `asyncio.run` beside it
belongs into another thread. Pages forbid `eval`, so that `wait_for_function` wants "() => ...".
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# the first has no user interface of its own to start
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = "there is no chromium; apt install chromium"
HANGS = 300_000  # [ms] after which a page counts as hung
# WebGL by the processor, where there is no graphics card
DRAWN_HERE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
FLAT = ("--disable-gpu", "--disable-3d-apis")  # no WebGL, which takes less than half of the time
INSIDE = ("data:", "blob:")  # addresses that hold what they name

_open: list[Any] = []  # Playwright and its browsers, once they run
_browsers: dict[bool, Any] = {}  # with WebGL, and without


@dataclass
class Seen:
    """A page that a browser shows, what it complained of, and what it asked others for."""

    page: Any  # playwright.sync_api.Page
    errors: list[str] = field(default_factory=list)  # of the console, and exceptions
    requests: list[str] = field(default_factory=list)  # addresses, but for the page's own


@contextmanager
def page_of(
    html_or_url: str,
    *,
    width: int = 1200,
    height: int = 900,
    scheme: str = "light",
    webgl: bool = True,
    **context: Any,
) -> Iterator[Seen]:
    """Show HTML, or what an address names, in a fresh browser context; skip without a browser.

    Args:
        html_or_url: A whole document, or an address that begins with http:// or file://.
        width, height: Of the window [px].
        scheme: Of colours: "light" or "dark".
        webgl: Whether the browser has it.
        **context: What Playwright's `new_context` takes, such as device_scale_factor.
    """
    shown = browser(webgl).new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        **context,
    )
    shown.set_default_timeout(HANGS)
    with tempfile.TemporaryDirectory() as folder:
        url = html_or_url
        if not url.startswith(("http://", "https://", "file://")):
            file = Path(folder, "page.html")
            file.write_text(html_or_url, encoding="utf-8")
            url = file.as_uri()
        try:
            seen = Seen(shown.new_page())
            seen.page.on("console", lambda m: _complaint(seen, m))
            seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
            seen.page.on("request", lambda request: _request(seen, request.url, url))
            seen.page.goto(url)
            yield seen
        finally:
            shown.close()


def browser(webgl: bool = True) -> Any:
    """Return the browser, started if it is not; skip with a sentence where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(MISSING)
    api = pytest.importorskip(
        "playwright.sync_api", reason="there is no playwright; pip install 'qddot[test]'"
    )
    if not _open:
        _open.append(api.sync_playwright().start())
    if webgl not in _browsers:
        args = ["--no-sandbox", *(DRAWN_HERE if webgl else FLAT)]
        _browsers[webgl] = _open[0].chromium.launch(executable_path=program, args=args)
        _open.append(_browsers[webgl])
    return _browsers[webgl]


def close() -> None:
    """End the browsers that run."""
    _browsers.clear()
    while _open:
        last = _open.pop()
        last.close() if hasattr(last, "close") else last.stop()


def _complaint(seen: Seen, message: Any) -> None:
    if message.type == "error":
        seen.errors.append(message.text)


def _request(seen: Seen, asked: str, own: str) -> None:
    if asked != own and not asked.startswith(INSIDE):
        seen.requests.append(asked)
