"""Properties and bounds of a robot's dynamics that one can rely on, with how each is known."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(
    __name__, {}, ("along", "bound", "box", "effective_mass", "near_singular")
)
