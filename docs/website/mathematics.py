"""Formulas in Markdown, in the three ways that GitHub knows.

In a line $...$ or $`...`$, as a block of its own $$ ... $$, or as a fence named math. KaTeX sets
them when the page is opened; until then, and in print without it, their LaTeX is there to read.
"""

import html
import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE = re.compile(r"\$`([^`\n]+)`\$|\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?![\w$])")


def formula(latex: str, display: bool) -> str:
    """Return the element of a formula."""
    tag = "div" if display else "span"
    kind = "math block" if display else "math"
    return f'<{tag} class="{kind}">{html.escape(latex.strip())}</{tag}>'


def with_mathematics(markdown: MarkdownIt) -> MarkdownIt:
    """Return the parser, with formulas."""
    markdown.inline.ruler.before("escape", "math", in_a_line)
    markdown.block.ruler.before(
        "fence", "math_block", as_a_block, {"alt": ["paragraph", "blockquote", "list"]}
    )
    markdown.add_render_rule("math", rendered)
    markdown.add_render_rule("math_block", rendered)
    return markdown


def in_a_line(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    # a dollar inside a word is money or a variable of a shell
    if state.pos and (state.src[state.pos - 1].isalnum() or state.src[state.pos - 1] == "\\"):
        return False
    found = INLINE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("math", "span", 0).content = found[1] or found[2]
    state.pos = found.end()
    return True


def as_a_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    lines = [line_of(state, n) for n in range(start, end)]
    if not lines or not lines[0].startswith("$$"):
        return False
    body = [lines[0][2:]]
    # on one line, or until the line that ends it
    last = 0 if body[0].rstrip().endswith("$$") and body[0].strip() != "$$" else None
    for k, line in enumerate(lines[1:], start=1):
        if last is not None:
            break
        body.append(line)
        if line.rstrip().endswith("$$"):
            last = k
    if last is None:
        return False
    if not silent:
        token = state.push("math_block", "div", 0)
        token.content = "\n".join(body).rstrip().removesuffix("$$")
        token.map = [start, start + last + 1]
    state.line = start + last + 1
    return True


def line_of(state: StateBlock, n: int) -> str:
    return state.src[state.bMarks[n] + state.tShift[n] : state.eMarks[n]]


def rendered(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    return formula(token.content, token.type == "math_block")
