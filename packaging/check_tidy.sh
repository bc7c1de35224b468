#!/usr/bin/env bash
# Fails when clang-tidy 14 finds something in a source file that changed.
#   packaging/check_tidy.sh [BASE]
# BASE is a commit; changed is what differs from where this branch left it, uncommitted work included. Without BASE it
# is the default branch of `origin`, or the previous commit where that is what is checked out. At most
# STASHSCOPE_TIDY_FILES (40) files are checked, those with the most changed lines.
set -euo pipefail
cd "$(dirname "$0")/.."

most_files=${STASHSCOPE_TIDY_FILES:-40}

# The commit that changes are counted from; nothing in a checkout without an earlier one.
base_commit() {
    local head merge_base
    head=$(git rev-parse HEAD)
    for branch in "$@" origin/HEAD origin/main; do
        merge_base=$(git merge-base "$branch" HEAD 2>/dev/null) || continue
        if [ "$merge_base" != "$head" ] || [ $# -gt 0 ]; then
            echo "$merge_base"
            return
        fi
    done
    git rev-parse --quiet --verify HEAD~1 || true
}

# The changed sources of the programs, the most changed first.
changed_sources() {
    git diff --numstat --diff-filter=d --no-renames "$1" -- 'core/*.cpp' 'ui/*.cpp' 'app/*.cpp' |
        while IFS=$'\t' read -r added removed file; do
            echo "$((added + removed)) $file"
        done | sort -rn | cut -d ' ' -f 2
}

# Only what the build compiles here: the CUDA plugin, for example, is not built everywhere.
known_to_the_build() {
    while read -r file; do
        if grep -q "\"file\": \"$PWD/$file\"" build/dev/compile_commands.json; then
            echo "$file"
        else
            echo "not checked, because it is not built here: $file" >&2
        fi
    done
}

if [ $# -gt 0 ] && ! git rev-parse --quiet --verify "$1^{commit}" >/dev/null; then
    echo "$0: '$1' is no commit" >&2
    exit 2
fi
base=$(base_commit "$@")
if [ -z "$base" ]; then
    echo "There is no earlier commit, so nothing counts as changed"
    exit 0
fi
mapfile -t changed < <(changed_sources "$base")
if [ ${#changed[@]} -eq 0 ]; then
    echo "No source of the programs has changed since $(git rev-parse --short "$base")"
    exit 0
fi

# `dev` joins no sources, so every file has its own compile command.
mkdir -p build
cmake --preset dev >build/dev-configure.log || { cat build/dev-configure.log >&2; exit 1; }
mapfile -t files < <(printf '%s\n' "${changed[@]:0:most_files}" | known_to_the_build)
echo "${#changed[@]} sources have changed since $(git rev-parse --short "$base"); checking ${#files[@]}"
[ ${#files[@]} -eq 0 ] && exit 0
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/dev --quiet --warnings-as-errors='*'
