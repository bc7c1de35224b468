#!/usr/bin/env bash
# Draws every workspace of the window at the sizes of common screens, in the light and the dark theme, with five models,
# one of which does not fit its device:
#   bench/workspace_pictures.sh PROGRAMS SHARED FOLDER [MODEL...]
# A picture that fails, such as on a busy machine, is tried twice more; then the others are drawn, and the script fails at
# the end.
# PROGRAMS is the folder of the programs (build/release/bin), SHARED the folder with reference models. MODEL limits the
# pictures to these models, such as gpt2_124m.
set -euo pipefail
if [ $# -lt 3 ]; then
    echo "usage: $0 PROGRAMS SHARED FOLDER [MODEL...]" >&2
    exit 2
fi
programs=$1 models=$2/models folder=$3
wanted=${*:4}
mkdir -p "$folder"
export QT_QPA_PLATFORM=offscreen
missing=()

# picture FILE COMMAND...: the command, up to three times, without a picture of an earlier call.
picture() {
    local file=$1
    rm -f "$file"
    for _ in 1 2 3; do
        if "${@:2}" --screenshot "$file"; then return; fi
    done
    missing+=("$file")
}

# draw NAME FILE [OPTION...]: SCALE is the number of pixels per logical pixel.
draw() {
    local name=$1 file=$2
    [ -z "$wanted" ] || [[ " $wanted " == *" $name "* ]] || return 0
    for theme in light dark; do
        for screen in 1366x768:1 1600x1000:1 2560x1440:1 1920x1080:2; do
            local size=${screen%:*} scale=${screen#*:}
            for workspace in overview plan fit order run compare; do
                picture "$folder/${name}_${size}_${scale}_${theme}_$workspace.png" \
                    env QT_SCALE_FACTOR="$scale" "$programs/stashscope" "$file" --size "$size" \
                    --workspace $workspace --theme $theme "${@:3}"
            done
        done
    done
}

draw gpt2_124m "$models/full/gpt2_124m_train_fwd.onnx" --dim inputs_input_ids_dim0=8 --dim inputs_input_ids_dim1=1024
draw resnet50 "$models/full/resnet50_train_fwd.onnx" --dim inputs_pixel_values_dim0=32
draw llama_dynamo "$models/exported/llama_dynamo/model.onnx"
draw swin "$models/exported/swin_dynamo/model.onnx"
# Needs more than the memory of the device.
draw gpt2_xl_1.5b "$models/full/gpt2_xl_1.5b_train_fwd.onnx" --dim inputs_input_ids_dim0=8 \
    --dim inputs_input_ids_dim1=1024
find "$folder" -name '*.png' | wc -l
if [ ${#missing[@]} -gt 0 ]; then
    printf 'no picture after three tries: %s\n' "${missing[@]}" >&2
    exit 1
fi
