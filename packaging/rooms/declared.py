"""The rooms that the CMake files declare, and what each may include."""
import re
from dataclasses import dataclass, field
from pathlib import Path

KEYWORDS = ("INCLUDES", "PUBLIC", "PRIVATE", "SOURCES")
CALL = re.compile(r"^[ \t]*stashscope(?:_ui)?_room\(([^)]*)\)", re.MULTILINE)
NAME = re.compile(r"(core|ui)(/\w+)+")


@dataclass
class Room:
    name: str
    includes: list[str]
    reached: set[str] = field(default_factory=set)  # with what the named rooms may include

    @property
    def top(self) -> str:
        return top_of(self.name)


def top_of(name: str) -> str:
    """core/run/cuda/ops belongs to core/run."""
    return "/".join(name.split("/")[:2])


def arguments_of(call: str) -> tuple[str, list[str]]:
    """The room's name and the words after INCLUDES."""
    words = re.sub(r"#[^\n]*", "", call).split()
    includes, keyword = [], ""
    for word in words[1:]:
        if word in KEYWORDS:
            keyword = word
        elif keyword == "INCLUDES":
            includes.append(word)
    return words[0], includes


def calls_in(text: str) -> list[tuple[str, list[str]]]:
    calls = [arguments_of(match[1]) for match in CALL.finditer(re.sub(r"^[ \t]*#.*", "", text, flags=re.MULTILINE))]
    return [call for call in calls if NAME.fullmatch(call[0])]


def declared_rooms(root: Path) -> tuple[dict[str, Room], list[str]]:
    """The rooms from the ground up, and what is wrong with their declarations."""
    rooms: dict[str, Room] = {}
    faults = []
    for file in ("core/CMakeLists.txt", "ui/CMakeLists.txt"):
        if not (root / file).is_file():
            continue
        for name, includes in calls_in((root / file).read_text()):
            room = Room(name, includes)
            for below in includes:
                if below in rooms:
                    room.reached |= {below} | rooms[below].reached
                else:
                    faults.append(f"{file}: {name} may not include {below}, which is not declared above it. "
                                  f"Declare {below} first, or move what {name} needs to a lower room.")
            rooms[name] = room
    return rooms, faults
