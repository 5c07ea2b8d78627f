"""The command line as a whole: what every verb promises, and how it ends."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from command_line import QDDOT, VERBS, WIDTH, ctrl_c, run
from long import long

import qddot
from qddot.cli import TOUR, is_interrupt, terminal

OF_ROBOTS = VERBS.keys() - {"sweep", "exercise", "log"}  # of a plan, of none, of a log first
BAD_ROBOT = "pandaa"
HANGS = 120  # [s]: far longer than anything here takes


def started(*words, **options):
    """Start a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*QDDOT, *map(str, words)], **pipes | options)


def examples(verb):
    """Return the examples of a verb's help, as words."""
    text = VERBS[verb].epilog.replace("\\\n", " ")
    return [shlex.split(line) for line in text.splitlines()]


def files_of_examples(folder):
    """Write the files that examples of the help name and that no example before them makes."""
    questions = 'title = "Sheet"\nrobot = "two_link_point_symbolic"\n'
    for name, last in (("answers", 'text = "m2 L2^2"'), ("key", "points = 2")):
        question = f'[[answer]]\nquestion = "1"\nquantity = "M[2,2]"\n{last}\n'
        (folder / f"{name}.toml").write_text(questions + question, encoding="utf-8")
    run("export", "two_link", "-o", folder / "arm.urdf")


