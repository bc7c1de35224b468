#!/usr/bin/env bash
# Tests that the files for a machine with a GPU work without the rest of the project:
#   packed_test.sh worker|ten_paths|device_tests|plugin|correctness|peers SOURCE PROGRAMS [CUDA|SHARED]
# Exit code 77: PyTorch or the reference models are missing.
set -euo pipefail
what=$1 source=$2 bench=$2/bench/gpu samples=$2/resources/samples programs=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() {
    if [[ $2 != *"$1"* ]]; then
        printf 'expected: %s\nfound: %s\n' "$1" "$2" >&2
        exit 1
    fi
}

case $what in
    worker)
        "$bench/pack_worker.sh" "$folder/bin" "$programs"
        cp "$samples/mlp_gelu.onnx" "$folder/"
        cd "$folder"
        expect "largest difference 0 B" "$(env -i bin/stashscope-run mlp_gelu.onnx --device cpu)"
        ;;
    ten_paths)
        python3 "$bench/ten_paths.py" "$folder/ten_paths.onnx"
        # The 11 inputs take 2.75 MiB of it.
        expect "3.50 MiB measured" "$("$programs/stashscope-run" "$folder/ten_paths.onnx" --freeze '*')"
        ;;
    device_tests)
        # The tests that check.py runs on a device need no files of the sources: the only fault is the missing driver.
        "$bench/pack_worker.sh" "$folder/bin" "$programs"
        cp "$bench"/{check,measuring,cases}.py "$folder/"
        python3 "$(dirname "$0")/away_from_sources.py" "$folder/bin/test_core_run_cuda" "$source"
        export PYTHONDONTWRITEBYTECODE=1
        python3 "$folder/check.py" "$folder/results.json" --device cuda:0 --part device || true
        python3 "$(dirname "$0")/failed_for_want_of.py" "no NVIDIA driver" "$folder/results.json"
        ;;
    plugin)
        "$bench/pack_plugin.sh" "$folder/source"
        "$bench/pack_worker.sh" "$folder/bin" "$programs"
        rm "$folder/bin/libstashscope-cuda.so"
        "$folder/source/core/run/cuda/plugin/build.sh" "$folder/bin" "$4"
        said=$("$folder/bin/stashscope-run" "$samples/mlp_gelu.onnx" --device cuda 2>&1 || true)
        # A plugin of the worker's version opens and misses only the driver.
        [[ $said == *measured* ]] || expect "no NVIDIA driver" "$said"
        ;;
    correctness)
        if [ ! -d "$4/models/small" ]; then
            echo "$4/models/small is missing"
            exit 77
        fi
        export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
        only=gpt2_tiny,bert_tiny_dropout
        "$bench/pack.sh" "$folder/packed" "$(dirname "$programs")" "$4" --seconds 1 --only "$only"
        "$folder/packed/check.sh" "$folder/results.json" --device cpu --part correctness --only "$only"
        python3 "$(dirname "$0")/rows_of.py" "$folder/results.json" "gpt2_tiny, plain" "gpt2_tiny, optimized, level 1" \
            "gpt2_tiny, recomputed" "bert_tiny_dropout, recomputed" "gpt2_tiny, float16"
        ;;
    peers)
        python3 -c "import torch" 2>/dev/null || exit 77
        export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
        for model in gpt2_124m bert_base llama_7b_4of32layers resnet50; do
            measured=$(python3 "$bench/peer_torch.py" "$model" --tiny --device cpu --batch 2 --sequence 16 --warm-up 0 \
                --repeat 1 --ways eager,fused-checkpoint)
            expect '"way": "eager"' "$measured"
            expect '"way": "fused-checkpoint"' "$measured"
        done
        ;;
    *)
        echo "usage: $0 worker|ten_paths|device_tests|plugin|correctness|peers SOURCE PROGRAMS [CUDA|SHARED]" >&2
        exit 2
        ;;
esac
