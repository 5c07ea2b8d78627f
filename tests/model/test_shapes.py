"""Inertia of simple bodies, exactly: the decks' formulas, and the integrals of the density.

SPEC A1, A4 to A9, A14.
"""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from long import one_in
from refused import refusals

from qddot.errors import BadArgument
from qddot.model.shapes import SHAPES, box, cylinder, hollow_cylinder, point, rod, sphere
from qddot.scalars.expressions import expression, symbol
from qddot.spatial.inertia import symmetric, why_impossible

m, l, r, a, b, h = (symbol(name) for name in "mlrabh")


def pseudo(inertial):
    """Return the 4×4 pseudo-inertia about the frame's origin, as rows of exact expressions."""
    return inertial.about_origin().pseudo().tolist()


def without(names, rows):
    """Return the rows with some dimensions put to zero."""
    zero = dict.fromkeys(names, 0)
    return [[expression(x).substitute(zero) for x in row] for row in rows]


# the decks' formulas


def test_a_rectangular_link_seen_from_its_far_end():
    """A4: x within ±a/2, y from −l to 0, z within ±b/2."""
    link = box(m, (a, l, b), axis="y", frame="end")
    assert pseudo(link) == [
        [m * a**2 / 12, 0, 0, 0],
        [0, m * l**2 / 3, 0, -m * l / 2],
        [0, 0, m * b**2 / 12, 0],
        [0, -m * l / 2, 0, m],
    ]
    Ixx, Ixy, Ixz, Iyy, Iyz, Izz = link.about_origin().parameters[4:]
    assert Ixx == m * (l**2 / 3 + b**2 / 12)
    assert Iyy == m * (a**2 + b**2) / 12
    assert Izz == m * (l**2 / 3 + a**2 / 12)
    assert (Ixy, Ixz, Iyz) == (0, 0, 0)


def test_a_circular_link_seen_from_its_far_end():
    """A6: x from −l to 0, radius r."""
    link = cylinder(m, r, l, axis="x", frame="end")
    assert pseudo(link) == [
        [m * l**2 / 3, 0, 0, -m * l / 2],
        [0, m * r**2 / 4, 0, 0],
        [0, 0, m * r**2 / 4, 0],
        [-m * l / 2, 0, 0, m],
    ]
    assert link.com == (-l / 2, 0, 0)
    Ixx, _, _, Iyy, _, Izz = link.about_origin().parameters[4:]
    assert Ixx == m * r**2 / 2
    assert Iyy == Izz == m * l**2 / 3 + m * r**2 / 4


@pytest.mark.parametrize("frame", ["centre", "start", "end"])
def test_thin_links_are_rods(frame):
    """A5, A7: what is left where the cross-section goes to zero."""
    thin = pseudo(rod(m, l, frame=frame))
    assert without("ab", pseudo(box(m, (l, a, b), frame=frame))) == thin
    assert without("r", pseudo(cylinder(m, r, l, frame=frame))) == thin


def test_a_rod_seen_from_its_far_end_keeps_three_numbers():
    """A5, A7: only m l²/3, −m l/2 and m survive."""
    nothing = [0, 0, 0, 0]
    assert pseudo(rod(m, l, frame="end")) == [
        [m * l**2 / 3, 0, 0, -m * l / 2],
        nothing,
        nothing,
        [-m * l / 2, 0, 0, m],
    ]


def test_a_solid_box_about_its_centre():
    """A8, in symbols and in numbers."""
    c = symbol("c")
    assert box(m, (a, b, c)).inertia == (
        *(m * (b**2 + c**2) / 12, 0, 0),
        *(m * (a**2 + c**2) / 12, 0),
        m * (a**2 + b**2) / 12,
    )
    Ixx, _, _, Iyy, _, Izz = box(3, (0.5, 0.2, 0.1)).inertia
    assert (Ixx, Iyy, Izz) == pytest.approx((0.0125, 0.065, 0.0725), rel=1e-14)


def test_a_tube_about_its_centre_and_its_end():
    """A9: outer radius a, inner radius b, length h along x, in symbols and in numbers."""
    tube = hollow_cylinder(m, a, b, h)
    assert tube.inertia[0] == m * (a**2 + b**2) / 2
    assert tube.inertia[3] == tube.inertia[5] == m * (3 * (a**2 + b**2) + h**2) / 12
    at_end = hollow_cylinder(m, a, b, h, frame="start").about_origin()
    assert at_end.I[2, 2] == tube.inertia[5] + m * (h / 2) ** 2
    tube = hollow_cylinder(3, 0.2, 0.1, 0.5)
    assert (tube.inertia[0], tube.inertia[3]) == pytest.approx((0.075, 0.1), rel=1e-14)
    at_end = hollow_cylinder(3, 0.2, 0.1, 0.5, frame="end").about_origin()
    assert at_end.I[2, 2] == pytest.approx(0.2875, rel=1e-14)


def test_a_point_mass_has_no_inertia_about_itself():
    """A14: so a link may be a mass at its tip."""
    tip = point(m, (l, 0, 0))
    assert tip.inertia == (0, 0, 0, 0, 0, 0)
    assert tip.about_origin().I.tolist() == [[0, 0, 0], [0, m * l**2, 0], [0, 0, m * l**2]]


def test_a_full_cylinder_is_a_tube_without_a_hole():
    assert cylinder(m, r, l) == hollow_cylinder(m, r, 0, l)


# by integrating the density

