"""What people read: grouped, in words, and never markup."""

from __future__ import annotations

import io

from rich.console import Console

from qddot.doctor import Examination, PeerComparison, examine, print_examination, report_lines
from qddot.errors import Problem


def lines(examination: Examination) -> list[str]:
    return [line.plain for line in report_lines(examination)]


def test_a_healthy_robot_has_one_line(arm):
    assert lines(examine(arm(), peers=())) == ["✓ arm (3 joints): nothing to complain about"]


def test_problems_are_grouped_by_severity_with_place_and_remedy(arm):
    path = arm(
        ('lower="-2" upper="2"', 'lower="2" upper="-2"'),
        ('rpy="1.5707963267948966 0 0"', 'rpy="1.57 0 0"'),
    )
    line = path.read_text().splitlines().index('  <joint name="shoulder" type="revolute">') + 1
    assert lines(examine(path)) == [
        "✗ arm.urdf cannot be used: 1 error, 1 note",
        f"  {path}",
        "",
        "errors (1)",
        f"  arm.urdf:{line}: joint 'shoulder': its limits are reversed (lower 2 > upper -2)",
        "    → Swap them.",
        "",
        "notes (1)",
        f"  arm.urdf:{line}: joint 'shoulder': its origin is turned by 1.57 rad, 8.0e-04 off π/2",
        "    → Write 1.5707963267948966 if a right angle is meant.",
    ]


def test_what_is_said_of_many_is_said_once():
    problems = tuple(
        Problem("note", f"joint 'j{i}'", "its effort limit is zero", "Give it.", i, "a.urdf")
        for i in range(1, 9)
    )
    places = "joint 'j1', joint 'j2', joint 'j3', joint 'j4', joint 'j5' and 3 more"
    text = lines(Examination("a.urdf", None, problems, ()))
    assert f"  a.urdf:1, 2, 3, 4, 5 and 3 more: {places}: its effort limit is zero" in text
    assert len([line for line in text if "effort" in line]) == 1


def test_comparisons_say_how_well_and_why():
    comparisons = (
        PeerComparison("MuJoCo", "4.0.0", "the file", "", 3e-16, 0.0, (), ("an aside",)),
        PeerComparison("Pinocchio", "4.1.0", "the file", "", 0.25, 0.0, ("it is blind",)),
        PeerComparison("Drake", why_not="it is not installed (pip install drake)"),
    )
    text = lines(Examination("a", None, (), comparisons))
    assert text[-6:] == [
        "other engines: M(q) and g(q), friction and springs aside",
        "  ✓ MuJoCo 4.0.0: M and g agree to 3e-16 (the file)",
        "    an aside",
        "  ✗ Pinocchio 4.1.0: M differs by 25 %, g agrees (the file)",
        "    because it is blind",
        "  – Drake: it is not installed (pip install drake)",
    ]


def test_peers_that_fail_alike_share_a_line():
    why = "no joint of it moves"
    comparisons = tuple(PeerComparison(name, why_not=why) for name in ("Pinocchio", "Drake"))
    assert lines(Examination("a", None, (), comparisons))[-1] == f"  – Pinocchio, Drake: {why}"


def test_names_are_never_markup_and_never_steer_the_terminal():
    nasty = "[red]\x1b[31mx[/red]"
    problems = (Problem("warning", f"link {nasty}", "it is odd [bold]", "Rename [i]it.", 3, "a"),)
    comparisons = (PeerComparison("Drake", "1", "the file", "", 1.0, 1.0, (f"of {nasty}",)),)
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=200, color_system=None)
    print_examination(Examination("a", None, problems, comparisons), console)
    text = out.getvalue()
    assert "[red]\\x1b[31mx[/red]" in text
    assert "it is odd [bold]" in text
    assert "Rename [i]it." in text
    assert "\x1b[31m" not in text


def test_a_pipe_gets_whole_lines_and_a_terminal_wrapped_ones():
    problem = Problem("warning", "link 'x'", "word " * 60, "Do it.", 3, "a.urdf")
    examination = Examination("a.urdf", None, (problem,), ())
    pipe, terminal = io.StringIO(), io.StringIO()
    print_examination(examination, Console(file=pipe, width=60))
    screen = Console(file=terminal, width=60, force_terminal=True, color_system=None)
    print_examination(examination, screen)
    assert max(len(line) for line in pipe.getvalue().splitlines()) > 300
    assert max(len(line) for line in terminal.getvalue().splitlines()) == 60
    assert "\n  word word" in terminal.getvalue()