# every verb


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_what_a_verb_does_with_examples_in_eighty_columns(verb):
    done = run(verb, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: qddot {verb} ")
    assert all(len(line) <= WIDTH for line in done.stdout.splitlines())
    assert all(words[0] == "qddot" for words in examples(verb))
    assert any(words[1] == verb for words in examples(verb))
    assert "\nExamples:\n  qddot " in done.stdout
    for option in ("--json", "--quiet", "--help"):
        assert option in done.stdout
    assert not done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_what_an_option_does_is_said_in_a_sentence_of_its_own(verb):
    for option in VERBS[verb].params:
        if option.param_type_name == "option" and option.name != "help":
            assert re.match(r"[A-Z]\S*( \S+)+", option.help), option.name
            assert not option.help.startswith("Of "), option.name
            assert option.help.endswith("."), option.name


@pytest.mark.parametrize("verb", VERBS)
def test_a_summary_is_one_sentence_that_fits_the_list_of_verbs(verb):
    listed = run("--help").stdout
    summary = VERBS[verb].help.splitlines()[0]
    assert re.search(rf"^  {verb} +{re.escape(summary)}$", listed, re.MULTILINE), summary
    assert summary.endswith(".")


# a second of work or more
SLOW = ("bench", "control", "derive", "draw", "excite", "identify", "log", "report", "simulate")


@pytest.mark.parametrize("verb", [*sorted(VERBS.keys() - {"studio", *SLOW}), *long(*SLOW)])
def test_every_example_of_the_help_runs_and_the_last_gives_json_quietly(verb, tmp_path):
    files_of_examples(tmp_path)
    *before, last = examples(verb)
    for _, *words in before:
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"
        assert done.stdout
    words = [word for word in last[1:] if word != "--json"]
    done = run(*words, "--json", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"
    json.loads(done.stdout, parse_constant=pytest.fail)  # no NaN, no Infinity
    assert not done.stderr


def tour():
    """Return the command lines of the tour, as words."""
    lines = (line.partition("  ")[0] for line in re.findall(r"^  (qddot .*)", TOUR, re.MULTILINE))
    return [line.split()[1:] for line in lines]


RUN_ELSEWHERE = ("report", "studio", "--install-completion")


@pytest.mark.parametrize("words", [w for w in tour() if w[0] not in RUN_ELSEWHERE], ids=shlex.join)
def test_every_command_of_the_tour_runs(words, tmp_path):
    files_of_examples(tmp_path)
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.long
@pytest.mark.parametrize("words", [*examples("studio"), ["qddot", "studio", "arm.urdf"]])
def test_every_example_of_the_studio_serves_a_page_until_ctrl_c(words, tmp_path):
    files_of_examples(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = [port if word == "9000" else word for word in words[1:]]
    environment = os.environ | {"BROWSER": "true"}
    with started(*words, cwd=tmp_path, env=environment) as studio:
        address = re.search(r"http://127\.0\.0\.1:\d+/", studio.stdout.readline())
        studio.send_signal(signal.SIGINT)
        said = studio.communicate(timeout=HANGS)[1]
    assert address
    assert "goodbye" in said
    assert studio.returncode == 130


@pytest.mark.parametrize("verb", sorted(OF_ROBOTS))
def test_an_unknown_robot_has_status_2_and_a_suggestion(verb, tmp_path):
    more = {"export": ["-o", "arm.toml"], "identify": ["log.csv"], "report": ["-o", "a.html"]}
    more |= {"contact": ["log.csv"]}
    done = run(verb, BAD_ROBOT, *more.get(verb, []), "--quiet", cwd=tmp_path)
    assert done.returncode == 2
    assert "Did you mean 'panda'?" in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    assert not done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_option_names_the_nearest(verb):
    done = run(verb, "panda", "--jsom")
    assert done.returncode == 2
    assert f"`qddot {verb}` has no option '--jsom'. Did you mean '--json'?" in done.stderr
    assert len(done.stderr.splitlines()) <= 6


@pytest.mark.parametrize("verb", sorted(OF_ROBOTS - {"show", "certify", "studio"}))
def test_a_missing_robot_is_asked_for(verb):
    done = run(verb)
    assert done.returncode == 2
    assert "Missing argument 'ROBOT'" in done.stderr
    assert "`qddot show` lists" in done.stderr


@pytest.mark.parametrize("verb", sorted(OF_ROBOTS - {"doctor"}))
def test_every_verb_that_reads_a_robot_takes_settings_and_comes_with_the_same_words(verb):
    options, same = (
        {name: p for p in VERBS[each].params for name in p.opts} for each in (verb, "simulate")
    )
    assert "--set" in options
    for name in {"--set", "--plot"} & options.keys():
        assert options[name].help == same[name].help
    if "-o" in options:
        assert "--output" in options["-o"].opts


def test_options_that_write_know_the_endings_that_writers_know():
    from qddot.cli import equations, excitation, simulation
    from qddot.equations.deriving import FORMULATIONS
    from qddot.equations.printing import FORMATS
    from qddot.identification import excitation_criterion, excitation_files
    from qddot.present.figures.film import ENDINGS
    from qddot.present.figures.style import FIGURES
    from qddot.simulation import method
    from qddot.simulation.files import ENDINGS as MOTIONS

    assert set(terminal.ENDINGS_OF_FIGURES) == set(FIGURES)
    assert set(terminal.ENDINGS_OF_MOTIONS) == set(MOTIONS)
    assert set(terminal.ENDINGS_OF_FILMS) == set(ENDINGS)
    assert set(simulation.METHODS) == set(method.METHODS)
    assert set(excitation.ENDINGS) == set(excitation_files.ENDINGS)
    assert set(excitation.CRITERIA) == set(excitation_criterion.NAMES)
    assert equations.FORMULATIONS == FORMULATIONS
    assert {*equations.FORMATS.values(), "slides"} == set(FORMATS)


# what people see first


def test_qddot_alone_is_a_short_tour_whose_commands_are_verbs():
    done = run()
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= WIDTH
    named = re.findall(r"^  qddot ([a-z]+) ", TOUR, re.MULTILINE)
    assert len(named) >= 6
    assert set(named) <= set(VERBS)


def test_help_lists_every_verb_once_in_groups():
    listed = run("--help").stdout
    assert all(len(line) <= WIDTH for line in listed.splitlines())
    for verb in VERBS:
        assert len(re.findall(rf"^  {verb} ", listed, re.MULTILINE)) == 1
    assert "\nEquations:\n  derive " in listed


@pytest.mark.parametrize("words", [["help"], ["help", "show"], ["-h"], ["show", "-h"]])
def test_help_is_found_however_it_is_asked_for(words):
    named = [word for word in words if word == "show"]
    assert run(*words).stdout == run(*named, "--help").stdout


def test_the_page_on_the_command_line_has_every_verb():
    page = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert not [verb for verb in VERBS if f"\n$ qddot {verb} " not in page]


def test_the_version_is_printed():
    assert run("--version").stdout == f"qddot {qddot.__version__}\n"


def test_numbers_may_be_formulas_and_choices_may_be_written_as_one_likes():
    words = ("simulate", "two_link", "--duration", "pi/10", "--method", "dop853", "--json")
    facts = json.loads(run(*words).stdout)
    assert facts["duration"] == pytest.approx(0.314159, abs=1e-6)
    assert facts["how"]["method"] == "DOP853"


# results, and nothing else


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("panda", ["7 joints, 16.69 kg", "panda_joint4", "└── ↻ panda_joint7 panda_link7"]),
        ("scara --degrees", ["-50 … 50", "0 … 0.21", "(°,"]),
        ("", ["puma560", "two_link_symbolic"]),
    ],
)
def test_show_prints_a_table_and_a_tree_or_lists_the_built_in_robots(words, shown):
    done = run("show", *words.split())
    assert done.returncode == 0
    assert not [each for each in shown if each not in done.stdout]
    if words:
        assert max(len(line) for line in done.stdout.splitlines()) <= WIDTH


def test_settings_change_the_robot_that_is_shown_derived_and_exported(tmp_path):
    shown = json.loads(run("show", "two_link_symbolic", "--set", "m1=50", "--json").stdout)
    assert "m1" not in shown["symbols"]
    assert "m2" in shown["symbols"]
    derived = run("derive", "two_link_symbolic", "--set", "a1=1/3").stdout
    assert "1/9" in derived  # exact: no 0.111
    path = tmp_path / "arm.toml"
    assert run("export", "two_link", "--set", "payload.tool=2", "-o", path).returncode == 0
    assert qddot.load(path).model.payloads[0].inertial.mass == 2


def test_export_writes_what_reads_as_the_same_robot(tmp_path):
    for ending in ("toml", "json", "urdf"):
        path = tmp_path / f"arm.{ending}"
        assert run("export", "panda", "-o", path).stdout == f"{path}\n"
        assert qddot.load(path).joint_names == qddot.load("panda").joint_names


def test_export_says_what_urdf_cannot_hold_unless_it_is_to_be_quiet(tmp_path):
    path = tmp_path / "puma.urdf"
    done = run("export", "puma560", "-o", path)
    first, second, *_ = done.stderr.splitlines()
    assert "warning: in puma.urdf, added, because URDF asks for limits: ±1e+09, which" in first
    assert "warning: in puma.urdf, left out: joint 'j1'" in second
    assert "9 more; the file's first comment lists them all" in done.stderr
    quiet = run("export", "puma560", "-o", path, "-q", "--json")
    assert not quiet.stderr
    assert len(json.loads(quiet.stdout)["lost"]) == 13


def test_an_impossible_inertia_can_be_exported_as_the_nearest_possible_one(tmp_path):
    path, start = tmp_path / "arm.toml", tmp_path / "start.toml"
    row = "a = 0.4\nmass = 2\ncom = [-0.2, 0, 0]\ninertia = [0.01, 0.01, 0.9]\n"
    path.write_text(f'convention = "standard"\n[[dh]]\n{row}')
    refused = run("export", path, "-o", start)
    assert refused.returncode == 2
    assert "--inertia nearest" in refused.stderr
    done = run("export", path, "--inertia", "nearest", "-o", start)
    assert done.returncode == 0
    assert "the nearest possible inertia is taken" in done.stderr
    assert qddot.load(start).n == 1


def test_warnings_about_a_file_go_to_stderr_and_quiet_silences_them(tmp_path):
    path = tmp_path / "arm.urdf"
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
    path.write_text(f'<robot name="arm"><link name="a"/><link name="b"/>{joint}</robot>')
    loud, quiet = run("show", path), run("show", path, "--quiet")
    assert "qddot: warning: " in loud.stderr
    assert not quiet.stderr
    assert loud.stdout == quiet.stdout


def test_doctor_has_status_2_for_a_robot_that_cannot_be_used(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('convention = "standard"\n[[dh]]\nmass = -1\n')
    done = run("doctor", path)
    assert done.returncode == 2
    assert "the mass is negative" in done.stdout
    assert "arm.toml:2" in done.stdout


def test_derive_prints_one_quantity_in_every_format():
    words = ("derive", "two_link_point_symbolic", "--quantity", "jacobian")
    assert "−L1 s1 − L2 s12" in run(*words).stdout
    assert r"\begin{bmatrix}" in run(*words, "--frame", "link1", "--format", "latex").stdout
    assert run(*words, "--format", "markdown").stdout.startswith("$$\n")
    assert list(json.loads(run(*words, "--json").stdout)["latex"]) == ["jacobian"]
    assert "not as html" in run(*words, "--format", "html").stderr
    assert "no frame named 'tol'" in run(*words, "--frame", "tol").stderr
    assert "no quantity named 'jacob'" in run("derive", "rp", "--quantity", "jacob").stderr
    one = run("derive", "rp", "--quantity", "M", "--frame", "tool")
    assert "M is of the whole robot" in one.stderr


def test_derive_lists_the_labelled_terms():
    lines = run("derive", "double_pendulum_symbolic", "--breakdown").stdout.splitlines()
    assert "effective inertia  M22 = m2 d2²" in lines
    assert "Coriolis           Γ112 = −m2 d1 d2 S2" in lines
    assert len(lines) == 2 + 4 + 8 + 2
    done = run("derive", "double_pendulum_symbolic", "--breakdown", "--json")
    assert ["G2", "gravity", "m_{2} g d_{2} S_{12}"] in json.loads(done.stdout)["terms"]


@pytest.mark.parametrize(
    ("notation", "head", "terms"),
    [
        ("qddot", "τᵢ = Σⱼ Mᵢⱼ q̈ⱼ + Σⱼₖ Γᵢⱼₖ q̇ⱼ q̇ₖ + Gᵢ", ["M12", "Γ112", "G1", " c2"]),
        ("deck_s0", "τᵢ = Σⱼ mᵢⱼ θ̈ⱼ + Σⱼₖ Γⱼₖᵢ θ̇ⱼ θ̇ₖ + 𝐠ᵢ", ["m12", "Γ121", "𝐠1", " sin(θ2)"]),
        ("deck_s1", "τᵢ = Σⱼ mᵢⱼ q̈ⱼ + Σⱼₖ bᵢⱼₖ q̇ⱼ q̇ₖ + Gᵢ", ["m12", "b112", "G1", " s2"]),
        ("deck_s2", "τᵢ = Σⱼ Dᵢⱼ q̈ⱼ + Σⱼₖ hᵢⱼₖ q̇ⱼ q̇ₖ + Cᵢ", ["D12", "h112", "C1", " cθ2"]),
        ("deck_s3", "τᵢ = Σⱼ Mᵢⱼ q̈ⱼ + Σⱼₖ cⱼₖᵢ q̇ⱼ q̇ₖ + 𝐠ᵢ", ["M12", "c121", "𝐠1", " S2"]),
        ("deck_s4", "τᵢ = Σⱼ Dᵢⱼ q̈ⱼ + Σⱼₖ Dᵢⱼₖ q̇ⱼ q̇ₖ + Gᵢ", ["D12", "D112", "G1", " cos(θ2)"]),
        ("siciliano", "τᵢ = Σⱼ Bᵢⱼ q̈ⱼ + Σⱼₖ cᵢⱼₖ q̇ⱼ q̇ₖ + Gᵢ", ["B12", "c112", "G1", " c2"]),
    ],
)
def test_the_labelled_terms_are_in_the_letters_of_the_notation(notation, head, terms):
    said = run("derive", "two_link_symbolic", "--breakdown", "--notation", notation).stdout
    assert said.startswith(f"{head}, and friction and springs\n")
    symbols = {line[19:].partition(" = ")[0] for line in said.splitlines()[2:]}
    assert set(terms[:3]) <= symbols
    assert terms[3] in said


def test_gravity_along_every_axis_is_noted_once_where_g_is_shown(tmp_path):
    path = tmp_path / "arm.toml"
    rows = '[[dh]]\na = "L1"\nmass = "m1"\n[[dh]]\na = "L2"\nmass = "m2"\n'
    path.write_text(f'convention = "standard"\n{rows}', encoding="utf-8")
    note = 'gravity is parallel to every axis: g = 0. For a vertical plane: gravity = [0, "-g", 0]'
    for words in ((), ("--quantity", "g"), ("--breakdown",), ("--json",), ("--steps",)):
        done = run("derive", path, *words)
        assert (done.stdout + done.stderr).count(note) == 1
    assert run("derive", path, "--quantity", "g").stdout == "⎡0⎤\n⎣0⎦\n"
    assert not run("derive", path, "--quantity", "g", "--quiet").stderr
    path.write_text(f'convention = "standard"\ngravity = [0, "-g", 0]\n{rows}', encoding="utf-8")
    assert not run("derive", path, "--quantity", "g").stderr


def test_derive_writes_the_format_that_the_ending_says(tmp_path):
    begins = {"txt": "two_link_symbolic: ", "md": "# ", "tex": "\\documentclass", "html": "<!doc"}
    for ending, start in begins.items():
        path = tmp_path / f"page.{ending}"
        assert run("derive", "two_link_symbolic", "-o", path).stdout == f"{path}\n"
        assert path.read_text(encoding="utf-8").lower().startswith(start.lower())


def test_a_closed_form_that_is_too_large_is_told_in_words_of_the_command_line(tmp_path):
    from qddot.errors import TooLarge

    with patch("qddot.derive", side_effect=TooLarge("arm", 1e9, 1000)):
        done = run("derive", "two_link")
    assert done.returncode == 2
    assert "--structured" in done.stderr
    assert "robot." not in done.stderr


def test_bench_tells_the_time_a_state_takes_and_how_often_pinocchio_takes_it():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed, so nothing is compared")
    facts = json.loads(run("bench", "two_link", "--seconds", "0.1", "--json").stdout)
    rows = facts["rows"]
    assert [row["batch"] for row in rows] == [1, 1, 1, 8192, 8192, 8192]
    assert all(row["ns"] > 0 for row in rows)
    assert all(row["peer_ns"] == pytest.approx(row["ratio"] * row["ns"]) for row in rows)
    assert "8192" in run("bench", "two_link", "--seconds", "0.1").stdout


# terminals, pipes, signals, defects


def test_no_colours_and_no_progress_where_nobody_watches():
    done = run("show", "panda", NO_COLOR="", TERM="xterm-256color")
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "words", [["show", "panda"], ["derive", "rp_symbolic"], ["prove", "--help"]]
)
def test_what_an_encoding_cannot_hold_is_spelled_not_fatal(words):
    done = run(*words, encoding="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "?" not in done.stdout
    assert any(spelt in done.stdout for spelt in ("m/s^2", "tau = M(q) qdd", "Md - 2C"))


def test_json_loses_nothing_where_letters_are_few():
    words = ("prove", "two_link", "--json")
    plain, full = (json.loads(run(*words, encoding=e).stdout) for e in ("ascii", "utf-8"))
    statements = [[claim["statement"] for claim in facts["claims"]] for facts in (plain, full)]
    assert statements[0] == statements[1]


def test_output_into_a_closed_pipe_is_no_error():
    pipe = f"'{sys.executable}' -m qddot show panda --json | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True)
    assert done.stdout == "{\n0\n"
    assert not done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_a_line():
    with open("/dev/full", "w") as full:
        process = started("show", "panda", stdout=full)
        _, words = process.communicate()
    assert process.returncode == 1
    assert words == "qddot: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_ctrl_c_ends_with_130_and_without_a_traceback():
    process = started("prove", "panda")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("proved")  # it is at work
    process.send_signal(signal.SIGINT)
    _, words = process.communicate()
    assert process.returncode == 130
    assert words == "qddot: interrupted\n"


# Ctrl-C that passes through `exec` of a text, and is heard
THROUGH_EXEC = """
from qddot import cli
from qddot.cli import running

def run(app, words):
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 130

running.run = run
cli.main()
"""


def test_ctrl_c_that_was_heard_is_a_status_and_no_signal():
    assert subprocess.run([sys.executable, "-c", THROUGH_EXEC]).returncode == 130


# Ctrl-C as something is imported, wherever the shell's patience ended
PRESSED = """
import runpy, sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
runpy.run_module("qddot", run_name="__main__")
"""


def test_an_error_that_ctrl_c_made_is_known_as_ctrl_c():
    """Python wraps what is raised while a class is being made."""

    class Half:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, RuntimeError)) as caught:
        type("Made", (), {"half": Half()})
    assert is_interrupt(caught.value)
    assert not is_interrupt(ImportError("no such module"))


