#!/usr/bin/env bash
# Copies the worker, and where they are built the CUDA plugin and the tests of devices, with the shared libraries that
# it needs beside it, so that it runs where none is installed:
#   bench/gpu/pack_worker.sh FOLDER PROGRAMS
# PROGRAMS is where the programs are (build/release/bin). The libraries of the C and C++ runtime stay behind: those
# of the other machine must be as new as this one's (Debian 12: glibc 2.36, gcc 12), and older ones beside the
# worker would be taken in the place of those that the libraries of CUDA there need.
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
        echo "$0: $name is not found" >&2
        exit 1
    fi
    install -m 644 "$path" "$folder/$name"
done
if [ -f "$programs/libstashscope-cuda.so" ]; then
    install -m 755 "$programs/libstashscope-cuda.so" "$folder/"
fi
# Its libraries are among the worker's.
if [ -f "$programs/test_core_run_cuda" ]; then
    install -m 755 "$programs/test_core_run_cuda" "$folder/"
    strip "$folder/test_core_run_cuda"
fi

folder=$(realpath "$folder")
env -i ldd "$folder/stashscope-run" | while read -r name arrow path _; do
    if [ "$arrow" != "=>" ] || [[ $name =~ $runtime ]]; then continue; fi
    if [ "$path" != "$folder/$name" ]; then
        echo "$0: $name would be taken from $path" >&2
        exit 1
    fi
done
