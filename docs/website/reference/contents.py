"""What the reference holds, page by page; a name exported later finds its page by itself."""

from dataclasses import dataclass

OTHER_ROOMS = "*"  # those that no chapter names
DYNAMICS = (
    *("rnea", "crba", "coriolis", "forward", "aba", "energy", "regressor", "kinematics"),
    "friction",
)


@dataclass(frozen=True)
class Chapter:
    """A page of the reference.

    Names are written as users import them; "module.*" is every public name of a module.
    """

    file: str
    title: str
    words: str
    names: tuple[str, ...]
    rooms: tuple[str, ...] = ()  # whose exported names are put here if they are in no list


CHAPTERS = (
    Chapter(
        "robot",
        "Robots",
        "From a name, a file or a table to a robot, and everything it can be asked.",
        (
            *("qddot.load", "qddot.from_dh", "qddot.from_screws", "qddot.show", "qddot.Robot"),
            *("qddot.RobotWarning", "qddot.inertia_of"),
            *("qddot.Model", "qddot.model.Friction", "qddot.model.Inertial", "qddot.model.Motor"),
            *("qddot.model.Payload", "qddot.model.Link", "qddot.model.Placement"),
            *("qddot.model.Geometry", "qddot.model.BoxShape", "qddot.plot.surfaces_of"),
            *("qddot.robot.RobotFrame", "qddot.robot.AllTerms", "qddot.robot.FrameTerms"),
            *("qddot.robot.Linearisation", "qddot.robot.Mode"),
        ),
        ("robot", "model"),
    ),
    Chapter(
        "equations",
        "Equations",
        "Closed forms, derived exactly by eight formulations, and proofs that they are right.",
        (
            *("qddot.derive", "qddot.equations.Equations", "qddot.prove", "qddot.equations.Proof"),
            "qddot.equations.*",
            *("qddot.exercises.exercise", "qddot.exercises.Exercise"),
        ),
        ("equations", "formulations", "exercises"),
    ),
    Chapter(
        "simulation",
        "Simulation",
        "Motions with exact friction, stops and events, and an account of their energy.",
        (
            *("qddot.simulate", "qddot.Trajectory", "qddot.rollout", "qddot.Watch"),
            *("qddot.Samples", "qddot.simulation.*"),
            *("qddot.plot.panels", "qddot.plot.plot_friction"),
        ),
        ("simulation",),
    ),
    Chapter(
        "sweeps",
        "Sweeps",
        "Many runs of what a plan varies, on all cores or on a cluster, and what came of them.",
        (
            *("qddot.sweep", "qddot.sweeps.Plan", "qddot.load_sweep", "qddot.Sweep"),
            *("qddot.sweeps.*", "qddot.errors.BadPlan", "qddot.errors.CannotWrite"),
            "qddot.errors.CrewLost",
        ),
        ("sweeps",),
    ),
    Chapter(
        "certificate",
        "Certificate",
        "Properties and bounds of the dynamics, proved over boxes of joint positions.",
        (
            *("qddot.certify", "qddot.Certificate", "qddot.certificate.*"),
            *("qddot.plot.plot_eigenvalues", "qddot.plot.plot_norms", "qddot.plot.plot_gravity"),
            *("qddot.plot.plot_effective_mass", "qddot.plot.plot_effective_mass_map"),
        ),
        ("certificate",),
    ),
    Chapter(
        "workspace",
        "Workspace",
        "Where a frame gets to, what it can do there, and where its singular positions are.",
        (
            *("qddot.workspace.reachable", "qddot.workspace.Workspace", "qddot.workspace.*"),
            *("qddot.plot.plot_workspace", "qddot.plot.plot_ellipsoids"),
        ),
        ("workspace",),
    ),
    Chapter(
        "identification",
        "Identification",
        "Parameters from measurements: motions that show them, logs, estimators, uncertainty.",
        (
            *("qddot.identifiable", "qddot.excite", "qddot.load_log", "qddot.Log"),
            *("qddot.identification.prepared", "qddot.identify", "qddot.identification.Fit"),
            *("qddot.identification.*", "qddot.plot.plot_torques", "qddot.plot.plot_residuals"),
            *("qddot.plot.plot_parameters", "qddot.plot.plot_excitation"),
            *("qddot.plot.plot_spectrum", "qddot.plot.plot_residuals_against"),
            *("qddot.plot.fit_page", "qddot.plot.plot_log", "qddot.plot.log_page"),
        ),
        ("identification",),
    ),
    Chapter(
        "control",
        "Closed loops",
        "An arm under a law: errors, torques, and whether what a proof needs is so.",
        (
            *("qddot.control.closed_loop", "qddot.control.ClosedLoop", "qddot.control.Report"),
            *("qddot.control.wrong_model", "qddot.control.balanced"),
            *("qddot.plot.plot_closed_loop", "qddot.plot.plot_comparison"),
            "qddot.plot.plot_fastest",
        ),
        ("control",),
    ),
    Chapter(
        "laws",
        "Control laws",
        "Laws with their equation, what they rely on, and why they are stable.",
        (
            *("qddot.control.ControlLaw", "qddot.control.JointLaw", "qddot.control.TaskLaw"),
            "qddot.control.laws.*",
        ),
    ),
    Chapter(
        "tasks",
        "Tasks",
        "Joint velocities for several tasks at once, within limits.",
        ("qddot.control.tasks.*",),
    ),
    Chapter(
        "references",
        "References",
        "Where an arm should be at every instant.",
        ("qddot.motions.Reference", "qddot.motions.*"),
    ),
    Chapter(
        "programs",
        "Programs and kernels",
        "Functions recorded as straight-line programs, differentiated and compiled.",
        (
            *("qddot.record", "qddot.Program", "qddot.Kernel"),
            *("qddot.program.jacobian", "qddot.program.gradient", "qddot.exporting.javascript"),
            *("qddot.program.record_block", "qddot.program.Block", "qddot.program.inlined"),
            *("qddot.program.atan2", "qddot.program.asin", "qddot.program.acos"),
            *("qddot.program.floor", "qddot.program.wrapped_angle"),
        ),
        ("program", "backends", "speed"),
    ),
    Chapter(
        "definitions",
        "Definitions",
        "The equations themselves, as plain functions of a tree of bodies, over any scalar: what "
        "robots record and compile, and what your own functions may call.",
        (
            *(f"qddot.dynamics.{name}.*" for name in DYNAMICS),
            *("qddot.spatial.*", "qddot.program.sincos", "qddot.model.symbol"),
        ),
        ("dynamics", "spatial", "scalars", "expressions"),
    ),
    Chapter(
        "doctor",
        "Doctor",
        "What is wrong with a robot's description, and what to do.",
        ("qddot.doctor.*", "qddot.errors.Problem"),
        ("doctor",),
    ),
    Chapter(
        "elsewhere",
        "Elsewhere",
        "The same programs as C, on a GPU, in other frameworks, and on many machines.",
        ("qddot.export", "qddot.exporting.Exported", "qddot.to_cuda"),
        ("exporting", "sweeps"),
    ),
    Chapter(
        "report",
        "Report and studio",
        "Everything about a robot on one page, and an arm to move in a browser.",
        ("qddot.report", "qddot.studio.*"),
        (OTHER_ROOMS,),
    ),
    Chapter(
        "errors",
        "Errors",
        "What is raised where something cannot be right. All are `QddotError`s.",
        ("qddot.QddotError", "qddot.errors.*"),
        ("errors",),
    ),
)

