#!/usr/bin/env python3
"""Measures the worker on a GPU; check.sh beside it says how it is called."""
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
from measuring import (MEASURED_PEAK, PEAK_WITH_WORKSPACE, PREDICTED_PEAK, RESERVED, STEP_SECONDS, WORKSPACE, Clock,
                       Failure, OutOfTime, Report, Row, Worker, run_command)

SIDE_BY_SIDE = 8  # runs of small models at a time
SMALL_LIMIT, FULL_LIMIT, PEER_LIMIT, COMPILE_LIMIT = 60, 90, 90, 75  # seconds of one command
REPEATS = ["--warm-up", 2, "--repeat", 5]
TEXT_WAYS = ("eager", "fused", "eager-checkpoint", "fused-checkpoint")
IMAGE_WAYS = ("eager", "eager-checkpoint")


class Bench:
    def __init__(self, folder: pathlib.Path, worker: Worker, report: Report):
        self.folder = folder
        self.worker = worker
        self.clock = worker.clock
        self.report = report
        self.part = ""
        self.steps: dict[tuple[str, str, bool], dict] = {}  # summaries by case, variant, traced or not

    def attempt(self, name: str, measure: Callable[[], Row]) -> None:
        """What cannot be measured is reported, and the rest goes on."""
        try:
            self.report.add(measure())
        except Exception as error:
            self.report_fault(name, error)

    def report_fault(self, name: str, fault: Exception) -> None:
        if isinstance(fault, OutOfTime):
            self.report.add_not_measured(self.part, name)
        else:
            reason = str(fault) if isinstance(fault, Failure) else f"{type(fault).__name__}: {fault}"
            self.report.add_failure(self.part, name, reason)

    def attempt_all(self, attempts: list[tuple[str, Callable[[], Row]]]) -> None:
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(lambda each: self.attempt(*each), attempts))

    def row(self, name: str, value: str, bound: str = "", within: bool | None = None, **measured) -> Row:
        return Row(self.part, name, value, bound, within, measured)


def gibibytes(count: int) -> str:
    return f"{count / cases.GIBIBYTE:.3f} GiB"


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms"


# Device: every kernel and every call of a library against the processor, in the project's own tests.

TEST_SHARDS = 8
NOT_OF_DEVICES = "-EmulatedDevice*:Plugin*:Cupti*:TraceJoin*:Files/*"  # these need compilers or models, or no device
FAILED_TEST = re.compile(r"^\[  FAILED  \] (\S+) \(", re.M)


def tested(bench: Bench, name: str, shard: int) -> Row:
    programs = bench.folder / "bin"
    device = bench.worker.device
    variables = {**bench.worker.variables, "STASHSCOPE_TEST_DEVICE": device if ":" in device else f"{device}:0",
                 "GTEST_TOTAL_SHARDS": str(TEST_SHARDS), "GTEST_SHARD_INDEX": str(shard)}
    variables["LD_LIBRARY_PATH"] = f"{programs}:{variables['LD_LIBRARY_PATH']}"
    finished = run_command([programs / "test_core_run_cuda", f"--gtest_filter={NOT_OF_DEVICES}"], SMALL_LIMIT,
                           bench.clock, variables)
    passed, failing = finished.output.count("[       OK ]"), FAILED_TEST.findall(finished.output)
    if finished.status not in (0, 1) or not passed + len(failing):
        raise finished.failure()
    text = ", ".join([f"{passed} tests pass", f"{len(failing)} fail", *failing])
    said = finished.output[-20000:] if failing else ""
    return bench.row(name, text, "none fails", not failing, passed=passed, failing=failing, output=said)


def device(bench: Bench) -> None:
    if not (bench.folder / "bin" / "test_core_run_cuda").exists() or not bench.worker.device.startswith("cuda"):
        bench.report.add_not_measured(bench.part, "tests")
        return
    names = [f"tests, part {shard + 1} of {TEST_SHARDS}" for shard in range(TEST_SHARDS)]
    bench.attempt_all([(name, lambda name=name, i=i: tested(bench, name, i)) for i, name in enumerate(names)])


# Correctness: against the oracles, and recomputed results against those kept.

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
    """Over the largest value of its tensor; nothing that is nothing but rounding."""
    told = [said for _, _, said in COMPARED.findall(text) if "nothing but rounding" not in said]
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
    """A step with plans gives what it gives without them."""
    path = cases.small_model(bench.folder, model)
    kept = bench.worker.digests(path, [], SMALL_LIMIT)
    differing = set()
    for planned, options in ((path, list(LEVEL)), (cases.small_session(bench.folder, model), [])):
        again = bench.worker.digests(planned, options, SMALL_LIMIT)
        differing |= {output for output in kept.keys() | again.keys() if kept.get(output) != again.get(output)}
    return bench.row(name, f"{len(kept)} outputs, {len(differing)} differ", "none differs", not differing,
                     outputs=len(kept), differing=sorted(differing))


