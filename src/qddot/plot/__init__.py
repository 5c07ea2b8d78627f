"""Figures of results, by name: `from qddot.plot import panels, plot_closed_loop`.

Each returns a matplotlib figure, and writes it where it is given a `path` (.png, .svg, .pdf);
`fit_page` writes a page.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.present.figures.certificates import (
        plot_effective_mass,
        plot_effective_mass_map,
        plot_eigenvalues,
        plot_gravity,
        plot_norms,
    )
    from qddot.present.figures.closed_loop import plot_closed_loop, plot_comparison
    from qddot.present.figures.fastest_path import plot_fastest
    from qddot.present.figures.fits import (
        plot_excitation,
        plot_parameters,
        plot_residuals,
        plot_spectrum,
        plot_torques,
    )
    from qddot.present.figures.motion import panels
    from qddot.present.pages.fit import fit_page

__all__ = [
    "fit_page",
    "panels",
    "plot_closed_loop",
    "plot_comparison",
    "plot_effective_mass",
    "plot_effective_mass_map",
    "plot_eigenvalues",
    "plot_excitation",
    "plot_fastest",
    "plot_gravity",
    "plot_norms",
    "plot_parameters",
    "plot_residuals",
    "plot_spectrum",
    "plot_torques",
]
HOMES = {
    "certificates": ("effective_mass", "effective_mass_map", "eigenvalues", "gravity", "norms"),
    "closed_loop": ("closed_loop", "comparison"),
    "fastest_path": ("fastest",),
    "fits": ("excitation", "parameters", "residuals", "spectrum", "torques"),
}
LATER = {
    f"plot_{name}": f"qddot.present.figures.{home}"
    for home, names in HOMES.items()
    for name in names
}
LATER |= {"panels": "qddot.present.figures.motion", "fit_page": "qddot.present.pages.fit"}
LATER |= {"style": "qddot.present.figures"}

__getattr__, __dir__ = on_demand(__name__, LATER)
