#!/usr/bin/env python3
"""Measures the worker on a GPU; check.sh in this folder states its usage."""
import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Callable

import cases
from cases import CASES, Case
from measuring import (KEPT_WORDS, MEASURED_PEAK, PEAK_WITH_WORKSPACE, PREDICTED_PEAK, PREDICTED_WITH_WORKSPACE,
                       REMARKS, RESERVED, STEP_SECONDS, WORKSPACE, Clock, Command, Failure, Finished, OutOfTime,
                       Report, Row, Worker, run_command)

SIDE_BY_SIDE = 8  # runs of small models at a time
SMALL_LIMIT, FULL_LIMIT, PEER_LIMIT, COMPILE_LIMIT = 60, 90, 90, 75  # seconds of one command
REPEATS = ["--warm-up", 2, "--repeat", 5]
TEXT_WAYS = ("eager", "fused", "eager-checkpoint", "fused-checkpoint")
IMAGE_WAYS = ("eager", "eager-checkpoint")


class Bench:
    def __init__(self, folder: pathlib.Path, worker: Worker, report: Report, only: list[str],
                 trace_file: pathlib.Path):
        self.folder = folder
        self.trace_file = trace_file  # CUPTI's records of a small run, for tests of the trace joiner elsewhere
        self.worker = worker
        self.clock = worker.clock
        self.report = report
        self.part = ""
        self.only = only  # small models to measure; empty: all
        self.steps: dict[tuple[str, str, bool], dict] = {}  # summaries by case, variant, traced or not
        self.failed: list[tuple[dict, Command]] = []  # their entries in the report, and the commands that repeat them

    def attempt(self, name: str, measure: Callable[[], Row]) -> None:
        """Adds a row to the report. A failed measurement is reported and does not stop the others."""
        try:
            self.report.add(measure())
        except Exception as error:
            self.report_fault(name, error)

    def report_fault(self, name: str, fault: Exception) -> None:
        if isinstance(fault, OutOfTime):
            self.report.add_not_measured(self.part, name)
        elif isinstance(fault, Failure):
            self.report_failure(name, str(fault), fault.finished)
        else:
            self.report.add_failure(self.part, name, f"{type(fault).__name__}: {fault}")

    def report_failure(self, name: str, reason: str, finished: Finished | None) -> None:
        said = finished.words()[-KEPT_WORDS:] if finished else ""
        told = self.report.add_failure(self.part, name, reason, said)
        if finished and not finished.cut_off and self.worker.on_gpu():
            self.failed.append((told, finished.command.waiting()))

    def repeat_failed(self) -> None:
        """Repeats failed commands with synchronous launches, in the time that is left after everything else."""
        for told, command in self.failed:
            again = run_command(command, self.clock)
            if not again.out_of_time:
                told["said_with_every_launch_waited_for"] = f"exit {again.status}: {again.words()[-KEPT_WORDS:]}"
        self.failed.clear()

    def chosen(self, models: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in models if not self.only or name in self.only)

    def attempt_all(self, attempts: list[tuple[str, Callable[[], Row]]]) -> None:
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(lambda each: self.attempt(*each), attempts))

    def row(self, name: str, value: str, bound: str = "", within: bool | None = None, **measured) -> Row:
        return Row(self.part, name, value, bound, within, measured)


def gibibytes(count: int) -> str:
    return f"{count / cases.GIBIBYTE:.3f} GiB"


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms"


# Device: the project's own tests compare every kernel and every library call with the processor.

TEST_PROGRAM = "test_core_run_cuda"
TEST_SHARDS = 8
# The excluded tests need a compiler, CUDA's compiler, reference models, or no device.
NOT_OF_DEVICES = "-Emulated*:Plugin*:Cupti*:TraceJoin*:Files/*"
FAILED_TEST = re.compile(r"^\[  FAILED  \] ([^\s,]+).* \(\d+ ms\)$", re.M)
STARTED_TEST = re.compile(r"^\[ RUN      \] (\S+)$", re.M)
NAMED_TESTS = 3  # failing tests that the table names; the file names all
KEPT_OUTPUT = 20000  # characters of the output of failing tests


