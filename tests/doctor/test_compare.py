"""What other engines make of a robot: agreement where it is right, words where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from faults import not_installed, workers_run
from long import long

from qddot.doctor import examine, peers
from qddot.doctor.compare import CONFIGURATIONS, compare, configurations
from qddot.doctor.evidence import TOLERANCE
from qddot.doctor.peers import PEERS, Answer, Job, ask, material
from qddot.model.geometry import Geometry, MeshShape
from qddot.readers import read
from qddot.readers.read import library
from qddot.writers.urdf import to_urdf

PRESENT = [peer for peer in PEERS if peer.installed]
NAMES = [peer.name for peer in PRESENT]
DIAGONALISED = 1e-11  # MuJoCo diagonalises every inertia; the others are near 1e-15

FOLLOWER = """
  <link name="finger">
    <inertial>
      <origin xyz="0.03 0 0"/>
      <mass value="0.1"/>
      <inertia ixx="1e-5" ixy="0" ixz="0" iyy="3e-5" iyz="0" izz="3e-5"/>
    </inertial>
  </link>
  <joint name="a_finger" type="prismatic">
    <origin xyz="0 0 0.1"/>
    <parent link="hand"/>
    <child link="finger"/>
    <axis xyz="1 1 0"/>
    <limit lower="0" upper="0.1" effort="10" velocity="1"/>
    <dynamics damping="0.4" friction="0.2"/>
    <mimic joint="elbow" multiplier="0.02" offset="0.01"/>
  </joint>
</robot>"""

MJCF = """\
<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -1.62"/>
  <worldbody>
    <body name="upper" pos="0 0 0.3">
      <joint name="shoulder" axis="0 1 0" armature="0.05" damping="0.2" range="-2 2"/>
      <inertial pos="0 0 0.2" mass="1" diaginertia="0.02 0.02 0.01"/>
      <body name="fore" pos="0 0 0.4" euler="0.3 0 0">
        <joint name="slide" type="slide" axis="0 0 1" armature="0.5" range="0 0.4" ref="0.1"/>
        <geom type="capsule" fromto="0 0 0 0 0 .3" size="0.03" mass="0.7"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def by_peer(examination):
    return {comparison.peer: comparison for comparison in examination.comparisons}


@pytest.fixture(scope="module")
def installed():
    if not PRESENT:
        pytest.skip("neither pin, mujoco nor drake is installed")
    return NAMES


def test_the_arm_is_the_same_everywhere(arm, installed):
    found = by_peer(examine(arm()))
    for name in installed:
        assert found[name].agrees, found[name]
        assert max(found[name].difference_M, found[name].difference_g) < DIAGONALISED
        assert found[name].read == "the file"
        assert found[name].reasons == ()


@pytest.mark.parametrize("name", long("scara", "double_pendulum", "panda_hand", "puma560"))
def test_a_built_in_robot_is_the_same_everywhere(name, installed):
    found = by_peer(examine(name))
    for peer in installed:
        # MuJoCo refuses links that are points
        if peer == "MuJoCo" and name == "double_pendulum":
            assert "mjMINVAL" in found[peer].why_not
        else:
            assert found[peer].agrees, found[peer]
            assert found[peer].read == "qddot's URDF of it"


def test_followers_skewed_axes_and_a_heavy_base_change_nothing(arm, installed):
    """Joints in another order, one that follows, meshes that do not exist, a base with mass."""
    base = '<link name="base"><inertial><mass value="9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
    base += 'iyz="0" izz="1"/></inertial><visual><geometry><mesh filename="package://no/x.stl"/>'
    base += "</geometry></visual></link>"
    examination = examine(arm(("</robot>", FOLLOWER), ('<link name="base"/>', base)))
    assert examination.model is not None
    assert examination.model.n == 3
    found = by_peer(examination)
    for name in installed:
        assert found[name].agrees, found[name]
        told = " ".join(found[name].asides)
        assert "coordinates of their own to joints that follow others here: 'a_finger'" in told
    if "MuJoCo" in found:
        assert "MuJoCo drops the mass of what does not move (9 kg)" in found["MuJoCo"].asides[0]
    if "Pinocchio" in installed:
        assert "leave out friction, which 1 joint has" in found["Pinocchio"].asides[-1]


def test_mjcf_with_rotors_another_gravity_and_a_shifted_zero(tmp_path, installed):
    pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF, encoding="utf-8")
    found = by_peer(examine(path))
    assert found["MuJoCo"].agrees, found["MuJoCo"]
    if "Pinocchio" in installed:
        # it reads rotors and ref from MJCF, but not gravity
        assert found["Pinocchio"].reasons == (
            "gravity is (0, 0, -9.81) m/s² in Pinocchio and (0, 0, -1.62) here",
        )
    if "Drake" in installed:
        assert found["Drake"].agrees, found["Drake"]
        assert "URDF has no words for gravity and rotor inertia" in found["Drake"].asides[0]


def test_what_a_peer_cannot_load_is_a_sentence(arm, installed):
    """A wrist without mass is singular; MuJoCo says so and the others do not mind."""
    massless = ('<mass value="0.8"/>', '<mass value="0"/>')
    none = 'ixx="0.0011" ixy="0" ixz="0" iyy="0.0012" iyz="0" izz="0.0008"'
    zero = 'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"'
    found = by_peer(examine(arm(massless, (none, zero))))
    if "MuJoCo" not in installed:
        pytest.skip("mujoco is not installed")
    assert not found["MuJoCo"].compared
    assert found["MuJoCo"].why_not.startswith("it could not load the file: mass and inertia of")
    assert "'hand'" in found["MuJoCo"].why_not


def test_nothing_is_printed_and_nothing_is_left_behind(
    arm, installed, tmp_path, monkeypatch, capfd
):
    path = arm()
    monkeypatch.chdir(tmp_path)
    examine("arm.urdf")
    assert capfd.readouterr() == ("", "")
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_a_peer_that_is_not_installed_says_how_to_install_it(arm, monkeypatch):
    not_installed(monkeypatch, *(peer.module for peer in PEERS))
    found = by_peer(examine(arm()))
    assert {name: c.why_not for name, c in found.items()} == {
        "Pinocchio": "it is not installed (pip install pin)",
        "MuJoCo": "it is not installed (pip install mujoco)",
        "Drake": "it is not installed (pip install drake)",
    }


def test_a_robot_with_symbols_is_not_compared():
    examination = examine("two_link_symbolic")
    assert examination.model is not None
    for comparison in examination.comparisons:
        assert not comparison.compared
        assert "give the symbols values: with_values(I1=..., I2=..., a1=...)" in comparison.why_not


def test_a_robot_that_does_not_move_is_not_compared(tmp_path):
    path = tmp_path / "rock.urdf"
    path.write_text('<robot name="rock"><link name="rock"/></robot>', encoding="utf-8")
    assert {c.why_not for c in examine(path).comparisons} == {"no joint of it moves"}


def test_a_peer_that_takes_too_long_or_crashes_is_a_sentence(monkeypatch):
    job = Job("Nobody", "urdf", "", "", "base", [])
    assert ask([job])[0].failed == "'Nobody'"
    monkeypatch.setattr(peers, "TIME_LIMIT", 0.001)
    assert ask([job])[0].failed == "it did not answer within 0.001 s"
    monkeypatch.setattr(peers, "TIME_LIMIT", 60)
    workers_run(monkeypatch, "false")
    assert ask([job])[0].failed == "it ended without an answer (status 1)"


NAN = [[[float("nan")] * 3] * 3] * CONFIGURATIONS
ZERO = [[0.0] * 3] * CONFIGURATIONS


@pytest.mark.parametrize(
    ("said", "why_not"),
    [
        (Answer(joints=["elbow"]), "it has no joint 'shoulder'"),
        (
            Answer(joints=["shoulder", "elbow", "wrist"], M=NAN, g=ZERO),
            "its M or g is not a number",
        ),
    ],
)
def test_an_answer_without_a_joint_or_a_number_is_not_compared(
    said, why_not, arm, monkeypatch, installed
):
    monkeypatch.setattr("qddot.doctor.compare.ask", lambda jobs: [said])
    (comparison,) = compare(read(arm()), arm(), PRESENT[:1])
    assert comparison.why_not == why_not


@pytest.mark.long
def test_a_prefix_that_nobody_declares_does_no_harm(arm, installed):
    found = by_peer(examine(arm(("</robot>", "<gazebo:x/></robot>"))))
    assert any(found[name].agrees for name in installed), found


def test_configurations_are_within_limits_and_always_the_same(arm):
    model = read(arm())
    q = configurations(model)
    assert q.shape == (CONFIGURATIONS, 3)
    assert (abs(q) <= [2, 2.5, 3.1416]).all()
    assert (q == configurations(model)).all()
    far = model.with_joints(lambda j: replace(j, limits=replace(j.limits, lower=100, upper=1000)))
    assert (configurations(far)[:, 0] >= 100).all()


def test_the_facts_for_machines_are_json(arm, installed):
    facts = json.loads(json.dumps(examine(arm()).to_dict()))
    assert facts["robot"] == "arm"
    assert facts["usable"]
    assert facts["healthy"]
    assert facts["problems"] == []
    assert [c["peer"] for c in facts["comparisons"]] == [peer.name for peer in PEERS]
    first = next(c for c in facts["comparisons"] if c["peer"] == installed[0])
    assert first["agrees"]
    assert first["difference_M"] < TOLERANCE
    bad = json.loads(json.dumps(examine(arm(('lower="-2" ', 'lower="3" '))).to_dict()))
    assert not bad["usable"]
    assert bad["problems"][0]["severity"] == "error"
    assert bad["problems"][0]["line"] > 0


def test_every_built_in_robot_can_be_handed_to_a_peer():
    """What is asked of a peer is plain JSON, whatever the robot holds."""
    from qddot.doctor.compare import positions

    for path in library().values():
        model = read(path)
        job = material(model, path).job(
            PEERS[0], [positions(model, q) for q in configurations(model)]
        )
        assert json.dumps(vars(job))
        assert job.root == model.links[0].name


def test_a_peer_is_given_no_shapes_so_that_it_misses_no_mesh():
    cover = Geometry(MeshShape("cover.stl"))
    model = read("two_link")
    links = tuple(replace(link, visuals=(cover,), collisions=(cover,)) for link in model.links)
    shown = replace(model, links=links)
    assert "cover.stl" in to_urdf(shown)
    assert "cover.stl" not in material(shown, Path("arm.toml")).job(PEERS[0], []).text
