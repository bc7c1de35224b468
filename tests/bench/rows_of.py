#!/usr/bin/env python3
"""Fails unless the results of check.py have these rows within their bounds and everything was measured.

usage: rows_of.py RESULTS NAME...
"""
import json
import pathlib
import sys

results = json.loads(pathlib.Path(sys.argv[1]).read_text())
within = {row["name"] for row in results["rows"] if row["within"]}
missing = set(sys.argv[2:]) - within
if missing or not results["within_bounds"] or results["not_measured"]:
    sys.exit(f"missing: {missing}, not measured: {results['not_measured']}, failed: {results['failures']}")