@pytest.mark.parametrize("module", ["typer", "numpy", "qddot.cli.running"])
def test_ctrl_c_while_it_starts_ends_with_130_and_without_a_traceback(module):
    words = [sys.executable, "-c", PRESSED, module, "show", "panda"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stderr == "qddot: interrupted\n"
    assert done.returncode == 130
    assert not done.stdout


def test_help_loads_no_package_for_numbers():
    code = "import sys; import qddot.cli.command_line; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_what_is_proved_when_ctrl_c_is_pressed_is_still_told():
    from qddot.equations.proofs import claims

    def two(robot):
        for k, claim in enumerate(claims(robot)):
            if k == 2:
                signal.raise_signal(signal.SIGINT)
            yield claim

    with ctrl_c(), patch("qddot.equations.proofs.claims", two):
        done = run("prove", "two_link", "--json")
    assert done.returncode == 130
    assert len(json.loads(done.stdout)["claims"]) == 2
    assert json.loads(done.stdout)["finished"] is False
    assert done.stderr == "qddot: interrupted\n"


def broken(*_, **__):
    raise ZeroDivisionError("a\x1b[31mb\nc")


def test_a_defect_is_told_in_three_lines_with_the_way_to_its_traceback():
    with patch("qddot.present.terminal.robots.print_robot", broken):
        plain, traced = run("show", "panda"), run("show", "panda", "--traceback")
        asked = run("show", "panda", QDDOT_TRACEBACK="1")
    assert plain.returncode == traced.returncode == 1
    first, *more = plain.stderr.splitlines()
    assert first.startswith("qddot: this is a defect of qddot: ZeroDivisionError: a\\x1b[31mb (")
    assert "test_command_line.py" in first
    assert len(more) == 2
    assert "--traceback" in plain.stderr
    assert "Traceback" not in plain.stderr
    assert "Traceback" in traced.stderr
    assert "Traceback" in asked.stderr


def test_a_lack_of_memory_is_no_defect():
    with patch("qddot.present.terminal.robots.print_robot", side_effect=MemoryError):
        done = run("show", "panda")
    assert done.returncode == 1
    assert "not enough memory" in done.stderr


FIXED = ("derive", "prove", "workspace", "certify", "simulate", "control", "excite", "bench")


@pytest.mark.parametrize("verb", [*FIXED, "draw"])
def test_a_robot_without_a_joint_that_moves_is_told_so(verb, tmp_path):
    (tmp_path / "fixed.urdf").write_text('<robot name="q"><link name="a"/></robot>')
    done = run(verb, tmp_path / "fixed.urdf", "-q")
    assert done.returncode == 2
    assert "no joint that moves" in done.stderr


@pytest.mark.parametrize("megabytes", [120, 200, 300, 400])
def test_too_little_memory_is_told_as_such(megabytes):
    resource = pytest.importorskip("resource")
    most = (megabytes * 10**6,) * 2
    words = [*QDDOT, "simulate", "panda", "--duration", "0.01"]
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, most)}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **limited)
    assert done.returncode == 1
    assert done.stderr.startswith("qddot: there is not enough memory for this.\n")
    assert done.stderr.count("\n") == 2


