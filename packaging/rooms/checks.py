"""What the includes must keep to."""
from pathlib import Path

from rooms.declared import Room, top_of
from rooms.exceptions import PLACE, Exceptions
from rooms.sources import Arrows, Include, is_thin, sources


def include_fault(include: Include, rooms: dict[str, Room], libraries: dict[str, set[str]]) -> str:
    """Why a file may not include this, or nothing."""
    source, target = include.source, include.target
    what = f"{include.file} includes {include.what}: "
    if source.startswith("core") and (include.is_qt or include.what.startswith("ui/")):
        return what + "core knows neither Qt nor the window. Move the code to a room of ui."
    if not include.is_own or source == target:
        return ""
    if target.startswith(("tests", "bench")):
        return what + "a program holds nothing of its tests. Move what both need to a room."
    if target not in rooms and target != "app":
        return what + f"{target} is no room. Declare it in CMakeLists.txt, or move the file into a room."
    if source == "app":
        return ""
    allowed = libraries[source] if source in libraries else rooms[source].reached if source in rooms else set()
    if target in allowed:
        return ""
    return what + (f"{source} may not include {target}. Move the code to a room that may, or let {source} include "
                   f"{target} in CMakeLists.txt if {target} is declared above it.")


def include_faults(includes: list[Include], rooms: dict[str, Room], exceptions: Exceptions) -> list[str]:
    libraries = exceptions.libraries()
    return [fault for include in includes if (fault := include_fault(include, rooms, libraries))]


def circle_of(follow: dict[str, set[str]]) -> list[str]:
    """The rooms of one circle, the first one again at the end; empty without a circle."""
    done: set[str] = set()
    path: list[str] = []

    def visit(room: str) -> list[str]:
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return []
        path.append(room)
        found = next((circle for below in sorted(follow.get(room, ())) if (circle := visit(below))), [])
        path.pop()
        done.add(room)
        return found

    return next((circle for room in sorted(follow) if (circle := visit(room))), [])


def follow_arrows(arrows: Arrows, name=lambda room: room) -> dict[str, set[str]]:
    follow: dict[str, set[str]] = {}
    for source, target in arrows:
        if name(source) != name(target):
            follow.setdefault(name(source), set()).add(name(target))
    return follow


def circle_faults(arrows: Arrows) -> list[str]:
    """Circles of rooms, and of the big rooms that these form."""
    faults = []
    for name, kind in ((lambda room: room, "rooms"), (top_of, "big rooms")):
        circle = circle_of(follow_arrows(arrows, name))
        if circle:
            pairs = list(zip(circle, circle[1:]))
            held = [next(i for (a, b), found in arrows.items() if (name(a), name(b)) == pair for i in found)
                    for pair in pairs]
            lines = "".join(f"\n    {include.file} includes {include.what}" for include in held)
            faults.append(f"{kind} in a circle: {' -> '.join(circle)}. Turn one of these includes around:{lines}")
    return sorted(set(faults))


def allowance_faults(rooms: dict[str, Room], arrows: Arrows) -> list[str]:
    """Entries of INCLUDES that no include needs, directly or for a room that only this entry gives access to."""
    faults = []
    for room in rooms.values():
        included = {target for source, target in arrows if source == room.name}
        for entry in room.includes:
            if entry not in room.reached:
                continue  # not declared above, which is a fault already
            others = [other for other in room.includes if other != entry and other in room.reached]
            reached_else = set().union(*(rooms[other].reached | {other} for other in others))
            given = rooms[entry].reached - reached_else
            if entry not in included and not given & included:
                faults.append(f"{room.name} INCLUDES {entry}, which none of its files uses. Take it off the room's "
                              "line in CMakeLists.txt.")
    return faults


def library_faults(arrows: Arrows, exceptions: Exceptions) -> list[str]:
    return [f"{PLACE}: {folder} includes nothing of {room}. Take it off the line of {folder}."
            for folder, allowed in exceptions.libraries().items()
            for room in sorted(allowed) if (folder, room) not in arrows]


def folder_faults(root: Path, rooms: dict[str, Room], exceptions: Exceptions) -> list[str]:
    known = rooms.keys() | exceptions.libraries().keys()
    folders = {str(Path(file).parent) for file in sources(root, ("core", "ui"))}
    return [f"{folder}: sources that belong to no room. Declare the room in CMakeLists.txt, after the rooms that it "
            "includes." for folder in sorted(folders - known)]


def thin_faults(arrows: Arrows, exceptions: Exceptions) -> list[str]:
    faults = []
    for (source, target), held_up_by in arrows.items():
        if is_thin(held_up_by) and not exceptions.excuses_thin(source, target):
            include = held_up_by[0]
            faults.append(f"{include.file} includes {include.what}: nothing else makes {source} depend on {target}. "
                          f"Move the code, pass a value instead, or give the reason in {PLACE}.")
    return faults
