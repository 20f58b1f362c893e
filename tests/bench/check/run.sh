#!/bin/sh
# What the checks cost: run.sh PATH/TO/warpath-cc. One line a kernel, the medians last.
set -e
cc=${1:?usage: run.sh PATH/TO/warpath-cc}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cc" -O2 "$here/bench.cu" -o "$folder/plain"
"$cc" -O2 --check "$here/bench.cu" -o "$folder/check"
"$folder/plain" > "$folder/plain.txt"
"$folder/check" > "$folder/check.txt"
SIMT_CHECK=race "$folder/check" > "$folder/race.txt"
printf '%-12s %10s %10s %7s %10s %7s\n' kernel 'plain ms' '--check' ratio race ratio
paste -d ' ' "$folder/plain.txt" "$folder/check.txt" "$folder/race.txt" |
  awk '{ printf "%-12s %10.3f %10.3f %6.1fx %10.3f %6.1fx\n", $1, $2, $4, $4 / $2, $6, $6 / $2
         print $4 / $2 > all; print $6 / $2 > race }' all="$folder/all" race="$folder/only"
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.1f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
echo "median: --check $(median "$folder/all")x, race alone $(median "$folder/only")x"
