"""The studio's page in a real browser, and what one reads there.

Numbers on the page are rounded. `shows` says whether a text is a number, rounded as the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from browser import Seen, page_of, rest, until

READY = "() => (document.querySelector('#matrix td button')?.textContent ?? '–') !== '–'"
DROP = """([name, text]) => {
  const held = new DataTransfer();
  held.items.add(new File([text], name));
  const drop = (kind) => document.body.dispatchEvent(
    new DragEvent(kind, {dataTransfer: held, bubbles: true, cancelable: true}));
  drop("dragenter");
  drop("drop");
}"""
# nothing is played or run any more
STILL = """() => {
  const going = "#live[aria-pressed=true], #play[aria-label=Pause]";
  for (const button of document.querySelectorAll(going)) button.click();
}"""
# every control as it is on a page that was just opened, and no message
FRESH = """() => {
  document.title = "";
  for (const each of document.querySelectorAll("input"))
    if (each.type === "checkbox" ? each.checked !== each.defaultChecked : each.defaultChecked && !each.checked) each.click();
  for (const id of ["duration", "speed", "reference"]) {
    const field = document.getElementById(id);
    field.value = field.defaultValue ?? [...field.options].find((each) => each.defaultSelected).value;
    field.dispatchEvent(new Event("change"));
  }
  for (const each of document.querySelectorAll("details")) each.open = false;
  document.querySelector("#messages").replaceChildren();
}"""  # noqa: E501


def studio_of(*arguments: Any, **options: Any) -> Any:
    """Return a studio to be entered; skip with a sentence where it cannot run."""
    reason = "there is no websockets; pip install 'qddot[studio]'"
    pytest.importorskip("websockets", reason=reason)
    from qddot.studio import Studio

    return Studio(*arguments, **options)


@contextmanager
def shown(address: str, **options: Any) -> Iterator[Seen]:
    """Show a studio's page once its first robot is there."""
    window = {"width": 1280, "height": 800, "webgl": False, **options}
    with page_of(address, **window) as seen:
        # the browser hands over its file choosers only while somebody listens, and a listener that
        # comes with the key press can come too late
        seen.page.on("filechooser", lambda _: None)
        ready(seen.page)
        yield seen


@contextmanager
def watched(studio: Any, start: str = "", **options: Any) -> Iterator[Seen]:
    """Show a studio's page; in the end it complained of nothing, and asked nobody else."""
    with shown(studio.address + start, **options) as seen:
        yield seen
        own = (studio.address, studio.address.replace("http", "ws"), f"blob:{studio.address}")
        assert not seen.errors, seen.errors
        assert all(request.startswith(own) for request in seen.requests)


def ready(page: Any) -> None:
    """Wait until the page shows the numbers of its robot, and nothing is on its way any more."""
    page.wait_for_function(READY)
    rest(page)


def load(page: Any, name: str) -> None:
    """Choose a built-in robot."""
    page.select_option("#robots", name)
    page.wait_for_function("(name) => document.title.startsWith(`${name} –`)", arg=name)
    ready(page)


def fresh(page: Any, name: str) -> Any:
    """Return the page as it is when it was just opened with a robot, without opening it again."""
    page.evaluate(STILL)
    rest(page)
    page.evaluate(FRESH)
    if page.input_value("#robots") != name:
        load(page, name)
        page.evaluate("() => { document.title = ''; }")
    load(page, name)  # the same robot again begins anew, with nothing to undo
    return page


def set_number(page: Any, selector: str, value: float) -> None:
    """Type a number into a field and leave it."""
    page.fill(selector, f"{value:g}")
    page.press(selector, "Enter")


def joint_field(i: int) -> str:
    """Return the number field of a joint."""
    return f"#joints .joint:nth-child({i + 1}) input[type=number]"


def drop(page: Any, name: str, text: str) -> None:
    """Drop a file onto the page."""
    page.evaluate(DROP, [name, text])


def messages(page: Any) -> list[str]:
    """Return the messages on the page, newest first."""
    return page.locator("#messages p").all_text_contents()


def matrix(page: Any) -> list[list[str]]:
    """Return the matrix on the page, as texts."""
    rows = page.locator("#matrix tbody tr").all()
    return [row.locator("td button").all_text_contents() for row in rows]


def column(page: Any, name: str) -> list[str]:
    """Return a column of the torques: g, c, friction or τ."""
    heads = page.locator("#vectors thead th").all_text_contents()
    place = heads.index(name) + 1
    return page.locator(f"#vectors tbody tr > :nth-child({place})").all_text_contents()


def shows(text: str, value: float, most: float = 1.0) -> bool:
    """Return whether a text is the value, rounded to as many digits as the text has.

    Zero stands for rounding errors too, which are small beside the largest number beside it.
    """
    plain = text.replace("−", "-")
    found = re.fullmatch(r"-?(\d+)(?:\.(\d+))?(?:e(-?\d+))?", plain)
    if not found:
        return False
    _, decimals, exponent = found.groups()
    unit = 10.0 ** (int(exponent or 0) - len(decimals or ""))
    # the last digit may be rounded either way
    return abs(float(plain) - value) <= (1e-12 * max(most, 1) if plain == "0" else 0.501 * unit)


def wait_for_column(page: Any, name: str, values: np.ndarray) -> None:
    """Wait until a column of the torques shows these values."""
    most = float(np.abs(values).max())

    def right() -> bool:
        found = column(page, name)
        return len(found) == len(values) and all(map(shows, found, values, [most] * len(values)))

    came = until(page, right)
    assert came, f"{name} shows {column(page, name)}, not {np.round(values, 5).tolist()}"


def wait_for_matrix(page: Any, values: np.ndarray) -> None:
    """Wait until the matrix on the page has these values."""

    def same() -> bool:
        told = matrix(page)
        most = float(np.abs(values).max())
        return len(told) == len(values) and bool(np.all(np.vectorize(shows)(told, values, most)))

    came = until(page, same)
    assert came, f"the matrix shows {matrix(page)}, not {np.round(values, 5).tolist()}"


def status(page: Any) -> str:
    """Return the status line."""
    return page.text_content("#status")


def wait_for_motion(page: Any, what: str) -> None:
    """Wait until a motion was computed and is being played."""
    page.wait_for_selector("#plots:not([hidden])")
    page.wait_for_selector("#run:not([disabled])", state="attached")
    assert not messages(page), f"{what}: {messages(page)}"
