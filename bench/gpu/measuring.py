"""Runs programs under a time limit and reports measurements with their bounds."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SHORTEST_RUN = 5.0  # a command is not started with fewer seconds left
KEPT_WORDS = 4096   # last characters of a failed command's output

# Fields of the summary that the worker writes with --json.
MEASURED_PEAK = "peak_bytes"
PREDICTED_PEAK = "predicted_peak_bytes"
PEAK_WITH_WORKSPACE = "peak_with_workspace_bytes"
WORKSPACE = "peak_workspace_bytes"
PREDICTED_WITH_WORKSPACE = "predicted_peak_with_workspace_bytes"  # with the measured workspaces
RESERVED = "peak_reserved_bytes"
STEP_SECONDS = "step_seconds"
REMARKS = "remarks"


class Failure(Exception):
    """A measurement failed for another reason than the time limit."""

    def __init__(self, reason: str, finished: "Finished | None" = None):
        super().__init__(reason)
        self.finished = finished


class OutOfTime(Exception):
    """The time of the part is used up."""


class Clock:
    """Limits the time of each part. A part may also use the time that earlier parts left."""

    def __init__(self, start: float):
        self.start = start
        self.end = start

    def begin_part(self, ends_after: float) -> None:
        self.end = self.start + ends_after

    def left(self) -> float:
        return self.end - time.monotonic()


@dataclasses.dataclass(frozen=True)
class Command:
    arguments: list
    limit: float  # seconds
    variables: dict[str, str] | None = None  # the environment; None: that of this process

    def waiting(self) -> "Command":
        """The same command with synchronous launches, so that an error names the launch that failed."""
        return dataclasses.replace(self, variables={**(self.variables or os.environ), "CUDA_LAUNCH_BLOCKING": "1"})


@dataclasses.dataclass(frozen=True)
class Finished:
    command: Command
    status: int
    output: str
    errors: str
    cut_off: str = ""          # why it was stopped early
    out_of_time: bool = False  # it was stopped, or not started, because the part's time was used up

    def words(self) -> str:
        return self.errors.strip() or self.output.strip()

    def reason(self) -> str:
        lines = self.words().splitlines()
        said = lines[-1] if lines else "no output"
        return self.cut_off or (said if self.status >= 0 else f"{signal_name(-self.status)}: {said}")

    def failure(self) -> Exception:
        return OutOfTime() if self.out_of_time else Failure(self.reason(), self)


def environment(library_folders: str) -> dict[str, str]:
    """The environment with the folders in which the worker looks for CUDA's libraries."""
    folders = [each for each in (library_folders, os.environ.get("LD_LIBRARY_PATH", "")) if each]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end_group(process: subprocess.Popen) -> tuple[str, str]:
    """Ends a process and the compilers it started. Returns its output so far."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.communicate()


def run_command(command: Command, clock: Clock) -> Finished:
    """Runs a command. One that exceeds its own limit has failed; one that the part's end stops is out of time."""
    seconds = min(command.limit, clock.left())
    if seconds < SHORTEST_RUN:
        return Finished(command, 1, "", "", out_of_time=True)
    process = subprocess.Popen([str(each) for each in command.arguments], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env=command.variables, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return Finished(command, 1, *end_group(process), cut_off=f"took more than {seconds:.0f} s",
                        out_of_time=seconds < command.limit)
    return Finished(command, process.returncode, output, errors)


class Worker:
    """The worker program of the folder."""

    def __init__(self, program: pathlib.Path, device: str, clock: Clock, library_folders: str):
        self.program = program
        self.device = device
        self.clock = clock
        self.variables = environment(library_folders)
        self.summaries = tempfile.TemporaryDirectory()  # kept until the end, because failed commands run again

    def on_gpu(self) -> bool:
        return self.device.startswith("cuda")

    def run(self, model: pathlib.Path, options: list, limit: float) -> Finished:
        arguments = [self.program, model, "--device", self.device, *options]
        return run_command(Command(arguments, limit, self.variables), self.clock)

    def summary(self, model: pathlib.Path, options: list, limit: float) -> dict:
        """Runs the worker and returns the summary that it writes with --json."""
        handle, file = tempfile.mkstemp(".json", dir=self.summaries.name)
        os.close(handle)
        finished = self.run(model, [*options, "--json", file], limit)
        if finished.status != 0:
            raise finished.failure()
        return json.loads(pathlib.Path(file).read_text())

    def digests(self, model: pathlib.Path, options: list, limit: float) -> dict[str, str]:
        """The digest of every graph output, by name."""
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
    value: str           # text for people
    bound: str = ""      # text for people; empty: there is no bound
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

    def add_failure(self, part: str, name: str, reason: str, said: str = "") -> dict:
        """Returns the entry, so that the caller can add to it."""
        failure = {"part": part, "name": name, "reason": reason, "said": said}
        self.failures.append(failure)
        print(f"{part}: {name}: FAILED: {reason}", flush=True)
        return failure

    def add_not_measured(self, part: str, name: str, reason: str = "no time left") -> None:
        self.not_measured.append({"part": part, "name": name, "reason": reason})

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
        lines += [(each["part"], each["name"], f"not measured: {each['reason']}", "", "")
                  for each in self.not_measured]
        widths = [max(len(line[column]) for line in lines) for column in range(5)]
        print()
        for line in lines:
            print(" | ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
