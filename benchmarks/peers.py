"""The other packages: how each is asked for a quantity of the very robot that qddot holds.

Every peer reads the URDF that qddot writes, with every digit, and what it answers is compared with
qddot's result before anything is timed. Each is called in the quickest way that it offers to a
Python user, and whatever can be prepared (layouts, buffers, compilation) is prepared before the
clock starts. A peer that is not installed is left out with a sentence.
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from timing import say
from ways import Arrays, Batched, Looped, StateFirst, Way, unchanged

from qddot.robot import Robot
from qddot.writers.urdf import to_urdf


@dataclass(frozen=True)
class Peer:
    """A package, and the ways to each quantity that it offers."""

    name: str
    module: str
    install: str
    ways: Callable[[Robot], Mapping[str, Way]]

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def absence(self) -> str:
        return f"{self.name} is not installed and not measured: pip install {self.install}"


def ways_of(robot: Robot, peers: tuple[Peer, ...]) -> list[Mapping[str, Way]]:
    """Return what each installed peer offers; one that fails is named and left out."""
    found = []
    for peer in peers:
        if peer.installed:
            try:
                found.append(peer.ways(robot))
            except Exception as error:
                say(f"{peer.name} did not load {robot.name}: {type(error).__name__}: {error}")
    return found


def file_of(robot: Robot) -> str:
    """Return the path of the robot's URDF file, for packages that read nothing else."""
    path = Path(_folder().name) / f"{robot.name}.urdf"
    path.write_text(to_urdf(robot.model), encoding="utf-8")
    return str(path)


@cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="qddot-bench-")


def pinocchio(robot: Robot) -> dict[str, Way]:
    return {**pinocchio_calls(robot), **pinocchio_parallel(robot, threads=1)}


def pinocchio_parallel(robot: Robot, threads: int) -> dict[str, Way]:
    import pinocchio as pin

    pool = pin.ModelPool(pin.buildModelFromXML(to_urdf(robot.model)), threads)

    def parallel(function: Callable[..., Any]) -> Batched:
        def prepare(arrays: Arrays) -> tuple[Callable[..., Any], tuple]:
            columns = [np.asfortranarray(a.T) for a in arrays]
            result = np.zeros((robot.n, len(arrays[0])), order="F")

            def call() -> np.ndarray:
                function(threads, pool, *columns, result)
                return result

            return call, ()

        name = f"Pinocchio {function.__name__}, {threads} thread{'s' * (threads > 1)}"
        return Batched(name, prepare, np.transpose)

    return {
        "inverse_dynamics": parallel(pin.rneaInParallel),
        "forward_dynamics": parallel(pin.abaInParallel),
    }


def pinocchio_calls(robot: Robot) -> dict[str, Looped]:
    import pinocchio as pin

    model = pin.buildModelFromXML(to_urdf(robot.model))
    data = model.createData()

    def one(function: Callable[..., Any], read: Callable[[Any], Any] = unchanged) -> Looped:
        return Looped(f"Pinocchio {function.__name__}", function, (model, data), read)

    # the second moments: ours are Ixx Ixy Ixz Iyy Iyz Izz, theirs Ixx Ixy Iyy Ixz Iyz Izz
    order = [10 * i + k for i in range(robot.n) for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)]
    return {
        "inverse_dynamics": one(pin.rnea),
        "forward_dynamics": one(pin.aba),
        "mass_matrix": one(pin.crba),
        "coriolis_matrix": one(pin.computeCoriolisMatrix),
        "regressor": one(pin.computeJointTorqueRegressor, lambda Y: Y[:, order]),
        "inverse_dynamics_derivatives": one(pin.computeRNEADerivatives, lambda x: tuple(x[:2])),
        "forward_dynamics_derivatives": one(pin.computeABADerivatives, tuple),
    }


