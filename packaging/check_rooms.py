#!/usr/bin/env python3
"""Prints the rooms with what they include, and fails on an arrow that should not be.

usage: check_rooms.py [--diagram] [--quiet] [--root FOLDER]

A room is a folder of sources and one library; core/CMakeLists.txt and ui/CMakeLists.txt declare the rooms from the
ground up, with what each may include. This reads the real includes and fails on
  - an include that the declarations do not allow, and a circle of rooms or of big rooms (core/run is a big room),
  - core including Qt or the window,
  - an allowance that no include uses, and a folder of sources that is no room,
  - an arrow that a single include of a .cpp file holds up, unless packaging/rooms/exceptions.txt has the reason,
  - more than 30 .cpp or 30 .h files in a folder, 450 lines in a file, or 60 lines in a function,
  - a room that docs/architecture.md does not describe, and a diagram there that is not that of the real includes;
    --diagram writes it.
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from rooms import checks, diagram, sizes
from rooms.declared import Room, declared_rooms
from rooms.exceptions import ExceptionFault, read_exceptions
from rooms.sources import Arrows, all_includes, arrows_of, is_thin

ROOT = Path(__file__).resolve().parent.parent


def print_arrows(rooms: dict[str, Room], arrows: Arrows) -> None:
    others = [source for source, _ in arrows if source not in rooms]
    for room in [*rooms, *dict.fromkeys(others)]:
        print(room)
        for (source, target), held_up_by in arrows.items():
            if source == room:
                print(f"  {len(held_up_by):4}  {target}{'  (thin)' if is_thin(held_up_by) else ''}")


def page_faults(root: Path, rooms: dict[str, Room], drawn: str) -> list[str]:
    page = root / diagram.PLACE
    if not page.is_file():
        return []
    text = page.read_text()
    missing = [f"{diagram.PLACE}: {room} is missing. Say in one sentence what lives there."
               for room in rooms if f"`{room}`" not in text]
    new = diagram.with_diagram(text, drawn)
    if new is None:
        return missing + [f"{diagram.PLACE}: the markers of the diagram are missing. Put the line {diagram.BEGIN} "
                          f"before it and {diagram.END} after it."]
    if new != text:
        missing.append(f"{diagram.PLACE}: the diagram is not that of the includes. Run packaging/check_rooms.py "
                       "--diagram and commit what it writes.")
    return missing


def write_diagram(root: Path, drawn: str) -> None:
    page = root / diagram.PLACE
    new = diagram.with_diagram(page.read_text(), drawn)
    if new is None:
        sys.exit(f"{diagram.PLACE}: the markers {diagram.BEGIN} and {diagram.END} are missing")
    page.write_text(new)


def faults_of(root: Path, rooms: dict[str, Room], arrows: Arrows) -> list[str]:
    exceptions = read_exceptions(root)
    return [*checks.include_faults(all_includes(root), rooms, exceptions), *checks.circle_faults(arrows),
            *checks.allowance_faults(rooms, arrows), *checks.library_faults(arrows, exceptions),
            *checks.folder_faults(root, rooms, exceptions), *checks.thin_faults(arrows, exceptions),
            *sizes.folder_faults(root), *sizes.file_faults(root, exceptions),
            *exceptions.faults()]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diagram", action="store_true", help=f"write the diagram into {diagram.PLACE}")
    parser.add_argument("--quiet", action="store_true", help="print no arrows")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the project's folder")
    options = parser.parse_args(arguments)
    rooms, faults = declared_rooms(options.root)
    arrows = arrows_of(all_includes(options.root))
    if not options.quiet:
        print_arrows(rooms, arrows)
    try:
        faults += faults_of(options.root, rooms, arrows)
    except ExceptionFault as fault:
        faults.append(str(fault))
    drawn = "" if any("in a circle" in fault for fault in faults) else diagram.diagram(rooms, arrows)
    if options.diagram and drawn:
        write_diagram(options.root, drawn)
    faults += page_faults(options.root, rooms, drawn) if drawn else []
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{len(faults)} faults in the rooms", file=sys.stderr)
        return 1
    print(f"{len(rooms)} rooms, {len(arrows)} arrows between them: all as declared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
