#!/usr/bin/env bash
# Builds the engine's module for Python into build/PRESET/python, a folder for PYTHONPATH, and the programs that need no
# window. pybind11 comes from build/engine, an environment of its own.
# usage: engine.sh [PRESET]     (default: `release`)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
packaging/install.sh
packaging/environment.sh build/engine pybind11==3.1.0
python=$PWD/build/engine/bin/python
include=$("$python" -c "import sysconfig; print(sysconfig.get_path('include'))")
if [ ! -f "$include/Python.h" ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get install -y -q --no-install-recommends python3-dev
fi
cmake --preset "$preset" -DSTASHSCOPE_PYTHON=ON -DPython_EXECUTABLE="$python"
cmake --build --preset "$preset" --parallel "$(nproc)" --target stashscope-engine stashscope-batch stashscope-run
