"""The site in a real browser, from a disk: formulas, search, copying, light, dark, narrow."""

import pytest
from accessibility import complaints
from browser import copied, page_of, until
from long import long


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("index.html", "light"),
        ("equations.html", "dark"),
        *long(("reference/robot.html", "light"), ("quick_start.html", "dark")),
    ],
)
def test_pages_open_from_a_disk_ask_nobody_and_keep_nobody_out(site, address, scheme):
    with page_of(site.url(address), webgl=False, scheme=scheme) as seen:
        assert complaints(seen.page) == []
        assert not seen.errors
        home = site.folder.as_uri()
        assert all(request.startswith(home) for request in seen.requests), seen.requests


@pytest.mark.parametrize("address", ["index.html", "equations.html"])
def test_formulas_are_set(site, address):
    with page_of(site.url(address), webgl=False) as seen:
        formulas = seen.page.locator(".math")
        assert formulas.count() > 0
        assert seen.page.locator(".math > :is(.katex, .katex-display)").count() == formulas.count()
        assert seen.page.locator(".katex-error").count() == 0
        assert seen.page.evaluate("document.fonts.check('16px KaTeX_Main')")


def test_every_picture_of_the_front_page_is_there(site):
    with page_of(site.url("index.html"), webgl=False) as seen:
        widths = seen.page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
        assert widths
        assert min(widths) > 0


def test_search_finds_a_method_and_goes_there(site):
    with page_of(site.url("tutorials/lecturer.html"), webgl=False) as seen:
        seen.page.keyboard.press("/")
        seen.page.keyboard.type("inverse_dynamics")
        first = seen.page.locator("#found li a .what").first
        assert until(seen.page, lambda: first.text_content() == "Robot.inverse_dynamics")
        assert "places" in (seen.page.locator("#found [role=status]").text_content() or "")
        seen.page.keyboard.press("ArrowDown")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/reference/robot.html#qddot.Robot.inverse_dynamics")
        # the page glides there; the head of the site does not cover the heading
        seen.page.wait_for_function(
            """() => {
              const top = document.querySelector("header.top").getBoundingClientRect().bottom;
              const heading = document.getElementById("qddot.Robot.inverse_dynamics");
              const y = heading.getBoundingClientRect().top;
              return top <= y && y < top + 60;
            }"""
        )
        assert not seen.errors


QUERIES = {
    "quick start": "Quick start",
    "certif": "Certificate",
    "Ṁ skew": "skew",
    "mass matrix": "Return M(q)",
    "BadArgument": "BadArgument",
    "qddot.Robot.mass_matrix(q)": "Robot.mass_matrix",
}


def test_search_finds_titles_headings_words_and_names(site):
    with page_of(site.url("index.html"), webgl=False) as seen:
        for query, title in QUERIES.items():
            seen.page.fill("#query", query)
            seen.page.locator("#found li:nth-child(-n + 5) a", has_text=title).first.wait_for()


def test_search_says_when_there_is_nothing_and_takes_no_markup(site):
    with page_of(site.url("index.html"), webgl=False) as seen:
        seen.page.fill("#query", "<img src=x onerror=alert(1)>")
        status = seen.page.locator("#found [role=status]")
        status.wait_for()
        assert "Nothing found" in (status.text_content() or "")
        assert seen.page.locator("#found img").count() == 0
        seen.page.keyboard.press("Escape")
        assert not seen.page.locator("#found").is_visible()
        assert not seen.errors


def test_commands_are_copied_without_their_prompt_and_notes(site):
    granted = ["clipboard-read", "clipboard-write"]
    with page_of(site.url("index.html"), webgl=False, permissions=granted) as seen:
        block = seen.page.locator(".copyable", has=seen.page.locator(".command")).first
        block.hover()
        text = copied(seen.page, block.locator("button"))
        assert text == "make demo\nmake test"


@pytest.mark.parametrize(
    "address", ["equations.html", "reference/robot.html", *long("index.html", "comparison.html")]
)
def test_nothing_sticks_out_of_a_narrow_window(site, address):
    with page_of(site.url(address), webgl=False, width=360, height=700) as seen:
        wide = seen.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360


def test_the_menu_of_a_narrow_window_opens(site):
    with page_of(site.url("equations.html"), webgl=False, width=400, height=700) as seen:
        menu = seen.page.locator("button.menu")
        before = seen.page.locator("#pages").bounding_box()["y"]
        menu.click()
        assert menu.get_attribute("aria-expanded") == "true"
        assert seen.page.locator("#pages").bounding_box()["y"] < before


def test_the_contents_follow_where_one_reads(site):
    with page_of(site.url("simulation.html"), webgl=False, width=1400) as seen:
        last = seen.page.locator("nav.toc a").last
        last.click()
        # the page glides there, past the other headings
        seen.page.wait_for_function(
            """() => {
              const marked = document.querySelectorAll("nav.toc a[aria-current]");
              return marked.length === 1 && marked[0] !== document.querySelector("nav.toc a");
            }"""
        )


def test_a_printed_page_holds_words_and_nothing_to_click(site):
    with page_of(site.url("equations.html"), webgl=False) as seen:
        seen.page.emulate_media(media="print")
        assert seen.page.locator("article h1").is_visible()
        for hidden in ("header.top", "nav.pages", "nav.toc", "footer", ".neighbours"):
            assert not seen.page.locator(hidden).first.is_visible(), hidden
