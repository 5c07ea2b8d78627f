"""Parameters from measurements: what can be known, what is, how well, and back into a robot."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.errors import IdentificationWarning as IdentificationWarning
    from qddot.identification.estimators import identify as identify
    from qddot.identification.result import Fit as Fit
    from qddot.identification.log import Log as Log, LogOrigin as LogOrigin, load_log as load_log
    from qddot.identification.decimation import decimated as decimated
    from qddot.identification.preparation import prepared as prepared, trimmed as trimmed
    from qddot.identification.signals import (
        differentiated as differentiated,
        filtered as filtered,
        resampled as resampled,
        shifted as shifted,
    )
    from qddot.identification.spectrum import Cutoff as Cutoff
    from qddot.identification.base_parameters import (
        base_regressor as base_regressor,
        groups as groups,
        identifiable as identifiable,
        random_states as random_states,
    )
    from qddot.identification.identifiability import Identifiability as Identifiability
    from qddot.identification.excitation import excite as excite
    from qddot.identification.excitation_collision import (
        Clearance as Clearance,
        clearance as clearance,
    )
    from qddot.identification.excitation_result import Excitation as Excitation
    from qddot.identification.observer import (
        Contact as Contact,
        ExternalTorque as ExternalTorque,
        external_torque as external_torque,
    )
    from qddot.identification.payload import (
        PayloadFit as PayloadFit,
        identify_payload as identify_payload,
    )
    from qddot.identification.comparison import Comparison as Comparison, compare as compare
    from qddot.identification.methods_compared import compare_methods as compare_methods
    from qddot.identification.back_to_robot import robot_with_parameters as robot_with_parameters
    from qddot.identification.runs import MeasuredRun as MeasuredRun
    from qddot.identification.regression import coupled as coupled, stribeck as stribeck
    from qddot.identification.solution import least_squares as least_squares
    from qddot.identification.validation import (
        errors_by_run as errors_by_run,
        errors_on as errors_on,
    )

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.errors": "IdentificationWarning",
        "qddot.identification.estimators": "identify",
        "qddot.identification.result": "Fit",
        "qddot.identification.log": "Log LogOrigin load_log",
        "qddot.identification.decimation": "decimated",
        "qddot.identification.preparation": "prepared trimmed",
        "qddot.identification.signals": "differentiated filtered resampled shifted",
        "qddot.identification.spectrum": "Cutoff",
        "qddot.identification.base_parameters": "base_regressor groups identifiable random_states",
        "qddot.identification.identifiability": "Identifiability",
        "qddot.identification.excitation": "excite",
        "qddot.identification.excitation_collision": "Clearance clearance",
        "qddot.identification.excitation_result": "Excitation",
        "qddot.identification.observer": "Contact ExternalTorque external_torque",
        "qddot.identification.payload": "PayloadFit identify_payload",
        "qddot.identification.comparison": "Comparison compare",
        "qddot.identification.methods_compared": "compare_methods",
        "qddot.identification.back_to_robot": "robot_with_parameters",
        "qddot.identification.regression": "coupled stribeck",
        "qddot.identification.runs": "MeasuredRun",
        "qddot.identification.solution": "least_squares",
        "qddot.identification.validation": "errors_by_run errors_on",
    },
)

AUTO = "auto"  # terms: the usual ones, and what `choices` finds to predict better

# the estimators: what `identify(method=...)` and `qddot identify --method` take, and its class
METHODS = {
    "weighted": "estimators.WeightedLeastSquares",
    "ordinary": "estimators.OrdinaryLeastSquares",
    "robust": "estimators.Huber",
    "consistent": "consistent.PhysicallyConsistent",
    "bayes": "bayesian.Bayesian",
}
