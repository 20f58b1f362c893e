#!/usr/bin/env bash
# Fails when clang-format (or ruff, where it is installed) would change a file. Names those files and says how to format
# them.
cd "$(dirname "$0")/.." || exit 2
files=$(git ls-files -co --exclude-standard '*.cu' '*.cuh' '*.h' '*.cpp' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
bad=$(xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror <<<"$files" 2>&1 |
  sed -nE 's/^([^:]+):[0-9]+:[0-9]+: (error|warning): code should be.*/\1/p' | sort -u)
command -v ruff >/dev/null &&
  bad+=$({ ruff format --check .; ruff check .; } 2>&1 | grep -vE 'already formatted|All checks passed')
[ -z "$bad" ] && exit 0
printf 'not formatted (run ./warpath format):\n%s\n' "$bad"
exit 1
