"""The former name of `qddot.motions`, for one more release."""

import warnings

from qddot.motions import *  # noqa: F403

warnings.warn(
    "qddot.control.references is now qddot.motions: from qddot.motions import Quintic.",
    DeprecationWarning,
    stacklevel=2,
)
