"""What others made and pages need offline: KaTeX 0.19.1 (MIT) with its fonts (SIL OFL)."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path

KATEX = Path(__file__).parent / "katex"


@cache
def katex_style() -> str:
    """Return KaTeX's style sheet with its fonts inside, so that a page needs nothing else."""
    style = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    # one format is enough for every browser of this decade
    style = re.sub(r",url\([^)]*\.(woff|ttf)\) format\(\"?(woff|truetype)\"?\)", "", style)

    def inlined(match: re.Match[str]) -> str:
        font = base64.b64encode((KATEX / match[1]).read_bytes()).decode()
        return f"url(data:font/woff2;base64,{font})"

    return re.sub(r"url\((fonts/[\w-]+\.woff2)\)", inlined, style)


@cache
def katex_script() -> str:
    """Return KaTeX itself, below its licence, which every copy must have."""
    licence, script = (
        (KATEX / file).read_text(encoding="utf-8") for file in ("LICENSE", "katex.min.js")
    )
    return f"/*! KaTeX\n{licence}*/\n{script}"
