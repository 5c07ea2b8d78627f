"""Parameters from measurements: what can be known, what is, how well, and back into a robot."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(
    __name__,
    {},
    (
        "back_to_robot",
        "base_parameters",
        "compare",
        "extra_columns",
        "payload",
        "preparation",
    ),
)
