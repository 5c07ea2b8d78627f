"""The view of an arm, in a real browser: it draws, turns, follows, and says what it is."""

import base64
import json

import numpy as np
import pytest
from browser import calm, page_of
from long import long, one_in

from qddot.present.figures.shells import box, capsule, cylinder
from qddot.present.figures.surfaces import Surface, Surfaces
from qddot.present.pages import page

# an arm of two links, with everything that a scene can have
SCENE = {
    "lines": [[[0, 0, 0], [0, 0, 0.5]], [[0, 0, 0.5], [0.4, 0, 0.6]]],
    "joints": [
        {"at": [0, 0, 0], "axis": [0, 0, 1], "turns": True, "colour": "#0072B2", "label": "q1"},
        {"at": [0, 0, 0.5], "axis": [0, 1, 0], "turns": False, "colour": "#D55E00", "label": "q2"},
    ],
    "bodies": [{"at": [0.2, 0, 0.55], "axes": [[0.2, 0, 0.05], [0, 0.06, 0], [-0.01, 0, 0.04]]}],
    "solids": [
        {
            "kind": "cylinder",
            "at": [0, 0, -0.02],
            "axes": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.02]],
            "colour": "#5f6b7a",
        }
    ],
    "ellipsoids": [
        {"at": [0.4, 0, 0.6], "axes": [[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.05]], "label": "2 kg"}
    ],
    "arrows": [{"from": [0.4, 0, 0.6], "to": [0.4, 0, 0.3], "label": "<b>g</b>"}],
    "turns": [{"at": [0, 0, 0.5], "axis": [0, 1, 0], "amount": -0.6, "label": "3 N·m"}],
    "traces": [{"points": [[0.1 * k, 0.1, 0.7] for k in range(6)], "colour": "#009E73"}],
    "frames": [{"at": [0.4, 0, 0.6], "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "label": "tool"}],
    "thin": [[[0, 0, 0.8], [0.1, 0, 0.9], [0.2, 0, 0.8]]],
    "floor": 0,
}
# a red block on the base, and a blue one on a body that moves
HERE = [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2]]
THERE = [[0, -1, 0, -0.5], [1, 0, 0, 0], [0, 0, 1, 0.2]]
BLOCKS = Surfaces(
    (
        Surface(-1, *cylinder(0.1, 0.2, 24), "#cc2211"),
        Surface(0, *box((0.2, 0.3, 0.2)), "#1133cc"),
    )
)
ROBOT = {
    "surfaces": BLOCKS.packed(),
    "poses": [HERE],
    "box": [[-1, -1, -1], [1, 1, 1]],
    "floor": None,
}
LABEL = 'the arm <b>"of tests"</b>'
SCRIPT = """
const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const view = new ArmView(canvas, {label: %s});
const scene = JSON.parse(document.getElementById("scene").textContent);
// a number for what is on the canvas
const print = () => {
  view.draw();
  let sum = 0;
  const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) | 0;
  return sum;
};
const at = (p) => {
  view.draw();
  const [x, y] = view.seen(p);
  return [...pen.getImageData(x, y, 1, 1).data].slice(0, 3);
};
const colours = () => {
  view.draw();
  const found = new Set();
  const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) found.add(data.slice(i, i + 3).join());
  return found.size;
};
"""


def document(scene=SCENE, style="width: 160px; height: 120px"):
    return page.page(
        "view",
        f'<canvas style="{style}"></canvas>',
        page.data("scene", scene),
        scripts=[page.file("arm_view.js"), SCRIPT % json.dumps(LABEL)],
        katex=False,
        copying=False,
    )


@pytest.fixture(scope="module")
def shown():
    """One page for the tests that only look at it."""
    with page_of(document(), width=500, height=500) as seen:
        seen.page.evaluate("view.show(scene)")
        yield seen


@pytest.fixture
def view(shown):
    shown.page.evaluate("(view.scene = null, view.show(scene))")
    yield shown
    assert not shown.errors
    assert not shown.requests


