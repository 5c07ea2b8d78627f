"""The recursions of rigid-body dynamics, written once over any scalar."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(
    __name__, {}, "aba coriolis crba energy forward friction kinematics momentum regressor rnea"
)
