"""A Mermaid diagram of the big rooms, from the real includes."""
from rooms.checks import follow_arrows
from rooms.declared import Room, top_of
from rooms.sources import Arrows

PLACE = "docs/architecture.md"
BEGIN = "<!-- rooms: packaging/check_rooms.py --diagram writes this -->"
END = "<!-- end of rooms -->"


def reached_from(room: str, follow: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [room]
    while waiting:
        for below in follow.get(waiting.pop(), set()) - found:
            found.add(below)
            waiting.append(below)
    return found


def reduced(follow: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that no longer path replaces."""
    kept = []
    for source, targets in follow.items():
        for target in targets:
            if not any(target in reached_from(other, follow) for other in targets - {target}):
                kept.append((source, target))
    return sorted(kept)


def box(name: str) -> str:
    return name.replace("/", "_")


def diagram(rooms: dict[str, Room], arrows: Arrows) -> str:
    follow = follow_arrows(arrows, top_of)
    names = list(dict.fromkeys(room.top for room in rooms.values()))
    lines = ["```mermaid", "flowchart TD", '  app["app"]']
    for group in ("ui", "core"):
        lines.append(f"  subgraph {group}")
        lines += [f'    {box(name)}["{name}"]' for name in reversed(names) if name.startswith(group + "/")]
        lines.append("  end")
    lines += [f"  {box(source)} --> {box(target)}" for source, target in reduced(follow)]
    return "\n".join([*lines, "```"])


def with_diagram(page: str, drawn: str) -> str | None:
    """The page with the diagram between the markers; nothing where the markers are missing."""
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        return None
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{drawn}\n{END}{rest.split(END)[1]}"
