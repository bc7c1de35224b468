#!/usr/bin/env bash
# Builds Stashscope and opens its window on the given model or session, or on a bundled sample. Where there
# is no display, the report is printed instead.
set -euo pipefail
model=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

packaging/build.sh release >&2
sample=resources/samples/gpt2_tiny.onnx
program=build/release/bin/stashscope
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program" "${model:-$sample}"
fi
echo "There is no display, so this is the report; with one, the window opens." >&2
exec "$program" --batch "${model:-$sample}"
