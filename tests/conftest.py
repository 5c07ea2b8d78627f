"""What holds for every test: the same examples for everybody, an end, one sentence on skips.

`make test` draws the same random examples on every machine and in every run, and `make test-all`
more of them. `make fuzz` draws new ones and prints their seed; what it finds is pinned with
`@example`. `make test-all` also runs the tests marked `long`.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several workers share the cores

import gc
import signal

import browser
import hanging
import order
import pytest
from hypothesis import HealthCheck, settings
from long import WHOLE
from untested import sentences

# no deadline: kernels are compiled on first use, and a busy machine is no fault
SLOW = (HealthCheck.too_slow,)  # a busy machine draws slowly
for profile, count in {"same": 10, "all": WHOLE}.items():
    settings.register_profile(
        profile,
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=SLOW,
    )
settings.register_profile(
    "fuzz", max_examples=200, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile("same")


# a shell that starts the tests in the background has Ctrl-C ignored, and processes inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

TOLD = pytest.StashKey[int]()  # where people see what a process says that hangs

gc.disable()  # until the tests are collected: imports leave no garbage


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


def pytest_configure(config):
    config.stash[TOLD] = os.dup(2)  # before what tests print is kept


def ends(item, seconds):
    """Let nothing hang for ever: neither a test nor what is done before and after it."""
    long = item.get_closest_marker("long") or item.config.getoption("--hypothesis-profile")
    return hanging.ends(hanging.LONG if long else seconds, item.config.stash[TOLD])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    with ends(item, hanging.SHARED):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    with ends(item, hanging.HANGS):
        return (yield)


pytest_runtest_teardown = pytest_runtest_call


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Order the tests: at random if asked, else so that workers share them well."""
    seed, workers = config.getoption("--shuffle"), os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    if seed is not None:
        items[:] = order.shuffled(items, seed)
    elif workers is not None:
        items[:] = order.spread(items, int(workers))


def pytest_collection_finish():
    """Leave what was imported out of every later search for garbage, and search seldom."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_terminal_summary(terminalreporter):
    """Say once what was not tested, and how to get it tested."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())]
    for sentence in sentences(reasons):
        terminalreporter.write_line(sentence, yellow=True)


@pytest.fixture(scope="module", autouse=True)
def browser_ends_with_its_module():
    """Close the browser, if the module's tests opened one, and with it its event loop."""
    yield
    browser.close()
