#!/usr/bin/env bash
# Installs the Debian 12 packages that the build and the tests of Stashscope need. Does nothing if all are installed.
# packaging/check_install.py reads the list and fails if the build or the tests use a file of another package.
set -euo pipefail

packages=(
    build-essential cmake ninja-build pkg-config
    qt6-base-dev fonts-dejavu-core
    libgraphviz-dev libonnx-dev libprotobuf-dev protobuf-compiler libdnnl-dev
    libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev libbenchmark-dev
    python3 xvfb xauth
)

missing=()
for package in "${packages[@]}"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed"; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages: ${missing[*]}. Install them as root, or install sudo." >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
