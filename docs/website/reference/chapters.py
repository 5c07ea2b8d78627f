"""The pages of the reference: a chapter of names, and an overview of all of them."""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from website.highlight import code_block
from website.markdown import Body, Heading, fragment
from website.reference.contents import CHAPTERS, GROUPS, OTHERS, Chapter
from website.reference.docstrings import (
    Docstring,
    Section,
    docstring_of,
    fields_of,
    linked,
    signature_of,
    text_of,
)
from website.reference.entries import Entry, Member
from website.reference.index import Index, source_of

HEADS = {"Args": "Arguments", "Raises": "Raises", "Attributes": "Attributes"}

Relative = Callable[[str], str]  # an address from the root of the site, to one from the page


class Writer:
    """Writes chapters whose links start from one page."""

    def __init__(self, index: Index, root: Path, relative: Relative):
        self.index, self.root, self.relative = index, root, relative
        self.headings: list[Heading] = []
        self.sources: set[Path] = set()  # the files that it links to

    def chapter(self, chapter: Chapter) -> Body:
        """Return the page of a chapter."""
        members = [entry for entry in self.index.entries if entry.chapter is chapter]
        self.headings = [Heading(1, "", chapter.title)]
        parts = [f"<h1>{html.escape(chapter.title)}</h1>", self.words(chapter.words, "lead")]
        parts += [self.overview(members)] if len(members) > 1 else []
        parts += [self.entry(entry) for entry in members]
        return Body(chapter.title, "\n".join(parts), tuple(self.headings), chapter.words)

    def contents(self) -> Body:
        """Return the page that lists every name."""
        words = (
            f"Every public name of qddot: {len(self.index.entries)} functions and classes, from "
            "their docstrings."
        )
        self.headings = [Heading(1, "", "Reference")]
        parts = ["<h1>Reference</h1>", self.words(words, "lead")]
        for chapter in CHAPTERS:
            members = [entry for entry in self.index.entries if entry.chapter is chapter]
            if members:
                address = html.escape(self.relative(f"reference/{chapter.file}.html"))
                self.headings.append(Heading(2, chapter.file, chapter.title))
                title = f'<a href="{address}">{html.escape(chapter.title)}</a>'
                parts.append(f'<h2 id="{chapter.file}">{title}</h2>')
                parts += [self.words(chapter.words), self.overview(members)]
        return Body("Reference", "\n".join(parts), tuple(self.headings), words)

    def overview(self, members: list[Entry]) -> str:
        rows = (
            f'<tr><th scope="row"><a class="name" href="{html.escape(self.address(entry))}">'
            f"<code>{html.escape(shown_name(entry))}</code></a></th>"
            f"<td>{self.line(entry.docstring.first_sentence, entry)}</td></tr>"
            for entry in members
        )
        return f'<div class="table"><table class="overview">\n{"".join(rows)}\n</table></div>'

    def entry(self, entry: Entry) -> str:
        """Return what is said of a function or a class."""
        parts = [self.heading(2, entry.name, shown_name(entry), entry.thing)]
        if not entry.name.startswith("qddot.") or entry.name.count(".") > 1:
            module, _, last = entry.name.rpartition(".")
            parts.append(f'<p class="from"><code>from {module} import {last}</code></p>')
        if entry.is_error:
            parts.append(self.bases(entry))
        else:
            link = self.type_link(entry.thing)
            parts.append(self.signature(signature_of(entry.thing, entry.short, link)))
        parts.append(self.described(entry.docstring, entry))
        if entry.is_class and not entry.is_error:
            parts += self.inside(entry)
        return f'<section class="entry">\n{"".join(parts)}\n</section>'

    def inside(self, entry: Entry) -> list[str]:
        """Return the fields and the members of a class."""
        parts = []
        equation = getattr(entry.thing, "equation", "")
        if isinstance(equation, str) and equation:
            parts.append(f'<pre class="formula">{html.escape(equation, quote=False)}</pre>')
        known = fields_of(entry.thing)
        if known:
            rows = [
                (
                    f"<code>{html.escape(f.name)}</code>",
                    self.typed(f.type, entry.thing),
                    self.line(f.words, entry),
                )
                for f in known
            ]
            parts.append(table(("Field", "Type", "Meaning"), rows))
        groups = grouped(entry)
        for title, members in groups.items():
            level = 3
            if len(groups) > 1:
                anchor = f"{entry.name}:{title.lower().replace(' ', '-')}"
                self.headings.append(Heading(3, anchor, title))
                parts.append(f'<h3 class="group" id="{anchor}">{html.escape(title)}</h3>')
                level = 4
            parts += [self.member(entry, member, level) for member in members]
        if entry.inherited:
            names = ", ".join(self.inherited_link(base) for base in entry.inherited)
            parts.append(f'<p class="also">It has also what {names} has.</p>')
        return parts

    def inherited_link(self, base: type) -> str:
        origin = next(entry for entry in self.index.entries if entry.thing is base)
        address = html.escape(self.address(origin))
        return f'<a class="name" href="{address}"><code>{origin.short}</code></a>'

    def member(self, entry: Entry, member: Member, level: int) -> str:
        name = f"{entry.name}.{member.name}"
        parts = [self.heading(level, name, f"{entry.short}.{member.name}", member.function)]
        if member.kind == "property":
            shown = f'<span class="nf">{html.escape(member.name)}</span>'
            kind = text_of(getattr(member.function, "__annotations__", {}).get("return", "Any"))
            typed = f": {linked(kind, self.type_link(member.function))}" if kind else ""
            parts.append(self.signature(shown + typed))
        else:
            bound = member.kind == "method"
            called = signature_of(
                member.function, member.name, self.type_link(member.function), bound=bound
            )
            parts.append(self.signature(called))
        said = docstring_of(getattr(entry.thing, member.name, None) or member.function)
        if member.function.__doc__:
            said = docstring_of(member.function)
        parts.append(self.described(said, entry))
        return f'<div class="member">\n{"".join(parts)}\n</div>'

    def heading(self, level: int, anchor: str, name: str, thing: object) -> str:
        self.headings.append(Heading(level, anchor, name.rpartition(".")[2]))
        before, _, last = name.rpartition(".")
        owner = f'<span class="owner">{html.escape(before)}.</span>' if before else ""
        link = f'<a class="anchor" href="#{anchor}" aria-label="Link to: {html.escape(name)}">#</a>'
        shown = f"<code>{owner}{html.escape(last)}</code>"
        title = f'<h{level} id="{anchor}" data-name="{html.escape(name)}">{shown} {link}</h{level}>'
        place = source_of(thing, self.root)
        if place is None:
            return title
        file, line = place
        self.sources.add(file)
        address = html.escape(self.relative(f"source/{file.as_posix()}.html") + f"#L{line}")
        words = html.escape(f"Source of {name}")
        return f'{title}<a class="source" href="{address}" aria-label="{words}">source</a>'

    # words

    def described(self, said: Docstring, entry: Entry) -> str:
        parts = [self.words(said.summary, inside=entry), self.words(said.text, inside=entry)]
        return "".join(parts) + "".join(self.section(part, entry) for part in said.sections)

    def section(self, section: Section, entry: Entry) -> str:
        if section.rows:
            rows = [
                (self.row_name(name, section.title), self.line(words, entry))
                for name, words in section.rows
            ]
            return table((HEADS[section.title], "Meaning"), rows)
        if section.title.startswith("Example"):
            prompt = section.text.startswith(">>>")
            return code_block(section.text, "pycon" if prompt else "python")
        words = self.words(section.text, inside=entry)
        return f'<div class="returns"><p>{section.title}</p>{words}</div>'

    def row_name(self, name: str, title: str) -> str:
        address = self.index.of_short(name) if title == "Raises" else None
        names = ", ".join(f"<code>{html.escape(part)}</code>" for part in name.split(", "))
        return (
            f'<a class="name" href="{html.escape(self.relative(address))}">{names}</a>'
            if address
            else names
        )

    def words(self, text: str, kind: str = "", inside: Entry | None = None) -> str:
        """Return paragraphs."""
        made = fragment(text, self.finder(inside)) if text else ""
        return made.replace("<p>", f'<p class="{kind}">', 1) if kind else made

    def line(self, text: str, inside: Entry | None = None) -> str:
        """Return words for a cell: without the marks of a paragraph if they are one."""
        made = self.words(text, inside=inside).strip()
        return made[3:-4] if made.count("<p>") == 1 and made.endswith("</p>") else made

    def finder(self, inside: Entry | None) -> Callable[[str], str | None]:
        def find(code: str) -> str | None:
            address = self.index.of_code(code, inside.name if inside else "")
            return self.relative(address) if address else None

        return find

    def typed(self, words: str, thing: Any) -> str:
        made = linked(words, self.type_link(thing))
        return f"<code>{made}</code>" if words and words != "Any" else ""

    def type_link(self, thing: Any) -> Callable[[str], str | None]:
        """Return what finds the classes that the signature of something names."""

        def link(name: str) -> str | None:
            address = self.index.of_type(name, thing)
            return self.relative(address) if address else None

        return link

    def bases(self, entry: Entry) -> str:
        names = [base.__name__ for base in entry.thing.__mro__[1:] if base is not object]
        wanted = ", ".join(f"<code>{html.escape(n)}</code>" for n in names if n != "BaseException")
        return f'<p class="from">Is a: {wanted}</p>'

    def signature(self, inner: str) -> str:
        return f'<pre class="code signature"><code>{inner}</code></pre>'

    def address(self, entry: Entry) -> str:
        return self.relative(self.index.addresses[entry.name])


def shown_name(entry: Entry) -> str:
    """Return what a heading calls a name: with qddot. where it is imported from there."""
    return entry.name if entry.name.count(".") == 1 else entry.short


def grouped(entry: Entry) -> dict[str, list[Member]]:
    """Return the members of a class by group; one without groups has a single one."""
    groups = GROUPS.get(entry.name)
    if groups is None:
        return {"": [*entry.members]} if entry.members else {}
    by_name = {member.name: member for member in entry.members}
    made = {
        title: [by_name.pop(name) for name in names if name in by_name]
        for title, names in groups.items()
    }
    return {t: m for t, m in (made | {OTHERS: [*by_name.values()]}).items() if m}


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    top = "".join(f'<th scope="col">{word}</th>' for word in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return (
        f'<div class="table"><table class="arguments"><thead><tr>{top}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )
