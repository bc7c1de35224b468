#!/usr/bin/env bash
# Fails if a source file is not formatted by .clang-format (clang-format 14).
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files '*.h' '*.cpp' '*.cu' | xargs clang-format-14 --dry-run --Werror