# the members of large classes, in the order in which people look for them
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "qddot.Robot": {
        "The equation of motion": (
            *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix"),
            *("velocity_torque", "gravity_torque", "bias_torque", "friction_torque", "all_terms"),
            *("christoffel", "centrifugal_matrix", "coriolis_pairs", "mass_matrix_rate"),
        ),
        "Derivatives and parameters": (
            *("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor"),
            *("parameters", "parameter_names"),
        ),
        "Second derivatives and products": (
            *("inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"),
            *("inverse_dynamics_product", "inverse_dynamics_transposed_product"),
            *("inverse_dynamics_hessian_product", "forward_dynamics_product"),
            *("forward_dynamics_transposed_product", "forward_dynamics_hessian_product"),
            *("jacobian_product", "jacobian_transposed_product"),
        ),
        "Small motions": ("linearised", "equilibrium"),
        "Frames": (
            *("at", "pose", "jacobian", "jacobian_rate", "point_motion", "effective_mass"),
            *("principal_masses", "manipulability", "frame_names", "tip"),
        ),
        "Limits and positions": ("limits", "home", "start", "random_positions"),
        "Energy": ("kinetic_energy", "potential_energy", "center_of_mass"),
        "Robots from this one": (
            *("with_gravity", "with_values", "with_payload", "with_friction", "with_scale"),
            *("without", "locked", "with_options"),
        ),
        "What it is": (
            *("name", "n", "joint_names", "mass", "symbols", "values", "warnings", "tree", "show"),
        ),
        "Files and programs": ("save", "program"),
    },
    "qddot.equations.Equations": {
        "Terms": (
            *("M", "C", "c", "g", "tau", "gamma", "centrifugal", "coriolis", "M_rate"),
            *("friction", "springs", "K", "P", "potential"),
        ),
        "Parameters": ("Y", "parameter_names", "regressor_in", "lumped_parameters"),
        "Slopes of M, and what velocities make of them": (
            *("M_slopes", "h", "U", "S", "N", "M_stacked", "qd_kron_E", "E_kron_qd"),
        ),
        "Frames and points": (
            *("pose", "jacobian", "jacobian_rate", "position", "velocity", "angular_velocity"),
            *("acceleration", "acceleration_from_qdd", "acceleration_centripetal"),
            *("acceleration_coriolis", "singularities", "wrench_torque"),
        ),
        "Solved, and at a frame": (
            *("M_inv", "qdd", "effective_mass", "effective_velocity_force"),
            *("effective_gravity_force", "linearised"),
        ),
        "Read and write": ("text", "latex", "markdown", "sympy", "steps", "breakdown"),
        "Evaluate": ("evaluate", "with_values", "to_function", "to_program"),
        "Examine": ("coriolis_matrices", "is_skew", "derivative", "quantity"),
    },
    "qddot.Trajectory": {
        "How it went": ("good", "audit", "duration", "n", "robot_name", "__len__"),
        "In between, and at the tip": ("at", "tip_path", "tip_velocity"),
        "Look and keep": ("plot", "animate", "to_pandas", "save", "load"),
    },
    "qddot.identification.Fit": {
        "What was found": ("values", "names", "parameters", "robot", "table", "is_possible"),
        "How well it is known": (
            *("deviations", "relative_deviations", "intervals", "correlation", "condition"),
            "essential",
        ),
        "How well it fits": (
            *("relative_error", "relative_errors", "rms", "residuals", "predict"),
            *("cross_validation", "count", "samples", "method"),
        ),
        "Keep": ("save", "to_dict"),
    },
}
OTHERS = "More"  # the group of members that are in none

# what people call the things that they hold
VARIABLES = {
    "robot": "qddot.Robot",
    "arm": "qddot.Robot",
    "eqs": "qddot.equations.Equations",
    "run": "qddot.Trajectory",
    "fit": "qddot.identification.Fit",
    "log": "qddot.Log",
    "law": "qddot.control.ControlLaw",
    "reference": "qddot.motions.Reference",
    "certificate": "qddot.Certificate",
    "program": "qddot.Program",
}
