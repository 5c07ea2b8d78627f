"""A real browser for tests: Chromium without a window, through Playwright.

    with calm(html) as seen:          # or page_of("http://127.0.0.1:8737/")
        seen.page.click("text=Copy")

A test never waits for a while: it waits until something is so (`until`), or until nothing on the
page will change by itself (`rest`). What shows for a moment is noted as it happens (`copied`).

The browser is started by the first page of a test module and closed when the module ends (see
conftest.py). While it is open its thread has a running event loop, so that `asyncio.run` beside it
belongs into another thread. Pages forbid `eval`, so that `wait_for_function` wants "() => ...".
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# the first has no user interface of its own to start
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = "there is no chromium; apt install chromium"
PATIENCE = 60  # [s] for what takes a moment: ten times what a busy machine needs
# WebGL by the processor, where there is no graphics card
DRAWN_HERE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
FLAT = ("--disable-gpu", "--disable-3d-apis")  # no WebGL, which takes less than half of the time
INSIDE = ("data:", "blob:")  # addresses that hold what they name

# What a page awaits: timers, frames, answers of a socket. Timers of more than a quarter of a second
# make nothing new, but a finer picture; those of five seconds tidy up.
COUNTED = """(() => {
  const awaited = new Set(), late = new Set(), later = window.setTimeout.bind(window);
  const counted = (ask, never, kind, which) => {
    const forget = (id) => [awaited, late].forEach((each) => each.delete(`${kind} ${id}`));
    const [asked, dropped] = [window[ask].bind(window), window[never].bind(window)];
    window[ask] = (what, ms = 0, ...more) => {
      const id = asked((...given) => {
        forget(id);
        what(...given);
      }, ms, ...more);
      which(ms)?.add(`${kind} ${id}`);
      return id;
    };
    window[never] = (id) => {
      forget(id);
      dropped(id);
    };
  };
  // what happens again and again can be made to happen now
  const often = [], every = window.setInterval.bind(window);
  window.setInterval = (what, ...more) => {
    often.push(what);
    return every(what, ...more);
  };
  window.tick = () => often.forEach((what) => what());
  counted("setTimeout", "clearTimeout", "timer", (ms) => (ms > 5000 ? null : ms > 250 ? late : awaited));
  counted("requestAnimationFrame", "cancelAnimationFrame", "frame", () => awaited);

  const { send } = WebSocket.prototype, heard = new WeakMap();
  const listen = (socket) => {
    const open = new Set(), forget = (key) => open.delete(key) && awaited.delete(key);
    socket.addEventListener("message", ({ data }) => {
      const { id, is } = JSON.parse(data);
      if (is !== "progress") forget(`answer ${id}`);
    });
    socket.addEventListener("close", () => open.forEach(forget));
    return open;
  };
  WebSocket.prototype.send = function (text) {
    if (!heard.has(this)) heard.set(this, listen(this));
    const key = `answer ${JSON.parse(text).id}`;
    heard.get(this).add(key);
    awaited.add(key);
    return send.call(this, text);
  };

  window.rested = (patience, fine) => new Promise((done, failed) => {
    const start = performance.now();
    let looks = 0;
    const look = () => {
      looks += 1;
      if (!awaited.size && !(fine && late.size)) done();
      else if (looks > 100 && performance.now() - start > patience) failed(new Error(`still awaited: ${[...awaited, ...late]}`));
      else later(look, 5);
    };
    look();
  });
})()"""  # noqa: E501
# note all that a button says from now on
NOTED = """(button) => {
  button.said = [];
  const note = () => button.said.push(button.textContent);
  new MutationObserver(note).observe(button, {childList: true, characterData: true, subtree: true});
}"""

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
    shown.set_default_timeout(1000 * PATIENCE)
    shown.add_init_script(COUNTED)
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


@contextmanager
def calm(html_or_url: str, **options: Any) -> Iterator[Seen]:
    """Show a page as `page_of` does; in the end it complained of nothing and asked for nothing."""
    with page_of(html_or_url, **options) as seen:
        yield seen
        assert not seen.errors, seen.errors
        assert not seen.requests, seen.requests


def rest(page: Any, fine: bool = False) -> None:
    """Wait until nothing on a page will change by itself; one that plays something never rests.

    Args:
        page: The page.
        fine: Whether a finer picture, which follows a while after a coarse one, is waited for too.
    """
    page.evaluate("([patience, fine]) => window.rested(patience, fine)", [1000 * PATIENCE, fine])


def until(page: Any, right: Callable[[], object]) -> bool:
    """Wait until something is so, and return whether it came to be."""
    end, looks = time.monotonic() + PATIENCE, 0
    while not right():
        looks += 1
        if looks > 100 and time.monotonic() > end:  # the machine may have stood still meanwhile
            return False
        page.wait_for_timeout(20)
    return True


def copied(page: Any, button: Any) -> str:
    """Press a button that copies and says so for a moment; return what is in the clipboard."""
    pressed = button.element_handle()  # whatever is written on it
    pressed.evaluate(NOTED)
    pressed.click()
    assert until(page, lambda: "Copied" in pressed.evaluate("(button) => button.said"))
    return page.evaluate("navigator.clipboard.readText()")


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
