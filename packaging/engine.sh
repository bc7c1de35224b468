#!/usr/bin/env bash
# Builds the engine's module for Python into build/PRESET/python, a folder for PYTHONPATH, and the programs that need no
# window. It is for the interpreter of packaging/pytorch.sh, or for the one that STASHSCOPE_PYTHON names, which needs
# pybind11.
# usage: engine.sh [PRESET]     (default: `release`)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
python=${STASHSCOPE_PYTHON:-$PWD/build/pytorch/bin/python}
include=$("$python" -c "import sysconfig; print(sysconfig.get_path('include'))")
if [ ! -f "$include/Python.h" ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get install -y -q --no-install-recommends python3-dev
fi
cmake --preset "$preset" -DSTASHSCOPE_PYTHON=ON -DPython_EXECUTABLE="$python"
cmake --build --preset "$preset" --parallel "$(nproc)" --target stashscope-engine stashscope-batch stashscope-run
