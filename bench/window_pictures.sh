#!/usr/bin/env bash
# Draws the window and each of its panels with three models, in the light and the dark theme, and one model with large
# text:
#   bench/window_pictures.sh PROGRAMS SHARED FOLDER
# PROGRAMS is the folder of the programs (build/release/bin), SHARED the folder with reference models.
set -euo pipefail
if [ $# -ne 3 ]; then
    echo "usage: $0 PROGRAMS SHARED FOLDER" >&2
    exit 2
fi
programs=$1 models=$2/models/full folder=$3
mkdir -p "$folder"
for theme in light dark; do
    draw() { "$programs/bench_window_pictures" "$models/$1_train_fwd.onnx" "$folder" "$theme" "${@:2}"; }
    draw gpt2_124m 100 inputs_input_ids_dim0=8 inputs_input_ids_dim1=1024
    draw resnet50 100 inputs_pixel_values_dim0=8  # small enough to run
    draw bloom_3layer_h2560 100
    draw resnet50 150 inputs_pixel_values_dim0=8
done
ls "$folder"
