#!/usr/bin/env bash
# Runs a test of the Python package. Exits with 77 where PyTorch or transformers is absent.
# usage: run.sh FILE      STASHSCOPE_PYTHON: the interpreter (default: that of packaging/pytorch.sh, else python3)
#                         STASHSCOPE_PACKAGE: the folder of the package with the engine, if that was built
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${STASHSCOPE_PYTHON:-build/pytorch/bin/python}
command -v "$python" >/dev/null || python=python3
# Finds the packages without the seconds that importing them takes.
needed='("numpy", "onnx", "torch", "transformers")'
present="import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, $needed)))"
if ! "$python" -c "$present"; then
    echo "PyTorch or transformers is absent; packaging/pytorch.sh installs them for the tests"
    exit 77
fi
package=${STASHSCOPE_PACKAGE:-}
[ -n "$package" ] && [ -d "$package/stashscope" ] || package=python
export PYTHONPATH=$package:tests/python OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
exec "$python" "$@"
