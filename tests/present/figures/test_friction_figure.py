"""Curves of friction: torque over velocity, of joints and of laws by name."""

import numpy as np
import pytest
from command_line import run
from nearness import assert_near

import qddot
from qddot.errors import BadArgument, NotNumeric, listing
from qddot.model import Friction
from qddot.plot import plot_friction

SCARA = qddot.load("scara").without("friction")


def curves(axes):
    """Return the curves that are drawn, without the lines through the origin."""
    return [line.get_xydata().T for line in axes.lines if len(line.get_xdata()) > 2]


def words(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_curves_are_the_joints_friction_and_upright_at_rest():
    law = dict(viscous=[1, 2, 3, 4], coulomb=[0.5, 0, 1, 0.1], static=[2, 0, 1, 0.1])
    robot = SCARA.with_friction(**law, stribeck_velocity=0.05, offset=0.2)
    figure = plot_friction(robot, velocity=0.4)
    turning, sliding = figure.axes
    assert (turning.get_xlabel(), turning.get_ylabel()) == ("velocity [rad/s]", "friction [N·m]")
    assert (sliding.get_xlabel(), sliding.get_ylabel()) == ("velocity [m/s]", "friction [N]")
    assert words(figure) == ["j1", "j2", "j4", "j3"]
    each = dict(zip(words(figure), [*curves(turning), *curves(sliding)], strict=True))
    for k, name in enumerate(robot.joint_names):
        v, torque = each[name]
        moves = v != 0
        qd = np.zeros((moves.sum(), 4))
        qd[:, k] = v[moves]
        assert_near(torque[moves], robot.friction_torque(qd)[:, k])
        grip = float(law["static"][k])
        assert_near(torque[~moves], [0.2 - grip, 0.2 + grip])
        assert (v[0], v[-1]) == (-0.4, 0.4)


def test_laws_are_compared_by_name_and_with_tanh_for_the_sign():
    both = Friction(viscous=2.0, coulomb=1.0)
    figure = plot_friction({"viscous": Friction(viscous=2.0), "$both": both}, 0.3, smoothing=0.03)
    assert {"viscous", "$both"} < set(words(figure))
    _, dry, smooth = curves(figure.axes[0])
    assert_near(dry[1][-1], 1.6)
    assert_near(smooth[1], 2.0 * smooth[0] + np.tanh(smooth[0] / 0.03))


@pytest.mark.parametrize(
    ("friction", "reach"),
    [(dict(coulomb=1, static=2, stribeck_velocity=0.05), 0.3), (dict(coulomb=1), 2.61)],
)
def test_the_axis_goes_as_far_as_there_is_something_to_see(friction, reach):
    panda = qddot.load("panda").without("friction").with_friction(**friction)
    figure = plot_friction(panda)
    assert_near(figure.axes[0].get_xlim(), [-reach, reach])
    assert words(figure) == [listing(panda.joint_names, 4)]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(BadArgument, match="Give it some"):
        plot_friction(SCARA)
    with pytest.raises(BadArgument, match="give each law as a Friction"):
        plot_friction({"dry": 1.0})
    with pytest.raises(BadArgument, match="velocity is -1"):
        plot_friction(SCARA, velocity=-1)
    with pytest.raises(NotNumeric, match="two_link"):
        plot_friction("two_link_symbolic")


def test_show_draws_them_from_the_command_line(tmp_path):
    file = tmp_path / "curves.svg"
    done = run("show", "two_link", "--set", "friction.coulomb=3", "--friction", file)
    assert done.returncode == 0, done.stderr
    assert file.name in done.stdout
    assert "velocity [rad/s]" in file.read_text()
    wrong = run("show", "--friction", file)
    assert wrong.returncode == 2
    assert "--friction draws a robot" in wrong.stderr
