#!/usr/bin/env bash
# What travels to a machine with a GPU works by itself:
#   packed_test.sh worker|ten_paths|peers SOURCE PROGRAMS
# Exit code 77: PyTorch is not here.
set -euo pipefail
what=$1 bench=$2/bench/gpu samples=$2/resources/samples programs=$3
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
        # The 11 inputs are 2.75 MiB of it.
        expect "3.50 MiB measured" "$("$programs/stashscope-run" "$folder/ten_paths.onnx" --freeze '*')"
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
        echo "usage: $0 worker|ten_paths|peers SOURCE PROGRAMS" >&2
        exit 2
        ;;
esac
