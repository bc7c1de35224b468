#!/usr/bin/env bash
# Makes a folder to copy to a machine with a GPU; check.sh in it measures there:
#   bench/gpu/pack.sh FOLDER BUILD SHARED [--seconds N] [--only MODEL,...]
# BUILD is a build of the project (build/release), SHARED the folder with reference models, --seconds the planner's
# time for each budget (default 25). With --only, the folder has only these small models and none of full size.
# Needs strip and Python 3. FOLDER must be empty or missing.
# Large files are compressed; check.sh unpacks them. The folder also has the plugin's sources: check.sh builds the
# plugin if the built one (BUILD/bin/libstashscope-cuda.so) is missing or finds no CUDA of its version.
set -euo pipefail
if [ $# -lt 3 ]; then
    echo "usage: $0 FOLDER BUILD SHARED [--seconds N] [--only MODEL,...]" >&2
    exit 2
fi
folder=$1 build=$2 models=$3/models
shift 3
seconds=25 only=
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=$2 ;;
        --only) only=$2 ;;
        *)
            echo "$0: unknown option '$1'; use --seconds or --only" >&2
            exit 2
            ;;
    esac
    shift 2
done
here=$(dirname "$(realpath "$0")")
limit=$((64 * 1024 * 1024))

if [ -n "$(ls -A "$folder" 2>/dev/null)" ]; then
    echo "$0: $folder is not empty; name an empty or a new folder" >&2
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

"$here/pack_worker.sh" "$folder/bin" "$build/bin"
small_models=${only//,/ }
full_models=
if [ -z "$only" ]; then
    small_models=$(names 'cases.ORACLES + cases.WITHOUT_ORACLE')
    full_models=$(names '{case.model for case in cases.CASES}')
fi
for name in $small_models; do copy_small_model "$name"; done
mkdir -p "$folder/models/full"
for name in $full_models; do
    cp "$models/full/${name}_train_fwd.onnx" "$folder/models/full/"
done
python3 "$here/ten_paths.py" "$folder/models/ten_paths.onnx"
cp "$here"/{check.sh,check.py,measuring.py,cases.py,peer_torch.py,models_torch.py} "$folder/"
"$here/pack_plugin.sh" "$folder/source"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/sessions.py" "$build/bin/stashscope" "$folder" --seconds "$seconds" \
    ${only:+--only "$only"}

env -i "$folder/bin/stashscope-run" "$folder/models/ten_paths.onnx" --device cpu
find "$folder" -size +1M -not -name stashscope-run -exec gzip -9 {} +
du -h --apparent-size --max-depth=2 "$folder"
bytes=$(du -sb "$folder" | cut -f1)
echo "$folder: $bytes bytes"
if [ "$bytes" -ge "$limit" ]; then
    echo "$0: $folder is larger than $limit bytes, which is too large to copy to the machine" >&2
    exit 1
fi
