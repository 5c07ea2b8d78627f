"""What the check of accessibility finds: every kind of obstacle, and none on a good page."""

from accessibility import complaints
from browser import page_of

from qddot.present.pages import page

BAD = """<!DOCTYPE html><html><head><meta name="viewport" content="user-scalable=no"></head><body>
<button></button><main><h1>One</h1><h3>Three</h3><h1>Two</h1>
<p id="a" style="color:#999;background:#fff">pale</p><p id="a">again</p>
<input id="x"><img src="data:,"><canvas></canvas><label for="gone">nothing</label>
<table><tr><th>head</th></tr></table><table><tr><td>cell</td></tr></table>
<a href="#nowhere">link</a><li>item</li><b tabindex="3">first</b>
<a href="#x" style="outline:none">no ring</a>
<div style="overflow:auto;width:50px;height:20px"><p style="width:500px">wide</p></div>
</main></body></html>"""

EXPECTED = (
    *("no language", "no title", "there are 2 h1", "cannot be zoomed", "jumps from 1 to 3"),
    *("two elements have the id a", "an input has no label", "nothing says what", "no alt"),
    *("a drawing has no name", "names gone, which is not there", "no scope", "no headings"),
    *("leads nowhere", "in no list", "order of Tab is changed", "only a mouse can scroll"),
    *("contrast 2.8", "the focus of A cannot be seen"),
)


def test_every_obstacle_is_found():
    with page_of(BAD) as seen:
        found = "\n".join(complaints(seen.page))
    missed = [words for words in EXPECTED if words not in found]
    assert not missed, found


def test_a_good_page_has_none():
    parts = [page.section(f"Part {k}", page.table(["a", "b"], [["x", 1]])) for k in range(3)]
    with page_of(page.page("Good", *parts, page.code("print()"))) as seen:
        assert complaints(seen.page) == []
