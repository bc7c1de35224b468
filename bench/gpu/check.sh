#!/usr/bin/env bash
# Measures the worker on a machine with an NVIDIA GPU and writes one file of results:
#   check.sh RESULTS [--only MODEL,...] [--part device|correctness|prediction|speed|rest]...
# RESULTS is a JSON file, or a folder for a file named by date and device (bench/results). The machine needs a driver,
# CUDA with cuDNN, and python3 with PyTorch. It needs a C++ compiler and CUDA's headers only if the packed folder has no
# plugin or one built with another CUDA. It needs no Qt, no ONNX libraries and no network. Copy only the folder that
# pack.sh made:
#   here:   bench/gpu/pack.sh FOLDER build/release ../shared
#   there:  FOLDER/check.sh results
# Ends within nine minutes and names what it had no time for. Exit code 0: everything measured is within its bounds;
# 1: something is not, or failed; 2: wrong usage.
#
#   device       kernels, products, convolutions, memory and traces, each against the processor
#   correctness  results against the oracles, with and without plans and passes; the same bits when recomputed
#   prediction   the predicted peak against the measured one: without plans, level 1, planned for 60 % of the peak
#   speed        step time and peak beside PyTorch: eager, fused attention, checkpoints, torch.compile
#   rest         ten parallel paths, the largest batch in little memory, the cost of tracing
set -euo pipefail
folder=$(dirname "$(realpath "$0")")
plugin=$folder/bin/libstashscope-cuda.so

find "$folder" -name '*.gz' -exec gunzip --force {} +

cuda=${CUDA_HOME:-/usr/local/cuda}

# The folders of this name in which PyTorch's packages have parts of CUDA.
folders_of_packages() {
    python3 - "$1" <<'PYTHON'
import pathlib
import sys
import sysconfig
for folder in sorted(pathlib.Path(sysconfig.get_path("purelib"), "nvidia").glob(f"*/{sys.argv[1]}")):
    print(folder)
PYTHON
}

cuda_folders() {
    local candidate
    for candidate in "$cuda"/{lib64,lib,extras/CUPTI/lib64}; do
        if [ -d "$candidate" ]; then echo "$candidate"; fi
    done
    folders_of_packages lib
}

CUDA_FOLDERS=$(cuda_folders | paste -sd:)
export CUDA_FOLDERS

plugin_finds_cuda() {
    [ -f "$plugin" ] && ! LD_LIBRARY_PATH=$CUDA_FOLDERS:${LD_LIBRARY_PATH:-} ldd "$plugin" | grep -q 'not found'
}

if ! plugin_finds_cuda && [ -d "$cuda/include" ]; then
    mapfile -t includes < <(folders_of_packages include)
    "$folder/source/core/run/cuda/plugin/build.sh" "$folder/bin" "$cuda" "${includes[@]}" ||
        echo "$0: building the CUDA plugin failed; nothing can run on the GPU without it" >&2
fi
exec python3 "$folder/check.py" --started "$SECONDS" "$@"