def test_an_empty_view_is_blank_and_a_scene_is_not():
    with calm(document()) as seen:
        assert seen.page.evaluate("colours()") == 1
        seen.page.evaluate("view.show({lines: [], floor: null})")
        background = seen.page.evaluate("colours()")
        seen.page.evaluate("view.show(scene)")
        assert seen.page.evaluate("colours()") > 10 * background


@pytest.mark.parametrize("part", one_in(6, [*SCENE]))
def test_every_part_of_a_scene_is_drawn(view, part):
    """Without it the picture is another; the box is kept, so that nothing else moves."""
    whole = view.page.evaluate("(view.show({...scene, box: view.box}), print())")
    without = {**SCENE, part: None if part == "floor" else []}
    less = view.page.evaluate(
        "(s) => { view.show({...s, box: view.box}); return print(); }", without
    )
    assert less != whole
    assert view.page.evaluate("(view.show({...scene, box: view.box}), print())") == whole


def test_links_of_the_colour_of_a_joint_are_where_its_joint_is(view):
    """What is at a point of the scene is drawn where `seen` says that the point is."""
    one = {**SCENE, "box": [[-1, -1, -1], [1, 1, 1]], "floor": None}
    one |= {part: [] for part in ("bodies", "ellipsoids", "arrows", "turns", "traces", "solids")}
    one["lines"], one["joints"] = [], [{**SCENE["joints"][1], "at": [0.3, 0.2, 0.4], "label": ""}]
    red, green, blue = view.page.evaluate(
        """(s) => {
          view.show(s);
          view.draw();
          const [x, y] = view.seen([0.3, 0.2, 0.4]);
          return [...pen.getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        one,
    )
    assert red > 1.5 * green > 1.5 * blue  # vermillion


def test_dragging_turns_the_arm(view):
    before = view.page.evaluate("[print(), view.pose.azimuth, view.pose.elevation]")
    box = view.page.locator("canvas").bounding_box()
    view.page.mouse.move(box["x"] + 100, box["y"] + 100)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + 150, box["y"] + 120, steps=4)
    view.page.mouse.up()
    after = view.page.evaluate("[print(), view.pose.azimuth, view.pose.elevation]")
    assert after[0] != before[0]
    assert after[1] < before[1]
    assert after[2] > before[2]
    view.page.mouse.move(box["x"] + 10, box["y"] + 10)
    assert view.page.evaluate("print()") == after[0]


@pytest.mark.parametrize(
    ("key", "what"),
    [
        *(("ArrowLeft", "azimuth"), ("ArrowUp", "elevation"), ("+", "distance")),
        *long(("ArrowRight", "azimuth"), ("ArrowDown", "elevation"), ("-", "distance")),
    ],
)
def test_keys_turn_the_arm_and_bring_it_nearer(view, key, what):
    before = view.page.evaluate("[print(), view.pose]")
    view.page.focus("canvas")
    view.page.keyboard.press(key)
    after = view.page.evaluate("[print(), view.pose]")
    assert after[0] != before[0]
    changed = [name for name in before[1] if before[1][name] != after[1][name]]
    assert changed == [what]
    view.page.keyboard.press("Home")
    assert view.page.evaluate("print()") == before[0]


def test_the_wheel_brings_it_nearer_and_a_double_click_shows_it_as_at_first(view):
    first = view.page.evaluate("print()")
    view.page.hover("canvas")
    view.page.mouse.wheel(0, -100)
    view.page.wait_for_function("() => view.zoom > 1")
    assert view.page.evaluate("print()") != first
    view.page.dblclick("canvas")
    assert view.page.evaluate("print()") == first


def test_where_the_page_scrolls_the_wheel_is_the_pages():
    long = document().replace("</main>", '<p style="height: 3000px">long</p></main>')
    with page_of(long) as seen:
        seen.page.evaluate("view.show(scene)")
        seen.page.hover("canvas")
        seen.page.mouse.wheel(0, 120)
        seen.page.wait_for_function("() => scrollY > 0")
        assert seen.page.evaluate("view.zoom") == 1


def test_a_picture_of_it_is_a_png_of_its_size(view):
    address = view.page.evaluate("view.png()")
    head, data = address.split(",")
    assert head == "data:image/png;base64"
    picture = base64.b64decode(data)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    size = [int.from_bytes(picture[k : k + 4], "big") for k in (16, 20)]
    assert size == view.page.evaluate("[canvas.width, canvas.height]")


def test_surfaces_are_where_the_poses_put_them(view):
    view.page.evaluate("(s) => view.show(s)", ROBOT)
    red, _, blue = view.page.evaluate("at([0, 0, 0])")
    assert red > 2 * blue
    red, _, blue = view.page.evaluate("at([0.5, 0, 0.2])")
    assert blue > 2 * red
    view.page.evaluate("(s) => view.show(s)", ROBOT | {"poses": [THERE]})
    red, _, blue = view.page.evaluate("at([-0.5, 0, 0.2])")
    assert blue > 2 * red
    red, _, blue = view.page.evaluate("at([0.5, 0, 0.2])")
    assert abs(blue - red) < 20


def test_a_quick_picture_shows_the_same(view):
    ball = capsule(0.5, 0.3, 200)
    surfaces = Surfaces(
        (Surface(-1, *ball, "#cc2211"), Surface(0, *box((0.2, 0.3, 0.2)), "#cc2211"))
    )
    view.page.evaluate("(s) => view.show(s)", ROBOT | {"surfaces": surfaces.packed()})
    told = """(coarse) => {
      view.draw(coarse * view.finest);
      return [...pen.getImageData(0, 0, canvas.width, canvas.height).data];
    }"""
    fine, quick = (np.array(view.page.evaluate(told, c), dtype=float) for c in (1, 2))
    assert 0 < np.abs(fine - quick).mean() < 4  # of 255


def test_a_ghost_is_there_and_is_seen_through(view):
    view.page.evaluate("(s) => view.show(s)", ROBOT)
    nothing = view.page.evaluate("at([-0.5, 0, 0.2])")
    view.page.evaluate("(s) => view.show(s)", ROBOT | {"ghosts": [{"poses": [THERE]}]})
    ghost, solid = view.page.evaluate("[at([-0.5, 0, 0.2]), at([0.5, 0, 0.2])]")
    assert solid[0] + 20 < ghost[0] < nothing[0] - 20


def test_where_bodies_are_shown_the_robot_is_of_glass(view):
    within = {"at": [0.5, 0, 0.2], "axes": [[0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]}
    view.page.evaluate("(s) => view.show(s)", ROBOT | {"bodies": [{**within, "colour": "#ffcc00"}]})
    red, _, blue = view.page.evaluate("at([0.5, 0, 0.2])")
    assert red > blue


def test_what_is_under_the_pointer_is_told(view):
    view.page.evaluate("(s) => (view.show(s), view.draw())", ROBOT)
    pick = (
        "(p) => { const [x, y] = view.seen(p); return view.pick(x / view.ratio, y / view.ratio); }"
    )
    for point, body in (([0, 0, 0], -1), ([0.5, 0, 0.2], 0)):
        found = view.page.evaluate(pick, point)
        assert found["body"] == body
        assert max(abs(x - y) for x, y in zip(found["at"], point, strict=True)) < 0.2
    assert view.page.evaluate(pick, [0, 0.8, 0.8]) is None


def test_what_is_nearer_hides_what_is_behind_it(view):
    """Both blocks in one line of sight, whichever is drawn first."""
    for azimuth, nearer in ((0, 2), (3.14159, 0)):
        scene = ROBOT | {"poses": [[[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]]]}
        view.page.evaluate(
            "([s, azimuth]) => (view.show(s), view.look({azimuth, elevation: 0}))", [scene, azimuth]
        )
        seen = view.page.evaluate("at([0, 0, 0])")
        assert seen[nearer] > 2 * seen[2 - nearer]


def test_a_shadow_falls_on_the_floor(view):
    floor = ROBOT | {"floor": -0.4, "surfaces": [], "poses": []}
    view.page.evaluate("(s) => (view.show(s), view.look({elevation: 0.8}))", floor)
    sums = """(() => {
      view.draw();
      const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
      let dark = 0;
      for (let k = 0; k < data.length; k += 4) {
        dark += data[k] < 190 && Math.abs(data[k] - data[k + 2]) < 30;
      }
      return dark;
    })()"""
    bright = view.page.evaluate(sums)
    view.page.evaluate(
        "(s) => (view.show(s), view.look({elevation: 0.8}))", ROBOT | {"floor": -0.4}
    )
    assert view.page.evaluate(sums) > bright + 80


def test_moving_it_moves_what_is_looked_at_and_home_brings_it_back(view):
    first = view.page.evaluate("print()")
    box = view.page.locator("canvas").bounding_box()
    view.page.mouse.move(box["x"] + 100, box["y"] + 100)
    view.page.mouse.down(button="right")
    before = view.page.evaluate("view.seen([0, 0, 0])")
    view.page.mouse.move(box["x"] + 140, box["y"] + 110, steps=4)
    view.page.mouse.up(button="right")
    view.page.evaluate("view.draw()")
    after = view.page.evaluate("view.seen([0, 0, 0])")
    assert abs(after[0] - before[0] - 40) < 8
    assert abs(after[1] - before[1] - 10) < 8
    view.page.focus("canvas")
    view.page.keyboard.press("Shift+ArrowLeft")
    assert view.page.evaluate("(view.draw(), view.seen([0, 0, 0])[0])") > after[0] + 10
    view.page.keyboard.press("Home")
    assert view.page.evaluate("print()") == first


def test_it_is_drawn_only_when_something_changed(view):
    """At rest frames pass without a drawing; of five changes before a frame one is made."""
    rests = """() => new Promise((done) => {
      let quiet = 0, left = 600;
      const draw = view.draw;
      view.draw = function (...how) { quiet = 0; return draw.apply(this, how); };
      const wait = () => requestAnimationFrame(() => {
        quiet += 1;
        left -= 1;
        if (quiet < 12 && left) return wait();
        delete view.draw;
        return done(quiet === 12);
      });
      wait();
    })"""
    assert view.page.evaluate(rests)
    asked = """() => {
      const frames = [], ask = window.requestAnimationFrame, draw = view.draw;
      let drawn = 0;
      cancelAnimationFrame(view.waiting);
      view.waiting = 0;
      window.requestAnimationFrame = (frame) => frames.push(frame);
      view.draw = function (...how) { drawn += 1; return draw.apply(this, how); };
      for (let k = 0; k < 5; k++) view.closer(1.01);
      const before = drawn;
      for (let k = 0; k < frames.length && k < 5; k++) frames[k]();
      window.requestAnimationFrame = ask;
      delete view.draw;
      return [before, frames.length, drawn];
    }"""
    assert view.page.evaluate(asked) == [0, 1, 1]


def test_without_webgl_a_sentence_stands_in_its_place_and_the_arm_can_be_used():
    with page_of(document(ROBOT), webgl=False) as seen:
        label = "canvas.getAttribute('aria-label')"
        assert seen.page.evaluate(f"[colours(), {label}]") == [1, LABEL]
        seen.page.evaluate("view.show(scene)")
        assert seen.page.evaluate("colours()") > 10
        assert "this browser has no WebGL 2" in seen.page.evaluate(label)
        x, y, _ = seen.page.evaluate("view.seen([0.5, 0, 0.2])")
        assert seen.page.evaluate("([x, y]) => view.pick(x, y).body", [x, y]) == 0
        assert not seen.errors


def test_surfaces_that_are_no_surfaces_are_left_out(view):
    good = ROBOT["surfaces"][1]
    odd = [
        good | {"points": "%%%"},
        good | {"triangles": base64.b64encode(b"\xff" * 12).decode()},
        good | {"normals": ""},
        good | {"body": 99},
        good,
    ]
    view.page.evaluate("(s) => (view.show(s), view.draw())", ROBOT | {"surfaces": odd})
    red, _, blue = view.page.evaluate("at([0.5, 0, 0.2])")
    assert blue > 2 * red


def test_a_hostile_scene_breaks_nothing(view):
    """Names are drawn as letters; what is no colour, no kind and no length is drawn or left out."""
    odd = {
        **SCENE,
        "joints": [{**SCENE["joints"][0], "colour": "red;}</style>", "label": "<img src=x>"}],
        "solids": [{"kind": "__proto__", "at": [0, 0, 0], "axes": [], "colour": ""}],
        "bodies": [{"at": [0, 0, 0], "axes": [[0, 0, 0]] * 3, "colour": None}],
        "lines": [[], [[0, 0, 0]], [[0, 0, 0], [0, 0, 0]]],
        "turns": [{"at": [0, 0, 0], "axis": [0, 0, 0], "amount": 9}],
        "arrows": [{"from": [0, 0, 0], "to": [0, 0, 0]}],
        "traces": [{"points": []}],
    }
    view.page.evaluate("(s) => { view.show(s); view.draw(); }", odd)
    assert view.page.locator("img").count() == 0


def test_the_eye_may_go_into_the_arm(view):
    view.page.evaluate("(view.look({distance: 1e-9, elevation: 9}), view.draw())")
    pose = view.page.evaluate("view.pose")
    assert pose["elevation"] < 1.6
    assert pose["distance"] > 0


def test_a_new_box_keeps_the_angles_and_another_front_does_not(view):
    view.page.evaluate(
        "(view.show({...scene, box: [[-1,-1,-1],[1,1,1]]}), view.look({azimuth: 2}))"
    )
    view.page.evaluate("view.show({...scene, box: [[-2,-2,-2],[2,2,2]]})")
    assert view.page.evaluate("view.pose.azimuth") == 2
    look = {"azimuth": 1, "elevation": 0.1}
    view.page.evaluate("(look) => view.show({...scene, look})", look)
    assert view.page.evaluate("view.pose.azimuth") == 1


def test_upright_is_what_the_scene_says(view):
    """A line along `up` stands upright on the canvas, whichever way up is."""
    for up in ([0, 1, 0], [1, 0, 0], [0, 0, -1], [0.6, 0, 0.8]):
        x, y = view.page.evaluate(
            """(up) => {
              view.show({...scene, up, box: [[-1, -1, -1], [1, 1, 1]]});
              view.draw();
              const [a, b] = [view.seen([0, 0, 0]), view.seen(up)];
              return [b[0] - a[0], b[1] - a[1]];
            }""",
            up,
        )
        assert abs(x) < 1e-6 * abs(y)
        assert y < 0


def test_it_says_what_it_is_and_can_be_reached_by_keys(view):
    canvas = view.page.get_by_role("img", name=LABEL)
    assert canvas.count() == 1
    view.page.keyboard.press("Tab")
    view.page.focus("canvas")
    ring = view.page.evaluate(
        "(e => (e.focus({focusVisible: true}), getComputedStyle(e).outlineStyle))(canvas)"
    )
    assert ring == "solid"


def test_it_is_as_sharp_as_the_screen_and_follows_its_size():
    with page_of(document(), device_scale_factor=2) as seen:
        seen.page.evaluate("view.show(scene)")
        assert seen.page.evaluate("[canvas.width, canvas.height]") == [320, 240]
        seen.page.evaluate("canvas.style.width = '80px'")
        seen.page.wait_for_function("() => canvas.width === 160")
        assert seen.page.evaluate("colours()") > 100


def test_it_is_dark_where_the_page_is_dark_and_light_on_paper():
    corner = "[...pen.getImageData(2, 2, 1, 1).data].slice(0, 3).reduce((a, b) => a + b) / 3"
    with page_of(document(), scheme="dark") as seen:
        seen.page.evaluate("(view.show(scene), view.draw())")
        assert seen.page.evaluate(corner) < 60
        seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert seen.page.evaluate(corner) > 200
        seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert seen.page.evaluate(corner) < 60
        seen.page.emulate_media(color_scheme="light")
        seen.page.wait_for_function(f"() => {corner} > 200")
