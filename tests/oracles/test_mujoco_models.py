"""MJCF files read here and in MuJoCo: the same bodies, the same places, the same dynamics."""

from pathlib import Path

import numpy as np
import pytest
from nearness import ROUND_OFF

from qddot.errors import BadRobot

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed, so it cannot be asked")

from oracles.mujoco_reference import disagreement, full_coordinates  # noqa: E402

from qddot.readers.mjcf import read_mjcf  # noqa: E402

# what releases of MuJoCo before 4 lose when they turn an inertia matrix to its principal axes
TURNED = 1e-7 if mujoco.__version__.startswith("3.") else ROUND_OFF

HEAVY = '<inertial mass="2" pos="0.1 -0.2 0.3" diaginertia="0.3 0.4 0.5"/>'

# one feature a model, in a body with mass; each is the inside of <mujoco>
FEATURES = {
    "degrees by default": """
        <worldbody>
          <body euler="30 40 50"><joint axis="1 2 3" range="-90 45"/>{heavy}</body>
        </worldbody>
    """,
    "radians": """
        <compiler angle="radian"/>
        <worldbody><body euler="0.3 0.4 0.5"><joint range="-1 0.5"/>{heavy}</body></worldbody>
    """,
    "another sequence of Euler angles": """
        <compiler eulerseq="ZYx"/>
        <worldbody><body euler="30 40 50"><joint/>{heavy}</body></worldbody>
    """,
    "quaternion, axis and angle, two axes, a z axis": """
        <worldbody>
          <body quat="1 2 3 4"><joint axis="0 1 0"/>{heavy}
            <body axisangle="1 1 0 70" pos="0 1 0"><joint axis="1 0 1"/>{heavy}
              <body xyaxes="0 1 0 -1 0 1" pos="1 0 0"><joint/>{heavy}
                <body zaxis="1 1 1" pos="1 2 0"><joint axis="0 1 0"/>{heavy}</body>
              </body>
            </body>
          </body>
        </worldbody>
    """,
    "default classes": """
        <default>
          <joint axis="0 1 0" armature="0.3"/>
          <default class="slim"><joint type="slide" armature="0.1"/><geom density="500"/></default>
        </default>
        <worldbody>
          <body pos="1 0 0"><joint/>{heavy}
            <body childclass="slim"><joint/><geom size="0.2"/></body>
          </body>
        </worldbody>
    """,
    "armature": """
        <worldbody>
          <body><joint name="a" armature="0.7"/>{heavy}
            <body><joint name="b" type="slide" armature="3"/>{heavy}</body>
          </body>
        </worldbody>
    """,
    "a position that is not zero at reference": """
        <worldbody>
          <body pos="0 0 1" euler="10 0 0"><joint axis="1 1 0" ref="40"/>{heavy}
            <body pos="0 0 1"><joint type="slide" axis="1 0 1" ref="0.3"/>{heavy}</body>
          </body>
        </worldbody>
    """,
    "a joint that is not at the body's origin": """
        <worldbody>
          <body pos="1 2 3" euler="20 0 30"><joint pos="0.1 0.2 0.3" axis="0 1 0"/>{heavy}
            <body pos="0.5 0 0"><joint type="slide" pos="1 1 1" axis="1 0 0"/>{heavy}</body>
          </body>
        </worldbody>
    """,
    "several joints in one body": """
        <worldbody>
          <body name="cart" pos="1 0 0">
            <joint name="x" type="slide" axis="1 0 0"/>
            <joint name="z" type="slide" axis="0 0 1" ref="0.5"/>
            <joint name="turn" axis="0 1 0" pos="0.2 0 0.1" ref="15"/>
            <joint name="tilt" axis="1 0 0" pos="0 0.3 0"/>
            {heavy}
            <body name="wheel" pos="0 0 1"><joint axis="0 1 0"/>{heavy}</body>
          </body>
        </worldbody>
    """,
    "bodies without a joint": """
        <worldbody>
          <body name="table" pos="0 0 1" euler="0 0 45">{heavy}
            <body name="arm"><joint/>{heavy}<body name="tool" pos="0 0 1" euler="90 0 0">{heavy}
              <body name="tip" pos="0 0 0.1"/></body></body>
          </body>
        </worldbody>
    """,
    "an inertia in axes of its own": """
        <worldbody><body><joint/>
          <inertial mass="2" pos="1 0 0" quat="1 2 3 4" diaginertia="0.3 0.4 0.5"/>
        </body></worldbody>
    """,
    "a full inertia matrix": """
        <worldbody><body><joint axis="1 1 1"/>
          <inertial mass="2" pos="1 0 0" fullinertia="0.3 0.4 0.5 0.01 -0.02 0.03"/>
        </body></worldbody>
    """,
    "inertia from geoms": """
        <worldbody><body><joint axis="1 0 0"/>
          <geom type="capsule" fromto="0 0 0 1 0 1" size="0.1"/>
          <geom type="box" size="0.1 0.2 0.3" pos="0 1 0" euler="10 20 30" mass="3"/>
          <geom type="ellipsoid" size="0.1 0.2 0.3" density="300"/>
          <geom type="cylinder" size="0.1 0.3" mass="0"/>
        </body></worldbody>
    """,
    "inertia from geoms although inertials are given": """
        <compiler inertiafromgeom="true"/>
        <worldbody><body><joint/>{heavy}<geom size="0.3"/></body></worldbody>
    """,
    "inertia from some groups of geoms": """
        <compiler inertiagrouprange="1 2"/>
        <worldbody>
          <body><joint/><geom size="0.3" group="1"/><geom size="0.7" group="3"/></body>
        </worldbody>
    """,
    "masses bounded, balanced and scaled": """
        <compiler boundmass="0.5" boundinertia="0.01" balanceinertia="true" settotalmass="10"/>
        <worldbody><body><joint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 3"/>
          <body><joint/><inertial mass="1e-3" pos="1 0 0" diaginertia="1e-6 1e-6 1e-6"/></body>
        </body></worldbody>
    """,
    "frames within bodies": """
        <worldbody><frame pos="0 0 1" euler="0 90 0"><body><joint/>{heavy}
          <frame quat="1 0 1 0"><site name="s" pos="1 2 3"/></frame></body></frame></worldbody>
    """,
    "the same body several times": """
        <worldbody>
          <replicate count="3" euler="0 0 120" offset="1 0 0">
            <body name="finger" pos="1 0 0"><joint name="bend" axis="0 1 0"/>{heavy}</body>
          </replicate>
        </worldbody>
    """,
    "static bodies fused": """
        <compiler fusestatic="true"/>
        <worldbody>
          <body name="a"><joint/>{heavy}<body name="b" pos="1 0 0">{heavy}</body></body>
        </worldbody>
    """,
    "sites": """
        <worldbody>
          <site name="origin" pos="1 2 3"/>
          <body name="hand"><joint/>{heavy}
            <site name="grip" pos="0 0 0.1" euler="10 20 30"/><site name="hand"/>
            <site name="edge" type="capsule" size="0.1" fromto="0 0 0 1 1 1"/>
          </body>
        </worldbody>
    """,
    "gravity": """
        <option gravity="1 2 -3"/><worldbody><body><joint axis="1 1 0"/>{heavy}</body></worldbody>
    """,
    "gravity switched off": """
        <option gravity="1 2 -3"><flag gravity="disable"/></option>
        <worldbody><body><joint axis="1 1 0"/>{heavy}</body></worldbody>
    """,
    "a joint that follows another": """
        <worldbody>
          <body name="base"><joint name="lead" axis="0 1 0" ref="10"/>{heavy}
            <body><joint name="left" type="slide" axis="0 1 0" ref="0.2"/>{heavy}</body>
            <body pos="0 -0.1 0"><joint name="right" type="slide" axis="0 -1 0"/>{heavy}</body>
            <body pos="0 -0.1 1"><joint name="held" axis="1 0 0" ref="5"/>{heavy}</body>
          </body>
        </worldbody>
        <equality>
          <joint joint1="right" joint2="left" polycoef="0 1 0 0 0"/>
          <joint joint1="left" joint2="lead" polycoef="0.1 -0.5 0 0 0"/>
          <joint joint1="held" polycoef="0.3 0 0 0 0"/>
        </equality>
    """,
    "objects that float about": """
        <worldbody>
          <body name="ball" pos="1 1 1"><freejoint/><geom size="0.1"/></body>
          <body name="arm"><joint/>{heavy}<body><joint axis="0 1 0"/>{heavy}</body></body>
          <body name="box"><joint type="free"/><geom size="0.1"/>
            <body><geom size="0.1"/></body></body>
        </worldbody>
    """,
}  # fmt: skip