def tested(bench: Bench, name: str, shard: int) -> Row:
    programs = bench.folder / "bin"
    device = bench.worker.device
    variables = {**bench.worker.variables, "STASHSCOPE_TEST_DEVICE": device if ":" in device else f"{device}:0",
                 "STASHSCOPE_SAVE_TRACE": str(bench.trace_file),
                 "GTEST_TOTAL_SHARDS": str(TEST_SHARDS), "GTEST_SHARD_INDEX": str(shard)}
    variables["LD_LIBRARY_PATH"] = f"{programs}:{variables['LD_LIBRARY_PATH']}"
    arguments = [programs / TEST_PROGRAM, f"--gtest_filter={NOT_OF_DEVICES}"]
    finished = run_command(Command(arguments, SMALL_LIMIT, variables), bench.clock)
    passed, failing = finished.output.count("[       OK ]"), FAILED_TEST.findall(finished.output)
    if finished.out_of_time:
        raise finished.failure()
    if finished.status not in (0, 1) or finished.cut_off or not passed + len(failing):
        begun = STARTED_TEST.findall(finished.output)
        raise Failure(f"{finished.reason()} (in {begun[-1] if begun else 'no test'})", finished)
    text = ", ".join([f"{passed} tests pass", f"{len(failing)} fail", *failing[:NAMED_TESTS]])
    well = finished.status == 0 and not failing
    said = "" if well else finished.output[-KEPT_OUTPUT:]
    return bench.row(name, text, "none fails", well, passed=passed, failing=failing, exit=finished.status, output=said)


def device(bench: Bench) -> None:
    if not bench.worker.on_gpu():
        bench.report.add_not_measured(bench.part, "tests", f"'{bench.worker.device}' is not a GPU")
        return
    if not (bench.folder / "bin" / TEST_PROGRAM).exists():
        raise Failure(f"bin/{TEST_PROGRAM} is missing")
    names = [f"tests, part {shard + 1} of {TEST_SHARDS}" for shard in range(TEST_SHARDS)]
    bench.attempt_all([(name, lambda name=name, i=i: tested(bench, name, i)) for i, name in enumerate(names)])


# Correctness: results against the oracles, and results with plans against results without.

@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    options: tuple[str, ...]
    data_set: int = 0
    tolerance: float = 1e-3


LEVEL = ("--level", "1")
VARIANTS = (Variant("plain", ()), Variant("optimized, level 1", cases.OPTIMIZED + LEVEL), Variant("level 1", LEVEL),
            Variant("optimized", cases.OPTIMIZED), Variant("plain, other sizes", (), data_set=1))
MIXED_VARIANTS = tuple(
    Variant(f"{precision}{name}", ("--precision", precision, *options), tolerance=tolerance)
    for precision, tolerance in cases.MIXED_TOLERANCE.items()
    for name, options in (("", ()), (", optimized, level 1", cases.OPTIMIZED + LEVEL)))
COMPARED = re.compile(r"^(ok|FAILS)\s+(.+?): (.*)$", re.M)
ERROR = re.compile(r"largest error (\S+) of the largest value")


def worst_error(text: str) -> float:
    """The largest error relative to the largest value of its tensor. Errors that are only rounding do not count."""
    told = [said for _, _, said in COMPARED.findall(text) if "rounding only" not in said]
    errors = [float(found[1]) for found in map(ERROR.search, told) if found]
    return max(errors, default=0.0)


def compare(bench: Bench, name: str, model: str, variant: Variant) -> Row:
    path = cases.small_model(bench.folder, model)
    data = path.parent / f"test_data_set_{variant.data_set}"
    finished = bench.worker.run(path, [*variant.options, "--inputs", data, "--compare", data, "--tolerance",
                                       variant.tolerance], SMALL_LIMIT)
    compared = COMPARED.findall(finished.output)
    if finished.status not in (0, 1) or not compared:
        raise finished.failure()
    failing = [tensor for verdict, tensor, _ in compared if verdict != "ok"]
    worst = worst_error(finished.output)
    text = f"{len(compared)} tensors, {len(failing)} fail, worst error {worst:.1e}"
    return bench.row(name, text, f"{variant.tolerance:g} or rounding", finished.status == 0, worst_error=worst,
                     tensors=len(compared), failing=failing)


def same_bits(bench: Bench, name: str, model: str) -> Row:
    """Checks that a step gives the same bits with plans and without."""
    path = cases.small_model(bench.folder, model)
    kept = bench.worker.digests(path, [], SMALL_LIMIT)
    differing = set()
    for planned, options in ((path, list(LEVEL)), (cases.small_session(bench.folder, model), [])):
        again = bench.worker.digests(planned, options, SMALL_LIMIT)
        differing |= {output for output in kept.keys() | again.keys() if kept.get(output) != again.get(output)}
    return bench.row(name, f"{len(kept)} outputs, {len(differing)} differ", "none differs", not differing,
                     outputs=len(kept), differing=sorted(differing))


