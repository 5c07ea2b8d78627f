"""How Pinocchio loads a robot: continuous joints have two coordinates, cos q and sin q.

Joints of more than one degree of freedom stay where they are; the rest of M is then the mass
matrix of the robot whose base stands still.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from qddot.doctor.peers import Answer, Job


def answer(job: Job) -> Answer:
    """Return what Pinocchio makes of the robot."""
    if job.kind == "mjcf":
        model = pin.buildModelFromMJCF(job.path)
    else:
        model = pin.buildModelFromXML(job.text)
    pairs = zip(model.names, model.joints, strict=True)
    joints = {name: joint for name, joint in pairs if joint.idx_v >= 0 and joint.nv == 1}
    dofs = [joint.idx_v for joint in joints.values()]
    if job.gravity is not None:
        model.gravity.linear = np.array(job.gravity)
    for name, joint in joints.items():
        if name in job.rotor_inertia:
            model.armature[joint.idx_v] = job.rotor_inertia[name]

    data = model.createData()
    M, g, axes = [], [], []
    for position in job.positions:
        q = pin.neutral(model)
        for name, joint in joints.items():
            at = position.get(name, 0.0)
            part = [at] if joint.nq == 1 else [math.cos(at), math.sin(at)]
            q[joint.idx_q : joint.idx_q + joint.nq] = part
        upper = np.triu(pin.crba(model, data, q))
        M.append((upper + np.triu(upper, 1).T)[np.ix_(dofs, dofs)].tolist())
        g.append(pin.computeGeneralizedGravity(model, data, q)[dofs].tolist())
        columns = pin.computeJointJacobians(model, data, q).T[dofs]
        axes.append([direction(column) for column in columns])
    return Answer(
        version=pin.__version__,
        joints=list(joints),
        M=M,
        g=g,
        gravity=model.gravity.linear.tolist(),
        rotor_inertia=model.armature[dofs].tolist(),
        zero=[0.0] * len(dofs),
        axes=axes[0],
        mass=sum(inertia.mass for inertia in model.inertias),
        damping=model.damping[dofs].tolist() if hasattr(model, "damping") else [0.0] * len(dofs),
    )


def direction(column: np.ndarray) -> list[float]:
    """Return the direction of a joint's axis, of a column of the spatial Jacobian."""
    u, w = column[:3], column[3:]  # Pinocchio puts the linear part first
    return (w if w.any() else u).tolist()
