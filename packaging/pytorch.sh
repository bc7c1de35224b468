#!/usr/bin/env bash
# Installs PyTorch into build/pytorch, an environment of its own, for the tests of the Python package.
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/environment.sh build/pytorch \
    torch==2.9.1 torchvision==0.24.1 transformers==4.57.6 onnx==1.23.2 numpy
