"""How Drake loads a robot: into a plant without geometry, its base welded to the world."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from qddot.doctor.peers import Answer, Job


def answer(job: Job) -> Answer:
    """Return what Drake makes of the robot."""
    plant = MultibodyPlant(0.0)
    (instance,) = Parser(plant).AddModelsFromString(job.text, "urdf")
    if job.root != "world":  # which Drake takes as its own
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(job.root, instance))
    every = [plant.get_joint(i) for i in plant.GetJointIndices(instance)]
    joints = [joint for joint in every if joint.num_velocities() == 1]
    driven = {
        plant.get_joint_actuator(i).joint().name(): plant.get_joint_actuator(i)
        for i in plant.GetJointActuatorIndices()
    }
    for joint in joints:
        if rotor := job.rotor_inertia.get(joint.name(), 0):
            motor = driven.get(joint.name()) or plant.AddJointActuator(joint.name(), joint)
            motor.set_default_rotor_inertia(rotor)
            motor.set_default_gear_ratio(1)
            driven[joint.name()] = motor
    if job.gravity is not None:
        plant.mutable_gravity_field().set_gravity_vector(job.gravity)
    plant.Finalize()

    context = plant.CreateDefaultContext()
    order = [joint.velocity_start() for joint in joints]
    M, g, axes = [], [], []
    for position in job.positions:
        q = np.zeros(plant.num_positions())
        q[[joint.position_start() for joint in joints]] = [position[j.name()] for j in joints]
        plant.SetPositions(context, q)
        M.append(plant.CalcMassMatrix(context)[np.ix_(order, order)].tolist())
        g.append((-plant.CalcGravityGeneralizedForces(context))[order].tolist())
        axes.append([direction(joint, context) for joint in joints])
    motors = [driven.get(joint.name()) for joint in joints]
    return Answer(
        version=version("drake"),
        joints=[joint.name() for joint in joints],
        M=M,
        g=g,
        gravity=plant.gravity_field().gravity_vector().tolist(),
        rotor_inertia=[
            motor.default_gear_ratio() ** 2 * motor.default_rotor_inertia() if motor else 0.0
            for motor in motors
        ],
        zero=[0.0] * len(joints),
        axes=axes[0],
        mass=plant.CalcTotalMass(context),
        damping=[float(joint.default_damping_vector()[0]) for joint in joints],
    )


def direction(joint: Any, context: Any) -> list[float]:
    """Return the direction of a joint's axis, in the world."""
    along = joint.revolute_axis() if hasattr(joint, "revolute_axis") else joint.translation_axis()
    return (joint.frame_on_parent().CalcPoseInWorld(context).rotation() @ along).tolist()
