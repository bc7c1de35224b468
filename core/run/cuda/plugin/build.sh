#!/bin/sh
# Builds the CUDA plugin without CMake, on a machine that has only CUDA and a C++20 compiler. The script works in a
# checkout and with the files that bench/gpu/pack_plugin.sh packs.
# usage: build.sh OUTPUT_FOLDER [CUDA_FOLDER [INCLUDE_FOLDER...]]
# The include folders may also hold cuDNN's headers (PyTorch's packages contain these headers without a toolkit).
set -eu
usage="usage: build.sh OUTPUT_FOLDER [CUDA_FOLDER [INCLUDE_FOLDER...]]"
output=${1:?$usage}
cuda=${2:-/usr/local/cuda}
shift "$(($# < 2 ? $# : 2))"
root=$(cd "$(dirname "$0")/../../../.." && pwd)

libraries=$cuda/lib64
[ -d "$libraries" ] || libraries=$cuda/lib
version=$(sed -n 's/^project(stashscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
mkdir -p "$output"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

compile() {
  source=$1
  shift
  for folder; do set -- "$@" -isystem "$folder"; shift; done
  "${CXX:-g++}" -std=c++20 -O2 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra \
      "-DSTASHSCOPE_VERSION=\"$version\"" -I "$root" "$@" -c "$source" -o "$objects/$(basename "$source").o"
}

base=$root/core/base
jobs=
for source in "$root"/core/run/cuda/plugin/*.cpp "$root/core/graph/element_type.cpp" "$base/error.cpp" \
              "$base/shared_library.cpp" "$base/text.cpp" "$base/units.cpp"; do
  compile "$source" "$cuda/include" "$cuda/extras/CUPTI/include" "$@" &
  jobs="$jobs $!"
done
for job in $jobs; do wait "$job"; done

# shellcheck disable=SC2016 # the loader reads $ORIGIN
"${CXX:-g++}" -shared -pthread "$objects"/*.o -o "$output/libstashscope-cuda.so" -L "$libraries" -lcudart -lnvrtc \
    -ldl -Wl,-z,defs -Wl,--as-needed "-Wl,-rpath,\$ORIGIN:$libraries:$cuda/extras/CUPTI/lib64"
