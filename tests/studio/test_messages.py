"""Messages that no page sends: each is answered with a problem, and none ends the connection."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studio_talk import talking

from qddot.errors import BadArgument
from qddot.studio.messages import Question, check, encoded

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
QUESTIONS = ("robot", "file", "set", "at", "equation", "play", "export", "cancel")
FIELDS = (
    *("name", "data", "gravity", "payload", "friction", "q", "qd", "qdd", "frame", "ellipsoid"),
    *("matrix", "row", "column", "what", "law", "target", "reference", "duration", "of", "torques"),
)
# nearly right: names that exist, lists of the right length
WORDS = ["two_link", "tool", "M", "c", "drop", "control", "pd", "csv", "toml", "move", "x.urdf"]
PARTS = [[0.0, 0.0], [1e300, -1e300], [0, 0, -9.81], {"frame": "tool", "mass": 1}, {"viscous": 1}]
NEARLY = VALUES | st.sampled_from([*WORDS, *PARTS])


@pytest.fixture(scope="module")
def talk(studio):
    with talking(studio) as page:
        page.ask("robot", name="two_link")
        yield page


@given(st.text() | st.binary() | VALUES.map(json.dumps))
def test_what_is_no_question_is_answered_with_a_problem(talk, message):
    answer = talk.raw(message)
    assert answer["is"] == "problem"
    assert answer["text"]


@given(st.sampled_from(QUESTIONS), st.dictionaries(st.sampled_from(FIELDS), NEARLY, max_size=6))
def test_a_question_with_any_fields_is_answered(talk, do, fields):
    if do == "play" and isinstance(fields.get("duration"), (int, float)):
        fields["duration"] = str(fields["duration"])  # playing is for other tests
    if do in ("equation", "export") and fields.get("what", "") != "toml":
        fields.pop("what", None)
        fields.pop("matrix", None)
    answer = talk.answer_to(talk.send(do, **fields))
    assert answer["is"] in ("robot", "now", "file", "cancelled", "problem")
    assert "defect" not in answer.get("text", "")


BAD = {
    "[]": "The message is not an object",
    '"welcome"': "The message is not an object",
    "{": "The message is not JSON: Expecting property name",
    "": "The message is not JSON",
    '{"id": 1}': "There is no question null.",
    '{"id": 1, "do": "wellcome"}': "There is no question 'wellcome'. Did you mean 'welcome'?",
    '{"id": 1, "do": ["at"]}': 'There is no question ["at"].',
    '{"id": "1", "do": "at"}': "id is '1'; it must be a whole number.",
    '{"do": "at"}': "id is null; it must be a whole number.",
    '{"id": true, "do": "at"}': "id is true; it must be a whole number.",
    '{"id": 1, "do": "at", "q": [NaN, 0]}': "numbers must be finite.",
    '{"id": 1, "do": "at", "q": [-Infinity, 0]}': "The message holds NaN, Infinity or",
    '{"id": 1, "do": "at", "q": [1e400, 0]}': "a number beyond 1e308; numbers must be finite",
    '{"id": 1, "do": "at", "q": [1' + "0" * 400 + ", 0]}": "larger than 2^53",
    '{"id": 1, "do": "at", "q": [1' + "0" * 5000 + ", 0]}": "The message is not JSON",
    '{"id": 1, "do": "at", "q": ' + "[" * 20 + "]" * 20 + "}": "nested more than 12 deep",
    '{"id": 1, "do": "at", "q": ' + "[" * 40_000 + "]" * 40_000 + "}": "nested too deeply",
    "[" * 100_000: "The message has 100000 parts",
    '{"id": 1, "do": "at", "q": [' + "0," * 100_000 + "0]}": "The message has 10000",
    '{"id": 1, "do": "at", "q": [true, false]}': "q of 'at' is a list of 2; it must be 2 numbers",
    '{"id": 1, "do": "at", "q": {"0": 0}}': "it must be 2 numbers",
    '{"id": 1, "do": "at", "q": ["0", "0"]}': "it must be 2 numbers",
    '{"id": 1, "do": "file", "name": "a.urdf", "data": "!"}': "data of 'file' is '!'",
    '{"id": 1, "do": "file", "name": "a.urdf", "data": "ä"}': "the file in base64",
    '{"id": 1, "do": "file", "name": 7}': "name of 'file' is 7; it must be a text.",
    '{"id": 1, "do": "robot", "name": "\\u0007\\ud800"}': "no built-in robot",
}


@pytest.mark.parametrize("message", BAD, ids=range(len(BAD)))
def test_a_bad_message_is_refused_with_its_reason(talk, message):
    answer = talk.raw(message)
    assert answer["is"] == "problem"
    assert BAD[message] in answer["text"]
    assert answer["text"].isprintable() or "\n" in answer["text"]
    assert talk.ask("at", q=[0, 0])["is"] == "now"


def test_a_binary_message_is_refused(talk):
    assert talk.raw(b"\x00\xff")["text"] == "The message is binary; the studio reads JSON text."


def test_a_problem_names_its_question_where_that_can_be_read(talk):
    assert talk.raw('{"id": 77, "do": "nonsense"}')["id"] == 77
    assert talk.raw("nonsense")["id"] is None


@given(VALUES)
def test_a_message_with_a_number_that_is_not_finite_is_refused(value):
    """JSON's own opinion is the oracle."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        with pytest.raises(BadArgument):
            check(value)


def test_an_answer_has_null_where_a_number_is_not_finite():
    text = encoded({"a": math.nan, "b": [1.0, math.inf], "c": {"d": -math.inf}, "e": "NaN"})
    assert json.loads(text) == {"a": None, "b": [1.0, None], "c": {"d": None}, "e": "NaN"}


def test_a_file_beyond_eight_mebibytes_is_refused_with_words():
    big = Question(1, "file", {"data": "A" * (9 * 2**20 * 4 // 3)})
    with pytest.raises(BadArgument, match=r"larger than 8 MiB.*\n.*qddot studio FILE"):
        big.data()
