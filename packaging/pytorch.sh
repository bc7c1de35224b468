#!/usr/bin/env bash
# Installs PyTorch, and pybind11 for the engine's module, into build/pytorch, an environment of its own, for the tests
# of the Python package.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x build/pytorch/bin/pip ]; then
    if ! python3 -c "import ensurepip" 2>/dev/null; then
        as_root=()
        [ "$(id -u)" -eq 0 ] || as_root=(sudo)
        "${as_root[@]}" apt-get install -y -q --no-install-recommends python3-venv
    fi
    python3 -m venv build/pytorch
fi
build/pytorch/bin/pip install --quiet --disable-pip-version-check \
    torch==2.9.1 torchvision==0.24.1 transformers==4.57.6 onnx==1.23.2 numpy pybind11==3.1.0
