"""The exceptions beside this file, each with its reason."""
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

PLACE = "packaging/rooms/exceptions.txt"
LINE = re.compile(r"(anyone|thin|library|long)\s+([^:]+?):\s*(\S.*)")


class ExceptionFault(Exception):
    """A line that cannot be read."""


@dataclass
class Exceptions:
    """Asking marks a line as used; a line that excuses nothing is a fault, too."""
    lines: list[tuple[str, str]] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)

    def excuse(self, kind: str, subject: str) -> bool:
        found = [line for line in self.lines if line[0] == kind and fnmatchcase(subject, line[1])]
        self.used.update(found)
        return bool(found)

    def excuses_thin(self, source: str, target: str) -> bool:
        return self.excuse("anyone", target) or self.excuse("thin", f"{source} -> {target}")

    def libraries(self) -> dict[str, set[str]]:
        """Folders that are no rooms but libraries made elsewhere, with what they may include."""
        pairs = [subject.split("->") for kind, subject in self.lines if kind == "library"]
        return {folder.strip(): set(allowed.split()) for folder, allowed in pairs}

    def faults(self) -> list[str]:
        idle = [line for line in self.lines if line not in self.used and line[0] in ("thin", "long", "anyone")]
        return [f'{PLACE}: "{kind} {subject}" excuses nothing. Delete the line.' for kind, subject in idle]


def read_exceptions(root: Path) -> Exceptions:
    file = root / PLACE
    exceptions = Exceptions()
    for number, line in enumerate(file.read_text().splitlines() if file.is_file() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if match is None or (match[1] in ("thin", "library") and "->" not in match[2]):
            raise ExceptionFault(f"{PLACE}:{number}: expected KIND SUBJECT: REASON, as the head of the file says")
        exceptions.lines.append((match[1], match[2]))
    return exceptions
