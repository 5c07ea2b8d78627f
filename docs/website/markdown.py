"""Markdown as GitHub reads it, to HTML: anchors, alerts, tables, formulas, code, links."""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from website.addresses import Anchors
from website.highlight import code_block
from website.mathematics import formula, with_mathematics

ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ADDRESS = re.compile(r'\b(href|src|srcset)="([^"]*)"')

Resolve = Callable[[str], str]  # an address as written, to one that leads there on the site
Find = Callable[[str], str | None]  # code in a line, to where it is documented


@dataclass(frozen=True)
class Heading:
    """A heading of a page."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Body:
    """What a page says."""

    title: str
    html: str
    headings: tuple[Heading, ...] = ()
    lead: str = ""  # its first paragraph, as plain text


def as_is(address: str) -> str:
    return address


def nowhere(code: str) -> None:
    return None


def rendered(text: str, resolve: Resolve = as_is, find: Find = nowhere) -> Body:
    """Return a Markdown page as HTML.

    Args:
        text: The page.
        resolve: Where a link or a picture leads on the site.
        find: Where the name in a piece of inline code is documented, if it is.
    """
    parser = made_parser()
    tokens = [token for token in parser.parse(text) if not is_comment(token)]
    tokens = [*without_empty_heads(tokens)]
    headings = tuple(with_anchors(tokens))
    for token in tokens:
        relinked(token, resolve)
    for token, earlier in zip(tokens, [None, *tokens], strict=False):
        if token.type == "inline" and earlier is not None and earlier.type != "heading_open":
            token.children = [*with_names(token.children or [], find)]
    title = next((h.text for h in headings if h.level == 1), "")
    body = parser.renderer.render([*with_alerts(tokens)], parser.options, {})
    return Body(title, body, headings, lead_of(tokens))


def fragment(text: str, find: Find = nowhere) -> str:
    """Return a few paragraphs as HTML, such as a docstring; its `<` and `&` are what they say."""
    parser = fragment_parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type == "inline":
            token.children = [*with_names(token.children or [], find)]
    return parser.renderer.render(tokens, parser.options, {})


@cache
def fragment_parser() -> MarkdownIt:
    return made_parser().disable(["html_block", "html_inline", "lheading", "hr", "table"])


def made_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for rule, render in RENDER.items():
        parser.add_render_rule(rule, render)
    return with_mathematics(parser)


# what tokens become


def render_fence(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    token = tokens[i]
    language = (token.info.split() or [""])[0]
    if language == "math":
        return formula(token.content, display=True)
    return code_block(token.content, language) + "\n"


def render_indented(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    """An indented block is a formula in letters, as in docstrings."""
    return f'<pre class="formula">{html.escape(tokens[i].content.rstrip(), quote=False)}</pre>\n'


def render_table(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    return '<div class="table">\n<table>\n'


def render_table_end(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    return "</table>\n</div>\n"


def render_head(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    """The corner of a table that has no words is no heading."""
    style = tokens[i].attrs.get("style")
    more = f' style="{style}"' if style else ""
    return f'<th scope="col"{more}>' if tokens[i + 1].content.strip() else f"<td{more}>"


def render_head_end(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    return "</th>\n" if tokens[i - 1].content.strip() else "</td>\n"


def render_heading_end(renderer: Any, tokens: list[Token], i: int, options: Any, env: Any) -> str:
    token = tokens[i]
    if token.tag == "h1" or "anchor" not in token.meta:
        return f"</{token.tag}>\n"
    words = html.escape(f"Link to: {token.meta['text']}")
    link = (
        f'<a class="anchor" href="#{html.escape(token.meta["anchor"])}" aria-label="{words}">#</a>'
    )
    return f" {link}</{token.tag}>\n"


RENDER = {
    "fence": render_fence,
    "code_block": render_indented,
    "table_open": render_table,
    "table_close": render_table_end,
    "th_open": render_head,
    "th_close": render_head_end,
    "heading_close": render_heading_end,
}

# what is done to them before


def is_comment(token: Token) -> bool:
    return token.type == "html_block" and not COMMENT.sub("", token.content).strip()


def without_empty_heads(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens; a table whose first row has no words is headed by its first column."""
    silent = headless = False
    for i, token in enumerate(tokens):
        if token.type == "thead_open":
            end = next(k for k in range(i, len(tokens)) if tokens[k].type == "thead_close")
            silent = headless = not any(t.content.strip() for t in tokens[i:end])
        if headless and token.type == "td_open" and tokens[i - 1].type == "tr_open":
            token.tag = tokens[i + 2].tag = "th"
            token.attrSet("scope", "row")
        if not silent:
            yield token
        silent = silent and token.type != "thead_close"


