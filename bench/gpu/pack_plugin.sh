#!/usr/bin/env bash
# Copies the sources of the CUDA plugin, from which core/run/cuda/plugin/build.sh builds it where nothing else of the
# project can be built:
#   bench/gpu/pack_plugin.sh FOLDER
set -euo pipefail
if [ $# -ne 1 ]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$(realpath "$0")")/../.."
{
    echo CMakeLists.txt # it says the version
    find core/base core/graph core/run -name '*.h' -o -path 'core/base/*.cpp' -o -path core/graph/element_type.cpp \
        -o -path 'core/run/cuda/plugin/*' -type f
} | xargs cp --parents -t "$folder"
