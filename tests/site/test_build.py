"""The documentation builds, and everything in it leads somewhere."""

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from website.addresses import broken
from website.navigation import unlisted, written_sections

ROOT = Path(__file__).resolve().parents[2]
SMALL = 18e6  # [bytes] of the whole site of some 280 pages, pictures and fonts included


def test_the_site_has_no_broken_link_and_no_page_that_is_missing_or_hidden(site):
    assert not site.problems, "\n".join(site.problems)


def test_every_markdown_page_is_in_the_navigation_and_becomes_a_page(site):
    sections = written_sections(ROOT)
    assert not unlisted(ROOT, sections)
    front = site.text("index.html")
    for item in (item for section in sections for item in section.items):
        assert (site.folder / item.address).is_file(), item.source
        assert f'href="{item.address}"' in front, item.title


def test_every_example_is_a_page_that_shows_its_code(site):
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        page = site.text(f"examples/{path.stem}.html")
        assert f"python examples/{path.name}" in page
        assert '<pre class="code" data-language="python">' in page


def test_every_page_has_one_title_and_headings_in_order(site):
    for address in site.pages:
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", site.text(address))]
        assert levels[:1] == [1], f"{address} begins with another heading than h1"
        assert levels.count(1) == 1, address
        skipped = [(a, b) for a, b in pairwise(levels) if b > a + 1]
        assert not skipped, f"{address} skips a level of headings: {skipped}"


def test_pages_have_landmarks_a_language_and_a_title(site):
    for address in site.pages:
        page = site.text(address)
        for part in ('<html lang="en">', '<main id="content"', '<header class="top">', "<footer>"):
            assert page.count(part) == 1, (address, part)
        assert re.search(r"<title>[^<]{4,}</title>", page), address
        images = re.findall(r"<img [^>]*>", page)
        assert all(re.search(r'alt="[^"]{4,}"', image) for image in images), address


def test_pages_ask_nobody_for_anything(site):
    """Only links that people follow lead outside: no script, no style, no picture, no font."""
    for address in site.pages:
        asked = re.findall(
            r'<(?:img|script|link|iframe|source)\b[^>]*"(https?:[^"]*)"', site.text(address)
        )
        assert not asked, (address, asked)
    for path in (site.folder / "assets").glob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*['\"]?(?!data:)\w|@import", text), path.name


def test_the_site_is_small(site):
    assert sum(path.stat().st_size for path in site.folder.rglob("*") if path.is_file()) < SMALL


def test_the_readme_has_at_most_twelve_links_and_the_front_page_twelve_lines():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\]\(", readme)) <= 12
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", front, re.DOTALL)
    assert block
    assert len([line for line in block[1].splitlines() if line.strip()]) == 12


def test_the_formula_on_the_page_of_equations_is_the_one_that_is_derived():
    import qddot

    page = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
    shown = re.search(r"```math\nM = (.*?)```", page, re.DOTALL)
    assert shown
    derived = qddot.derive(qddot.load("two_link_symbolic")).latex("M")
    assert shown[1].split() == derived.split()


def test_what_leads_nowhere_is_found(tmp_path):
    """What these tests rely on."""
    (tmp_path / "a.html").write_text(
        '<h2 id="x">x</h2><p id="x"></p><a href="b.html">1</a><a href="#y">2</a>'
        '<a href="/c.html">3</a><a href="https://example.org/d">4</a><img src="e.svg">'
        '<a href="a.html#x">5</a>',
        encoding="utf-8",
    )
    assert sorted(broken(tmp_path)) == [
        "a.html: #y has no such anchor",
        "a.html: /c.html is not relative",
        "a.html: b.html does not exist",
        "a.html: e.svg does not exist",
        "a.html: two elements are called 'x'",
    ]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    precious = tmp_path / "thesis.tex"
    precious.write_text("years of work", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "build.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode != 0
    assert "name another folder" in run.stderr
    assert precious.read_text(encoding="utf-8") == "years of work"


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_make_docs_checks_then_builds():
    said = subprocess.run(["make", "-n", "docs"], capture_output=True, text=True, cwd=ROOT).stdout
    assert 0 <= said.index("docs/check.py") < said.index("docs/build.py")


def test_the_first_page_lists_the_pages_in_the_groups_and_order_of_the_navigation():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = re.compile(r"^- \[(.+?)\]\((.+?)\)\\$", re.MULTILINE)
    groups = re.findall(r"^## (.+?)\n\n(- .+?)(?=\n## |\Z)", text, re.DOTALL | re.MULTILINE)
    listed = tomllib.loads((ROOT / "docs" / "navigation.toml").read_text(encoding="utf-8"))
    listed["Start"].pop("Overview")  # the page itself
    for long in ("How to", "Lecture decks"):  # these have a page that lists them
        listed[long] = dict([next(iter(listed[long].items()))])
    assert {title: dict(pages.findall(body)) for title, body in groups} == listed
    assert [title for title, _ in groups] == list(listed)
    assert [page for _, body in groups for page in pages.findall(body)] == [
        page for group in listed.values() for page in group.items()
    ]
