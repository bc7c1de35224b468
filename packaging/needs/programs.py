"""The programs that the project's scripts, tests and programs start."""
import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from needs.shell import programs_in

FOLDERS = ("packaging", ".ci", "app", "bench", "core", "examples", "tests", "ui", "python")
# Other folders on PATH are specific to this machine.
SYSTEM_FOLDERS = ("/usr/bin", "/usr/sbin", "/bin", "/sbin")
SYSTEM_PROGRAM = re.compile(r"/(usr/)?s?bin/[\w.+-]+")
SHEBANG = re.compile(r"#![ \t]*(\S+)(?:[ \t]+(\S+))?")
# A comment, a character literal, or a string literal (raw or quoted).
CPP_TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)+'|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)\"""",
                       re.DOTALL)
# The string literals of a C++ file with one of these may be shell text.
SHELL_IN_CPP = re.compile(r"/bin/sh|\bsystem\(|\bscript\(")
ESCAPES = {"n": "\n", "t": "\t"}


def place_of(program: str) -> str | None:
    """The path of a program in the system's folders. `program` is a name or a path, maybe of another system."""
    name = os.path.basename(program)
    places = (os.path.join(folder, name) for folder in SYSTEM_FOLDERS)
    return next((place for place in places if os.access(place, os.X_OK)), None)


def shell_builtins() -> set[str]:
    told = subprocess.run(["/bin/bash", "-c", "compgen -bk"], capture_output=True, text=True, check=True)
    return set(told.stdout.split())


def started_by_shell(text: str) -> set[str]:
    """The programs that shell text starts, without the project's own."""
    return {name for name in programs_in(text)
            if re.fullmatch(r"[\w.+\[-]+", name) or SYSTEM_PROGRAM.fullmatch(name)}


def started_by_python(text: str) -> Iterator[str]:
    """The programs that calls of subprocess name."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("subprocess.") or not node.args:
            continue
        command = node.args[0]
        head = command.elts[0] if isinstance(command, ast.List) and command.elts else command
        if isinstance(head, ast.Constant) and isinstance(head.value, str):
            yield from started_by_shell(head.value)


def imported_by_python(text: str) -> set[str]:
    """The imported modules that do not come with Python."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {each.name.split(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names)


def texts_of_cpp(text: str) -> list[str]:
    """The string literals; adjacent literals are joined, as in C++."""
    texts, end = [], -1
    for match in CPP_TOKEN.finditer(text):
        body = match[2] if match[3] is None else re.sub(r"\\(.)", lambda it: ESCAPES.get(it[1], it[1]), match[3])
        if body is None:
            continue
        if texts and not text[end:match.start()].strip():
            texts[-1] += body
        else:
            texts.append(body)
        end = match.end()
    return texts


def interpreter_of(text: str) -> set[str]:
    """The programs that a first line like `#!/usr/bin/env python3` starts."""
    shebang = SHEBANG.match(text)
    return {name for name in shebang.groups() if name} if shebang else set()


def started_by_cpp(text: str) -> set[str]:
    """The programs that C++ text names with their folder. If its literals may be shell text, also the programs that a
    shell would start and that this machine has; other words in that place may be ordinary words."""
    texts = texts_of_cpp(text)
    found = {each for each in texts if SYSTEM_PROGRAM.fullmatch(each)}.union(*map(interpreter_of, texts))
    if SHELL_IN_CPP.search(text):
        started = set().union(*map(started_by_shell, texts))
        found |= {name for name in started if place_of(name)}
    return found


def language_of(path: Path, text: str) -> str:
    languages = {".py": "python", ".sh": "shell", ".cpp": "cpp", ".h": "cpp"}
    is_shell = re.match(r"#!.*\b(ba|da)?sh\b", text)
    return languages.get(path.suffix, "shell" if is_shell else "")


def started_by(path: Path, text: str) -> set[str]:
    """The programs that one file of the project starts, its interpreter included."""
    started = {"shell": started_by_shell, "python": started_by_python, "cpp": started_by_cpp}
    reader = started.get(language_of(path, text), lambda _: ())
    return interpreter_of(text).union(reader(text))


def texts_of_project(root: Path) -> Iterator[tuple[Path, str]]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix != ".onnx":
                yield path, path.read_text(errors="replace")


def programs_of_project(root: Path) -> dict[str, str]:
    """The programs that the project starts by name, each with a file that starts it."""
    builtins = shell_builtins()
    found: dict[str, str] = {}
    for path, text in texts_of_project(root):
        for program in started_by(path, text) - builtins:
            found.setdefault(program, str(path.relative_to(root)))
    return found


def modules_of_project(root: Path) -> dict[str, str]:
    """The modules that the project imports and that are neither its own nor Python's, each with a file that does so."""
    found: dict[str, str] = {}
    scripts = [path for path, _ in texts_of_project(root) if path.suffix == ".py"]
    own = {name for path in scripts for name in (path.stem, path.parent.name)}
    for path, text in texts_of_project(root):
        for module in imported_by_python(text) - own if path.suffix == ".py" else ():
            found.setdefault(module, str(path.relative_to(root)))
    return found
