"""The project's source files and what they include."""
import os
import re
from dataclasses import dataclass
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
OWN_FOLDERS = ("core/", "ui/", "app/", "tests/", "bench/")
QT = re.compile(r"Q[A-Z]\w*|Qt\w+/.*")


@dataclass(frozen=True)
class Include:
    file: str  # the includer, from the project's folder
    what: str  # as written; a path beside the file is written from the project's folder

    @property
    def source(self) -> str:
        return folder_of(self.file)

    @property
    def target(self) -> str:
        return folder_of(self.what)

    @property
    def in_header(self) -> bool:
        return self.file.endswith(".h")

    @property
    def is_own(self) -> bool:
        return self.what.startswith(OWN_FOLDERS)

    @property
    def is_qt(self) -> bool:
        return bool(QT.fullmatch(self.what))


def folder_of(file: str) -> str:
    """The room of a file. The programs' folder is one room."""
    folder = os.path.dirname(file)
    return "app" if folder.startswith("app") else folder


def sources(root: Path, folders: tuple[str, ...], suffixes: tuple[str, ...] = (".cpp", ".h")) -> list[str]:
    found = [path for folder in folders for path in (root / folder).rglob("*") if path.suffix in suffixes]
    return sorted(str(path.relative_to(root)) for path in found)


def includes_of(root: Path, file: str) -> list[Include]:
    found = []
    for match in INCLUDE.finditer((root / file).read_text()):
        what = match[1]
        beside = os.path.normpath(os.path.join(os.path.dirname(file), what))
        if not what.startswith(OWN_FOLDERS) and (root / beside).is_file():
            what = beside
        found.append(Include(file, what))
    return found


def all_includes(root: Path) -> list[Include]:
    return [include for file in sources(root, ("core", "ui", "app")) for include in includes_of(root, file)]


Arrows = dict[tuple[str, str], list[Include]]


def arrows_of(includes: list[Include]) -> Arrows:
    """The includes from one room to another, by the two rooms."""
    arrows: Arrows = {}
    for include in includes:
        if include.is_own and include.source != include.target:
            arrows.setdefault((include.source, include.target), []).append(include)
    return dict(sorted(arrows.items()))


def is_thin(held_up_by: list[Include]) -> bool:
    """One include in a .cpp file. One in a header is part of the room's interface."""
    return len(held_up_by) == 1 and not held_up_by[0].in_header
