"""Runs programs against the clock, and keeps what was measured beside its bounds."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SHORTEST_RUN = 5.0  # seconds that a command must at least have to be started

# Fields of the summary that the worker writes with --json.
MEASURED_PEAK = "peak_bytes"
PREDICTED_PEAK = "predicted_peak_bytes"
PEAK_WITH_WORKSPACE = "peak_with_workspace_bytes"
WORKSPACE = "peak_workspace_bytes"
RESERVED = "peak_reserved_bytes"
STEP_SECONDS = "step_seconds"


class Failure(Exception):
    """Something could not be measured although there was time."""


class OutOfTime(Exception):
    """The part's time is over."""


class Clock:
    """Each part has the time until its own end; what an earlier part leaves is the next one's."""

    def __init__(self, start: float):
        self.start = start
        self.end = start

    def begin_part(self, ends_after: float) -> None:
        self.end = self.start + ends_after

    def left(self) -> float:
        return self.end - time.monotonic()


@dataclasses.dataclass(frozen=True)
class Finished:
    status: int
    output: str
    errors: str
    cut_off: Exception | None = None  # why it was ended early

    def last_words(self) -> str:
        lines = (self.errors.strip() or self.output.strip()).splitlines()
        return lines[-1] if lines else f"exit {self.status}"

    def failure(self) -> Exception:
        return self.cut_off or Failure(self.last_words())


def environment(library_folders: str) -> dict[str, str]:
    """With the folders in which the worker looks for CUDA's libraries."""
    folders = [each for each in (library_folders, os.environ.get("LD_LIBRARY_PATH", "")) if each]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def end_group(process: subprocess.Popen) -> tuple[str, str]:
    """Compilers that a program started end with it. Returns what was printed until then."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.communicate()


def run_command(arguments: list, limit: float, clock: Clock, variables: dict[str, str] | None = None) -> Finished:
    """A command that is cut off by its own limit has failed; cut off by the part's end it is out of time."""
    seconds = min(limit, clock.left())
    if seconds < SHORTEST_RUN:
        return Finished(1, "", "", OutOfTime())
    process = subprocess.Popen([str(each) for each in arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", env=variables,
                               start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        why = OutOfTime() if seconds < limit else Failure(f"took more than {limit:.0f} s")
        return Finished(1, *end_group(process), why)
    return Finished(process.returncode, output, errors)


class Worker:
    """The worker program of the folder."""

    def __init__(self, program: pathlib.Path, device: str, clock: Clock, library_folders: str):
        self.program = program
        self.device = device
        self.clock = clock
        self.variables = environment(library_folders)

    def run(self, model: pathlib.Path, options: list, limit: float) -> Finished:
        return run_command([self.program, model, "--device", self.device, *options], limit, self.clock, self.variables)

    def summary(self, model: pathlib.Path, options: list, limit: float) -> dict:
        """What the worker says of its run."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "summary.json"
            finished = self.run(model, [*options, "--json", file], limit)
            if finished.status != 0:
                raise finished.failure()
            return json.loads(file.read_text())

    def digests(self, model: pathlib.Path, options: list, limit: float) -> dict[str, str]:
        """Of every graph output."""
        finished = self.run(model, [*options, "--digest"], limit)
        if finished.status != 0:
            raise finished.failure()
        lines = [line.rsplit(" ", 1) for line in finished.output.splitlines() if line.startswith("digest ")]
        if not lines:
            raise Failure("no digest was printed")
        return {name.removeprefix("digest "): digest for name, digest in lines}


@dataclasses.dataclass
class Row:
    part: str
    name: str
    value: str           # for people
    bound: str = ""      # for people; empty: none is set
    within: bool | None = None
    measured: dict = dataclasses.field(default_factory=dict)

    def verdict(self) -> str:
        return {None: "", True: "yes", False: "NO"}[self.within]


class Report:
    def __init__(self, facts: dict):
        self.facts = facts
        self.rows: list[Row] = []
        self.failures: list[dict] = []
        self.not_measured: list[dict] = []

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(f"{row.part}: {row.name}: {row.value} {row.verdict()}".rstrip(), flush=True)

    def add_failure(self, part: str, name: str, reason: str) -> None:
        self.failures.append({"part": part, "name": name, "reason": reason})
        print(f"{part}: {name}: FAILED: {reason}", flush=True)

    def add_not_measured(self, part: str, name: str) -> None:
        self.not_measured.append({"part": part, "name": name})

    def all_well(self) -> bool:
        return bool(self.rows) and not self.failures and all(row.within is not False for row in self.rows)

    def save(self, file: pathlib.Path) -> None:
        rows = [dataclasses.asdict(row) for row in self.rows]
        content = {**self.facts, "within_bounds": self.all_well(), "rows": rows,
                   "failures": self.failures, "not_measured": self.not_measured}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=1) + "\n")

    def print_table(self) -> None:
        lines = [("part", "what", "measured", "bound", "within")]
        lines += [(row.part, row.name, row.value, row.bound, row.verdict()) for row in self.rows]
        lines += [(each["part"], each["name"], f"FAILED: {each['reason']}"[:90], "", "NO") for each in self.failures]
        lines += [(each["part"], each["name"], "not measured: no time left", "", "") for each in self.not_measured]
        widths = [max(len(line[column]) for line in lines) for column in range(5)]
        print()
        for line in lines:
            print(" | ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
