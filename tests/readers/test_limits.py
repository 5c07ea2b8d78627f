"""Files of any size: each is read, or refused in a sentence, without endless work."""

from __future__ import annotations

import json

import pytest

from qddot.errors import BadFile, QddotError
from qddot.identification import load_log
from qddot.readers import read

ROW = "[[dh]]\na = 1.0\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n"
HINGE = '<body name="a"><joint name="j"/><geom size="1"/>{}</body>'
TOO_LARGE = {
    "names with dots": ("arm.toml", "a." * 100_000 + "a = 1", "arm.toml:1: more than 20 names"),
    "names in a header": ("arm.toml", "\n[" + "a." * 50_000 + "a]", "arm.toml:2: more than 20"),
    "names in quotes": ("arm.toml", '"a" . ' * 50_000 + "a = 1", "more than 20 names"),
    "names in a table in a line": ("arm.toml", "x = {" + "a." * 9_000 + "a = 1}", "more than 20"),
    "a text of many megabytes": ("arm.toml", "#" * 4_000_000, "at most 3000000 are read"),
    "many keys": ("arm.toml", "".join(f"k{i}=1\n" for i in range(20_000)), "19980 more keys"),
    "many rows": (
        "arm.json",
        json.dumps({"dh": [{"a": 1}] * 20_000}),
        "dh: there are 20000 of them; at most 10000 are read",
    ),
    "rows that are no tables": ("arm.json", json.dumps({"dh": [1] * 90_000}), "at most 10000"),
    "many harmonics": (
        "arm.toml",
        f'convention = "standard"\n{ROW}spring = {{ harmonics = [{"[1,2,3]," * 2000}] }}\n',
        "its spring has 2000 harmonics. Give at most 1000",
    ),
    "many values": (
        "arm.toml",
        f'convention = "standard"\n{ROW}[values]\n' + "".join(f"s{i}=1\n" for i in range(9000)),
        "s0 is not a symbol of this robot",
    ),
    "many elements of MJCF": (
        "arm.xml",
        f"<mujoco><worldbody>{HINGE.format('<geom/>' * 21_000)}</worldbody></mujoco>",
        "more than 20000 elements",
    ),
    "many sensors": (
        "arm.xml",
        f"<mujoco><worldbody>{HINGE}</worldbody><sensor>{'<clock/>' * 4000}</sensor></mujoco>",
        "it has 4000 meshes, sensors and other parts",
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_is_beyond_reason_is_refused_at_once(tmp_path, what):
    name, text, words = TOO_LARGE[what]
    if name.endswith(".xml"):
        pytest.importorskip("mujoco")
    (tmp_path / name).write_text(text)
    with pytest.raises(QddotError) as refused:
        read(name)
    problems = [str(each) for each in getattr(refused.value, "problems", ())]
    assert any(words in each for each in problems), problems[:5]
    assert len(problems) < 30


def test_many_sentences_and_numbers_with_dots_are_no_names(tmp_path):
    text = f'convention = "standard"\ndescription = "{"It moves. " * 50}"\n# {"." * 200}\n{ROW}'
    text += f"com = [\n{'0.5, ' * 2}\n0.5]\n"
    (tmp_path / "arm.toml").write_text(text)
    assert read("arm.toml").n == 1


ATTACHING = (
    '<mujoco><asset>{}</asset><worldbody><body name="a"><joint name="j"/><geom size="1"/>'
    '<attach model="s" body="b" prefix="p"/></body></worldbody></mujoco>'
)
NAMED = '<model name="s" file="{}"/>'
ITSELF = "names 'arm.xml', which is the model itself"
IN_ONE_ANOTHER = {
    "itself": ({"arm.xml": ATTACHING.format(NAMED.format("arm.xml"))}, ITSELF),
    "itself by another name": ({"arm.xml": ATTACHING.format(NAMED.format("./arm.xml"))}, ITSELF),
    "itself in an included file": (
        {
            "arm.xml": ATTACHING.format('<include file="part.xml"/>'),
            "part.xml": f"<mujocoinclude>{NAMED.format('arm.xml')}</mujocoinclude>",
        },
        ITSELF,
    ),
    "one that includes it": (
        {
            "arm.xml": '<mujoco><include file="whole.xml"/></mujoco>',
            "whole.xml": ATTACHING.format(NAMED.format("arm.xml")),
        },
        ITSELF,
    ),
    "two in one another": (
        {
            "arm.xml": ATTACHING.format(NAMED.format("b.xml")),
            "b.xml": ATTACHING.format(NAMED.format("arm.xml")),
        },
        "a submodel names a further submodel",
    ),
    "files that include one another": (
        {
            "arm.xml": '<mujoco><include file="b.xml"/></mujoco>',
            "b.xml": '<mujoco><include file="arm.xml"/></mujoco>',
        },
        "Does one include itself?",
    ),
}


@pytest.mark.parametrize("what", IN_ONE_ANOTHER)
def test_a_model_that_holds_itself_is_refused(tmp_path, what):
    pytest.importorskip("mujoco")
    files, words = IN_ONE_ANOTHER[what]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(BadFile, match=words.replace("?", r"\?")):
        read("arm.xml")


def test_one_model_may_be_attached_twice(tmp_path):
    pytest.importorskip("mujoco")
    text = ATTACHING.format(NAMED.format("b.xml") + '<model name="t" file="b.xml"/>')
    twice = '<attach model="t" body="b" prefix="t"/></body></worldbody>'
    (tmp_path / "arm.xml").write_text(text.replace("</body></worldbody>", twice))
    inside = HINGE.format("").replace('name="a"', 'name="b"')
    (tmp_path / "b.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert read("arm.xml").n == 3


def test_a_crash_of_mujoco_is_told(tmp_path, monkeypatch):
    pytest.importorskip("mujoco")
    from qddot.readers.mjcf import compiling

    class Crashing(compiling.Worker):
        def ask(self, job, *arguments):
            super().ask("os:abort")

    monkeypatch.setattr(compiling, "Worker", Crashing)
    with pytest.raises(BadFile, match="MuJoCo crashes over it"):
        compiling.survive(tmp_path / "arm.xml")


LOGS = {
    "columns": ("," * 20_000, "it has 20001 columns; at most 10000 are read"),
    "blank lines": ("\n" * 200_000 + "t,q\n", "no row is in its first 100000 lines"),
}


@pytest.mark.parametrize("what", LOGS)
def test_a_log_beyond_reason_is_refused_at_once(tmp_path, what):
    text, words = LOGS[what]
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(BadFile, match=words):
        load_log("log.csv")
