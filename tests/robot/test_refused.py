"""What a robot refuses: the rows of refusals/robot.toml."""

from refused import calls, check


@calls("robot")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("robot", call, error, said)
