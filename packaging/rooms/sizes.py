"""The sizes of folders, files and functions."""
import re
from pathlib import Path
from typing import Iterator

from rooms.exceptions import Exceptions
from rooms.sources import sources

MOST_FILES, MOST_LINES, MOST_IN_FUNCTION = 30, 450, 60
FOLDERS = ("core", "ui", "app", "tests", "bench", "examples")
WITHOUT_LONG_FUNCTIONS = ("core/", "ui/", "app/")  # a test may tell one long story
SUFFIXES = (".cpp", ".h", ".cuh", ".cu")
# Comments, raw texts, texts, characters (a quote between digits parts a number) and preprocessor lines.
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\''
                     r"|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r'(^|[\s;}])(namespace|class|struct|union|extern)\b[^()=]*$')


def without_texts(text: str) -> str:
    """The same lines without comments, texts and preprocessor lines."""
    return BLANKED.sub(lambda match: "\n" * match[0].count("\n"), text)


def is_scope(head: str) -> bool:
    """Whether the brace after this opens a namespace or a type."""
    plain = re.sub(r"\b(alignas|__attribute__|__align__)\s*\([^()]*\)|<[^<>]*>", "", head)
    return bool(SCOPE.search(plain))


def functions(text: str) -> Iterator[tuple[int, int, str]]:
    """First line, number of lines and head of every function in a namespace or a type."""
    plain = without_texts(text)
    open_scopes, depth, head, start = 0, 0, "", 0
    line = 1
    for symbol in re.findall(r"[{};\n]|[^{};\n]+", plain):
        if symbol == "\n":
            line += 1
            head += " "
        elif symbol == "{":
            if depth == 0 and is_scope(head):
                open_scopes, head = open_scopes + 1, ""
            else:
                depth += 1
        elif symbol == "}":
            if depth == 0:
                open_scopes, head = open_scopes - 1, ""
            elif depth == 1:
                depth = 0
                if "(" in head:
                    yield start, line - start + 1, " ".join(head.split())
            else:
                depth -= 1
            head = head if depth else ""
        elif symbol == ";" and depth == 0:
            head = ""
        elif depth == 0:
            start = line if not head.strip() and symbol.strip() else start
            head += symbol


def folder_faults(root: Path) -> list[str]:
    counts: dict[tuple[str, str], int] = {}
    for file in sources(root, FOLDERS):
        key = (str(Path(file).parent), Path(file).suffix)
        counts[key] = counts.get(key, 0) + 1
    return [f"{folder}: {count} {suffix} files, more than {MOST_FILES}. Split the room by an idea that its files share."
            for (folder, suffix), count in counts.items() if count > MOST_FILES]


def file_faults(root: Path, exceptions: Exceptions) -> list[str]:
    faults = []
    for file in sources(root, FOLDERS, SUFFIXES):
        text = (root / file).read_text()
        lines = text.count("\n")
        if lines > MOST_LINES and not exceptions.excuse("long", file):
            faults.append(f"{file}: {lines} lines, more than {MOST_LINES}. Move one of its ideas to a file of its own.")
        for start, length, head in functions(text) if file.startswith(WITHOUT_LONG_FUNCTIONS) else ():
            if length > MOST_IN_FUNCTION:
                faults.append(f"{file}:{start}: {length} lines in one function, more than {MOST_IN_FUNCTION}: {head}. "
                              "Give its parts names.")
    return faults
