"""An arm under a law: what the law needs, how it runs, and what is known of its stability.

Runs in a helper. Verdicts are those of `control`, word for word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.control.laws.law import ControlLaw
from qddot.control.loop import ClosedLoop, closed_loop
from qddot.control.spec import described_control, laws
from qddot.errors import BadPlan, printable
from qddot.motions.description import motion_kinds
from qddot.studio.controlled import Controlled
from qddot.studio.playing import MotionAnswer, motion, saved, shown_rows

# what a law's model stands for, in words
MODELS = {
    "arm": "the arm: masses, lengths, friction",
    "start": "where its estimates start",
    "lengths": "the lengths of its Jacobian alone",
    "masses": "masses, where its estimates start, and the lengths of its Jacobian",
}


def control(run: Controlled, *, tell: Callable[..., None]) -> MotionAnswer:
    """Put the arm under a law, and judge what comes of it."""
    kind = str(run.control.get("law", "")).replace("_", " ")
    tell(f"Simulating {run.seconds:g} s under {kind}", None)
    loop = closed_loop(
        *(run.arm, run.control), q0=run.q, qd0=run.qd, duration=run.seconds, model=run.model
    )
    found = motion("control", loop.trajectory) | judged(loop)
    found["status"] = f"{found['status'].rstrip('.')}. Sound: {printable(loop.report.verdict)}"
    return found, saved(loop.trajectory)


def judged(loop: ClosedLoop) -> dict[str, Any]:
    """Return what a page shows of a run besides the motion."""
    law, report, rows = loop.law, loop.report, shown_rows(loop.trajectory.t)
    names = list(map(printable, report.error_names))
    figures = report.to_dict()
    return {
        "law": law.kind,
        "error": loop.error[rows],
        "error_names": names,
        "error_units": list(report.error_units),
        "V": None if loop.V is None else loop.V[rows],
        "report": {
            "rms": figures["error"]["rms"],
            "worst": figures["error"]["worst"],
            "final": figures["error"]["final"],
            "settling_time": figures["settling_time"],
            "torque": figures["torque"],
            "V_rise": report.V_rise,
            "falls": report.falls,
            "assumptions": figures["assumptions"],
            "sound": figures["sound"],
            "verdict": printable(report.verdict),
        },
        "gains": law.gains,
        **followed(law, loop.trajectory.t[rows], loop.error[rows]),
    }


def followed(law: ControlLaw, t: np.ndarray, error: np.ndarray) -> dict[str, Any]:
    """Return where the reference is at some times: of the joints, or of a frame's axes."""
    reference: Any = law.reference  # type: ignore[attr-defined]  # as all that have a name
    wanted = np.array([np.asarray(reference.at(float(each))[0], dtype=float) for each in t])
    if not law.moves_frame:
        return {"reference": wanted}
    places = wanted + error[:, -wanted.shape[1] :]  # turning comes first
    return {"frame": law.frame, "axes": law.axes, "place": places, "place_wanted": wanted}  # type: ignore[attr-defined]


def law_facts(run: Controlled, *, tell: Callable[..., None]) -> dict[str, Any]:
    """Return what a law is on this arm: the gains that would be chosen, and what it relies on."""
    plain = {key: value for key, value in run.control.items() if key != "gains"}
    more = {"start_given": True, "model": run.model, "seconds": run.seconds}
    note = ""
    try:
        law = described_control(plain, run.arm, run.q, **more).law
    except BadPlan as error:  # of the reference; the law itself can be made where the arm stands
        note = printable(str(error))
        law = described_control({**plain, "reference": None}, run.arm, run.q, **more).law
    return {
        "is": "law",
        "law": law.kind,
        "gains": [gain_facts(law, name) for name in law.gain_names],
        "relies_on": [
            {"statement": each.statement, "holds": each.verdict, "why": each.why}
            for each in law.assumptions(run.arm)
        ],
        "error_names": list(map(printable, law.error_names)),
        "note": note,
    }


def gain_facts(law: ControlLaw, name: str) -> dict[str, Any]:
    """Return a gain that was chosen: one number, one per part, or a matrix, told by its size."""
    value = np.asarray(getattr(law, name), dtype=float)
    parts = law.gain_parts(name)
    found = {"name": name, "unit": law.gain_unit(name), "parts": [], "matrix": False}
    if not value.ndim:
        return found | {"chosen": float(value)}
    diagonal = np.diag(value)
    if len(diagonal) == len(parts) and np.array_equal(value, np.diag(diagonal)):
        return found | {"parts": list(map(printable, parts)), "chosen": diagonal.tolist()}
    return found | {"matrix": True, "chosen": float(diagonal.max())}


def law_list() -> list[dict[str, Any]]:
    """Return the laws that can be played, in words."""
    return [
        {
            "name": name,
            "words": (law.__doc__ or "").strip().splitlines()[0],
            "equation": law.equation,
            "moves": "frame" if law.moves_frame else "joints",
            "gains": list(law.gain_names),
            "model": MODELS[law.model_for],
        }
        for name, law in laws().items()
    ]


def reference_list() -> list[dict[str, Any]]:
    """Return the motions that laws can follow."""
    return [
        {"name": name, "words": kind.words, "frames": kind.for_frames}
        for name, kind in motion_kinds().items()
    ]
