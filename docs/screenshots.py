"""Take the pictures of the studio again: `python docs/screenshots.py`; needs Chromium."""

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from qddot.studio import Studio

HERE = Path(__file__).parent
WIDTH, HEIGHT = 1280, 800
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
POSE = (0.35, -0.45, 0.2, -2.05, 0.25, 1.9, 0.7)
STEP = 4  # of 255 shades
LARGEST = 300_000  # [bytes] of a picture


def main() -> int:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("There is no Chromium. Install it: apt install chromium", file=sys.stderr)
        return 1
    with Studio("panda", port=0) as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, scheme, act in (
            ("studio_panda.png", "light", equation),
            ("studio_motion.png", "dark", motion),
            ("studio_control.png", "light", control),
            ("studio_drag.png", "light", solutions),
        ):
            window: Any = {"viewport": {"width": WIDTH, "height": HEIGHT}, "color_scheme": scheme}
            page = browser.new_context(**window).new_page()
            page.goto(studio.address)
            page.wait_for_selector("#joints .joint")
            act(page)
            page.screenshot(path=HERE / name)
            shrink(HERE / name)
            size = (HERE / name).stat().st_size
            print(f"{name}: {size // 1000} kB")
            if size > LARGEST:
                print(f"{name} is larger than {LARGEST // 1000} kB.", file=sys.stderr)
                return 1
        browser.close()
    return 0


def equation(page: Any) -> None:
    """Show an entry of M as its equation, with the effective mass at the tool."""
    for i, value in enumerate(POSE):
        field = f"#joints .joint:nth-child({i + 1}) input[type=number]"
        page.fill(field, str(value))
        page.press(field, "Enter")
    page.check("#ellipsoid")
    page.click("#matrix [data-row='5'][data-column='5']")
    page.locator("#equation-title", has_text="Equation of M₆₆").wait_for()
    settle(page)


def motion(page: Any) -> None:
    """Drop the arm and stop in the middle."""
    page.click("#vectors [data-matrix=g] >> nth=5")
    page.locator("#equation-title", has_text="Equation of g₆").wait_for()
    page.fill("#duration", "4")
    page.press("#duration", "Tab")
    page.select_option("#speed", "0.5")
    page.click("#run")
    page.wait_for_selector("#plots:not([hidden])")
    page.wait_for_function("() => Number(document.querySelector('#scrubber').value) > 1.1")
    page.click("#play")
    settle(page)


def control(page: Any) -> None:
    """Tune an impedance on a payload that its law does not know, beside chosen gains."""

    def enter(field: str, value: float) -> None:
        page.fill(field, str(value))
        page.press(field, "Enter")

    def run() -> None:
        page.evaluate("() => { document.querySelector('#verdict').textContent = ''; }")
        page.click("#run")
        page.wait_for_function("() => document.querySelector('#verdict').textContent")
        page.wait_for_function("() => Number(document.querySelector('#scrubber').value) > 1.5")
        page.click("#play")

    enter("#payload", 2)
    page.get_by_role("radio", name="Control").check()
    page.select_option("#law", "cartesian_impedance")
    page.wait_for_selector("#gain-joint_damping")
    page.select_option("#reference", "setpoint")
    page.click("#target summary")
    enter("#target-fields label:nth-child(2) input", 0.3)
    page.click("#target summary")
    enter("#known-payload", 0)
    run()
    page.click("#keep-run")
    enter("#gain-kp", 1500)
    enter("#gain-kd", 150)
    run()
    page.evaluate("() => { document.querySelector('.numbers').scrollTop = 0; }")
    settle(page)


def solutions(page: Any) -> None:
    """Show all ways in which a UR5 has its tool where it is."""
    page.select_option("#robots", "ur5")
    page.wait_for_function("() => document.title.startsWith('ur5')")
    for i, value in enumerate((0.3, -1.2, 1.3, -0.6, 0.9, 0.2)):
        field = f"#joints .joint:nth-child({i + 1}) input[type=number]"
        page.fill(field, str(value))
        page.press(field, "Enter")
    page.uncheck("#torques")
    page.click("#ways")
    page.wait_for_selector("#ways-rows li")
    settle(page)


def shrink(path: Path) -> None:
    """Write a picture with its shades rounded, which nobody sees and which halves the file."""
    shades = np.asarray(Image.open(path).convert("RGB")).astype(float)
    rounded = np.minimum(np.round(shades / STEP) * STEP, 255)
    Image.fromarray(rounded.astype(np.uint8)).save(path, optimize=True)


def settle(page: Any) -> None:
    """Wait for the finest picture, and take the focus away."""
    page.evaluate("() => document.activeElement.blur()")
    page.mouse.move(WIDTH / 2, 2)
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    sys.exit(main())