def written(folder: Path, inside: str) -> Path:
    path = folder / "robot.xml"
    path.write_text(f"<mujoco>{inside.replace('{heavy}', HEAVY)}</mujoco>")
    return path


@pytest.mark.filterwarnings("ignore:compiler attribute")  # MuJoCo's own, about the reference
@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_means_what_it_means_to_mujoco(tmp_path, monkeypatch, feature):
    monkeypatch.chdir(tmp_path)  # where MuJoCo may leave its log
    path = written(tmp_path, FEATURES[feature])
    reference = mujoco.MjSpec.from_file(str(path))
    reference.compiler.fusestatic = False  # which would lose bodies to compare
    difference = disagreement(read_mjcf(path), reference.compile())
    allowed = TURNED if feature == "a full inertia matrix" else ROUND_OFF
    assert max(difference.values()) < allowed, difference


def test_joints_that_follow_satisfy_mujocos_constraints(tmp_path):
    path = written(tmp_path, FEATURES["a joint that follows another"])
    model, reference = read_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(reference)
    E, offset = full_coordinates(model, reference)
    data.qpos[:] = E @ [0.7] + offset
    mujoco.mj_forward(reference, data)
    assert data.ne == 3
    assert np.abs(data.efc_pos[: data.ne]).max() < ROUND_OFF