def correctness(bench: Bench) -> None:
    """Runs the most important comparisons first."""
    def comparisons(models: tuple[str, ...], variants: tuple[Variant, ...]) -> list:
        named = [(f"{model}, {variant.name}", model, variant) for variant in variants for model in models]
        return [(name, lambda name=name, m=model, v=variant: compare(bench, name, m, v))
                for name, model, variant in named]

    recomputed = [(f"{model}, recomputed", lambda m=model: same_bits(bench, f"{m}, recomputed", m))
                  for model in bench.chosen(cases.ORACLES + cases.WITHOUT_ORACLE)]
    oracles, mixed = bench.chosen(cases.ORACLES), bench.chosen(cases.MIXED_ORACLES)
    bench.attempt_all(comparisons(oracles, VARIANTS[:2]) + recomputed + comparisons(oracles, VARIANTS[2:]) +
                      comparisons(mixed, MIXED_VARIANTS))


# Prediction: the predicted peak of a step against the measured one.

def step(bench: Bench, case: Case, variant: str, traced: bool) -> dict:
    """The worker's summary of a run: of an earlier part, or of a new run."""
    key = (case.name, variant, traced)
    if key not in bench.steps:
        model, sizes = cases.full_model(bench.folder, case.model), case.options()
        model, options = {
            "baseline": (model, [*sizes, *cases.OPTIMIZED]),
            "level 1": (model, [*sizes, *cases.OPTIMIZED, *LEVEL]),
            "budget": (cases.budget_session(bench.folder, case), []),
            "as exported": (model, sizes),
        }[variant]
        untraced = [] if traced else ["--no-trace"]
        bench.steps[key] = bench.worker.summary(model, [*options, *untraced, *REPEATS], FULL_LIMIT)
    return bench.steps[key]


# Matches remarks about an incomplete trace.
DOUBT = re.compile(r"^times were taken node by node|\brecords?\b")


def remarked(text: str, within: bool | None, *summaries: dict) -> tuple[str, str, bool | None]:
    """The text of a row with the remarks of its runs, and the verdict: not within its bound if a remark casts doubt."""
    remarks = list(dict.fromkeys(remark for summary in summaries for remark in summary[REMARKS]))
    doubtful = any(DOUBT.search(remark) for remark in remarks)
    return "; ".join([text, *remarks]), False if doubtful else within


def apart(measured: int, predicted: int) -> float:
    return abs(measured - predicted) / predicted


def both_peaks(what: str, measured: int, predicted: int) -> str:
    return (f"{what} {gibibytes(measured)} measured, {gibibytes(predicted)} predicted, "
            f"{100 * apart(measured, predicted):.3f} % apart")


def predicted_peak(bench: Bench, name: str, case: Case, variant: str) -> Row:
    summary = step(bench, case, variant, traced=True)
    tensors = summary[MEASURED_PEAK], summary[PREDICTED_PEAK]
    together = summary[PEAK_WITH_WORKSPACE], summary[PREDICTED_WITH_WORKSPACE]
    error = max(apart(*tensors), apart(*together))
    text = "; ".join([both_peaks("tensors", *tensors), both_peaks("with workspaces", *together),
                      f"workspace {gibibytes(summary[WORKSPACE])}, reserved {gibibytes(summary[RESERVED])}",
                      milliseconds(summary[STEP_SECONDS])])
    text, within = remarked(text, error <= cases.PREDICTION_ERROR, summary)
    return bench.row(name, text, f"{100 * cases.PREDICTION_ERROR:g} %", within, error=error, summary=summary)


def prediction(bench: Bench) -> None:
    for variant in ("baseline", "level 1", "budget", "as exported"):
        for case in CASES:
            name = f"{case.name}, {variant}"
            bench.attempt(name, lambda: predicted_peak(bench, name, case, variant))


# Speed: compared with PyTorch in the same session, without tracing.

def run_peer(bench: Bench, options: list, limit: float) -> tuple[list[dict], Exception | None]:
    """The measured rows, and the error if some are missing."""
    finished = run_command(Command([sys.executable, bench.folder / "peer_torch.py", *options], limit), bench.clock)
    rows = [json.loads(line) for line in finished.output.splitlines() if line.startswith("{")]
    return rows, None if finished.status == 0 else finished.failure()


def our_peak(bench: Bench, case: Case) -> int:
    """The peak with workspaces; a traced run knows most about these."""
    steps = [bench.steps.get((case.name, "baseline", traced)) for traced in (False, True)]
    return max(each[PEAK_WITH_WORKSPACE] for each in steps if each)


