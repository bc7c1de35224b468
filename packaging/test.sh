#!/usr/bin/env bash
# Builds Stashscope and runs all its tests. STASHSCOPE_PRESET chooses another CMake preset than `release`.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${STASHSCOPE_PRESET:-release}
packaging/build.sh "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
