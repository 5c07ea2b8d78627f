"""Straight-line programs: recorded from plain NumPy code, transformed, differentiated, saved."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand
from qddot.program.program import Program
from qddot.program.recorder import record

if TYPE_CHECKING:
    from qddot.program.blocks import (
        Block as Block,
        inlined as inlined,
        record_block as record_block,
    )
    from qddot.program.differentiate import gradient as gradient, jacobian as jacobian
    from qddot.scalars import (
        acos as acos,
        asin as asin,
        atan2 as atan2,
        floor as floor,
        sincos as sincos,
        wrapped_angle as wrapped_angle,
    )

__all__ = ["Program", "record"]
__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.program.blocks": "Block inlined record_block",
        "qddot.program.differentiate": "gradient jacobian",
        "qddot.scalars": "acos asin atan2 floor sincos wrapped_angle",
    },
)
