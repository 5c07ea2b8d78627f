"""MJCF that cannot be read: every refusal names the place, the reason and the remedy."""

from __future__ import annotations

import re

import pytest
from refused import refusals
from watching import opened, watched

from qddot import errors
from qddot.errors import BadFile, BadRobot
from qddot.readers import read
from qddot.readers.mjcf.source import read_source

pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")

BALL = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'


def scene(inside: str, more: str = "") -> str:
    return f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n{more}</mujoco>"


REFUSED = refusals("mjcf")
REFUSED["BadFile"] |= {
    "an included file with a name beyond any disk": {
        "text": f'<mujoco><include file="{"x" * 1000}.xml"/></mujoco>',
        "words": r"<include> names 'x+…', which does not exist",
    },
    "elements nested without end": {
        "text": "<mujoco><worldbody>" + "<body>" * 200_000,
        "words": r"nested more than \d+ elements deep",
    },
}


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind in REFUSED for what in REFUSED[kind]]
)
def test_what_cannot_be_read_is_refused_with_a_reason(tmp_path, kind, what):
    row = REFUSED[kind][what]
    text = row["text"] if "text" in row else scene(row["inside"], row.get("more", ""))
    (tmp_path / "robot.xml").write_text(text.replace("{BALL}", BALL))
    with pytest.raises(getattr(errors, kind)) as refused:
        read(tmp_path / "robot.xml")
    assert re.search(row["words"], str(refused.value)), str(refused.value)
    assert kind == "BadRobot" or len(str(refused.value).splitlines()) == 1


def test_every_problem_is_reported_at_once(tmp_path):
    meshes = "".join(
        f'<body name="b{i}"><joint/><geom type="mesh" mesh="m{i}"/></body>' for i in range(3)
    )
    assets = "".join(f'<mesh name="m{i}" file="m{i}.stl"/>' for i in range(3))
    (tmp_path / "robot.xml").write_text(scene(meshes, f"<asset>{assets}</asset>"))
    with pytest.raises(BadRobot) as refused:
        read(tmp_path / "robot.xml")
    assert len(refused.value.problems) == 3


@pytest.mark.parametrize(
    "greed",
    [
        '<size nuser_body="2000000000"/>',
        '<size nuserdata="2000000000"/>',
        '<size memory="900G"/>',
        '<size nkey="2000000000"/>',
        '<sensor><user name="s" dim="2000000000"/></sensor>',
        '<asset><texture type="cube" builtin="flat" width="100000" height="600000"/></asset>',
        '<actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator>',
    ],
)
def test_memory_that_a_file_asks_for_in_vain_is_not_given(tmp_path, greed):
    (tmp_path / "robot.xml").write_text(scene(f'<body><joint name="j"/>{BALL}</body>', greed))
    assert read(tmp_path / "robot.xml").n == 1


def test_a_file_outside_of_the_folder_is_not_even_opened(tmp_path):
    (tmp_path / "outside.xml").write_text("<mujocoinclude/>")
    (tmp_path / "model").mkdir()
    model = tmp_path / "model" / "robot.xml"
    model.write_text('<mujoco><include file="../outside.xml"/></mujoco>')
    with watched() as events, pytest.raises(BadFile, match="leaves the model's folder"):
        read_source(model)
    assert opened(events) == {str(model)}
