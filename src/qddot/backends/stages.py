"""The stages of an explicit Runge-Kutta step, compiled around a program that gives a rate.

Between two evaluations of a rate of a microsecond, an interpreter spends ten on combining stages.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from qddot.backends.ir import Lanes
from qddot.backends.llvm import compile_module
from qddot.backends.loops import module, single_state
from qddot.program.program import Program


class Stages:
    """Every stage of a step: K[s] = f(t + C[s] h, y + h Σ A[s, j] K[j]), and the state at its end.

    The program's first input is the state and its only output the rate; an input named t is the
    time, the others stay as they are.
    """

    def __init__(self, program: Program, A: np.ndarray, B: np.ndarray, C: np.ndarray):
        count = len(B)
        # where the step ends is one more stage, whose rate begins the next step
        self.A = np.zeros((count + 1, count))
        self.A[:count, : A.shape[1]], self.A[count] = A[:count], B
        self.C = np.append(np.asarray(C, dtype=float)[:count], 1.0)
        self.code = compile_module(_assembly(program, count))
        pointers = [ctypes.c_void_p] * (len(program.inputs) + 4)
        numbers = [ctypes.c_double, ctypes.c_double]
        self.function = ctypes.CFUNCTYPE(None, *pointers, *numbers)(self.code.address("stages"))


class StagedStep:
    """A step of given stages with given further inputs: fills K, returns the new state."""

    def __init__(self, stages: Stages, rest: Sequence[Any], K: np.ndarray):
        """Bind the arrays: the rest are the inputs besides the state, K is where the stages go.

        K has the shape (stages + 1, size) and is contiguous; its first row is the rate at the
        start.
        """
        # kept, so that the addresses stay good
        self.arrays = [np.ascontiguousarray(x, dtype=float) for x in rest]
        self.stages, self.K = stages, K
        self.fixed = [x.ctypes.data for x in (*self.arrays, stages.A, stages.C, K)]

    def __call__(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        new = np.empty(len(y))
        self.stages.function(y.ctypes.data, *self.fixed, new.ctypes.data, t, h)
        return new


def _assembly(program: Program, count: int) -> str:
    """Return a module with `stages`, whose inner function is the program for one state."""
    out, state = single_state(program, Lanes(1))
    size = program.inputs[0].size
    names = [f"%a{k}" for k in range(1, len(program.inputs))]
    given = "".join(f", ptr {name}" for name in names)
    # the time of a stage stands where the program looks for it
    seen = [
        "ptr %time" if port.name == "t" else f"ptr {name}"
        for port, name in zip(program.inputs[1:], names, strict=True)
    ]
    arguments = ", ".join(["ptr %new", *seen, "ptr %rate"])
    head = f"ptr %y{given}, ptr %A, ptr %C, ptr %K, ptr %new, double %t, double %h"
    text = f"""
define void @stages({head}) #0 {{
entry:
  %time = alloca double
  br label %stage
stage:
  %s = phi i64 [1, %entry], [%s.next, %entry.done]
  br label %entry.loop
entry.loop:
  %i = phi i64 [0, %stage], [%i.next, %sum.done]
  br label %sum
sum:
  %j = phi i64 [0, %entry.loop], [%j.next, %sum]
  %total = phi double [0.0, %entry.loop], [%total.next, %sum]
  %row = mul i64 %s, {count}
  %a.at = add i64 %row, %j
  %a.where = getelementptr double, ptr %A, i64 %a.at
  %a = load double, ptr %a.where
  %k.row = mul i64 %j, {size}
  %k.at = add i64 %k.row, %i
  %k.where = getelementptr double, ptr %K, i64 %k.at
  %k = load double, ptr %k.where
  %part = fmul contract double %a, %k
  %total.next = fadd contract double %total, %part
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, %s
  br i1 %j.more, label %sum, label %sum.done
sum.done:
  %y.where = getelementptr double, ptr %y, i64 %i
  %y.i = load double, ptr %y.where
  %dy = fmul contract double %h, %total.next
  %moved = fadd contract double %y.i, %dy
  %new.where = getelementptr double, ptr %new, i64 %i
  store double %moved, ptr %new.where
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, {size}
  br i1 %i.more, label %entry.loop, label %entry.done
entry.done:
  %c.where = getelementptr double, ptr %C, i64 %s
  %c = load double, ptr %c.where
  %later = fmul contract double %c, %h
  %now = fadd contract double %t, %later
  store double %now, ptr %time
  %rate.at = mul i64 %s, {size}
  %rate = getelementptr double, ptr %K, i64 %rate.at
  call void @state({arguments})
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, {count + 1}
  br i1 %s.more, label %stage, label %end
end:
  ret void
}}
"""
    return module(out, [*state, text])
