#!/usr/bin/env bash
# Builds Stashscope and opens its window with the given model or session, or with a bundled sample. Without a display,
# it prints the report instead.
set -euo pipefail
model=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

packaging/build.sh release programs >&2
sample=resources/samples/gpt2_tiny.onnx
program=build/release/bin/stashscope
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program" "${model:-$sample}"
fi
echo "There is no display for the window, so the report is printed instead." >&2
exec "$program" --batch "${model:-$sample}"
