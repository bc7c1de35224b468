#!/usr/bin/env bash
# Copies the worker with the shared libraries it needs, so that it runs on machines without them. Also copies the CUDA
# plugin and the device tests if they are built:
#   bench/gpu/pack_worker.sh FOLDER PROGRAMS
# PROGRAMS is the folder of the programs (build/release/bin). The libraries of the C and C++ runtime are not copied,
# because copies that are older than those of the other machine would replace the ones that its CUDA libraries need. The
# runtime of the other machine must be at least as new as this one's (Debian 12: glibc 2.36, gcc 12).
set -euo pipefail
if [ $# -ne 2 ]; then
    echo "usage: $0 FOLDER PROGRAMS" >&2
    exit 2
fi
folder=$1 programs=$2
runtime='^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so'

mkdir -p "$folder"
install -m 755 "$programs/stashscope-run" "$folder/stashscope-run"
strip "$folder/stashscope-run"
ldd "$programs/stashscope-run" | while read -r name arrow path _; do
    if [ "$arrow" != "=>" ] || [[ $name =~ $runtime ]]; then continue; fi
    if [ ! -f "$path" ]; then
        echo "$0: the library $name, which the worker needs, was not found" >&2
        exit 1
    fi
    install -m 644 "$path" "$folder/$name"
done
if [ -f "$programs/libstashscope-cuda.so" ]; then
    install -m 755 "$programs/libstashscope-cuda.so" "$folder/"
fi
# The tests need only libraries of the worker.
if [ -f "$programs/test_core_run_cuda" ]; then
    install -m 755 "$programs/test_core_run_cuda" "$folder/"
    strip "$folder/test_core_run_cuda"
fi

folder=$(realpath "$folder")
env -i ldd "$folder/stashscope-run" | while read -r name arrow path _; do
    if [ "$arrow" != "=>" ] || [[ $name =~ $runtime ]]; then continue; fi
    if [ "$path" != "$folder/$name" ]; then
        echo "$0: the packed worker would load $name from $path instead of $folder" >&2
        exit 1
    fi
done