def our_step(bench: Bench, name: str, case: Case) -> Row:
    ours = step(bench, case, "baseline", traced=False)
    text = f"{milliseconds(ours[STEP_SECONDS])}, peak {gibibytes(our_peak(bench, case))}"
    text, within = remarked(text, None, ours)
    return bench.row(name, text, within=within, ours=ours)


def beside_peer(bench: Bench, name: str, case: Case, peer: dict) -> Row:
    if peer.get("out_of_memory"):
        return bench.row(name, "PyTorch is out of memory", peer=peer)
    text = f"PyTorch {milliseconds(peer['step_seconds'])}, peak {gibibytes(peer['peak_bytes'])}"
    ours = bench.steps.get((case.name, "baseline", False))
    if ours is None:
        return bench.row(name, text, peer=peer)
    times, peaks = ours[STEP_SECONDS] / peer["step_seconds"], our_peak(bench, case) / peer["peak_bytes"]
    text += (f"; ours {milliseconds(ours[STEP_SECONDS])}, peak {gibibytes(our_peak(bench, case))}; "
             f"ratio of times {times:.2f}, of peaks {peaks:.2f}")
    bound, within = "", None
    if peer["way"] == "eager":
        bound = f"{cases.STEP_RATIO:g} of time, {cases.PEAK_RATIO:g} of peak"
        within = times <= cases.STEP_RATIO and peaks <= cases.PEAK_RATIO
    return bench.row(name, text, bound, within, ratio=times, ratio_of_peaks=peaks, ours=ours, peer=peer)


def beside_ways(bench: Bench, case: Case, ways: tuple[str, ...], limit: float) -> None:
    rows, fault = run_peer(bench, [*case.peer_options(), "--ways", ",".join(ways), *REPEATS], limit)
    for row in rows:
        name = f"{case.name}, PyTorch {row['way']}"
        bench.attempt(name, lambda: beside_peer(bench, name, case, row))
    if fault is not None:
        missing = ", ".join(sorted(set(ways) - {row["way"] for row in rows}))
        bench.report_fault(f"{case.name}, PyTorch {missing}", fault)


def speed(bench: Bench) -> None:
    """Measures our steps first, so that they are known even without PyTorch."""
    for case in cases.COMPARED:
        name = f"{case.name}, ours"
        bench.attempt(name, lambda: our_step(bench, name, case))
        beside_ways(bench, case, TEXT_WAYS if case.sequence else IMAGE_WAYS, PEER_LIMIT)
    for case in cases.COMPARED:
        beside_ways(bench, case, ("fused-compile" if case.sequence else "eager-compile",), COMPILE_LIMIT)


# The rest: ten parallel paths, the largest batch in little memory, the cost of tracing.

def ten_paths(bench: Bench, name: str, fusion: str) -> Row:
    model = cases.ten_paths_model(bench.folder)
    summary = bench.worker.summary(model, ["--freeze", "*", "--fuse", fusion], SMALL_LIMIT)
    measured, predicted = (summary[each] - cases.TEN_PATHS_HELD for each in (MEASURED_PEAK, PREDICTED_PEAK))
    text = f"{measured / cases.MEBIBYTE:g} MiB measured, {predicted / cases.MEBIBYTE:g} MiB predicted"
    bound, well = f"{cases.TEN_PATHS_BYTES / cases.MEBIBYTE:g} MiB", measured <= cases.TEN_PATHS_BYTES
    if fusion == "horizontal":
        bound, well = "as predicted", measured == predicted
    text, within = remarked(text, well, summary)
    return bench.row(name, text, bound, within, summary=summary)


def limited_peers(bench: Bench, *options) -> list[dict]:
    rows, fault = run_peer(bench, [*cases.LIMITED.peer_options(), "--memory-limit", cases.LIMIT_BYTES, *options],
                           PEER_LIMIT)
    if fault is not None:
        raise fault
    return rows


def planned_batch(bench: Bench) -> int:
    return int(cases.largest_batch_session(bench.folder).with_suffix(".batch").read_text())


def our_largest_batch(bench: Bench, name: str) -> Row:
    """PyTorch's limit applies to reserved memory, so ours is checked against reserved memory too."""
    session, batch = cases.largest_batch_session(bench.folder), planned_batch(bench)
    summary = bench.worker.summary(session, ["--memory-limit", cases.LIMIT_BYTES, "--no-trace", *REPEATS], FULL_LIMIT)
    throughput = batch / summary[STEP_SECONDS]
    text, within = remarked(f"{batch} ({throughput:.1f} samples/s), reserved {gibibytes(summary[RESERVED])}",
                            summary[RESERVED] <= cases.LIMIT_BYTES, summary)
    return bench.row(name, text, gibibytes(cases.LIMIT_BYTES), within, batch=batch, samples_per_second=throughput,
                     summary=summary)


