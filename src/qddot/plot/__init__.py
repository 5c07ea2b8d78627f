"""Figures of results, by name: `from qddot.plot import panels, plot_closed_loop`.

Each returns a matplotlib figure, and writes it where it is given a `path` (.png, .svg, .pdf);
`fit_page` and `log_page` write a page, `surfaces_of` gives the triangles of a robot.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.present.figures import style as style
    from qddot.present.figures.certificates import (
        plot_eigenvalues as plot_eigenvalues,
        plot_gravity as plot_gravity,
        plot_norms as plot_norms,
    )
    from qddot.present.figures.closed_loop import (
        plot_closed_loop as plot_closed_loop,
        plot_comparison as plot_comparison,
        plot_fastest as plot_fastest,
    )
    from qddot.present.figures.effective_mass import (
        plot_effective_mass as plot_effective_mass,
        plot_effective_mass_map as plot_effective_mass_map,
    )
    from qddot.present.figures.fits import (
        plot_residuals as plot_residuals,
        plot_residuals_against as plot_residuals_against,
        plot_torques as plot_torques,
    )
    from qddot.present.figures.friction import plot_friction as plot_friction
    from qddot.present.figures.logs import plot_log as plot_log
    from qddot.present.figures.trajectory import panels as panels
    from qddot.present.figures.parameters import (
        plot_excitation as plot_excitation,
        plot_parameters as plot_parameters,
        plot_spectrum as plot_spectrum,
    )
    from qddot.present.figures.robot_picture import plot_robot as plot_robot
    from qddot.present.figures.surfaces import surfaces_of as surfaces_of
    from qddot.present.figures.workspace import (
        plot_ellipsoids as plot_ellipsoids,
        plot_workspace as plot_workspace,
    )
    from qddot.present.pages.fit import fit_page as fit_page
    from qddot.present.pages.log import log_page as log_page

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.present.figures": "style",
        "qddot.present.figures.certificates": "plot_eigenvalues plot_gravity plot_norms",
        "qddot.present.figures.closed_loop": "plot_closed_loop plot_comparison plot_fastest",
        "qddot.present.figures.effective_mass": "plot_effective_mass plot_effective_mass_map",
        "qddot.present.figures.fits": "plot_residuals plot_residuals_against plot_torques",
        "qddot.present.figures.friction": "plot_friction",
        "qddot.present.figures.logs": "plot_log",
        "qddot.present.figures.trajectory": "panels",
        "qddot.present.figures.parameters": "plot_excitation plot_parameters plot_spectrum",
        "qddot.present.figures.robot_picture": "plot_robot",
        "qddot.present.figures.surfaces": "surfaces_of",
        "qddot.present.figures.workspace": "plot_ellipsoids plot_workspace",
        "qddot.present.pages.fit": "fit_page",
        "qddot.present.pages.log": "log_page",
    },
)
