#!/usr/bin/env bash
# Fails when a formatter would change a file. Names those files and says how to format them.
#   format.sh          C++ and CUDA, by clang-format
#   format.sh RUFF     Python, by that ruff
cd "$(dirname "$0")/.." || exit 2
if [ -n "${1-}" ]; then
  bad=$({ "$1" format --no-cache --check . && "$1" check --no-cache .; } 2>&1) && exit 0
else
  files=$(git ls-files -co --exclude-standard '*.cu' '*.cuh' '*.h' '*.cpp' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
  bad=$(xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror <<<"$files" 2>&1 |
    sed -nE 's/^([^:]+):[0-9]+:[0-9]+: (error|warning): code should be.*/\1/p' | sort -u)
  [ -z "$bad" ] && exit 0
fi
printf 'not formatted (run ./warpath format):\n%s\n' "$bad"
exit 1
