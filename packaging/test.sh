#!/usr/bin/env bash
# Builds Stashscope and runs all its tests. STASHSCOPE_PRESET sets the CMake preset (default: `release`).
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${STASHSCOPE_PRESET:-release}
packaging/build.sh "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
