"""Elements and pages: words stay words, ids are unique, nothing is asked for, all can read."""

import json
import re

import pytest
from accessibility import complaints
from browser import calm, copied, page_of
from long import long
from outline import Outline

from qddot.errors import BadArgument
from qddot.present.pages import page

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '" onload="alert(1)',
    "' onmouseover='alert(1)",
    "{title} {0} %s \\1 \\g<0>",
    "<!-- --> ]]> &lt;img src=x onerror=alert(1)&gt;",
    "a\x1b[2Jb\x00\ue000",
)


def everything(words):
    """Return an element of every kind, with the words wherever words can be."""
    svg = '<svg viewBox="0 0 1 1"></svg>'
    return (
        page.paragraph(words, words),
        page.bullets([words, words]),
        page.facts({words: words}),
        page.table([words, words], [[words, 1.5], [words, words]], bad={1}, caption=words),
        page.figure(svg, words),
        page.formula(words, words),
        page.code(words, words),
        page.folded(words, page.paragraph(words)),
        page.data("facts", {words: [words]}),
        page.section(words, page.section(words, page.paragraph(words)), id=words),
        page.section(words, page.paragraph(words)),
    )


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_are_words_in_every_element(words):
    document = page.page(words, *everything(words), katex=False, copying=False)
    outline = Outline(document)
    calm = Outline(page.page("calm", *everything("calm"), katex=False, copying=False))
    kinds = [[tag for tag, _ in found.tags] for found in (outline, calm)]
    assert kinds[0] == kinds[1]
    names = [[sorted(attributes) for _, attributes in found.tags] for found in (outline, calm)]
    assert names[0] == names[1]
    shown = " ".join(outline.words)
    assert page.printable(words) in shown
    assert "\x1b" not in document
    assert "\x00" not in document


@pytest.mark.parametrize("words", HOSTILE)
def test_data_for_scripts_comes_back_as_it_was(words):
    element = page.data("facts", {words: [1, words]})
    assert element.count("<") == 2  # of its own tags
    assert json.loads(re.sub(r"^<[^>]*>|<[^>]*>$", "", element)) == {words: [1, words]}


