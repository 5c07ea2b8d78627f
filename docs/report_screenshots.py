"""Take the pictures of the report again: `python docs/report_screenshots.py`; needs Chromium."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from screenshots import BROWSERS, HERE, LARGEST, shrink

import qddot

WIDTH, HEIGHT = 1400, 1000
PICTURES = {"report_panda.png": "light", "report_equation.png": "dark"}
POSE = {"q-1": -0.45, "q-3": -2.05, "q-4": 0.25, "q-5": 1.9}


def main() -> int:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("There is no Chromium. Install it: apt install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = qddot.report("panda", Path(folder) / "panda.html")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, scheme in PICTURES.items():
            window: Any = {"viewport": {"width": WIDTH, "height": HEIGHT}, "color_scheme": scheme}
            page = browser.new_context(**window).new_page()
            page.goto(path.as_uri())
            pose(page)
            if name == "report_equation.png":
                page.click("#explorer .entry[data-of='M'][data-at='3,4']")
                page.evaluate("document.querySelector('.numbers').scrollIntoView()")
            page.wait_for_timeout(1500)
            page.screenshot(path=HERE / name)
            shrink(HERE / name)
            size = (HERE / name).stat().st_size
            print(f"{name}: {size // 1000} kB")
            if size > LARGEST:
                print(f"{name} is larger than {LARGEST // 1000} kB.", file=sys.stderr)
                return 1
        browser.close()
    return 0


def pose(page: Any) -> None:
    """Bend the arm, and show what gravity asks of it and how heavy its tip is."""
    for key, value in POSE.items():
        page.evaluate(
            "([id, value]) => { const s = document.getElementById(id); s.value = value; "
            "s.dispatchEvent(new Event('input')); }",
            [key, value],
        )
    page.check("#show-torques")
    page.check("#show-mass")


if __name__ == "__main__":
    sys.exit(main())