def mujoco(robot: Robot) -> dict[str, Way]:
    import mujoco as mj

    model = mj.MjModel.from_xml_string(to_urdf(robot.model))
    flags = mj.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_CONSTRAINT)
    data, M = mj.MjData(model), np.zeros((robot.n, robot.n))
    position, rate, acceleration = data.qpos, data.qvel, data.qacc
    applied, torque = data.qfrc_applied, data.qfrc_inverse

    def inverse(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        position[:], rate[:], acceleration[:] = q, qd, qdd
        mj.mj_inverse(model, data)
        return torque

    def forward(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        position[:], rate[:], applied[:] = q, qd, tau
        mj.mj_forward(model, data)
        return acceleration

    def mass(q: np.ndarray) -> np.ndarray:
        position[:] = q
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_makeM(model, data)
        mj.mj_fullM(model, data, M)
        return M

    return {
        "inverse_dynamics": Looped("MuJoCo mj_inverse", inverse),
        "forward_dynamics": Looped("MuJoCo mj_forward", forward),
        "mass_matrix": Looped("MuJoCo mj_makeM", mass),
    }


def drake(robot: Robot) -> dict[str, Way]:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    (instance,) = Parser(plant).AddModelsFromString(to_urdf(robot.model), "urdf")
    base = plant.GetFrameByName(robot.model.links[0].name, instance)
    plant.WeldFrames(plant.world_frame(), base)
    plant.Finalize()
    context, forces = plant.CreateDefaultContext(), MultibodyForces(plant)
    applied = plant.get_applied_generalized_force_input_port()
    acceleration = plant.get_generalized_acceleration_output_port()

    def inverse(x: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        plant.SetPositionsAndVelocities(context, x)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, qdd, forces)

    def forward(x: np.ndarray, tau: np.ndarray) -> np.ndarray:
        plant.SetPositionsAndVelocities(context, x)
        applied.FixValue(context, tau)
        return acceleration.Eval(context)

    def mass(q: np.ndarray) -> np.ndarray:
        plant.SetPositions(context, q)
        return plant.CalcMassMatrix(context)

    return {
        "inverse_dynamics": StateFirst("Drake CalcInverseDynamics", inverse),
        "forward_dynamics": StateFirst("Drake generalized_acceleration", forward),
        "mass_matrix": Looped("Drake CalcMassMatrix", mass),
    }


def robotics_toolbox(robot: Robot) -> dict[str, Way]:
    from roboticstoolbox import Robot as Toolbox

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = Toolbox.URDF(file_of(robot))
    return {
        "inverse_dynamics": Looped("Robotics Toolbox rne", theirs.rne),
        "forward_dynamics": Looped("Robotics Toolbox accel", theirs.accel),
        "mass_matrix": Looped("Robotics Toolbox inertia", theirs.inertia),
    }


def frax(robot: Robot) -> dict[str, Way]:
    functions = frax_functions(robot)
    import jax

    def mapped(name: str, function: Callable[..., Any]) -> Batched:
        compiled = jax.jit(jax.vmap(function))

        def prepare(arrays: Arrays) -> tuple[Callable[..., Any], tuple]:
            args = tuple(jax.numpy.asarray(a) for a in arrays)
            return lambda *args: compiled(*args).block_until_ready(), args

        return Batched(f"frax {name}, vmap and jit", prepare, np.asarray)

    names = {"inverse_dynamics": "rnea", "mass_matrix": "crba"}
    return {key: mapped(names.get(key, key), function) for key, function in functions.items()}


def frax_functions(robot: Robot) -> dict[str, Callable[..., Any]]:
    """Return what frax offers, as functions of one state."""
    # what frax recommends, and one thread
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax
        from frax.core.robot import Robot as Frax
    theirs = Frax(file_of(robot))
    up = jax.numpy.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    return {
        "inverse_dynamics": lambda q, v, a: theirs.rnea(q, v, a, up, None),
        "forward_dynamics": lambda q, v, t: theirs.forward_dynamics(q, v, t, None),
        "mass_matrix": theirs.crba,
    }


def adam(robot: Robot) -> dict[str, Way]:
    import casadi
    from adam.casadi import KinDynComputations

    down = np.array([*map(float, robot.model.gravity), 0.0, 0.0, 0.0])
    # it wants an origin in every <inertial>, which URDF does not
    origin = '<inertial>\n      <origin xyz="0 0 0" rpy="0 0 0"/>\n      <mass'
    text = re.sub(r"<inertial>\s*<mass", origin, to_urdf(robot.model))
    theirs = KinDynComputations(text, list(robot.joint_names), gravity=down)
    q, qd, qdd = (casadi.SX.sym(name, robot.n) for name in ("q", "qd", "qdd"))
    # it has a floating base, and ours stands still: the rows and columns of the joints remain
    M = theirs.mass_matrix(np.eye(4), q)[6:, 6:]
    h = theirs.bias_force(np.eye(4), q, np.zeros(6), qd)[6:]

    def mapped(name: str, inputs: list, output: Any) -> Batched:
        function = casadi.Function("f", inputs, [output])

        def prepare(arrays: Arrays) -> tuple[Callable[..., Any], tuple]:
            columns = tuple(casadi.DM(np.asfortranarray(a.T)) for a in arrays)
            return function.map(len(arrays[0])), columns

        def read(x: Any) -> np.ndarray:
            return np.asarray(x).reshape(output.numel(), -1, order="F").T

        return Batched(f"adam {name}, CasADi map", prepare, read, most=1024)

    return {
        "inverse_dynamics": mapped("M q̈ + h", [q, qd, qdd], M @ qdd + h),
        "mass_matrix": mapped("mass_matrix", [q], M),
    }


def dynibo(robot: Robot) -> dict[str, Way]:
    from dynibo import Robot as Dynibo

    theirs = Dynibo.from_urdf(file_of(robot))
    vector, matrix = np.zeros(robot.n), np.zeros(robot.n**2)
    same = robot.with_gravity((0, 0, -9.80665))  # it knows no other

    def one(function: Callable[..., Any], out: np.ndarray) -> Looped:
        call = partial(function, out=out)
        return Looped(f"dynibo {function.__name__}", call, read=np.copy, robot=same)

    return {
        "inverse_dynamics": one(theirs.inverse_dynamics, vector),
        "forward_dynamics": one(theirs.forward_dynamics, vector),
        "mass_matrix": one(theirs.mass_matrix, matrix),  # by columns, which are its rows
    }


PINOCCHIO = Peer("Pinocchio", "pinocchio", "pin", pinocchio)
MUJOCO = Peer("MuJoCo", "mujoco", "mujoco", mujoco)
DYNIBO = Peer("dynibo", "dynibo", "dynibo", dynibo)
FRAX = Peer("frax", "frax", "frax jax", frax)
PEERS = (
    PINOCCHIO,
    MUJOCO,
    DYNIBO,
    Peer("Drake", "pydrake", "drake", drake),
    Peer("Robotics Toolbox", "roboticstoolbox", "roboticstoolbox-python", robotics_toolbox),
    FRAX,
    Peer("adam", "adam", "adam-robotics[casadi]", adam),
)
FOR_ONE_STATE = (MUJOCO, DYNIBO)  # beside Pinocchio
