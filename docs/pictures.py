"""Draw the pictures of the documentation again: `python docs/pictures.py`."""

import io
import re
from pathlib import Path

from rich.console import Console

from qddot.model.show import print_robot
from qddot.readers import read

HERE = Path(__file__).parent


def terminal_picture(name: str) -> str:
    """Return what `qddot show` prints, as a picture that needs nothing from the network."""
    console = Console(record=True, width=126, file=io.StringIO(), force_terminal=True)
    print_robot(read(name), console)
    svg = console.export_svg(title=f"qddot show {name}")
    return re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    (HERE / "show_panda.svg").write_text(terminal_picture("panda"), encoding="utf-8")
