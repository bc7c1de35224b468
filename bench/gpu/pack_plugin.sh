#!/usr/bin/env bash
# Copies the sources of the CUDA plugin. core/run/cuda/plugin/build.sh builds it from them on machines that cannot build
# the rest of the project:
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
    echo CMakeLists.txt # has the version
    find core/base core/graph core/run -name '*.h' -o -path 'core/base/*.cpp' -o -path core/graph/element_type.cpp \
        -o -path 'core/run/cuda/plugin/*' -type f
} | xargs cp --parents -t "$folder"
