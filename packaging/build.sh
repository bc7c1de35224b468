#!/usr/bin/env bash
# Installs what is missing and builds. The preset is the first argument, `release` by default.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
packaging/install.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$(nproc)"
