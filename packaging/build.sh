#!/usr/bin/env bash
# Installs missing packages and builds.
# usage: build.sh [PRESET [TARGET...]]     (by default everything of the preset `release`)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift "$(($# < 1 ? $# : 1))"
packaging/install.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
