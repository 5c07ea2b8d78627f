"""The frame around every page: head, search, navigation, contents, neighbours."""

import html
from base64 import b64encode

import qddot
from website.addresses import relative
from website.markdown import Body, Heading
from website.navigation import Item, Section, neighbours

LOGO = (
    '<svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">'
    '<rect width="32" height="32" rx="7" fill="#0b5f8f"/>'
    '<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round">'
    '<circle cx="14.5" cy="18" r="5.2"/><path d="M19.9 13v13.2"/></g>'
    '<circle cx="11.6" cy="7.6" r="1.9" fill="#fff"/><circle cx="18" cy="7.6" r="1.9" fill="#fff"/>'
    "</svg>"
)
ICON = LOGO.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
TOP = ("quick_start.html", "cheat_sheet.html", "examples/index.html", "reference/index.html")
TOP_TITLES = {"examples/index.html": "Examples", "reference/index.html": "Reference"}


def page(body: Body, address: str, sections: list[Section]) -> str:
    """Return a whole page.

    Args:
        body: What it says.
        address: Where it is, from the root of the site.
        sections: The navigation.
    """

    def to(target: str) -> str:
        return html.escape(relative(address, target))

    front = address == "index.html"
    title = body.title if front else f"{body.title} · qddot"
    maths = 'class="math' in body.html
    icon = b64encode(ICON.encode()).decode()
    head = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{html.escape(title)}</title>",
        f'<meta name="description" content="{html.escape(body.lead)}">',
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">',
        f'<link rel="stylesheet" href="{to("assets/style.css")}">',
        f'<link rel="stylesheet" href="{to("assets/site.css")}">',
        f'<link rel="stylesheet" href="{to("assets/katex.css")}">' if maths else "",
        f'<script defer src="{to("assets/katex.js")}"></script>' if maths else "",
        f'<script defer src="{to("assets/site.js")}"></script>',
        f'<script defer src="{to("assets/search.js")}"></script>',
        "</head>",
    ]
    root = relative(address, "index.html").removesuffix("index.html")
    wide = contents(body.headings)
    parts = [
        *filter(None, head),
        f'<body class="{kind_of(address)}" data-root="{html.escape(root)}">',
        '<a class="skip" href="#content">Skip to the content</a>',
        header(address, sections),
        '<div class="columns">',
        pages_of(address, sections),
        f'<main id="content" tabindex="-1">\n<article>\n{body.html}\n</article>',
        beside(address, sections),
        "</main>",
        wide,
        "</div>",
        footer(),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def kind_of(address: str) -> str:
    """Return what the style sheet calls a page."""
    if address == "index.html":
        return "front"
    return {"reference": "reference", "source": "source"}.get(address.split("/")[0], "prose")


def header(address: str, sections: list[Section]) -> str:
    titles = {item.address: item.title for section in sections for item in section.items}
    links = "".join(
        f'<a href="{html.escape(relative(address, target))}"{here(address, target)}>'
        f"{html.escape(TOP_TITLES.get(target) or titles[target])}</a>"
        for target in TOP
        if target in titles
    )
    home = html.escape(relative(address, "index.html"))
    return (
        '<header class="top">\n'
        f"{menu(address)}"
        f'<a class="brand" href="{home}">{LOGO}<span>qddot</span></a>\n'
        f'<nav class="links" aria-label="Main">{links}</nav>\n'
        '<form class="search" role="search" hidden>'
        '<label class="unseen" for="query">Search the documentation</label>'
        '<input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false"'
        ' aria-controls="found" aria-describedby="hint">'
        '<kbd aria-hidden="true">/</kbd><span class="unseen" id="hint">Arrow keys go through the '
        "results, Escape closes them.</span>"
        '<div id="found" hidden><p role="status"></p><ol></ol></div></form>\n</header>'
    )


def menu(address: str) -> str:
    """Return the button that shows the list of pages in narrow windows."""
    if kind_of(address) == "source":
        return ""
    return (
        '<button class="menu" type="button" aria-controls="pages" aria-expanded="false" hidden>'
        "Menu</button>\n"
    )


def pages_of(address: str, sections: list[Section]) -> str:
    """Return the list of pages at the side; a listing of source needs its room itself."""
    if kind_of(address) == "source":
        return ""
    return f'<nav class="pages" id="pages" aria-label="Pages">{tree(address, sections)}</nav>'


def tree(address: str, sections: list[Section]) -> str:
    """Return the list of all pages; the section that holds this one is open."""
    parts = []
    for section in sections:
        holds = any(item.address == address for item in section.items)
        opened = " open" if holds or section is sections[0] else ""
        items = "".join(
            f'<li><a href="{html.escape(relative(address, item.address))}"'
            f"{here(address, item.address)}>{html.escape(item.title)}</a></li>"
            for item in section.items
        )
        title = html.escape(section.title)
        parts.append(f"<details{opened}><summary>{title}</summary><ul>{items}</ul></details>")
    return "\n".join(parts)


def here(address: str, target: str) -> str:
    return ' aria-current="page"' if address == target else ""


def contents(headings: tuple[Heading, ...]) -> str:
    """Return the contents of a page, where it has enough to be worth it."""
    shown = [h for h in headings if h.level in (2, 3, 4) and h.anchor]
    if len(shown) < 2:
        return ""
    items = "".join(
        f'<li class="level{h.level}"><a href="#{html.escape(h.anchor)}">'
        f"{html.escape(h.text).replace('_', '_<wbr>')}</a></li>"
        for h in shown
    )
    return f'<nav class="toc" aria-label="On this page"><p>On this page</p><ul>{items}</ul></nav>'


def beside(address: str, sections: list[Section]) -> str:
    before, after = neighbours(sections, address)
    if not (before or after):
        return ""
    return (
        '<nav class="neighbours" aria-label="Previous and next page">'
        f"{neighbour(before, address, 'Previous', 'prev')}"
        f"{neighbour(after, address, 'Next', 'next')}"
        "</nav>"
    )


def neighbour(item: Item | None, address: str, word: str, rel: str) -> str:
    if item is None:
        return "<span></span>"
    where = html.escape(relative(address, item.address))
    return f'<a rel="{rel}" href="{where}"><small>{word}</small> {html.escape(item.title)}</a>'


def footer() -> str:
    return f"<footer><p>qddot {html.escape(qddot.__version__)} · Apache-2.0</p></footer>"
