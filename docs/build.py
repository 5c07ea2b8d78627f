"""Build the documentation as a site of plain files: `python docs/build.py [FOLDER]`.

It needs no network, neither to build nor to read: open index.html from a disk.
"""

import sys
import time
from pathlib import Path

from website.site import Site

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "site"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    start = time.perf_counter()
    site = Site(ROOT, folder)
    problems = site.build()
    for problem in problems:
        print(problem, file=sys.stderr)
    seconds = time.perf_counter() - start
    print(f"{len(site.bodies)} pages in {seconds:.1f} s, {len(problems)} problems")
    print(f"Open {folder.resolve().joinpath('index.html').as_uri()}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
