#!/usr/bin/env bash
# Installs missing packages and builds. The first argument is the CMake preset (default: `release`).
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
packaging/install.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$(nproc)"
