"""The packages that are installed on this machine, from dpkg's database."""
import dataclasses
import os
import re
import subprocess
from pathlib import Path
from typing import Iterable

DATABASE = Path("/var/lib/dpkg")
FIELDS = ("db:Status-Status", "Package", "Essential", "Priority", "Pre-Depends", "Depends", "Provides")
# Debian 12 merges these folders: /bin and /usr/bin are the same folder.
MERGED = re.compile(r"^(/usr)?(?=/(bin|sbin|lib\w*)/)")


@dataclasses.dataclass
class Package:
    name: str
    is_always_there: bool = False
    is_required: bool = False
    # Each dependency is a list of alternatives.
    depends: list[list[str]] = dataclasses.field(default_factory=list)
    provides: list[str] = dataclasses.field(default_factory=list)


def names_in(relations: str) -> list[list[str]]:
    """`a (>= 1), b | c:any` as [["a"], ["b", "c"]]."""
    groups = [group.split("|") for group in relations.split(",") if group.strip()]
    return [[re.split(r"[\s:(\[]", name.strip(), maxsplit=1)[0] for name in group] for group in groups]


def installed_packages() -> dict[str, Package]:
    form = "\t".join(f"${{{field}}}" for field in FIELDS) + "\n"
    listed = subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout
    packages = {}
    for line in listed.splitlines():
        status, name, essential, priority, before, depends, provides = line.split("\t")
        if status == "installed":
            packages[name] = Package(name, essential == "yes" or name == "apt", priority == "required",
                                     names_in(before) + names_in(depends), sum(names_in(provides), []))
    return packages


def with_dependencies(packages: dict[str, Package], named: Iterable[str]) -> set[str]:
    """The named packages, those that every Debian has, and all their dependencies, without recommended packages.
    Of alternatives, the first installed one counts, unless another one is needed anyway."""
    providers: dict[str, list[str]] = {}
    for package in sorted(packages.values(), key=lambda each: (not each.is_required, each.name)):
        for name in package.provides:
            providers.setdefault(name, []).append(package.name)
    taken: set[str] = set()
    waiting = [name for name, package in packages.items() if package.is_always_there]
    waiting += [name for name in named if name in packages]
    choices: list[list[str]] = []
    while waiting:
        package = packages[waiting.pop()]
        if package.name not in taken:
            taken.add(package.name)
            for group in package.depends:
                real = [[name] if name in packages else [] for name in group]
                choices.append(sum((each + providers.get(name, []) for each, name in zip(real, group)), []))
                if len(choices[-1]) == 1:
                    waiting += choices[-1]
        if not waiting:
            choices = [choice for choice in choices if choice and not taken.intersection(choice)]
            waiting = [choices[0][0]] if choices else []
    return taken


def names_of_place(path: str) -> list[str]:
    """The names that a file may have in dpkg's lists: with /usr and without."""
    rest = MERGED.sub("", path)
    return [path] if not MERGED.match(path) else ["/usr" + rest, rest]


def chosen_by_alternatives(path: str) -> list[str]:
    """The files to which update-alternatives may link `path`."""
    target = os.readlink(path) if os.path.islink(path) else ""
    choices = DATABASE / "alternatives" / os.path.basename(target)
    if not target.startswith("/etc/alternatives/") or not choices.is_file():
        return []
    return [line for line in choices.read_text().splitlines() if line.startswith("/")]


def possible_places(path: str) -> list[list[str]]:
    """The names under which a file may be listed, the most exact first: its own, with links of folders resolved, and
    the files it links to."""
    path = os.path.normpath(path)
    folder, name = os.path.split(path)
    behind_links = chosen_by_alternatives(path) + [os.path.realpath(path)]
    steps = [[path], [os.path.join(os.path.realpath(folder), name)], behind_links]
    return [[name for place in step for name in names_of_place(place)] for step in steps]


def owners_of(paths: Iterable[str]) -> dict[str, set[str]]:
    """The packages that each file comes from; none for a file that no package provides."""
    places = {path: possible_places(path) for path in paths}
    owners: dict[str, set[str]] = {name: set() for steps in places.values() for step in steps for name in step}
    for listing in (DATABASE / "info").glob("*.list"):
        package = listing.stem.split(":")[0]
        for line in listing.read_text(errors="surrogateescape").splitlines():
            if line in owners:
                owners[line].add(package)
    return {path: next(filter(None, (set().union(*map(owners.get, step)) for step in steps)), set())
            for path, steps in places.items()}
