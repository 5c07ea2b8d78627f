"""Figures in a page: short, without fonts, in inks that can be read on light and dark paper."""

import re

import numpy as np
import pytest

from qddot.present.figures import style
from qddot.present.pages.svg import inks_on_dark, luminance, svg_of

DARK = luminance([0x14, 0x17, 0x1B])  # the paper of style.css where it is dark
READABLE = 4.5  # WCAG 2


def curves():
    figure = style.figure(4, 3)
    axes = figure.add_subplot()
    style.dress(axes)
    for k in range(6):
        axes.plot(np.sin(np.linspace(0, 9, 50) + k), **style.curve(k))
    return figure


def test_letters_are_shapes_and_nobody_signs():
    svg = svg_of(curves())
    assert svg.startswith("<svg ")
    assert "font" not in svg
    assert not re.search(r"<(text|style|metadata|!--)", svg)


def test_the_same_figure_is_the_same_text():
    assert svg_of(curves()) == svg_of(curves())


def test_coordinates_are_a_tenth_of_a_point():
    decimals = [
        re.findall(r"\.(\d+)", path) for path in re.findall(r' d="([^"]*)"', svg_of(curves()))
    ]
    assert {len(digits) for path in decimals for digits in path} == {1}


def test_every_ink_can_be_read_on_dark_paper():
    svg = svg_of(curves())
    assert not re.search(r"[^,]#[0-9a-f]{6}", svg)
    sheet = inks_on_dark(svg)
    found = dict(re.findall(r"--ink-([0-9a-f]{6}):([^;} ]+)", sheet))
    assert found.pop("ffffff") == "var(--paper)"
    grid = found.pop(style.FAINT[1:].lower())
    spines = found.pop(style.QUIET[1:].lower())
    assert lightness(grid) < lightness(spines) < min(map(lightness, found.values()))
    poor = {ink for ink, on_dark in found.items() if contrast(on_dark) < READABLE}
    assert not poor


@pytest.mark.parametrize("how", ["picture", "areas"])
def test_a_map_of_colours_brings_its_paper(how):
    figure = style.figure(4, 3)
    axes = figure.add_subplot()
    values = np.add.outer(np.arange(20.0), np.arange(20.0))
    axes.imshow(values) if how == "picture" else axes.contourf(values, levels=12)
    svg = svg_of(figure)
    assert svg.startswith('<svg class="on-paper"')
    assert inks_on_dark(svg) == ""


def lightness(colour):
    return luminance([int(colour[k : k + 2], 16) for k in (1, 3, 5)])


def contrast(colour):
    return (lightness(colour) + 0.05) / (DARK + 0.05)
