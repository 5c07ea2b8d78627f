"""The whole site: pages from Markdown, examples and docstrings, written into a folder."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from qddot.vendored import katex_script, katex_style
from website.addresses import Addresses, broken, picture_address, relative
from website.examples import as_markdown, examples, title_of
from website.highlight import numbered
from website.layout import page
from website.markdown import Body, rendered
from website.navigation import Item, Section, address_of, unlisted, written_sections
from website.reference.chapters import Writer
from website.reference.contents import CHAPTERS
from website.reference.docstrings import parsed
from website.reference.index import Index
from website.search import index_script

HERE = Path(__file__).parent
OWN = ("site.css", "site.js", "search.js")
INDEX = "assets/index.js"  # what the search looks through
LANGUAGES = {".py": "python", ".toml": "toml", ".md": "markdown", ".urdf": "xml", ".xml": "xml"}


@dataclass
class Site:
    """A site that is being built from a repository."""

    root: Path
    folder: Path

    def __post_init__(self) -> None:
        self.refuse_foreign()
        self.problems: list[str] = []
        self.bodies: dict[str, Body] = {}  # by address, in the order of the navigation
        self.index = Index()
        self.scripts = examples(self.root)
        self.sections = [*self.present(written_sections(self.root)), *self.made_sections()]
        known = {item.source for s in self.sections for item in s.items if item.source}
        self.addresses = Addresses(self.root, known)

    def build(self) -> list[str]:
        """Write the site, and return what is wrong with it."""
        self.written_pages()
        self.reference_pages()
        searched = [(address, b.title, b.html) for address, b in self.bodies.items()]
        self.listings()
        self.cleared()
        for address, body in self.bodies.items():
            self.write(address, page(body, address, self.sections))
        self.assets(index_script(searched))
        return [*self.problems, *broken(self.folder)]

    # what there is

    def present(self, sections: list[Section]) -> list[Section]:
        """Return the sections without pages that do not exist; they are a problem."""
        for source in unlisted(self.root, sections):
            self.problems.append(f"{source.as_posix()} is not in docs/navigation.toml")
        kept = []
        for section in sections:
            there = [i for i in section.items if i.source and (self.root / i.source).is_file()]
            for lost in set(section.items) - set(there):
                self.problems.append(f"docs/navigation.toml: there is no {lost.source}")
            kept.append(replace(section, items=tuple(there)))
        return [section for section in kept if section.items]

    def made_sections(self) -> list[Section]:
        """Return the sections that nobody writes: examples and reference."""
        shown = [
            Item(title_of(source, self.text(source)), address_of(source), source)
            for source in self.scripts
        ]
        used = {entry.chapter for entry in self.index.entries}
        chapters = [Item(c.title, f"reference/{c.file}.html") for c in CHAPTERS if c in used]
        return [
            Section("Examples", (Item("All examples", "examples/index.html"), *shown)),
            Section("Reference", (Item("Overview", "reference/index.html"), *chapters)),
        ]

    # pages

    def written_pages(self) -> None:
        for item in (item for section in self.sections for item in section.items):
            if item.source is None:
                if item.address == "examples/index.html":
                    self.bodies[item.address] = self.example_list()
                continue
            text = self.text(item.source)
            if item.source in self.scripts:
                text = as_markdown(item.source, text)
                self.addresses.listings.add(item.source)
            self.bodies[item.address] = self.markdown(text, item.source, item.address)

    def markdown(self, text: str, source: Path, address: str) -> Body:
        def find(code: str) -> str | None:
            found = self.index.of_code(code)
            return relative(address, found) if found else None

        body = rendered(text, self.addresses.resolver(source, address), find)
        if not body.title:
            self.problems.append(f"{source.as_posix()} has no title: a line that begins with '# '")
        return body

    def example_list(self) -> Body:
        """Return the page that lists the examples, each with its first sentence."""
        address, rows = "examples/index.html", []
        for source in self.scripts:
            body = rendered(as_markdown(source, self.text(source)))
            rows.append(f"| [{body.title}]({source.name}) | {parsed(body.lead).first_sentence} |")
        text = "\n".join(
            [
                "# Examples\n",
                "Scripts that run in seconds, and as notebooks; each checks its own result.\n",
                "| | |\n|---|---|",
                *rows,
            ]
        )
        return self.markdown(text, Path("examples/index.md"), address)

    def reference_pages(self) -> None:
        used = [c for c in CHAPTERS if any(e.chapter is c for e in self.index.entries)]
        pages = {"reference/index.html": None} | {f"reference/{c.file}.html": c for c in used}
        for address, chapter in pages.items():
            writer = Writer(self.index, self.root, lambda to, at=address: relative(at, to))
            self.bodies[address] = writer.chapter(chapter) if chapter else writer.contents()
            self.addresses.listings |= writer.sources

    def listings(self) -> None:
        """Show the files that are linked to, with their lines."""
        for source in sorted(self.addresses.listings):
            text = self.text(source)
            code = numbered(text, LANGUAGES.get(source.suffix, ""))
            name = source.as_posix()
            body = Body(
                name, f"<h1><code>{name}</code></h1>\n{code}", lead=f"The source of {name}."
            )
            self.bodies[f"source/{name}.html"] = body

    # files

    def cleared(self) -> None:
        """Remove the site that was built before, and nothing else."""
        self.refuse_foreign()
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def refuse_foreign(self) -> None:
        """End, before any work, where the folder holds something else than a site."""
        there = self.folder.exists() and any(self.folder.iterdir())
        if there and not (self.folder / INDEX).is_file():
            raise SystemExit(
                f"{self.folder} holds something else than a site; name another folder."
            )

    def text(self, source: Path) -> str:
        return (self.root / source).read_text(encoding="utf-8")

    def write(self, address: str, text: str) -> None:
        path = self.folder / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def assets(self, index: str) -> None:
        """Write what pages share, and copy their pictures."""
        for name in OWN:
            self.write(f"assets/{name}", (HERE / name).read_text(encoding="utf-8"))
        look = self.root / "src" / "qddot" / "present" / "pages" / "style.css"
        self.write("assets/style.css", look.read_text(encoding="utf-8"))
        self.write("assets/katex.css", katex_style())
        self.write("assets/katex.js", katex_script())
        self.write(INDEX, index)
        for picture in self.addresses.pictures:
            target = self.folder / picture_address(picture)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / picture, target)