@pytest.mark.parametrize("seed", range(12))
def test_a_random_tree_moves_as_in_mujoco(tmp_path, seed):
    path = written(tmp_path, random_tree(np.random.default_rng(seed)))
    model, reference = read_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    assert model.n == reference.nv
    assert model.joint_names == tuple(f"joint{j}" for j in range(reference.njnt))
    difference = disagreement(model, reference)
    assert max(difference.values()) < ROUND_OFF, difference


def random_tree(rng: np.random.Generator) -> str:
    """Return a tree of unnamed bodies, with up to three joints each, at odd places."""

    def numbers(n: int) -> str:
        return " ".join(repr(float(x)) for x in rng.normal(size=n))

    def joint() -> str:
        kind = rng.choice(["hinge", "slide"])
        anchor = f'pos="{numbers(3)}"' if rng.random() < 0.5 else ""
        ref = f'ref="{rng.uniform(-30, 30)}"' if rng.random() < 0.5 else ""
        return (
            f'<joint type="{kind}" axis="{numbers(3)}" {anchor} {ref} armature="{rng.random()}"/>'
        )

    def body(depth: int) -> str:
        joints = "".join(joint() for _ in range(rng.integers(0, 4)))
        a, b, c = rng.uniform(1, 1.9, 3)
        children = "".join(body(depth - 1) for _ in range(rng.integers(0, 3) if depth else 0))
        return (
            f'<body pos="{numbers(3)}" quat="{numbers(4)}">{joints}'
            f'<inertial mass="{rng.uniform(1, 3)}" pos="{numbers(3)}" quat="{numbers(4)}"'
            f' diaginertia="{a} {b} {c}"/>{children}</body>'
        )

    return f"<worldbody>{body(3)}{body(2)}</worldbody>"


def installed_models() -> list[Path]:
    folder = Path(mujoco.__file__).parent
    return [path for path in sorted(folder.rglob("*.xml")) if "<mujoco" in path.read_text()]


@pytest.mark.parametrize("path", installed_models(), ids=lambda path: path.name)
def test_a_published_model_agrees_or_is_refused_with_a_reason(path):
    try:
        difference = disagreement(read_mjcf(path), mujoco.MjModel.from_xml_path(str(path)))
    except BadRobot as refused:
        difference, reasons = {}, {problem.message for problem in refused.problems}
    else:
        reasons = set()
    assert max(difference.values(), default=0.0) < ROUND_OFF, difference
    assert all("floats freely" in reason or "ball joint" in reason for reason in reasons)
