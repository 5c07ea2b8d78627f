"""Letters of books and of one's own, and formulas as a terminal shows them."""

import re

import numpy as np
import pytest
from blackboard import DERIVE, each_formulation
from long import long
from random_trees import deep_tree

import qddot
from qddot.errors import BadArgument
from qddot.formulations.notation import DIFFERENT, LETTERS, NOTATION, raised
from qddot.formulations.notation_file import notation, notation_names
from qddot.formulations.plain_formula import plain
from qddot.model.folding import fold

NAMED = [name for name in notation_names() if name != "qddot"]


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a notation into a file and gives its path."""

    def written(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize("name", NAMED)
def test_a_named_notation_says_whose_it_is_and_shares_no_letter(name):
    found = notation(name)
    assert found.name == name
    assert len(found.source) > 20
    used = [letter for key in DIFFERENT if (letter := getattr(found, key))]
    assert len(set(used)) == len(used)


def test_the_output_index_of_christoffel_symbols_is_where_the_book_has_it():
    torque_2 = {name: notation(name).gamma(1, 0, 0) for name in NAMED}
    first = {"craig", "siciliano", "lynch_park", "deck_s1", "deck_s2", "deck_s4"}
    assert {name for name, symbol in torque_2.items() if "211" in symbol} == first
    assert {name for name, symbol in torque_2.items() if "112" in symbol} == {*NAMED} - first


def test_a_file_changes_its_own_letters_only(file):
    found = notation(file("mass_matrix = 'H'\nchristoffel = '\\gamma_{$i$j$k}'\n"))
    assert (found.name, found.mass_matrix, found.torques) == ("mine", "H", r"\tau")
    assert found.gamma(2, 0, 1) == r"\gamma_{123}"
    eqs = qddot.derive("pendulum_symbolic", "explicit", notation=file("angle = '\\phi'"))
    assert eqs.notation.qd(0) == r"\dot{\phi}_{1}"


def test_letters_with_upper_indices_take_exponents(file):
    """TeX refuses a second upper index behind a first."""
    found = notation(file("velocity = '{$x}^{(1)}'\ngravity = 'g^0'\nmass_matrix = '{M}'\n"))
    assert found.velocities == "{{q}^{(1)}}"
    assert found.qd(0) == "{{q}^{(1)}}_{1}"
    assert found.gravity == "{g^0}"
    assert found.rate(found.mass_matrix) == "{{{M}}^{(1)}}"
    assert raised(notation("siciliano").R(0, 1), "T") == "(R^{0}_{1})^T"
    assert raised("{}^{0}R", "T") == "{}^{0}R^T"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mas_matrix = 'H'", "'mas_matrix' is unknown. Did you mean 'mass_matrix'?"),
        ("mass_matrix = 3", "mass_matrix must be a short text"),
        (f"mass_matrix = '{'M' * 81}'", "mass_matrix must be a short text"),
        ("mass_matrix = 'H", "is not TOML"),
        ("mass_matrix = 'c'", "mass_matrix and velocity_torques have the same letter, c"),
        ("kinetic = 'P'", "kinetic and potential have the same letter"),
        ("christoffel = 'c_{$i$j}'", "christoffel = 'c_{$i$j}' must have $i and $j and $k in it"),
        ("mass_matrix = 'M_$i'", "mass_matrix = 'M_$i' must have no $ in it"),
        ("velocity = '\\dot{x}'", "velocity = '\\\\dot{x}' must have $x in it"),
        ("transform = 'T_{$i$j$}'", "transform"),
        *(
            (f"mass_matrix = '{letter}'", "which formulas of derivations do not have")
            for letter in (r"\input{/etc/passwd}", r"\write18{ls}", r"\def\x{1}", r"\csname x")
        ),
        ("mass_matrix = 'M^{'", "a brace that is not closed"),
        ("mass_matrix = 'M}'", "a brace that is not opened"),
        ("mass_matrix = 'M%'", "has '%' in it"),
        ("mass_matrix = '^^5cinput{x}'", "has ^ or _ twice"),  # TeX reads ^^5c as a backslash
        ("mass_matrix = 'M^1^2'", "has ^ twice at one letter"),
        ("mass_matrix = 'M_1_2'", "has _ twice at one letter"),
        ("mass_matrix = 'θ'", "Greek letters are written as"),
        ("mass_matrix = ''", "must be a letter with indices"),
        ("mass_matrix = '\\left(M'", "must be a letter with indices"),
        ("mass_matrix = 'M<b>'", "must be a letter with indices"),
        ("inertia = '$z'", "a $ must have i behind it"),
        ("mass_matrix = 'M&N'", "has '&' in it"),
    ],
)
def test_a_bad_notation_is_refused_in_words(file, text, says):
    with pytest.raises(BadArgument) as found:
        notation(file(text))
    assert says in str(found.value)


def test_every_problem_of_a_notation_is_said_at_once(file):
    with pytest.raises(BadArgument) as found:
        notation(file("a = 'b'\ntorques = 4\ninertia = 'I'\n"))
    assert all(word in str(found.value) for word in ("'a' is unknown", "torques", "inertia"))


@pytest.mark.parametrize(
    ("given", "says"),
    [("crag", "Did you mean 'craig'?"), ("no.toml", "No such file"), ("", "There are ")],
)
def test_a_notation_that_is_not_there_is_refused(given, says):
    with pytest.raises(BadArgument, match=re.escape(says)):
        notation(given)


def test_a_coordinate_that_looks_like_a_parameter_is_called_q():
    rows = [{"type": "prismatic", "mass": "m1"}, {"type": "prismatic", "mass": "d_2"}]
    found = qddot.derive(qddot.from_dh(rows, "standard"), notation="craig").notation
    assert [found.q(0), found.q(1)] == ["q_{1}", "q_{2}"]
    rows[1]["mass"] = "m2"
    found = qddot.derive(qddot.from_dh(rows, "standard"), notation="craig").notation
    assert [found.q(0), found.q(1)] == ["d_{1}", "d_{2}"]


def test_indices_of_two_digits_are_separated():
    of = NOTATION.of([True] * 12)
    assert of.gamma(10, 0, 1) == r"\Gamma_{11,1,2}"
    assert of.slope(11, 2, 0) == "M_{3,12,1}"
    assert of.entry("M", 0, 10) == "M_{1,11}"
    assert of.T(0, 12) == "{}^{0}T_{12}"
    assert of.entry("M", 0, 1) == "M_{12}"


@each_formulation
@pytest.mark.parametrize("letters", ["siciliano", *long("qddot", "deck_s0")])
def test_every_formula_of_every_formulation_is_text_too(derive, letters):
    """What a terminal cannot show is refused by `plain`, so that nothing is left in LaTeX."""
    for seed in (1, 2):
        tree = fold(deep_tree(seed, 4))
        q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, tree.n))
        of = notation(letters).of([bool(body.columns[0][0].any()) for body in tree.bodies])
        for part in derive(tree, q, qd, of, qdd).parts:
            assert part.title
            assert part.steps
            said = [*re.findall(r"\$([^$]*)\$", part.title + part.words)]
            for step in part.steps:
                said += [step.symbol, step.formula, step.same_as]
                said += re.findall(r"\$([^$]*)\$", step.title)
            texts = [plain(latex) for latex in said]
            assert not [text for text in texts if re.search(r"[\\{}$]", text)]


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\tfrac12\,\dot{q}^T M\,\dot{q}", "½ q̇ᵀ M q̇"),
        (r"\partial K/\partial \dot{\theta}_{1}", "∂K/∂θ̇1"),
        (r"{}^{0}_{1}T", "⁰₁T"),
        (r"-\sum_i m_i\,g", "−Σᵢ mᵢ g"),
        (r"\frac{a + b}{c}", "(a + b)/c"),
        (r"(I - \mathcal W)^{-1}", "(I − 𝒲)⁻¹"),
    ],
)
def test_a_formula_is_written_as_one_would_in_a_letter(latex, text):
    assert plain(latex) == text


def test_the_page_on_notations_lists_every_key():
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "derivations.md").read_text(encoding="utf-8")
    listed = page.partition("| key | is |")[2].partition("\n\n")[0]
    assert {*re.findall(r"`(\w+)`", listed)} >= {*LETTERS}
    assert DERIVE.keys() <= {*re.findall(r"\| `(\w+)` \|", page)}


@pytest.mark.parametrize("given", [5, b"craig", ["craig"], "a\0.toml"])
def test_a_notation_that_is_none_is_refused(given):
    with pytest.raises(BadArgument, match="otation"):
        notation(given)


@pytest.mark.parametrize("given", ["link1", 5])
def test_frames_that_are_no_list_are_refused(given):
    with pytest.raises(BadArgument, match="frames is"):
        qddot.derive("two_link_symbolic", frames=given)


def test_a_cosine_of_three_angles_is_no_christoffel_symbol():
    """In Spong's and Siciliano's letters c_{123} is one."""
    rows = [{"type": "revolute", "a": f"L{k}", "mass": f"m{k}"} for k in (1, 2, 3)]
    arm = qddot.from_dh(rows, "standard", gravity=[0, -9.81, 0])
    written = {name: qddot.derive(arm, notation=name).latex("g") for name in ("qddot", "spong")}
    assert "c_{123}" in written["qddot"]
    assert "c_{123}" not in written["spong"]


def test_the_inertia_of_a_link_gives_way_to_a_parameter():
    """The arm has a number I1; Spong writes I_1 for the inertia matrix of link 1."""
    steps = qddot.derive("two_link_symbolic", "explicit", notation="spong").steps
    assert "I_{1}" not in {step.symbol for step in steps}


TWICE = re.compile(r"\^(?:\{[^{}]*\}|\w)(?:_(?:\{[^{}]*\}|\w))?\^")


@pytest.mark.parametrize("name", NAMED)
def test_no_letter_has_two_superscripts(name):
    assert TWICE.search("R^{0}_{1}^T")
    for formulation in ("lagrange", "explicit", "newton_euler"):
        for step in qddot.derive("rp_symbolic", formulation, notation=name).steps:
            assert not TWICE.search(f"{step.symbol} = {step.formula}")


def test_a_slide_keeps_the_number_of_its_joint_where_the_letter_is_the_same():
    letters = qddot.derive("mass_spring_damper_symbolic", notation="deck_s4").notation
    assert [letters.q(0), letters.qd(1)] == ["x_{1}", r"\dot{x}_{0}"]
    usual = qddot.derive("mass_spring_damper_symbolic").notation
    assert [usual.q(0), usual.q(1)] == ["q_{1}", "q_{2}"]
    of = notation("deck_s4").of
    assert of([False, False], names=["x2", "j2"]).q(0) == "x_{1}"  # x2 is taken
    assert of([True, False], names=["x3", "x5"]).q(1) == "x_{5}"


def test_sines_are_written_in_full_where_a_notation_says_so():
    eqs = qddot.derive("two_link_point_symbolic", notation="deck_s0")
    assert r"\cos\left(\theta_{1} + \theta_{2}\right)" in eqs.latex("g")
    assert "cos(θ1 + θ2)" in eqs.text("g", ascii=False)
    assert "L1 cθ1 + L2 cθ12" in qddot.derive(
        "two_link_cylinders_symbolic", "trace", notation="deck_s2"
    ).text("pose", frame="link2", ascii=False)


def test_an_entry_of_the_mass_matrix_is_not_called_as_a_parameter():
    deck = notation("deck_s1")
    assert deck.of([True, True], ["m_{1}"]).mass(0, 1) == "m_{12}"
    assert deck.of([True, True], ["m_{12}"]).mass(0, 1) == "M_{12}"


def test_slopes_and_christoffel_symbols_differ_with_more_than_nine_joints():
    for name in notation_names():
        letters = notation(name).of([True] * 12)
        triples = list(np.ndindex(12, 12, 12))
        gammas = {letters.gamma(k, i, j) for k, i, j in triples}
        assert len(gammas) == len(triples), name
        assert not gammas & {letters.slope(i, j, k) for i, j, k in triples}, name


@pytest.mark.parametrize("way", ["lagrange", "explicit", "trace", "stacked", "newton_euler"])
def test_a_rotor_is_titled_as_the_rotor_of_its_motor(way):
    titles = [part.title.lower() for part in qddot.derive("two_link_motors", way).parts]
    assert any(title.endswith("rotor 3, of the motor that moves $q_{2}$") for title in titles)
    assert not any(title.endswith("link 3") for title in titles)
