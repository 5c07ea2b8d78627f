"""The table of targets: what a place and a name mean, and what things are called."""

import re
import zipfile
from dataclasses import replace

import pytest
from command_line import run
from long import long

import qddot
from qddot.errors import BadArgument
from qddot.exporting.targets import TARGETS


def description(path):
    """Return the first element of an FMU's description."""
    with zipfile.ZipFile(path) as fmu:
        return fmu.read("modelDescription.xml").decode().partition("<ModelExchange")[0]


@pytest.mark.parametrize(
    ("options", "version"),
    [({}, "2.0"), *long(({"target": "fmu"}, "2.0"), ({"target": "fmu3"}, "3.0"))],
)
def test_a_place_that_ends_in_fmu_is_one_file(options, version, tmp_path):
    words = [f"--{name}={value}" for name, value in options.items()]
    assert run("export", "two_link", "-o", "arm.fmu", *words, cwd=tmp_path).returncode == 0
    done = qddot.export("two_link", tmp_path / "same.fmu", **options)
    assert done.files == (tmp_path / "same.fmu",)
    assert {path.name for path in tmp_path.iterdir()} == {"arm.fmu", "same.fmu"}
    for path in tmp_path.iterdir():
        assert path.is_file()
        assert f'fmiVersion="{version}"' in description(path)
    with pytest.raises(BadArgument, match="there already"):
        qddot.export("two_link", tmp_path / "same.fmu", **options)


def test_a_folder_has_fmus_of_both_versions_or_of_one(tmp_path):
    (tmp_path / "old.fmu").mkdir()  # a folder stays one, whatever its name
    for place, target, versions in (
        ("both", "fmu", "23"),
        ("one", "fmu3", "3"),
        ("old.fmu", "fmu", "23"),
    ):
        files = qddot.export("two_link", tmp_path / place, target=target).files
        assert [path.name for path in files] == [f"two_link_fmi{v}.fmu" for v in versions]
        assert {path.parent for path in files} == {tmp_path / place}


def test_python_refuses_what_the_command_line_refuses(tmp_path):
    for place, target, said in (
        ("arm", "simulink", "Did you mean fmu (a block to import) or matlab (functions)?"),
        ("arm.m", None, "'arm.m' is one file, and target 'matlab' writes several"),
        ("arm", "cpq", "Did you mean 'cpp'?"),
    ):
        with pytest.raises(BadArgument, match=re.escape(said)):
            qddot.export("two_link", tmp_path / place, target=target)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("c", "void gen3_mass_matrix("),
        ("cpp", "namespace qddot::gen3"),
        ("cuda", "gen3_mass_matrix("),
        ("matlab", "function value = gen3_M("),
        ("fmu", 'modelName="gen3"'),
        (None, 'name = "gen3"'),
    ],
)
def test_a_name_is_what_functions_and_models_are_called(target, expected, tmp_path):
    place = tmp_path / ("arm.toml" if target is None else "arm")
    words = ["--target", target] if target else []
    assert run("export", "two_link", "--name", "gen3", *words, "-o", place).returncode == 0
    files = [place] if place.is_file() else sorted(place.iterdir())
    if target == "fmu":
        assert all(path.name.startswith("gen3_fmi") for path in files)
        assert all(expected in description(path) for path in files)
        return
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert any(expected in text for text in texts.values())
    if target == "matlab":
        own = {"check.m", "parameters.m", "README.md"}
        assert all(name.startswith("gen3_") for name in texts.keys() - own)
        assert "gen3_dir2dyn(u" in texts["README.md"]
        assert not re.search(r"(?<![.\w])(dir2dyn|M)\(", texts["check.m"])
    assert "two_link_mass_matrix" not in "".join(texts.values())


def test_a_name_that_the_check_of_the_source_needs_is_refused(tmp_path):
    """Its functions are called check_mass_matrix and so on."""
    with pytest.raises(BadArgument, match="For instance 'check_'"):
        qddot.export("two_link", tmp_path / "arm", name="check")
    robot = qddot.load("two_link")
    robot = replace(robot, model=replace(robot.model, name="check"))
    qddot.export(robot, tmp_path / "arm")
    assert "void check__mass_matrix(" in (tmp_path / "arm" / "check_.h").read_text()


def test_every_target_is_in_the_help_and_its_writer_is_found():
    said = run("export", "--help").stdout
    for name, row in TARGETS.items():
        assert re.search(rf"\b{name}\b", said)
        assert callable(row.write)
