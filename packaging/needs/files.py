"""The files of the system that a build folder uses."""
import os
import re
import subprocess
from pathlib import Path
from typing import Iterable, Iterator

# An absolute path after a blank, a quote, or another character that may precede a path in rules.
PATH = re.compile(r"""(?<![^\s"'=;,:(>])/[^\s"'=;,:()$|&<>\\]+""")
CACHE_ENTRY = re.compile(r"^([\w.-]+):(\w+)=(.*)$", re.MULTILINE)


class BuildFault(Exception):
    """A build folder that cannot be read."""


class BuildFolder:
    def __init__(self, folder: Path):
        self.folder = folder.absolute()
        try:
            entries = CACHE_ENTRY.findall((self.folder / "CMakeCache.txt").read_text())
            self.rules = (self.folder / "build.ninja").read_text()
        except OSError as error:
            raise BuildFault(f"{folder} is not a build folder of CMake and Ninja: {error.strerror}: {error.filename}. "
                             "Name one that packaging/build.sh made") from None
        self.cache = {name: value for name, _, value in entries}
        self.found_files = [value for _, kind, value in entries if kind == "FILEPATH"]
        self.own = [self.cache["CMAKE_HOME_DIRECTORY"], str(self.folder), self.cache.get("CMAKE_ROOT", "")]

    def is_own(self, path: str) -> bool:
        """Whether a path is in the project, in the build folder, or in CMake itself."""
        return any(folder and path.startswith(folder.rstrip("/") + "/") for folder in self.own)

    def outside(self, paths: Iterable[str]) -> set[str]:
        """The files that are neither of the project nor of the build."""
        places = {os.path.normpath(path) for path in paths if path.startswith("/")}
        return {path for path in places if not self.is_own(path) and os.path.isfile(path)}

    def read_by_the_compiler(self) -> set[str]:
        # A dry run leaves Ninja's records unchanged.
        command = [self.cache["CMAKE_MAKE_PROGRAM"], "-n", "-C", str(self.folder), "-t", "deps"]
        told = subprocess.run(command, capture_output=True, text=True)
        if told.returncode != 0:
            raise BuildFault(f"{' '.join(command)} failed: {told.stderr.strip()}")
        found = self.outside(paths_of_dependencies(told.stdout))
        if not found:
            raise BuildFault(f"Ninja has no record of what the compiler read in {self.folder}. Build it first "
                             "(packaging/build.sh)")
        return found

    def named_by_rules(self) -> set[str]:
        """The files that Ninja, CMake's generators and CTest compile, link or run, and those that CMake itself read."""
        texts = [self.rules]
        for name in ("rules.ninja", "CTestTestfile.cmake", "AutogenInfo.json"):
            texts += [path.read_text() for path in sorted(self.folder.rglob(name))]
        return self.outside(path for text in texts for path in PATH.findall(text))

    def found_programs(self) -> set[str]:
        """The programs that CMake looked for and found."""
        return {path for path in self.found_files if os.access(path, os.X_OK) and not re.search(r"\.(so|a)\b", path)}

    def loaded_libraries(self) -> set[str]:
        """The shared libraries that the built programs load."""
        built = [path for path in (self.folder / "bin").glob("*") if is_elf(path)]
        environment = {**os.environ, "LC_ALL": "C", "LD_LIBRARY_PATH": ""}
        told = [subprocess.run(["ldd", path], capture_output=True, text=True, env=environment).stdout for path in built]
        return self.outside(re.findall(r"(/\S+) \(0x", "".join(told)))


def paths_of_dependencies(text: str) -> Iterator[str]:
    """The files in the output of `ninja -t deps`, which has a line per target and then its files, indented."""
    for line in text.splitlines():
        if line.startswith("    "):
            yield line.strip()


def is_elf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