def test_a_page_forbids_every_request_and_every_script_but_its_own():
    document = page.page("a", page.formula("x", "x"), scripts=["let own = 1;"])
    policy = Outline(document).named("meta")[1]
    assert policy["http-equiv"] == "Content-Security-Policy"
    rules = dict(rule.strip().split(" ", 1) for rule in policy["content"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert rules["font-src"] == "data:"
    assert rules["script-src"].count("'sha256-") == 3  # KaTeX, copying, its own
    assert "unsafe" not in rules["script-src"]
    assert not re.search(r"@import|url\((?!data:|#)", document)


def test_a_still_page_has_no_script():
    document = page.page("a", page.code("x"), katex=False, copying=False)
    assert "<script" not in document
    assert "script-src 'none'" in document


def test_every_id_stands_once_and_every_reference_finds_one():
    from qddot.present.figures import style

    def drawn():
        figure = style.figure(2, 2)
        figure.add_subplot().plot([1, 2], [1, 3])
        return page.figure(page.svg_of(figure), "The same figure again.")

    same = page.section("Content", page.section("Masses", drawn()), page.section("Masses"))
    document = page.page("a", same, same, page.section("Content title"), katex=False)
    outline = Outline(document)
    ids = outline.all("id")
    assert len(ids) == len(set(ids))
    references = [address[1:] for address in outline.all("href") + outline.all("xlink:href")]
    references += outline.all("aria-labelledby") + re.findall(r"url\(#([^)]+)\)", document)
    assert len(references) > 20
    assert not set(references) - set(ids)


def test_headings_step_down_one_at_a_time():
    deep = page.section("b", page.section("c", page.section("d"), page.section("d")))
    outline = Outline(page.page("a", deep, page.section("e")))
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h\d", tag)]
    assert levels == [1, 2, 3, 4, 4, 2]


def test_a_page_has_landmarks_a_language_and_a_way_past_them():
    parts = [page.section(name) for name in ("one", "two", "three")]
    outline = Outline(page.page("a", *parts))
    assert outline.named("html") == [{"lang": "en"}]
    assert [outline.named(tag) != [] for tag in ("header", "nav", "main")] == [True] * 3
    skip = outline.named("a")[0]
    assert skip["href"] == "#content"
    assert outline.named("main")[0]["id"] == "content"
    links = [a["href"] for a in outline.named("a")[1:]]
    assert links == ["#one", "#two", "#three"]
    assert Outline(page.page("a", *parts[:2])).named("nav") == []


def test_cells_say_whose_they_are():
    outline = Outline(page.table(["joint", "q"], [["j1", 1], ["j2", 2]], caption="Positions"))
    assert [th["scope"] for th in outline.named("th")] == ["col", "col", "row", "row"]
    assert outline.named("caption")
    assert "Positions" in outline.words


def test_a_figure_is_named_by_its_first_sentence():
    element = page.figure("<svg></svg>", "Torques. Left: measured.")
    [svg] = Outline(element).named("svg")
    assert svg == {"role": "img", "aria-label": "Torques"}


def test_a_page_is_written_whole_under_a_name_that_browsers_know(tmp_path):
    document = page.page("a", katex=False)
    page.write_page(tmp_path / "a.html", document)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == document
    with pytest.raises(BadArgument, match=r"A page is written as \.html or \.htm"):
        page.write_page(tmp_path / "a.pdf", document)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


# in a browser


def sample():
    return page.page(
        "Sample <b>",
        page.section("Words", page.paragraph("quiet", "quiet"), page.paragraph("warn", "warn")),
        page.section("Good", page.paragraph("good", "good"), page.facts({"name": "value"})),
        page.section("Table", page.table(["a", "b"], [["x", 1], ["y", 2]], bad={1}, caption="c")),
        page.section("Formula", page.formula(r"M = \frac{1}{2} m l^2", "M = m l²/2")),
        page.section("Long", page.formula("+".join(["x_1"] * 90), "x1 + ...")),
        page.section("Code", page.code("print(1) # <&>", "python"), page.folded("more", "<p>in")),
        page.section("Wide", page.table(["joint"] * 80, [["a long cell"] * 80])),
    )


def test_hostile_words_do_nothing_in_a_browser():
    """What tried to run would be stopped by the policy, and be an error in the console."""
    parts = [element for words in HOSTILE for element in everything(words)]
    with calm(page.page(HOSTILE[0], *parts)) as seen:
        assert seen.page.title() == HOSTILE[0]
        assert seen.page.locator("figure").count() == len(HOSTILE)


def test_a_page_asks_for_nothing_and_draws_its_formulas():
    with calm(sample()) as seen:
        assert seen.page.locator(".katex").count() == 2


def test_the_policy_stops_a_script_that_is_not_the_pages_own():
    document = sample().replace("</main>", "<script>window.stranger = 1</script></main>")
    with page_of(document.replace("<h1", '<h1 onclick="window.stranger = 1"')) as seen:
        seen.page.click("h1")
        assert seen.page.evaluate("window.stranger") is None
        assert seen.errors


def test_formulas_and_code_are_copied_by_a_button():
    with page_of(sample(), permissions=["clipboard-read", "clipboard-write"]) as seen:
        for place, words in (
            (".with-copy > .copy", r"M = \frac{1}{2} m l^2"),
            (".code > .copy", "print(1) # <&>"),
        ):
            assert copied(seen.page, seen.page.locator(place).first) == words


def test_what_is_too_wide_scrolls_by_itself_and_by_keys():
    with page_of(sample(), width=500) as seen:
        wide = seen.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 500
        seen.page.evaluate("document.fonts.ready")
        assert seen.page.locator("table").count() == 2
        assert seen.page.locator(".scroll[tabindex='0']:has(table)").count() == 1
        assert seen.page.locator(".formula[tabindex='0']").count() == 1


@pytest.mark.parametrize("scheme", ["dark", *long("light")])
def test_everybody_can_read_a_page(scheme):
    with page_of(sample(), scheme=scheme) as seen:
        seen.page.evaluate("document.fonts.ready")
        assert complaints(seen.page) == []


def test_paper_is_white_and_has_no_buttons():
    with page_of(sample(), scheme="dark") as seen:
        seen.page.emulate_media(media="print", color_scheme="dark")
        paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        shown = seen.page.locator("button:visible, nav:visible, .skip:visible")
        assert shown.count() == 0


def test_what_is_folded_is_open_on_paper():
    folded = page.page("a", page.folded("more", page.paragraph("inside")), katex=False)
    for document in (folded, page.page("a", folded, katex=False, copying=False)):
        with page_of(document) as seen:
            tall = "document.body.scrollHeight"
            closed = seen.page.evaluate(tall)
            seen.page.emulate_media(media="print")
            seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
            assert seen.page.get_by_text("inside").is_visible()
            assert seen.page.evaluate(tall) != closed
