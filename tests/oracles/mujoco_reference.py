"""A model read from MJCF beside the same file in MuJoCo: by how much the two differ."""

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.rnea import gravity_torque
from qddot.model.folding import coordinates, fold

FREE = 0  # MuJoCo's number of the joint type


def disagreement(model, reference, states=3, seed=0):
    """Return the largest difference of each quantity, relative to the quantity's own size.

    Args:
        model: A `qddot.model.Model`.
        reference: The `mujoco.MjModel` of the same file.
        states: How many random positions to compare at; the position zero comes first.
        seed: Of the random positions.
    """
    import mujoco

    tree = fold(model)
    data = mujoco.MjData(reference)
    free = reference.jnt_bodyid[reference.jnt_type == FREE]
    kept = [i for i in range(reference.nbody) if reference.body_rootid[i] not in free]
    names = {i: reference.body(i).name or f"body{i}" for i in kept}
    result = {"inertia": inertia_difference(model, reference, names)}

    E, offset = full_coordinates(model, reference)
    rng = np.random.default_rng(seed)
    samples = [np.zeros(tree.n), *rng.uniform(-2, 2, (states, tree.n))]
    for q in samples:
        moved = reference.jnt_type != FREE
        data.qpos[reference.jnt_qposadr[moved]] = (E @ q + offset)[moved]
        mujoco.mj_forward(reference, data)

        X_W = body_poses(tree, q)
        frames = [(names[i], data.xpos[i], data.xmat[i]) for i in kept]
        for i in range(reference.nsite):
            name = reference.site(i).name
            if name and reference.site_bodyid[i] in names:
                name = name if name not in names.values() else f"{name}_site"
                frames.append((name, data.site_xpos[i], data.site_xmat[i]))
        reach = max(1.0, np.abs(data.xpos[kept]).max())
        for name, p, R in frames:
            body, X_BF = tree.frames[name]
            X = X_W[body] @ X_BF
            worst(result, "position", X.p, p, reach)
            worst(result, "rotation", X.R, R.reshape(3, 3), 1.0)

        if tree.n:
            D = np.zeros((reference.nv, tree.n))
            D[reference.jnt_dofadr[moved]] = E[moved]
            expected = D.T @ times_mass_matrix(reference, data, D)
            worst(result, "mass matrix", mass_matrix(tree, q), expected, np.abs(expected).max())
            expected = D.T @ data.qfrc_bias  # at rest
            pull = np.abs(expected).max() + np.abs(data.qfrc_bias).max()
            worst(result, "gravity torque", gravity_torque(tree, q), expected, max(pull, 1e-300))
    return result


def times_mass_matrix(reference, data, D):
    """Return M D: `mj_fullM` changed its arguments between releases, `mj_mulM` did not."""
    import mujoco

    product = np.zeros((D.shape[1], D.shape[0]))
    for row, column in zip(product, np.ascontiguousarray(D.T), strict=True):
        mujoco.mj_mulM(reference, data, row, column)
    return product.T


def full_coordinates(model, reference):
    """Return E and o with MuJoCo's joint positions equal to E q + o, one row a joint."""
    E, offset = np.zeros((reference.njnt, model.n)), np.zeros(reference.njnt)
    positions = coordinates(model)
    for j in range(reference.njnt):
        where = positions.get(reference.joint(j).name or f"joint{j}")
        if where is not None:
            at, ratio, offset[j] = where
            if at is not None:
                E[j, at] = ratio
    return E, offset


def inertia_difference(model, reference, names):
    """Return by how much masses, first moments and inertias about the body frames differ."""
    largest = {}
    links = {link.name: link for link in model.links}
    moving = {int(reference.body_rootid[body]) for body in reference.jnt_bodyid}
    for i, name in names.items():
        if i == 0:
            continue  # the world weighs nothing
        if moving and int(reference.body_rootid[i]) not in moving:  # nor does what stands in it
            worst(largest, "all", links[name].inertial.mass, 0, 1)
            continue
        R = rotation(reference.body_iquat[i])
        I_com = R @ np.diag(reference.body_inertia[i]) @ R.T
        m, c = reference.body_mass[i], reference.body_ipos[i]
        mine = links[name].inertial.about_origin()
        I = I_com + m * (c @ c * np.eye(3) - np.outer(c, c))
        worst(largest, "all", mine.m, m, max(m, 1e-300))
        worst(largest, "all", mine.h, m * c, max(m, 1e-300) * max(1.0, np.abs(c).max()))
        worst(largest, "all", mine.I, I, max(np.abs(I).max(), 1e-300))
    return largest.get("all", 0.0)


def rotation(quat):
    """Return the matrix of a unit quaternion, by MuJoCo."""
    import mujoco

    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quat)
    return R.reshape(3, 3)


def worst(result, key, value, expected, scale):
    """Remember the largest difference under a key."""
    difference = float(np.abs(np.asarray(value, float) - expected).max()) / scale
    result[key] = max(result.get(key, 0.0), difference)
