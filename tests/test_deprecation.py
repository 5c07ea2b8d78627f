"""Old names: they work, and each says its new name once it is used."""

import importlib
import sys

import pytest
import typer

import qddot
from qddot.cli import app
from qddot.cli.command_line import NEW_NAMES, with_new_names
from qddot.deprecation import moved_modules, renamed


@renamed(old="new")
def doubled(new, *, other=0):
    """Return twice a number."""
    return 2 * new + other


def test_an_old_argument_is_taken_for_the_new_one_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"doubled\(old=\) is now new=") as said:
        assert doubled(old=3, other=1) == 7
    assert said[0].filename == __file__
    assert doubled(3) == 6
    assert doubled.__doc__ == "Return twice a number."


def test_both_at_once_are_refused():
    with pytest.raises(TypeError, match="old and new, which are one"):
        doubled(old=1, new=2)


def test_a_module_that_moved_is_found_under_its_old_name():
    with pytest.warns(
        DeprecationWarning, match=r"now qddot\.control\.closed_loop; the old"
    ) as said:
        from qddot.control.closed_loop import closed_loop
    assert said[0].filename == __file__
    assert closed_loop is qddot.control.closed_loop
    with pytest.warns(DeprecationWarning, match=r"qddot\.control\.loop\.Setting"):
        assert sys.modules["qddot.control.closed_loop"].Setting
    assert not hasattr(sys.modules["qddot.control.closed_loop"], "__file__")  # and says nothing


def test_a_name_that_changed_is_found_in_its_room_and_in_its_old_module():
    for ask in (
        lambda: qddot.certificate.effective_mass,
        lambda: __import__("qddot.certificate.effective_mass", fromlist=["x"]).effective_mass,
    ):
        with pytest.warns(DeprecationWarning, match=r"is now qddot\.certificate\.mass_ellipsoid"):
            assert ask() is qddot.certificate.mass_ellipsoid


def test_what_is_nowhere_is_refused_as_by_the_room():
    moved_modules("qddot.control", old_thing="loop")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        sys.modules["qddot.control.old_thing"].nothing  # noqa: B018


FIGURES = {
    "qddot.certificate.figures": "plot_eigenvalues",
    "qddot.control.figures": "plot_closed_loop",
    "qddot.identification.figures": "plot_torques",
    "qddot.plot.compare": "panels",
}


@pytest.mark.parametrize("old", FIGURES)
def test_a_module_of_figures_still_has_them_and_says_where_they_are(old):
    name, module = FIGURES[old], importlib.import_module(old)
    with pytest.warns(DeprecationWarning, match=rf"{old}\.{name} is now qddot\.plot\.{name};"):
        assert getattr(module, name) is getattr(qddot.plot, name)
    package, _, own = old.rpartition(".")
    assert getattr(importlib.import_module(package), own) is module


def test_names_that_moved_elsewhere_are_found_there():
    from qddot.identification.validation import errors_on

    module = importlib.import_module("qddot.identification.figures")
    with pytest.warns(DeprecationWarning, match=r"now qddot\.identification\.errors_on;"):
        assert module.errors_on is errors_on
    with pytest.warns(DeprecationWarning, match=r"figures\.page is now qddot\.plot\.fit_page;"):
        assert module.page is qddot.plot.fit_page
    with pytest.warns(DeprecationWarning, match=r"plot\.style\.\w+ is now qddot\.present"):
        assert importlib.import_module("qddot.plot.style").COLOURS
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize(
    ("verb", "words", "new"),
    [
        ("excite", ["ur5", "--limit", "velocity=1", "--keep=tool: z > 0"], "--limits"),
        ("export", ["ur5", "--float", "-o", "x"], "--dtype"),
        ("identify", ["ur5", "log.csv", "--merge"], "--unexcited"),
        ("control", ["ur5", "--wrong", "0.3"], "--model-error"),
        ("sweep", ["plan.toml", "--scheduler", "tcp://x"], "--client"),
    ],
)
def test_old_options_are_taken_for_the_new_ones(verb, words, new, capsys):
    command = typer.main.get_command(app).commands[verb]
    context = command.make_context(verb, list(words))
    assert f"is now {new}" in capsys.readouterr().err
    same = command.make_context(verb, with_new_names(verb, words))
    assert context.params == same.params
    shown = command.get_help(context)
    assert new in shown
    for old, replacement in NEW_NAMES[verb].items():
        assert f"{old} " not in shown
        assert replacement[0] in shown


def test_what_is_no_old_option_is_left_alone(capsys):
    words = ["ur5", "--limits", "velocity=1", "-o", "--keepsake"]
    assert with_new_names("excite", words) == words
    assert with_new_names("simulate", ["--limit", "1"]) == ["--limit", "1"]
    assert not capsys.readouterr().err
