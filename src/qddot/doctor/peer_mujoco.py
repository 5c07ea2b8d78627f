"""How MuJoCo loads a robot: as it compiles it, with contacts and constraints switched off.

Joints of more than one degree of freedom stay where the file has them; the rest of M is then the
mass matrix of the robot whose base stands still.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from qddot.doctor.peers import Answer, Job
from qddot.readers.mjcf.compiling import compile_source
from qddot.readers.mjcf.source import read_source

mujoco: Any = import_module("mujoco")  # a compiled module, of which type checkers see nothing

ONE_DEGREE = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def answer(job: Job) -> Answer:
    """Return what MuJoCo makes of the robot."""
    model, names = loaded(job)
    which = [i for i in range(model.njnt) if model.jnt_type[i] in ONE_DEGREE]
    dofs = model.jnt_dofadr[which]
    if job.gravity is not None:
        model.opt.gravity[:] = job.gravity
    for i in which:
        if names[i] in job.rotor_inertia:
            model.dof_armature[model.jnt_dofadr[i]] = job.rotor_inertia[names[i]]
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)

    data = mujoco.MjData(model)
    M, g, axes = [], [], []
    for position in job.positions:
        data.qpos[:] = model.qpos0
        for i in which:
            address = model.jnt_qposadr[i]
            data.qpos[address] = position.get(names[i], model.qpos0[address])
        mujoco.mj_forward(model, data)
        M.append(mass_matrix(model, data)[np.ix_(dofs, dofs)].tolist())
        g.append(data.qfrc_bias[dofs].tolist())  # at rest: gravity alone
        axes.append([data.xaxis[i].tolist() for i in which])
    weightless = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return Answer(
        version=mujoco.__version__,
        joints=[names[i] for i in which],
        M=M,
        g=g,
        gravity=[0.0, 0.0, 0.0] if weightless else model.opt.gravity.tolist(),
        rotor_inertia=model.dof_armature[dofs].tolist(),
        zero=model.qpos0[model.jnt_qposadr[which]].tolist(),
        axes=axes[0],
        mass=float(model.body_mass.sum()),
        damping=model.dof_damping.reshape(model.nv, -1)[dofs, 0].tolist(),
    )


def loaded(job: Job) -> tuple[Any, list[str]]:
    """Return MuJoCo's model and the names of its joints, also where the file gives none."""
    if job.kind == "mjcf":
        compiled = compile_source(read_source(Path(job.path)))
        model = compiled.model
        return model, [compiled.names.joint(i) for i in range(model.njnt)]
    model = mujoco.MjModel.from_xml_string(job.text)
    return model, [model.joint(i).name for i in range(model.njnt)]


def mass_matrix(model: Any, data: Any) -> np.ndarray:
    """Return M in full."""
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, M, data.qM)
    return M