X, Y, Z, P, T = sympy.symbols("X Y Z P T", real=True)
M, L, R, A, B = sympy.symbols("m l r a b", positive=True)


def integrated(volume):
    """Return the ten numbers of a density m/V over a volume, `volume(f)` integrating f over it."""
    rho = M / volume(sympy.Integer(1))
    integrals = [1, X, Y, Z, Y**2 + Z**2, -X * Y, -X * Z, X**2 + Z**2, -Y * Z, X**2 + Y**2]
    return [sympy.simplify(rho * volume(sympy.sympify(f))) for f in integrals]


def over_box(x, y, z):
    return lambda f: sympy.integrate(f, (X, *x), (Y, *y), (Z, *z))


def over_tube(x, inner, outer):
    """Return the integral over a tube along X, in polar coordinates P, T of its cross-section."""

    def volume(f):
        polar = sympy.expand(f.subs({Y: P * sympy.cos(T), Z: P * sympy.sin(T)}) * P)
        return sympy.integrate(polar, (X, *x), (P, inner, outer), (T, 0, 2 * sympy.pi))

    return volume


def over_ball(f):
    """Return the integral over a ball: radius P, latitude S and longitude T."""
    S = sympy.Symbol("S")
    place = {
        X: P * sympy.cos(S) * sympy.cos(T),
        Y: P * sympy.cos(S) * sympy.sin(T),
        Z: P * sympy.sin(S),
    }
    integrand = sympy.expand(f.subs(place, simultaneous=True) * P**2 * sympy.cos(S))
    latitudes = (S, -sympy.pi / 2, sympy.pi / 2)
    return sympy.integrate(integrand, (P, 0, R), latitudes, (T, 0, 2 * sympy.pi))


def over_rod(x):
    return lambda f: sympy.integrate(f.subs({Y: 0, Z: 0}), (X, *x))


SPANS = {"centre": (-L / 2, L / 2), "start": (0, L), "end": (-L, 0)}


def in_sympy(x):
    return sympy.sympify(str(x), locals={"m": M, "l": L, "r": R, "a": A, "b": B})


def assert_integral(inertial, volume):
    ours = [in_sympy(x) for x in inertial.about_origin().parameters]
    differences = [sympy.simplify(x - y) for x, y in zip(ours, integrated(volume), strict=True)]
    assert differences == [0] * 10


@pytest.mark.parametrize("frame", one_in(3, SPANS))
def test_a_box_is_its_integral(frame):
    volume = over_box(SPANS[frame], (-A / 2, A / 2), (-B / 2, B / 2))
    assert_integral(box(m, (l, a, b), axis="x", frame=frame), volume)


@pytest.mark.parametrize("frame", SPANS)
def test_a_rod_is_its_integral(frame):
    assert_integral(rod(m, l, frame=frame), over_rod(SPANS[frame]))


@pytest.mark.parametrize("frame", one_in(3, SPANS))
def test_a_cylinder_is_its_integral(frame):
    assert_integral(cylinder(m, r, l, frame=frame), over_tube(SPANS[frame], 0, R))


def test_a_tube_is_its_integral():
    assert_integral(hollow_cylinder(m, a, b, l, frame="end"), over_tube(SPANS["end"], B, A))


def test_a_sphere_is_its_integral():
    assert_integral(sphere(m, r), over_ball)


# every axis, every end

MAKERS = {
    "rod": lambda **more: rod(m, l, **more),
    "cylinder": lambda **more: cylinder(m, r, l, **more),
    "tube": lambda **more: hollow_cylinder(m, a, b, l, **more),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_along_another_axis_the_entries_change_places(make, axis):
    along_x = make(axis="x", frame="start").about_origin()
    turned = make(axis=axis, frame="start").about_origin()
    k = "xyz".index(axis)
    order = {0: [0, 1, 2], 1: [1, 0, 2], 2: [1, 2, 0]}[k]  # which entry of x goes where
    assert [turned.h[i] for i in range(3)] == [along_x.h[i] for i in order]
    assert [turned.I[i, i] for i in range(3)] == [along_x.I[i, i] for i in order]


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_box_may_have_its_end_on_any_axis(axis):
    c = symbol("c")
    k = "xyz".index(axis)
    for frame, sign in (("start", 1), ("end", -1), ("centre", 0)):
        shifted = box(m, (a, b, c), axis=axis, frame=frame)
        assert shifted.com == tuple(sign * (a, b, c)[i] / 2 if i == k else 0 for i in range(3))
        assert shifted.inertia == box(m, (a, b, c)).inertia


sizes = st.fractions(Fraction(1, 100), 2, max_denominator=100).map(float)


@given(mass=sizes, x=sizes, y=sizes, z=sizes, inner=st.floats(0, 1))
def test_every_shape_is_a_possible_body(mass, x, y, z, inner):
    bodies = [
        point(mass, (x, y, z)),
        rod(mass, x),
        box(mass, (x, y, z)),
        cylinder(mass, x, y),
        hollow_cylinder(mass, x, inner * x, y),
        sphere(mass, x),
    ]
    assert len(bodies) == len(SHAPES)
    for body in bodies:
        assert why_impossible(mass, symmetric(body.inertia)) is None


# refusals

REFUSED = refusals("model")["shapes"]


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_a_shape_that_cannot_be_is_refused_in_words(row):
    with pytest.raises(BadArgument) as error:
        SHAPES[row["kind"]](1, **row["given"])
    assert str(error.value) == row["words"]