def with_anchors(tokens: list[Token]) -> Iterator[Heading]:
    """Give every heading its anchor, and yield it."""
    anchors = Anchors()
    for opening, words, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "heading_open":
            text = plain(words)
            anchor = anchors.of(text)
            opening.attrSet("id", anchor)
            closing.meta.update(anchor=anchor, text=text)
            yield Heading(int(opening.tag[1]), anchor, text)


def plain(token: Token) -> str:
    """Return an inline token as it is read."""
    parts = []
    for child in token.children or []:
        if child.type in ("text", "code_inline", "math"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(plain(child))
    return "".join(parts)


def relinked(token: Token, resolve: Resolve) -> None:
    """Make the addresses in a token those of the site."""
    if token.type == "html_block":
        token.content = relinked_html(token.content, resolve)
    for child in token.children or []:
        for name in ("href", "src"):
            if name in child.attrs:
                child.attrSet(name, resolve(str(child.attrs[name])))
        if child.type == "image":
            child.attrSet("loading", "lazy")
        if child.type == "html_inline":
            child.content = relinked_html(child.content, resolve)


def relinked_html(text: str, resolve: Resolve) -> str:
    def one(match: re.Match[str]) -> str:
        return f'{match[1]}="{html.escape(resolve(html.unescape(match[2])))}"'

    return ADDRESS.sub(one, COMMENT.sub("", text))


def with_names(children: list[Token], find: Find) -> Iterator[Token]:
    """Yield the tokens of a line; names of the reference become links, but not inside of links."""
    depth = 0
    for child in children:
        depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        address = find(child.content) if child.type == "code_inline" and not depth else None
        if address is None:
            yield child
        else:
            yield Token("link_open", "a", 1, attrs={"href": address, "class": "name"})
            yield child
            yield Token("link_close", "a", -1)


def with_alerts(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens; a quotation that begins with [!NOTE] and its like becomes an aside."""
    kinds: list[str] = []  # of the quotations that are open
    for i, token in enumerate(tokens):
        if token.type == "blockquote_open":
            first = tokens[i + 2].children if tokens[i + 2].type == "inline" else None
            found = ALERT.match(first[0].content) if first else None
            kinds.append(found[1].lower() if found else "")
            if first and found:
                del first[: 2 if len(first) > 1 and first[1].type == "softbreak" else 1]
                words = f'<p class="alert-title">{kinds[-1].capitalize()}</p>\n'
                opening = f'<aside class="alert {kinds[-1]}">\n{words}'
                yield Token("html_block", "", 0, content=opening)
                continue
        if token.type == "blockquote_close" and kinds.pop():
            yield Token("html_block", "", 0, content="</aside>\n")
            continue
        yield token


def lead_of(tokens: list[Token]) -> str:
    """Return the first paragraph of a page, as plain text."""
    for opening, words in pairwise(tokens):
        if opening.type == "paragraph_open" and not opening.hidden and plain(words).strip():
            only_image = [child.type for child in words.children or []] == ["image"]
            if not only_image:
                return plain(words)
    return ""
