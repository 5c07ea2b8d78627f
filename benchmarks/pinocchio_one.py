"""One call of Pinocchio for one state: what comes nearest to each method of a robot.

Prepared before the clock starts are model, data, numbers of frames, forces in the axes of their
joints, and vectors of a free base. Where Pinocchio takes several calls, they stand in one Python
function; where its result stays in `data`, reading it is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ways import Looped, unchanged

from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

TURNED = [3, 4, 5, 0, 1, 2]  # six-vectors, angular first


def one_calls(robot: Robot, frame: str, state: Mapping[str, np.ndarray]) -> dict[str, Looped]:
    """Return the nearest call by what is asked; its arrays are those of the robot's method.

    Args:
        robot: The robot.
        frame: The frame that is asked about.
        state: One state q, qd, qdd; a wrench f at the frame in world axes; a base motion V, A.
    """
    import pinocchio as pin

    text = to_urdf(robot.model)
    model = pin.buildModelFromXML(text)
    data, at, axes = model.createData(), model.getFrameId(frame), pin.LOCAL_WORLD_ALIGNED
    falling = pin.Model(model)
    falling.gravity.linear = np.zeros(3)
    still = np.zeros(robot.n)
    force = wrench(pin, model, data, at, state)
    free = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    on_free = (
        np.concatenate([[0, 0, 0, 0, 0, 0, 1], state["q"]]),
        np.concatenate([state["V"][TURNED], state["qd"]]),
        np.concatenate([state["A"][TURNED], state["qdd"]]),
    )
    # the second moments: ours are Ixx Ixy Ixz Iyy Iyz Izz, theirs Ixx Ixy Iyy Ixz Iyz Izz
    order = [10 * i + k for i in range(robot.n) for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)]

    def one(
        function: Callable[..., Any], read: Callable[[Any], Any] = unchanged, *trailing: Any
    ) -> Looped:
        return Looped(
            f"Pinocchio {function.__name__}", function, (model, data), read, trailing=trailing
        )

    def many(name: str, function: Callable[..., Any], read: Callable[[Any], Any]) -> Looped:
        return Looped(f"Pinocchio {name}", function, (), read)

    def jacobian_rate(q: Any, v: Any) -> Any:
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        return pin.getFrameJacobianTimeVariation(model, data, at, axes)

    def point_motion(q: Any, v: Any, a: Any) -> Any:
        pin.forwardKinematics(model, data, q, v, a)
        place = pin.updateFramePlacement(model, data, at)
        velocity = pin.getFrameVelocity(model, data, at, axes)
        return place, velocity, pin.getFrameClassicalAcceleration(model, data, at, axes)

    def mobility(q: Any) -> Any:
        M_inv = pin.computeMinverse(model, data, q)
        J = pin.computeFrameJacobian(model, data, q, at, axes)
        return J @ M_inv @ J.T

    def mass_rate(q: Any, v: Any) -> Any:
        C = pin.computeCoriolisMatrix(model, data, q, v)
        return C + C.T

    def terms(q: Any, v: Any) -> Any:
        pin.computeAllTerms(model, data, q, v)
        pin.forwardKinematics(model, data, q, v, still)
        place = pin.updateFramePlacement(model, data, at)
        J = pin.getFrameJacobian(model, data, at, axes)
        return place, J, pin.getFrameClassicalAcceleration(model, data, at, axes)

    def torques(_: Any) -> tuple:
        return data.M, data.nle, data.g

    return {
        "inverse dynamics": one(pin.rnea),
        "inverse dynamics, a wrench": one(pin.rnea, unchanged, force),
        "inverse dynamics, a moving base": Looped(
            "Pinocchio rnea, free base",
            pin.rnea,
            (free, free.createData(), *on_free),
            lambda tau: tau[6:],
            takes=0,
        ),
        "forward dynamics": one(pin.aba),
        "forward dynamics, a wrench": one(pin.aba, unchanged, force),
        "bias torque": one(pin.nonLinearEffects),
        "velocity torque": Looped(
            "Pinocchio nonLinearEffects", pin.nonLinearEffects, (falling, falling.createData())
        ),
        "gravity torque": one(pin.computeGeneralizedGravity),
        "mass matrix": one(pin.crba, symmetric),
        "mass matrix rate": many("computeCoriolisMatrix", mass_rate, unchanged),
        "coriolis matrix": one(pin.computeCoriolisMatrix),
        "regressor": one(pin.computeJointTorqueRegressor, lambda Y: Y[:, order]),
        "inverse dynamics derivatives": one(pin.computeRNEADerivatives, lambda x: tuple(x[:2])),
        "forward dynamics derivatives": one(pin.computeABADerivatives, tuple),
        "all terms": one(pin.computeAllTerms, torques),
        "all terms, a frame": many(
            "computeAllTerms, 5 calls",
            terms,
            lambda x: (*torques(x), x[0].homogeneous, x[1][TURNED], x[2].vector[TURNED]),
        ),
        "kinetic energy": one(pin.computeKineticEnergy),
        "potential energy": one(pin.computePotentialEnergy),
        "center of mass": one(pin.centerOfMass),
        "pose": one(pin.framesForwardKinematics, lambda _: data.oMf[at].homogeneous),
        "jacobian": one(pin.computeFrameJacobian, lambda J: J[TURNED], at, axes),
        "jacobian rate": many(
            "getFrameJacobianTimeVariation, 2 calls", jacobian_rate, lambda J: J[TURNED]
        ),
        "point motion": many(
            "getFrameClassicalAcceleration, 4 calls",
            point_motion,
            lambda x: (x[0].translation, x[1].linear, x[2].linear),
        ),
        "effective mass": many(
            "computeMinverse, J, np.linalg.inv",
            lambda q: np.linalg.inv(mobility(q)),
            lambda x: x[np.ix_(TURNED, TURNED)],
        ),
        "principal masses": many(
            "computeMinverse, J, np.linalg.eigh",
            lambda q: np.linalg.eigh(mobility(q)),
            lambda x: np.sort(1 / x[0]),
        ),
    }


def symmetric(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix from its upper triangle."""
    return np.triu(matrix) + np.triu(matrix, 1).T


def wrench(pin: Any, model: Any, data: Any, at: int, state: Mapping[str, np.ndarray]) -> Any:
    """Return the wrench of a state as Pinocchio takes it: one per joint, in the joint's axes."""
    pin.framesForwardKinematics(model, data, state["q"])
    frame, R, f = model.frames[at], data.oMf[at].rotation, state["f"]
    forces = pin.StdVec_Force()
    for _ in range(model.njoints):
        forces.append(pin.Force.Zero())
    forces[frame.parentJoint] = frame.placement.act(pin.Force(R.T @ f[3:], R.T @ f[:3]))
    return forces
