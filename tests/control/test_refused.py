"""Laws, tasks and closed loops that are refused: the rows of refusals/control.toml."""

from refused import calls, check


@calls("control")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("control", call, error, said)