def test_signs_of_little_memory_are_none_where_a_package_is_missing():
    from qddot.cli.memory import is_lack

    with patch("qddot.cli.memory.most_memory", lambda: 300):
        assert is_lack(ImportError("libgfortran.so: failed to map segment from shared object"))
        assert is_lack(OSError("Could not find/load shared object file 'libllvmlite.so'"))
        assert is_lack(OSError(12, "Cannot allocate memory"))
        assert not is_lack(ModuleNotFoundError("No module named 'mujoco'"))
        assert not is_lack(OSError("Could not write"))
    with patch("qddot.cli.memory.most_memory", lambda: None):
        assert not is_lack(OSError("Could not find/load shared object file 'libllvmlite.so'"))
        assert is_lack(MemoryError())


def test_room_is_asked_for_libraries_that_are_there_and_the_missing_are_named():
    from qddot.cli import memory

    with patch.dict(memory.ROOM, {"no_such_package": 10**9, "json": 10**9}):
        assert memory.AskForRoom().find_spec("no_such_package", None) is None
        with pytest.raises(MemoryError):
            memory.AskForRoom().find_spec("json", None)


@pytest.mark.parametrize(("most", "more"), [(300, 1000), (1500, 3000)])
def test_more_memory_is_advised_than_there_is(most, more):
    from qddot.cli import memory

    with patch("qddot.cli.memory.most_memory", lambda: most):
        assert f"may use {most} MB (ulimit -v). Allow it {more} MB or more." in memory.words()


def test_the_warnings_of_a_file_name_it_once(tmp_path):
    text = '<robot name="r"><link name="a" x="1"/>\n<link name="b" y="2"/>'
    joint = '<joint name="j" type="continuous" z="1"><parent link="a"/><child link="b"/></joint>'
    (tmp_path / "arm.urdf").write_text(f"{text}\n{joint}</robot>")
    said = run("show", tmp_path / "arm.urdf").stderr
    assert said.count("warning: ") >= 3
    assert said.count(str(tmp_path)) == 1
    assert "warning: line 2: link 'b': " in said


def test_warnings_of_other_packages_are_not_told_and_ours_are():
    import warnings

    def warns(*_, **__):
        warnings.warn("theirs", RuntimeWarning, stacklevel=1)
        warnings.warn("ours", qddot.RobotWarning, stacklevel=1)

    with patch("qddot.present.terminal.robots.print_robot", warns):
        assert run("show", "panda").stderr == "qddot: warning: ours\n"
        assert not run("show", "panda", "-q").stderr


@pytest.mark.parametrize("module", ["qddot", "qddot.cli"])
def test_the_command_line_runs_as_a_module(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True
    )
    assert done.stdout == f"qddot {qddot.__version__}\n"
