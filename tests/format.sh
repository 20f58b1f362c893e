#!/usr/bin/env bash
# Fails on the first files that clang-format would change, and says how to mend them.
cd "$(dirname "$0")/.." || exit 2
bad=$(git ls-files -co --exclude-standard '*.cu' '*.cuh' '*.h' '*.cpp' | while read -r f; do
  [ -f "$f" ] && ! clang-format --dry-run -Werror "$f" >/dev/null 2>&1 && echo "$f"
done)
[ -z "$bad" ] && exit 0
printf 'not formatted (run ./warpath format):\n%s\n' "$bad"
exit 1
