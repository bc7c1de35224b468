#!/usr/bin/env bash
# Makes a folder that travels to a machine with a GPU, where check.sh in it measures:
#   bench/gpu/pack.sh FOLDER BUILD SHARED [--seconds N]
# BUILD is a build of the project (build/release), SHARED the folder with reference models, --seconds what the
# planner may take for each budget (default 25). Needs strip and Python 3. FOLDER must be empty or not there.
# Large files travel compressed; check.sh unpacks them. Without a built plugin (BUILD/bin/libstashscope-cuda.so) its
# sources travel and check.sh builds it there.
set -euo pipefail
if [ $# -lt 3 ]; then
    echo "usage: $0 FOLDER BUILD SHARED [--seconds N]" >&2
    exit 2
fi
folder=$1 build=$2 models=$3/models
shift 3
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
limit=$((64 * 1024 * 1024))

if [ -n "$(ls -A "$folder" 2>/dev/null)" ]; then
    echo "$0: $folder is not empty" >&2
    exit 2
fi
mkdir -p "$folder"
folder=$(realpath "$folder")

names() { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 -c "import cases; print(*sorted($1), sep='\n')"; }

copy_small_model() {
    local to=$folder/models/small/$1
    mkdir -p "$to"
    cp "$models/small/$1/model.onnx" "$to/"
    if [ -f "$models/small/$1/manifest.json" ]; then
        cp -r "$models/small/$1"/{manifest.json,test_data_set_*} "$to/"
    fi
}

copy_plugin_sources() {
    mkdir -p "$folder/source"
    (cd "$source" && find core/base core/graph core/run -name '*.h' -o -path 'core/base/*.cpp' \
        -o -path core/graph/element_type.cpp -o -path 'core/run/cuda/plugin/*' -type f) |
        (cd "$source" && xargs cp --parents -t "$folder/source")
    { grep -E '^(cmake_minimum_required|project)\(' "$source/CMakeLists.txt" && cat "$here/plugin_alone.cmake"; } \
        >"$folder/source/CMakeLists.txt"
}

"$here/pack_worker.sh" "$folder/bin" "$build/bin"
small_models=$(names 'cases.ORACLES + cases.WITHOUT_ORACLE')
full_models=$(names '{case.model for case in cases.CASES}')
for name in $small_models; do copy_small_model "$name"; done
mkdir -p "$folder/models/full"
for name in $full_models; do
    cp "$models/full/${name}_train_fwd.onnx" "$folder/models/full/"
done
python3 "$here/ten_paths.py" "$folder/models/ten_paths.onnx"
cp "$here"/{check.sh,check.py,measuring.py,cases.py,peer_torch.py,models_torch.py} "$folder/"
if [ ! -f "$folder/bin/libstashscope-cuda.so" ] && [ -d "$source/core/run/cuda/plugin" ]; then
    copy_plugin_sources
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$here/sessions.py" "$build/bin/stashscope" "$folder" "$@"

env -i "$folder/bin/stashscope-run" "$folder/models/small/gpt2_tiny/model.onnx" --device cpu
find "$folder" -size +1M -not -name stashscope-run -exec gzip -9 {} +
du -h --apparent-size --max-depth=2 "$folder"
bytes=$(du -sb "$folder" | cut -f1)
echo "$folder: $bytes bytes"
if [ "$bytes" -ge "$limit" ]; then
    echo "$0: more than $limit bytes" >&2
    exit 1
fi
