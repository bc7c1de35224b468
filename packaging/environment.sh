#!/usr/bin/env bash
# Makes a Python environment and installs packages into it.
# usage: environment.sh FOLDER PACKAGE...
set -euo pipefail

folder=$1
shift
if [ ! -x "$folder/bin/pip" ]; then
    if ! python3 -c "import ensurepip" 2>/dev/null; then
        as_root=()
        [ "$(id -u)" -eq 0 ] || as_root=(sudo)
        "${as_root[@]}" apt-get install -y -q --no-install-recommends python3-venv
    fi
    python3 -m venv "$folder"
fi
"$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
