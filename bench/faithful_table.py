#!/usr/bin/env python3
"""Runs the programs over the reference models and prints docs/faithful.md: the errors of results and shapes, which
models load, and the time and memory that loading takes.

usage: faithful_table.py BIN_FOLDER SHARED_FOLDER > docs/faithful.md
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

GIBIBYTE = 1 << 30


def run(arguments, limit=600):
    """Exit code, standard output, seconds and peak resident bytes (0: not measured) of a program."""
    start = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", env=environment)
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return 124, "", time.monotonic() - start, 0
    return process.returncode, text, time.monotonic() - start, 0


def run_measured(arguments):
    """Like run, but in a process of its own, to measure the program's peak memory."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code, text, seconds, _ = run(arguments)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        with os.fdopen(writing, "w") as pipe:
            json.dump([code, text, seconds, peak], pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        result = json.load(pipe)
    os.waitpid(child, 0)
    return result


def gtest_counts(binary, pattern):
    """Passed, failed and skipped tests, and the text."""
    _, text, _, _ = run([str(binary), f"--gtest_filter={pattern}", "--gtest_brief=0"], limit=1800)
    count = lambda word: len(re.findall(rf"^\[\s+{word}\s+\] [\w/]+\.", text, re.M))
    failed = len(set(re.findall(r"^\[  FAILED  \] ([\w/.]+)", text, re.M)))
    return count("OK"), failed, len(set(re.findall(r"^\[  SKIPPED \] ([\w/.]+)", text, re.M))), text


def worst_error(text):
    """The largest error of all compared tensors, relative to each tensor's largest value.

    Leaves out tensors that are only rounding errors.
    """
    errors = [float(error) for error, rest in
              re.findall(r"^(?:ok|FAILS)\s.*largest error (\S+) of the largest value (.*)$", text, re.M)
              if "rounding only" not in rest]
    return max(errors, default=float("nan"))


def published_tables(bin_folder):
    print("## 1. Published cases and tables\n")
    print("| what | passed | failed | skipped |\n| --- | --- | --- | --- |")
    for title, binary, pattern in [
            ("recompute cases and malformed configs", "test_core_recompute", "*ReferenceCase*:*ReferenceTexts*"),
            ("golden tables", "test_core_report", "*GoldenTables*"),
            ("symbolic examples", "test_core_symbolic", "*CollectedReference*")]:
        passed, failed, skipped, _ = gtest_counts(bin_folder / binary, pattern)
        print(f"| {title} | {passed} | {failed} | {skipped} |")
    print()


def oracles(worker, models):
    print("## 2. Results against the oracles\n")
    print("Each model has stored inputs with expected outputs and gradients, its oracle. The table has the\n"
          "largest error of loss, outputs and gradients, relative to the tensor's largest value. `all` applies\n"
          "every graph pass, `plans` is level 1. `exit 1` means beyond the tolerance: two float32 runs of\n"
          "inception_v3_div8_aux differ by several percent (batch normalization over few numbers, ReLUs at their\n"
          "kink), so the tests compare it in float64.\n")
    columns = [("plain", []), ("plans", ["--level", "1"]), ("all", ["--pass", "all"]),
               ("all, plans", ["--pass", "all", "--level", "1"])]
    print("| model | set | " + " | ".join(name for name, _ in columns) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in columns) + " |")
    for folder in sorted((models / "small").iterdir()):
        for data in sorted(folder.glob("test_data_set_*")):
            if not list(data.glob("grad_*.pb")):
                continue
            cells = [oracle_cell(worker, folder, data, options) for _, options in columns]
            print(f"| {folder.name} | {data.name[-1]} | " + " | ".join(cells) + " |")
    print("\n| complete training step as a model | error |\n| --- | --- |")
    for group in ("joint", "ort_exec"):
        for folder in sorted((models / group).iterdir()):
            data = folder / "test_data_set_0"
            if data.is_dir():
                print(f"| {group}/{folder.name} | {oracle_cell(worker, folder, data, [])} |")
    print()


def oracle_cell(worker, folder, data, options):
    code, text, _, _ = run([str(worker), str(folder / "model.onnx"), "--inputs", str(data), "--compare", str(data),
                            *options])
    return f"{worst_error(text):.1e}" if code == 0 else f"**exit {code}**"


def shapes(bin_folder):
    print("## 3. Shapes\n")
    passed, failed, skipped, text = gtest_counts(bin_folder / "test_core_passes", "*RealShapes*:*DeclaredShapes*")
    print(f"{passed} tests passed, {failed} failed, {skipped} skipped.\n\n```")
    for line in text.split("\n"):
        if line.startswith("shapes: "):
            print(line.removeprefix("shapes: "))
    print("```\n")


def conformance(bin_folder):
    print("## 4. Conformance models of the ONNX project\n")
    print("A refused model ends with an error that names what is not supported.\n\n```")
    _, failed, _, text = gtest_counts(bin_folder / "test_core_run", "*Conformance*")
    parts = re.findall(r"^conformance models, part .*: (\d+) pass, (\d+) are refused", text, re.M)
    passed, refused = (sum(int(part[column]) for part in parts) for column in (0, 1))
    print(f"{passed} pass, {refused} are refused; tests that found a wrong result: {failed}")
    print("```\n")


def full_models(program, models):
    print("## 5. Full-size models\n")
    print("One run of `stashscope --batch MODEL --format json` each, on one core. `seconds` and `memory` are those of\n"
          "the program.\n")
    print("| model | nodes with backward | peak | plans | stashed without a plan | seconds | memory |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for file in sorted((models / "full").glob("*.onnx")):
        code, text, seconds, peak = run_measured([str(program), "--batch", str(file), "--format", "json"])
        if code != 0:
            print(f"| {file.stem} | **exit {code}** | | | | {seconds:.2f} | |")
            continue
        report = json.loads(text[text.index("{\n"):])
        nodes = report["model"]["forward_nodes"] + report["model"]["backward_nodes"]
        print(f"| {file.stem} | {nodes} | {report['memory']['baseline']['peak_bytes'] / GIBIBYTE:.2f} GiB | "
              f"{len(report['plans'])} | {len(report['why_not'])} | {seconds:.2f} | {peak / (1 << 20):.0f} MiB |")
    print()


def bad_files(bin_folder):
    print("## 6. Malformed and hostile files\n")
    passed, failed, skipped, _ = gtest_counts(bin_folder / "test_app", "*BadModel*")
    print(f"Each file is a test: {passed} passed, {failed} failed, {skipped} skipped.\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin_folder, models = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "models"
    print("# How faithful it is\n\n"
          "Written by `bench/faithful_table.py build/release/bin SHARED > docs/faithful.md` from real runs. `SHARED` is\n"
          "the folder with the reference models.\n")
    published_tables(bin_folder)
    oracles(bin_folder / "stashscope-run", models)
    shapes(bin_folder)
    conformance(bin_folder)
    full_models(bin_folder / "stashscope", models)
    bad_files(bin_folder)


if __name__ == "__main__":
    main()
