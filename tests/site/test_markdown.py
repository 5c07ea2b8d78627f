"""Markdown becomes what GitHub makes of it: anchors, alerts, formulas, tables, links."""

from pathlib import Path

import pytest
from website.addresses import Addresses, Anchors, anchor, relative
from website.examples import as_markdown
from website.highlight import coloured
from website.markdown import rendered


# as GitHub shows them on its own pages
@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Evaluate, compile, convert", "evaluate-compile-convert"),
        ("What's new?", "whats-new"),
        ("Ṁ − 2C is skew", "ṁ--2c-is-skew"),
        ("q̈ and q̇", "q̈-and-q̇"),
        ("x² + a₁", "x--a"),
        ("snake_case-and - dashes", "snake_case-and---dashes"),
        ("5. Let it fall", "5-let-it-fall"),
    ],
)
def test_anchors_are_those_of_github(heading, expected):
    assert anchor(heading) == expected


def test_headings_of_the_same_words_get_numbers():
    anchors = Anchors()
    found = [anchors.of(words) for words in ("Limits", "Limits", "Limits-1", "Limits")]
    assert found == ["limits", "limits-1", "limits-1-1", "limits-2"]


def test_code_and_links_in_a_heading_do_not_count():
    body = rendered("# A\n\n## The `mass_matrix` of [an arm](arm.md)\n")
    assert [h.anchor for h in body.headings] == ["a", "the-mass_matrix-of-an-arm"]


def test_formulas_are_told_from_money_and_from_code():
    text = "Let $a_1 < b$ cost $5 or $6, `$x$`, \\$7, $$\\n and $`c^2`$.\n\n$$\na\n+ b\n$$\n"
    html = rendered(text).html
    assert '<span class="math">a_1 &lt; b</span>' in html
    assert '<span class="math">c^2</span>' in html
    assert '<div class="math block">a\n+ b</div>' in html
    assert html.count('class="math') == 3
    assert "<code>$x$</code>" in html


def test_a_fence_of_mathematics_is_a_formula():
    assert '<div class="math block">x^2</div>' in rendered("```math\nx^2\n```\n").html


def test_a_formula_in_a_list_or_a_quotation_stays_there():
    html = rendered("- one\n\n  $$ x $$\n\n> $$\n> y\n> $$\n").html
    assert '<div class="math block">x</div></li>' in html.replace("\n", "")
    assert '<blockquote><div class="math block">y</div></blockquote>' in html.replace("\n", "")


def test_a_quotation_that_says_so_is_an_alert():
    html = rendered("> [!WARNING]\n> Do *not*.\n\n> Only words.\n").html
    assert '<aside class="alert warning">' in html
    assert "<em>not</em>" in html
    assert "[!WARNING]" not in html
    assert html.count("<blockquote>") == html.count("</blockquote>") == 1


def test_comments_are_not_shown():
    html = rendered("<!-- exit 2 -->\n```console\n$ qddot show x\n```\n").html
    assert "exit 2" not in html
    assert '<span class="command">qddot show x</span>' in html


def test_a_table_without_a_head_has_none():
    html = rendered("| | |\n|---|---|\n| a | b |\n| c | d |\n").html
    assert "<thead>" not in html
    assert html.count('<th scope="row">') == 2
    assert "<td>b</td>" in html
    html = rendered("| | speed |\n|---|--:|\n| a | 1 |\n").html
    assert '<th scope="col" style="text-align:right">speed</th>' in html
    assert html.count("<th ") == 1


def test_names_of_the_reference_become_links_outside_of_links_and_headings():
    def find(code):
        return "there.html" if code == "f" else None

    html = rendered("# `f`\n\n`f` and [`f`](x.html) and `g`\n", find=find).html
    assert html.count('<a href="there.html" class="name"><code>f</code></a>') == 1


def test_words_between_angles_stay_words_in_code():
    assert coloured("<b>&</b>", "") == "&lt;b&gt;&amp;&lt;/b&gt;"
    assert "<b>" not in coloured("x = '<b>'", "python")
    assert coloured("<no language>", "klingon") == "&lt;no language&gt;"


def test_a_terminal_shows_commands_their_notes_and_their_output():
    html = coloured("$ make demo  # see it\ndone\n$ a \\\n    b\n", "console")
    assert '<span class="command">make demo</span>  <span class="c"># see it</span>' in html
    assert '<span class="go">done</span>' in html
    assert '<span class="command">    b</span>' in html


@pytest.mark.parametrize(
    ("page", "target", "expected"),
    [
        ("a.html", "b.html", "b.html"),
        ("x/a.html", "b.html#c", "../b.html#c"),
        ("x/a.html", "x/a.html#c", "#c"),
        ("a.html", "x/y/b.html", "x/y/b.html"),
    ],
)
def test_addresses_are_relative(page, target, expected):
    assert relative(page, target) == expected


def test_links_between_files_become_links_between_pages(tmp_path):
    for name in ("docs/a.md", "docs/p.svg", "CONTRIBUTING.md", "README.md", "src/m.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    pages = {Path("docs/a.md"), Path("CONTRIBUTING.md")}
    addresses = Addresses(tmp_path, pages)
    resolve = addresses.resolver(Path("docs/how_to/b.md"), "how_to/b.html")
    (tmp_path / "docs" / "how_to").mkdir()
    assert resolve("../a.md#x") == "../a.html#x"
    assert resolve("../p.svg") == "../p.svg"
    assert resolve("../../CONTRIBUTING.md") == "../contributing.html"
    assert resolve("../../README.md") == "../index.html"
    assert resolve("../../src/m.py") == "../source/src/m.py.html"
    assert resolve("https://example.org") == "https://example.org"
    assert resolve("../gone.md") == "../gone.md"
    assert addresses.pictures == {Path("docs/p.svg")}
    assert addresses.listings == {Path("src/m.py")}


def test_an_example_in_cells_becomes_words_and_code():
    text = "# %% [markdown]\n# # Drops\n#\n# Let *go*.\n\n# %%\nx = 1\n\n# %%\nx + 1  # two\n"
    page = as_markdown(Path("examples/09_drop.py"), text)
    assert page.startswith(
        "# Drops\n\nLet *go*.\n\n```python\nx = 1\n```\n\n```python\nx + 1  # two\n```"
    )
    assert page.count("# Drops") == 1


def test_an_example_with_a_docstring_begins_with_it():
    page = as_markdown(Path("examples/09_drop_it.py"), '"""Let it go."""\n\nx = 1\n')
    assert page.startswith("# Drop it\n\nLet it go.\n\n```python\nx = 1\n```")
