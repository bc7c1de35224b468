#!/usr/bin/env python3
"""Compares our operands of every operator with the schemas of ONNX and lists what differs.

usage: operand_tables.py build/release/bin/operand_sweep      (needs the package onnx)

An operator may take more than the standard (types of other versions); what it refuses although the
standard takes it, and operands that it requires or lacks unlike the standard, are faults.
"""

import re
import subprocess
import sys

from onnx import defs

FLOATS = {"float16", "bfloat16", "float", "double"}
INTEGERS = {sign + size for sign in ("int", "uint") for size in ("8", "16", "32", "64")}
GROUPS = {
    "float": FLOATS,
    "integer": INTEGERS,
    "number": FLOATS | INTEGERS,
    "index": {"int32", "int64"},
    "float8": {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"},
    "float32": {"float"},
    "float64": {"double"},
}
# Element types that no runner of ours computes with.
NEVER_RUN = {"string", "complex64", "complex128", "int4", "uint4", "float4e2m1", "int2", "uint2",
             "float8e8m0"} | GROUPS["float8"]


def our_operands(text):
    """[(name, mark, set of types or None, name of the operand with the same type)]"""
    operands = []
    for word in text.split():
        name, mark, types, like = re.match(
            r"(\w+)([?+*]?)(?::([\w|]+))?(?:=(\w+))?(?:\[[\d.]+\])?$", word).groups()
        allowed = None
        if types and types != "value":
            allowed = set().union(*(GROUPS.get(each, {each}) for each in types.split("|")))
        operands.append((name, mark, allowed, like))
    by_name = {each[0]: each for each in operands}
    return [(name, mark, allowed or (by_name[like][2] if like else None), like)
            for name, mark, allowed, like in operands]


def ours(program):
    tables = {}
    for line in subprocess.run([program, "--tables"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        head, since, text = line.split(" ", 2)
        domain, name = head.rsplit(":", 1)
        tables.setdefault((domain, name), []).append((int(since), text))
    return tables


def count_of(operands):
    """The least and the largest number of operands, as the standard counts them; None: no limit."""
    least = max([i + 1 for i, each in enumerate(operands) if each[1] in ("", "+")], default=0)
    return least, None if operands and operands[-1][1] in "+*" and operands[-1][1] else len(operands)


def differences(schema, text):
    inputs, outputs = (our_operands(side) for side in text.split("->"))
    option = defs.OpSchema.FormalParameterOption
    least, most = count_of(inputs)
    standard_most = None if schema.max_input > 1 << 20 else schema.max_input
    if least > schema.min_input or (most is not None and (standard_most is None
                                                          or most < standard_most)):
        yield f"takes {least} to {most} inputs, the standard {schema.min_input} to {standard_most}"
    elif least < schema.min_input or most != standard_most:
        yield f"(lenient) takes {least} to {most} inputs, the standard {schema.min_input} to {standard_most}"
    for i, formal in enumerate(schema.inputs):
        mine = inputs[min(i, len(inputs) - 1)] if inputs else None
        if mine is None:
            continue
        if (mine[1] == "" and formal.option == option.Optional):
            yield f"requires input {i} ({formal.name}), which is optional"
        if mine[2] is None:
            continue
        types = {t.replace("tensor(", "").replace(")", "") for t in formal.types
                 if t.startswith("tensor")}
        missing = types - mine[2] - NEVER_RUN
        if missing:
            yield f"refuses {', '.join(sorted(missing))} for input {i} ({formal.name})"
    needed = [i for i, each in enumerate(outputs) if each[1] == ""]
    for i in needed:
        if i >= len(schema.outputs) or schema.outputs[i].option == option.Optional:
            yield f"requires output {i}"
    if outputs and outputs[-1][1] not in ("+", "*") and len(schema.outputs) > len(outputs):
        yield f"has {len(outputs)} outputs, the standard {len(schema.outputs)}"


def main():
    tables = ours(sys.argv[1])
    faults = 0
    compared = 0
    for schema in defs.get_all_schemas_with_history():
        rows = tables.get((schema.domain, schema.name))
        if rows is None or schema.deprecated:
            continue
        text = [each for since, each in sorted(rows) if since <= schema.since_version] or [rows[0][1]]
        compared += 1
        for each in differences(schema, text[-1]):
            faults += not each.startswith("(lenient)")
            print(f"{schema.domain}:{schema.name}-{schema.since_version} {each}")
    print(f"{compared} schemas compared, {faults} differences that refuse what the standard takes")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
