"""Every public name is documented, and its docstring says what there is in one sentence."""

import ast
import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from website.reference.contents import GROUPS
from website.reference.docstrings import docstring_of, fields_of, parsed, signature_of
from website.reference.index import Index

import qddot

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {name for name in qddot.__all__ if inspect.ismodule(getattr(qddot, name))}
ENDS = (".", ":", "!", "?")


@pytest.fixture(scope="module")
def index():
    return Index()


def test_every_exported_name_is_in_the_reference(index, site):
    names = {id(entry.thing): entry for entry in index.entries}
    for name in set(qddot.__all__) - ROOMS:
        entry = names[id(getattr(qddot, name))]
        page = site.text(f"reference/{entry.chapter.file}.html")
        assert f'id="{entry.name}"' in page
        assert f'href="{entry.chapter.file}.html#{entry.name}"' in site.text("reference/index.html")


def test_what_pages_and_examples_import_is_in_the_reference(index):
    known = {id(entry.thing) for entry in index.entries}
    missing = {
        f"{module}.{name} ({path.name})"
        for path, module, name in imported()
        for thing in [getattr(import_module(module), name, None)]
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and id(thing) not in known
    }
    assert not missing, f"add these to website/reference/contents.py: {sorted(missing)}"


def imported():
    """Yield what is imported from qddot, and where."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in [*pages, *(ROOT / "examples").glob("[0-9]*.py")]:
        text = path.read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL) if path in pages else [text]
        for node in (node for block in blocks for node in ast.walk(ast.parse(block))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("qddot"):
                for alias in node.names:
                    yield path, node.module, alias.name


def test_every_public_name_has_a_docstring_with_a_first_sentence(index):
    silent = []
    for entry in index.entries:
        said = {entry.name: docstring_of(entry.thing)}
        for member in entry.members:
            own = member.function if member.function.__doc__ else getattr(entry.thing, member.name)
            said[f"{entry.name}.{member.name}"] = docstring_of(own)
        silent += [
            name
            for name, text in said.items()
            if not text.summary.endswith(ENDS) or len(text.first_sentence.split()) < 2
        ]
        if entry.is_class and (entry.thing.__doc__ or "").startswith(f"{entry.short}("):
            silent.append(f"{entry.name}: only what its dataclass made up")
    assert not silent, f"without a first sentence: {silent}"


def test_groups_hold_members_that_exist(index):
    entries = {entry.name: entry for entry in index.entries}
    for name, groups in GROUPS.items():
        members = {member.name for member in entries[name].members}
        listed = [member for group in groups.values() for member in group]
        assert set(listed) <= members, set(listed) - members
        assert len(listed) == len(set(listed))


def test_a_source_link_leads_to_the_line_of_the_definition(index, site):
    page = site.text("reference/robot.html")
    link = re.search(r'href="\.\./(source/[^"#]*)#L(\d+)" aria-label="Source of qddot\.load"', page)
    assert link
    listing = site.text(link[1])
    line = re.search(rf'<span id="L{link[2]}">(.*)</span>', listing)
    assert line
    assert re.sub("<[^>]*>", "", line[1]).startswith("def load(")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("qddot.load", "robot.html#qddot.load"),
        ('qddot.load("panda")', "robot.html#qddot.load"),
        ("robot.mass_matrix(q)", "robot.html#qddot.Robot.mass_matrix"),
        ("jacobian(q, frame, axes)", "robot.html#qddot.Robot.jacobian"),
        ("eqs.latex", "equations.html#qddot.equations.Equations.latex"),
        ("Quintic", "references.html#qddot.motions.Quintic"),
    ],
)
def test_names_in_code_are_found(index, code, expected):
    assert index.of_code(code) == f"reference/{expected}"


@pytest.mark.parametrize(
    "code", ["q", "rollout", "--json", "x = 1", "robot.fly()", "numpy.array", ""]
)
def test_what_is_no_public_name_is_left_alone(index, code):
    assert index.of_code(code) is None


def test_a_member_is_found_by_its_own_name_inside_of_its_class(index):
    assert index.of_code("parameters") is None
    assert (
        index.of_code("parameters", "qddot.Robot") == "reference/robot.html#qddot.Robot.parameters"
    )


def test_a_type_is_linked_only_where_it_is_that_type(index):
    def of(name):
        return index.of_type(name, qddot.load)

    assert of("Robot") == "reference/robot.html#qddot.Robot"
    assert of("Path") is None  # a file there, not a path of joints


DOCSTRING = """Return a thing. It is new.

With a formula:

    τ = M q̈        RBDA (5.11)

Args:
    q, qd: Positions [rad] and rates, shape (n,); what goes
        on is one.
    more: The rest: a, b.

Returns:
    Two arrays.

Raises:
    BadArgument: If not.

Example:
    >>> thing(1)
    2
"""


def test_a_docstring_is_taken_apart():
    found = parsed(DOCSTRING)
    assert found.summary == "Return a thing. It is new."
    assert found.first_sentence == "Return a thing."
    assert found.text == "With a formula:\n\n    τ = M q̈        RBDA (5.11)"
    parts = {section.title: section for section in found.sections}
    assert parts["Args"].rows == (
        ("q, qd", "Positions [rad] and rates, shape (n,); what goes\non is one."),
        ("more", "The rest: a, b."),
    )
    assert parts["Returns"].text == "Two arrays."
    assert parts["Raises"].rows == (("BadArgument", "If not."),)
    assert parts["Example"].text == ">>> thing(1)\n2"


def test_a_formula_of_a_docstring_stays_a_block(site):
    page = site.text("reference/robot.html")
    assert '<pre class="formula">τ = M(q) q̈ + C(q, q̇) q̇ + g(q)' in page


def test_signatures_are_plain_and_break_where_they_are_long():
    def short(q, /, *more, out=None) -> qddot.Robot: ...
    def long(
        first_argument: int, second_argument: str = "a name", *, third_argument: float = 1.0
    ): ...

    def link(name):
        return "r.html" if name.endswith("Robot") else None

    made = signature_of(short, "short", link)
    assert plain(made).startswith("short(q, *more, out=None) -> qddot.")
    assert made.endswith("Robot</a>")
    assert plain(signature_of(long, "long", link)).split("\n") == [
        "long(",
        "    first_argument: int,",
        "    second_argument: str = 'a name',",
        "    *,",
        "    third_argument: float = 1.0,",
        ")",
    ]


def plain(html):
    text = re.sub("<[^>]*>", "", html)
    return text.replace("&gt;", ">").replace("&#x27;", "'")


@dataclass
class Base:
    a: int  # [s], how long
    _hidden: int = 0


@dataclass
class Derived(Base):
    # what is
    # above
    b: str = "#"
    c: float = 0.0
    d: int = len("#")  # not the # inside


def test_fields_come_with_the_comments_beside_or_above_them():
    assert [(field.name, field.type, field.words) for field in fields_of(Derived)] == [
        ("a", "int", "[s], how long"),
        ("b", "str", "what is above"),
        ("c", "float", ""),
        ("d", "int", "not the # inside"),
    ]
