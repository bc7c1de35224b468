#!/bin/sh
# Builds the CUDA plugin without CMake, on a machine that has CUDA and a C++20 compiler but nothing else of
# what the project needs.
# usage: build.sh OUTPUT_FOLDER [CUDA_FOLDER]
set -eu
output=${1:?usage: build.sh OUTPUT_FOLDER [CUDA_FOLDER]}
cuda=${2:-/usr/local/cuda}
root=$(cd "$(dirname "$0")/../../../.." && pwd)

libraries=$cuda/lib64
[ -d "$libraries" ] || libraries=$cuda/lib
version=$(sed -n 's/^project(stashscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
mkdir -p "$output"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

base=$root/core/base
for source in "$root"/core/run/cuda/plugin/*.cpp "$root/core/graph/element_type.cpp" "$base/error.cpp" \
              "$base/shared_library.cpp" "$base/text.cpp" "$base/units.cpp"; do
  "${CXX:-g++}" -std=c++20 -O2 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra \
      "-DSTASHSCOPE_VERSION=\"$version\"" -I "$root" -isystem "$cuda/include" \
      -isystem "$cuda/extras/CUPTI/include" -c "$source" -o "$objects/$(basename "$source").o" &
done
wait

# shellcheck disable=SC2016 # the loader reads $ORIGIN
"${CXX:-g++}" -shared -pthread "$objects"/*.o -o "$output/libstashscope-cuda.so" -L "$libraries" -lcudart -lnvrtc \
    -ldl -Wl,-z,defs -Wl,--as-needed "-Wl,-rpath,\$ORIGIN:$libraries:$cuda/extras/CUPTI/lib64"
