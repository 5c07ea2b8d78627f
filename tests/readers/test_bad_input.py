"""Files that cannot be right: refused at once, in words, with the line and the remedy.

Every message is at most six lines, names the file, the line and the element, and comes within a
second; nothing else is opened, fetched or executed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from long import long
from refused import refusals
from watching import opened, watched

import qddot
from qddot.errors import QddotError
from qddot.readers.urdf import read_urdf_text

TABLES = refusals("urdf")
ARM, SLIPS = TABLES["arm"], TABLES["slips"]
DH = '[[dh]]\ntheta = 0\na = "{}"\nmass = 1\n'
TOML = 'convention = "standard"\n' + DH

# file name, content, the line of the problem, and words of the message
WHOLE = {
    case: (row.get("file", "arm.urdf"), row["text"], row.get("line"), *row["words"])
    for case, row in TABLES["whole"].items()
}
WHOLE |= {
    "truncated": (
        "arm.urdf",
        ARM[:700],
        ARM[:700].count("\n") + 1,
        "it ends inside <joint>",
        "cut off",
    ),
    "truncated early": ("arm.urdf", ARM[:8], 1, "it ends inside its first tag", "It is cut off"),
    "binary": ("arm.urdf", b"\x7fELF\2\1\1\0\0\0" * 9, None, "it is a binary file", "text file"),
    "other encoding": ("arm.urdf", ARM.encode() + b"<!-- \xe9 -->", 32, "cannot stand", "UTF-8"),
    "nested elements": (
        "arm.urdf",
        "<a>\n" * 200_000,
        301,
        "more than 300 elements deep",
        "nested that deep",
    ),
    "many elements": (
        "arm.urdf",
        "<a>" + "<b/>" * 300_000,
        1,
        "more than 100000 elements",
        "file?",
    ),
    "many links": (
        "arm.urdf",
        "<robot>\n" + "\n".join(f'<link name="{i}"/>' for i in range(10_000)) + "</robot>",
        2002,
        "it has more than 2000 links",
        "Split it",
    ),
    "many links in TOML": (
        "arm.toml",
        "\n".join(f'[[link]]\nname = "{i}"' for i in range(10_000)),
        None,
        "it has 10000 links; at most 2000",
        "Split it",
    ),
    "many parentheses": ("arm.toml", TOML.format("(" * 450 + ")" * 450), 4, "row|dh", "nested"),
    "a tower of powers": ("arm.toml", TOML.format("9**9**9**9"), 4, "dh", "power|was not expected"),
    "a large power": ("arm.toml", TOML.format("9**999999999"), 4, "dh", "a power must be"),
    "a sum multiplied out": (
        "arm.toml",
        TOML.format("*".join(["(a+b+c+d+e+f+g+h)**12"] * 30)),
        4,
        "dh",
        "too large|grown",
    ),
    "a long formula": ("arm.toml", TOML.format("a+" * 100_000 + "a"), 4, "dh", "longer than 1000"),
    "code in a formula": ("arm.toml", TOML.format("__import__('os').abort()"), 4, "dh", "formula"),
    "no such file": ("", "", None, "it does not exist|cannot be read", ""),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refusal(name: str) -> str:
    """Return the message with which a file is refused, after what all messages have in common."""
    with pytest.raises(QddotError) as error:
        qddot.load(name)
    message = str(error.value)
    assert name in message
    assert message.count("\n") < 6
    assert message.isprintable() or message.replace("\n", "").isprintable()
    assert not error.value.__cause__
    return message


def holds(message: str, *words: str) -> bool:
    """Return whether a message has the words; a | separates words of which one is enough."""
    return all(any(part in message for part in phrase.split("|")) for phrase in words)


def write(name: str, content: str | bytes) -> None:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_urdf_is_told_with_its_line_and_remedy(slip):
    row = SLIPS[slip]
    assert row["old"] in ARM
    text = ARM.replace(row["old"], row["new"], 1)
    write("arm.urdf", text)
    message = refusal("arm.urdf")
    assert holds(message, *row["words"]), message
    # the text that holds the slip, or the second of two equal ones
    place = text.index(row["at"]) if "at" in row else text.rindex(row["new"])
    assert f"arm.urdf:{text.count(chr(10), 0, place) + 1}: " in message, message


@pytest.mark.parametrize("case", WHOLE)
def test_a_file_that_is_no_robot_is_told_so(case):
    name, content, line, *words = WHOLE[case]
    if name:
        write(name, content)
    message = refusal(name or "missing.urdf")
    assert holds(message, *words), message
    if line:
        assert f"{name}:{line}: " in message, message


# each message is decided above; here it goes through the command line, of which a few are enough
SOME = [slip for slip in [*SLIPS, *WHOLE][::6] if slip != "many elements"]  # which is large


@pytest.mark.parametrize("slip", [*SOME, *long(*(s for s in [*SLIPS, *WHOLE] if s not in SOME))])
def test_the_command_line_ends_with_status_2_and_the_same_message(slip):
    if slip in SLIPS:
        name, content = "arm.urdf", ARM.replace(SLIPS[slip]["old"], SLIPS[slip]["new"], 1)
    else:
        name, content = WHOLE[slip][:2]
    if name:
        write(name, content)
    done = run("show", name or "missing.urdf")
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr == f"qddot: {refusal(name or 'missing.urdf')}\n"


def test_a_bad_file_shows_no_traceback():
    write("arm.urdf", ARM.replace('value="2"', 'value="-2"'))
    command = [sys.executable, "-m", "qddot.cli", "show", "arm.urdf"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert run.stderr.count("\n") <= 6


def test_every_problem_of_a_file_is_reported_at_once():
    text = ARM.replace('"revolute"', '"Revolute"').replace('value="2"', 'value="1,5"')
    text = text.replace('xyz="0 1 0"', 'xyz="0 0 0"').replace('"0.3"', '"x"')
    write("arm.urdf", text.replace('effort="10"', 'efort="10"'))
    with pytest.raises(QddotError) as error:
        qddot.load("arm.urdf")
    told = [(problem.line, problem.message) for problem in error.value.problems]
    assert told == sorted(told, key=lambda pair: pair[0])
    lines = [problem.line for problem in error.value.problems if problem.severity == "error"]
    assert lines == [7, 18, 23, 25, 29]
    assert "5 problems" in str(error.value)


# names are text, whatever they look like

NAMES = {
    "Python": "__import__('os').system('touch pwned')",
    "HTML": "<script>alert(1)</script>",
    "LaTeX": r"\input{/etc/passwd}$\write18{touch pwned}$",
    "shell": "$(touch pwned); `touch pwned` | cat > pwned",
    "format": "%s%n{0.__class__}",
    "path": "../../../../etc/passwd",
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_that_looks_like_code_is_used_as_plain_text(kind):
    from xml.sax.saxutils import quoteattr

    name = NAMES[kind]
    write("arm.urdf", ARM.replace('"upper"', quoteattr(name)))
    with watched() as events, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qddot.load("arm.urdf")
    assert robot.model.links[1].name == name
    assert {kind for kind, _ in events} == {"open"}
    done = run("show", "arm.urdf")
    assert done.returncode == 0
    assert name in done.stdout
    assert os.listdir() == ["arm.urdf"]


def test_meshes_are_never_opened_wherever_they_point():
    hostile = "package://../../../../../../etc/hostname"
    text = ARM.replace("package://arm/upper.stl", hostile)
    more = f'<collision><geometry><mesh filename="{hostile}"/></geometry></collision></link>'
    write("arm.urdf", text.replace("</link>", more, 1))
    qddot.load("arm.urdf")  # so that what is imported on first use is
    with watched() as events:
        qddot.load("arm.urdf")
    assert opened(events) == {"arm.urdf"}


@pytest.mark.parametrize("case", ["entity bomb", "external entity", "external DTD"])
def test_entities_open_and_fetch_nothing(case):
    write("arm.urdf", WHOLE[case][1])
    with watched() as events:
        refusal("arm.urdf")
    assert opened(events) == {"arm.urdf"}


def test_a_utf_16_file_loads_like_any_other():
    write("arm.urdf", ARM)
    write("wide.urdf", ARM.encode("utf-16"))
    assert qddot.load("wide.urdf").model == qddot.load("arm.urdf").model


def test_a_large_robot_within_the_limits_loads():
    links = "\n".join(f'<link name="l{i}"/>' for i in range(2000))
    joints = "\n".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(1999)
    )
    write("arm.urdf", f'<robot name="arm">{links}{joints}</robot>')
    assert len(qddot.load("arm.urdf").model.links) == 2000


@given(cut=st.integers(0, len(ARM)), length=st.integers(0, 20), new=st.binary(max_size=8))
def test_any_damage_gives_a_robot_or_a_message(cut, length, new):
    data = ARM.encode()
    message = ""
    try:
        read_urdf_text(data[:cut] + new + data[cut + length :], "arm.urdf")
    except QddotError as error:
        message = str(error)
    assert message.count("\n") < 6
