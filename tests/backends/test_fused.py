"""Programs as a GPU likes them are equal to the whole, and shorter to run."""

from __future__ import annotations

import numpy as np
import pytest
from long import long
from made import PANDA, UR5
from nearness import DIVIDED
from translated import assert_same

from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import kernel
from qddot.backends.cuda_tiles import CACHED, WIDEST, Outputs, parts_of, tiles_of
from qddot.backends.fused import fused, most_live
from qddot.program.program import Port, Program, Step
from qddot.program.recorder import record

CASES = [
    (UR5, "inverse_dynamics"),
    (UR5, "forward_dynamics_derivatives"),
    *long((PANDA, "regressor")),
]


def results(program, arrays):
    entries = [x[:, i] for x in arrays for i in range(x.shape[1])]
    count = len(arrays[0])
    return np.array([np.broadcast_to(x, (count,)) for x in program.results_at(entries)])


@pytest.mark.parametrize(("robot", "quantity"), CASES, ids=lambda what: getattr(what, "name", what))
def test_parts_give_what_the_whole_gives(robot, quantity):
    program = robot.program(quantity)
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=(5, port.size)) for port in program.inputs]
    wanted = results(program, arrays)
    offset = np.cumsum([0, *(port.size for port in program.outputs)])
    seen = np.zeros(len(wanted), int)
    for part in parts_of(program):
        found = results(part.program, arrays)
        for tile in part.tiles:
            places = np.arange(tile.width) + offset[tile.port] + tile.start
            assert_same(found[list(tile.results)], wanted[places], DIVIDED)
            seen[places] += 1
    assert (seen == 1).all()


def test_a_program_that_keeps_too_much_is_cut_unless_its_parts_are_too_long():
    assert len(parts_of(UR5.program("inverse_dynamics"))) == 1
    parts = parts_of(PANDA.program("regressor"))
    assert len(parts) > 1
    assert max(part.live for part in parts) < most_live(PANDA.program("regressor"))
    assert sum(len(part.program) for part in parts) <= CACHED


def test_a_sum_of_products_is_a_chain_of_one_instruction_each():
    program = record(lambda x: x[0] * x[1] + x[2] * x[3] - (x[4] * x[5] + x[6] * x[7]), x=(8,))
    counts = fused(program, range(1)).counts()
    assert counts == {"mul": 1, "fma": 1, "fnma": 2}
    x = np.arange(8.0) + 0.5
    assert fused(program, range(1))(x) == program(x)


def test_a_product_that_sums_share_is_computed_in_each():
    def two(x):
        return np.array([x[0] * x[1] + x[2], x[0] * x[1] - x[2], x[0] + x[1] + x[2]])

    program = fused(record(two, x=(3,)), range(3))
    assert program.counts() == {"fma": 2, "neg": 1, "add": 2}
    assert np.array_equal(program(np.array([2.0, 3, 5])), [11, 1, 10])


def test_values_that_wait():
    step = Step(next(s.op for s in UR5.program("mass_matrix").steps if s.op.name == "add"), (0, 1))
    program = Program("x", (Port("x", (2,)),), (), (step, step), (Port("y", (2,)),), (2, 3))
    assert most_live(program) == 2
    assert most_live(program, [range(1, 2), range(1)]) == 3  # the first sum waits for the second


def test_a_wide_output_leaves_in_whole_rows():
    tiles = tiles_of(PANDA.program("regressor").outputs)
    assert [tile.start % 77 for tile in tiles] == [0] * 7
    assert all(tile.width <= WIDEST for tile in tiles_of((Port("y", (3, 500)),)))
    assert sum(tile.width for tile in tiles_of((Port("y", (3, 500)), Port("z", ())))) == 1501


def test_a_tile_is_copied_out_when_the_last_of_its_entries_is_known():
    lines: list[str] = []
    tiles = parts_of(record(lambda x: np.outer(x, x), x=(30,)))[0].tiles
    outputs = Outputs(tiles, lines)
    outputs.put(tiles[1].results[0], "early")
    assert not lines
    for k in tiles[0].results:
        outputs.put(k, "now")
    assert ["COPY_OUT" in line for line in lines] == [False] * tiles[0].width + [True, False]
    assert "early" in lines[-1]


def test_more_registers_mean_fewer_blocks():
    text = kernel(UR5.program("mass_matrix"), "run", Real())
    seen = []
    while text is not None:
        seen.append(int(text.text.partition("KERNEL(")[2].partition(")")[0]))
        text = text.with_more_registers()
    assert seen[-1] == 1
    assert seen == sorted(set(seen), reverse=True)
