"""What the suite does with a test that never ends."""

import signal
import threading

import pytest
from hanging import ends


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="signals are POSIX's")
def test_what_never_ends_fails_where_it_is():
    never = threading.Event()
    with pytest.raises(pytest.fail.Exception, match=r"still at work after 0\.01 s"), ends(0.01, 2):
        never.wait()