def largest_batches(bench: Bench, name: str) -> Row:
    batch = planned_batch(bench)
    peers = limited_peers(bench, "--largest-batch", "--ways", "eager,eager-checkpoint")
    [beyond] = limited_peers(bench, "--ways", "eager", "--batch", batch, "--warm-up", 0, "--repeat", 1)
    text = ", ".join(f"PyTorch {peer['way']} {peer['batch']} ({peer.get('samples_per_second', 0):.1f} samples/s)"
                     for peer in peers)
    eager_fails = bool(beyond.get("out_of_memory"))
    return bench.row(name, text, f"eager less than {batch}", eager_fails and batch > peers[0]["batch"], batch=batch,
                     peers=peers, eager_at_our_batch=beyond)


def tracing(bench: Bench, name: str, case: Case) -> Row:
    traced, untraced = (step(bench, case, "baseline", each) for each in (True, False))
    more = traced[STEP_SECONDS] / untraced[STEP_SECONDS] - 1
    text = f"{milliseconds(traced[STEP_SECONDS])} with, {milliseconds(untraced[STEP_SECONDS])} without"
    text, within = remarked(f"{text}: {100 * more:+.1f} %", None, traced)
    return bench.row(name, text, within=within, traced=traced, untraced=untraced, overhead=more)


def rest(bench: Bench) -> None:
    for fusion in ("none", "dataflow", "horizontal"):
        name = f"ten paths, fusion {fusion}"
        bench.attempt(name, lambda: ten_paths(bench, name, fusion))
    for of, measure in (("ours", our_largest_batch), ("PyTorch's", largest_batches)):
        name = f"largest batch in {gibibytes(cases.LIMIT_BYTES)}, {cases.LIMITED.name}, {of}"
        bench.attempt(name, lambda: measure(bench, name))
    for case in CASES:
        name = f"tracing, {case.name}"
        bench.attempt(name, lambda: tracing(bench, name, case))


# Seconds after the start at which each part ends; everything ends within nine minutes.
PARTS = (("device", device, 65), ("correctness", correctness, 165), ("prediction", prediction, 310),
         ("speed", speed, 455), ("rest", rest, 530))


def device_facts() -> dict[str, str]:
    """Facts from the driver; empty without a driver."""
    fields = ("name", "driver_version", "memory.total")
    try:
        told = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(fields, (each.strip() for each in told.splitlines()[0].split(","))))


def result_file(given: pathlib.Path, facts: dict) -> pathlib.Path:
    if given.suffix == ".json":
        return given
    device = re.sub(r"[^A-Za-z0-9]+", "-", facts["device"].get("name", "unknown")).strip("-").lower()
    return given / f"{facts['date']}-{device}.json"


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path, help="JSON file, or a folder for one named by date and device")
    parser.add_argument("--device", default="cuda", help="device of the worker")
    parser.add_argument("--started", type=float, default=0, metavar="SECONDS", help="seconds of the time already used")
    parser.add_argument("--part", action="append", choices=[name for name, _, _ in PARTS],
                        help="measure only this part; may be repeated")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="MODEL,...",
                        help="measure only these of the small models")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    clock = Clock(time.monotonic() - options.started)
    folder = pathlib.Path(__file__).resolve().parent
    worker = Worker(folder / "bin" / "stashscope-run", options.device, clock, os.environ.get("CUDA_FOLDERS", ""))
    facts = {"date": datetime.date.today().isoformat(), "device": device_facts()}
    file = result_file(options.results, facts)
    report = Report(facts)
    file.parent.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, worker, report, options.only, file.with_suffix(".trace").resolve())
    for bench.part, measure, ends_after in PARTS:
        if options.part and bench.part not in options.part:
            continue
        clock.begin_part(ends_after)
        try:
            measure(bench)
        except Exception as error:
            bench.report_fault("the rest of the part", error)
        bench.repeat_failed()
        report.save(file)
    report.print_table()
    verdict = "everything measured is within its bounds" if report.all_well() else "NOT everything is within its bounds"
    print(f"\n{file}: {verdict}; {len(report.not_measured)} not measured")
    return 0 if report.all_well() else 1


if __name__ == "__main__":
    sys.exit(main())
