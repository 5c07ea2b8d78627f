"""Properties and bounds of a robot's dynamics, each with how it is known: proved or sampled."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.certificate.certificate import Certificate as Certificate, certify as certify
    from qddot.certificate.bound import Bound as Bound
    from qddot.certificate.bounds import (
        QUANTITIES as QUANTITIES,
        bounds_over_joint as bounds_over_joint,
    )
    from qddot.certificate.bound import Box as Box
    from qddot.certificate.properties import Property as Property
    from qddot.certificate.symbolic import symbolic_bounds as symbolic_bounds
    from qddot.certificate.symbolic_bound import (
        SymbolicBound as SymbolicBound,
        SymbolicBounds as SymbolicBounds,
    )
    from qddot.certificate.ellipsoid import (
        MassEllipsoid as MassEllipsoid,
        NearSingular as NearSingular,
        mass_ellipsoid as mass_ellipsoid,
        near_singular as near_singular,
    )

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.certificate.certificate": "Certificate certify",
        "qddot.certificate.bound": "Bound Box",
        "qddot.certificate.bounds": "QUANTITIES bounds_over_joint",
        "qddot.certificate.properties": "Property",
        "qddot.certificate.symbolic": "symbolic_bounds",
        "qddot.certificate.symbolic_bound": "SymbolicBound SymbolicBounds",
        "qddot.certificate.ellipsoid": "MassEllipsoid NearSingular mass_ellipsoid near_singular",
    },
)