def correctness(bench: Bench) -> None:
    """What matters most comes first."""
    def comparisons(models: tuple[str, ...], variants: tuple[Variant, ...]) -> list:
        named = [(f"{model}, {variant.name}", model, variant) for variant in variants for model in models]
        return [(name, lambda name=name, m=model, v=variant: compare(bench, name, m, v))
                for name, model, variant in named]

    recomputed = [(f"{model}, recomputed", lambda m=model: same_bits(bench, f"{m}, recomputed", m))
                  for model in cases.ORACLES + cases.WITHOUT_ORACLE]
    bench.attempt_all(comparisons(cases.ORACLES, VARIANTS[:2]) + recomputed +
                      comparisons(cases.ORACLES, VARIANTS[2:]) + comparisons(cases.MIXED_ORACLES, MIXED_VARIANTS))


# Prediction: the peak that is predicted for a step, and the one that is measured.

def step(bench: Bench, case: Case, variant: str, traced: bool) -> dict:
    """The worker's summary, of a run now or by an earlier part."""
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


def predicted_peak(bench: Bench, name: str, case: Case, variant: str) -> Row:
    summary = step(bench, case, variant, traced=True)
    measured, predicted = summary[MEASURED_PEAK], summary[PREDICTED_PEAK]
    error = abs(measured - predicted) / predicted
    text = (f"{gibibytes(measured)} measured, {gibibytes(predicted)} predicted, {100 * error:.3f} % apart; "
            f"workspace {gibibytes(summary[WORKSPACE])}, reserved {gibibytes(summary[RESERVED])}; "
            f"{milliseconds(summary[STEP_SECONDS])}")
    return bench.row(name, text, f"{100 * cases.PREDICTION_ERROR:g} %", error <= cases.PREDICTION_ERROR, error=error,
                     summary=summary)


def prediction(bench: Bench) -> None:
    for variant in ("baseline", "level 1", "budget", "as exported"):
        for case in CASES:
            name = f"{case.name}, {variant}"
            bench.attempt(name, lambda: predicted_peak(bench, name, case, variant))


# Speed: beside PyTorch, in the same run, undisturbed by tracing.

def run_peer(bench: Bench, options: list, limit: float) -> tuple[list[dict], Exception | None]:
    """What was measured, and why not all of it was."""
    finished = run_command([sys.executable, bench.folder / "peer_torch.py", *options], limit, bench.clock)
    rows = [json.loads(line) for line in finished.output.splitlines() if line.startswith("{")]
    return rows, None if finished.status == 0 else finished.failure()


def our_step(bench: Bench, case: Case) -> dict | None:
    try:
        return step(bench, case, "baseline", traced=False)
    except Exception as error:
        bench.report_fault(f"{case.name}, ours", error)
        return None


def beside_peer(bench: Bench, name: str, peer: dict, ours: dict | None) -> Row:
    if peer.get("out_of_memory"):
        return bench.row(name, "PyTorch is out of memory", peer=peer)
    text = f"PyTorch {milliseconds(peer['step_seconds'])}, peak {gibibytes(peer['peak_bytes'])}"
    if ours is None:
        return bench.row(name, text, peer=peer)
    ratio = ours[STEP_SECONDS] / peer["step_seconds"]
    text += (f"; ours {milliseconds(ours[STEP_SECONDS])}, peak {gibibytes(ours[PEAK_WITH_WORKSPACE])}; "
             f"ratio of times {ratio:.2f}")
    is_bound = peer["way"] == "eager"
    return bench.row(name, text, f"{cases.STEP_RATIO:g}" if is_bound else "",
                     ratio <= cases.STEP_RATIO if is_bound else None, ratio=ratio, ours=ours, peer=peer)


def beside_ways(bench: Bench, case: Case, ways: tuple[str, ...], limit: float) -> None:
    rows, fault = run_peer(bench, [*case.peer_options(), "--ways", ",".join(ways), *REPEATS], limit)
    ours = our_step(bench, case) if rows else None
    for row in rows:
        name = f"{case.name}, PyTorch {row['way']}"
        bench.attempt(name, lambda: beside_peer(bench, name, row, ours))
    if fault is not None:
        missing = ", ".join(sorted(set(ways) - {row["way"] for row in rows}))
        bench.report_fault(f"{case.name}, PyTorch {missing}", fault)


def speed(bench: Bench) -> None:
    for case in CASES:
        beside_ways(bench, case, TEXT_WAYS if case.sequence else IMAGE_WAYS, PEER_LIMIT)
    for case in CASES:
        beside_ways(bench, case, ("fused-compile" if case.sequence else "eager-compile",), COMPILE_LIMIT)


# The rest: ten parallel paths, the largest batch in little memory, what tracing costs.

