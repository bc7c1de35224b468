#!/usr/bin/env python3
"""Fails unless tests ran and every failing test failed because of REASON.

usage: failed_for_want_of.py REASON RESULTS_OF_CHECK_PY
"""
import json
import pathlib
import sys

reason, results = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
rows = results["rows"]
if results["failures"] or results["not_measured"] or not rows:
    sys.exit(f"not all tests ran: {results['failures']}, {results['not_measured']}")
ran = sum(row["measured"]["passed"] + len(row["measured"]["failing"]) for row in rows)
if ran < 50:
    sys.exit(f"only {ran} tests ran")
for row in rows:
    failing, output = row["measured"]["failing"], row["measured"]["output"]
    if output.count(reason) < len(failing):
        sys.exit(f"not all of {failing} failed for '{reason}':\n{output}")
