#!/usr/bin/env python3
"""Replaces every path into SOURCE in a program by one that does not exist, as on another machine.

usage: away_from_sources.py PROGRAM SOURCE
"""
import pathlib
import sys

program, source = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/").encode() + b"/"
built = program.read_bytes()
if source not in built:
    sys.exit(f"{program} has no path into {sys.argv[2]}")
# The replacement has the same length, so that nothing in the program moves.
program.write_bytes(built.replace(source, b"/" + b"-" * (len(source) - 2) + b"/"))