def ten_paths(bench: Bench, name: str, fusion: str) -> Row:
    model = cases.ten_paths_model(bench.folder)
    summary = bench.worker.summary(model, ["--freeze", "*", "--fuse", fusion], SMALL_LIMIT)
    measured, predicted = (summary[each] - cases.TEN_PATHS_HELD for each in (MEASURED_PEAK, PREDICTED_PEAK))
    text = f"{measured / cases.MEBIBYTE:g} MiB measured, {predicted / cases.MEBIBYTE:g} MiB predicted"
    if fusion == "horizontal":
        return bench.row(name, text, "as predicted", measured == predicted, summary=summary)
    return bench.row(name, text, f"{cases.TEN_PATHS_BYTES / cases.MEBIBYTE:g} MiB", measured <= cases.TEN_PATHS_BYTES,
                     summary=summary)


def limited_peers(bench: Bench, *options) -> list[dict]:
    rows, fault = run_peer(bench, [*cases.LIMITED.peer_options(), "--memory-limit", cases.LIMIT_BYTES, *options],
                           PEER_LIMIT)
    if fault is not None:
        raise fault
    return rows


def largest_batches(bench: Bench, name: str) -> Row:
    session = cases.largest_batch_session(bench.folder)
    batch = int(session.with_suffix(".batch").read_text())
    summary = bench.worker.summary(session, ["--memory-limit", cases.LIMIT_BYTES, "--no-trace", *REPEATS], FULL_LIMIT)
    throughput = batch / summary[STEP_SECONDS]
    peers = limited_peers(bench, "--largest-batch", "--ways", "eager,eager-checkpoint")
    [beyond] = limited_peers(bench, "--ways", "eager", "--batch", batch, "--warm-up", 0, "--repeat", 1)
    texts = [f"ours {batch} ({throughput:.1f} samples/s)"]
    texts += [f"PyTorch {peer['way']} {peer['batch']} ({peer.get('samples_per_second', 0):.1f} samples/s)"
              for peer in peers]
    eager_fails = bool(beyond.get("out_of_memory"))
    return bench.row(name, ", ".join(texts), "more than eager", eager_fails and batch > peers[0]["batch"], batch=batch,
                     samples_per_second=throughput, summary=summary, peers=peers, eager_at_our_batch=beyond)


def tracing(bench: Bench, name: str, case: Case) -> Row:
    traced, untraced = (step(bench, case, "baseline", each) for each in (True, False))
    more = traced[STEP_SECONDS] / untraced[STEP_SECONDS] - 1
    text = f"{milliseconds(traced[STEP_SECONDS])} with, {milliseconds(untraced[STEP_SECONDS])} without"
    return bench.row(name, f"{text}: {100 * more:+.1f} %", traced=traced, untraced=untraced, overhead=more)


def rest(bench: Bench) -> None:
    for fusion in ("none", "dataflow", "horizontal"):
        name = f"ten paths, fusion {fusion}"
        bench.attempt(name, lambda: ten_paths(bench, name, fusion))
    name = f"largest batch in {gibibytes(cases.LIMIT_BYTES)}, {cases.LIMITED.name}"
    bench.attempt(name, lambda: largest_batches(bench, name))
    for case in CASES:
        name = f"tracing, {case.name}"
        bench.attempt(name, lambda: tracing(bench, name, case))


# Seconds after the start at which each part ends: all is over within nine minutes.
PARTS = (("device", device, 65), ("correctness", correctness, 165), ("prediction", prediction, 310),
         ("speed", speed, 455), ("rest", rest, 530))


def device_facts() -> dict[str, str]:
    """As the driver tells them; empty without one."""
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
    parser.add_argument("--device", default="cuda", help="for the worker")
    parser.add_argument("--started", type=float, default=0, metavar="SECONDS", help="how long ago the time began")
    parser.add_argument("--part", action="append", choices=[name for name, _, _ in PARTS],
                        help="only this part; may be repeated")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    clock = Clock(time.monotonic() - options.started)
    folder = pathlib.Path(__file__).resolve().parent
    worker = Worker(folder / "bin" / "stashscope-run", options.device, clock, os.environ.get("CUDA_FOLDERS", ""))
    facts = {"date": datetime.date.today().isoformat(), "device": device_facts()}
    file = result_file(options.results, facts)
    report = Report(facts)
    bench = Bench(folder, worker, report)
    for bench.part, measure, ends_after in PARTS:
        if options.part and bench.part not in options.part:
            continue
        clock.begin_part(ends_after)
        try:
            measure(bench)
        except Exception as error:
            bench.report_fault("all that was left", error)
        report.save(file)
    report.print_table()
    print(f"\n{file}: {'all that was measured is within its bounds' if report.all_well() else 'NOT all is well'}; "
          f"{len(report.not_measured)} not measured")
    return 0 if report.all_well() else 1


if __name__ == "__main__":
    sys.exit(main())
