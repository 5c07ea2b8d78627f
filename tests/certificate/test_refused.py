"""Bounds, certificates and masses that are refused: the rows of refusals/certificate.toml."""

from refused import calls, check


@calls("certificate")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("certificate", call, error, said)
