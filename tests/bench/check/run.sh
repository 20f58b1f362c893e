#!/bin/sh
# What the checks cost: run.sh PATH/TO/warpath-cc. One line per kernel, the medians last. The programs take turns, five
# times, and the shortest time of each counts, because other load on the machine only adds to a time.
set -e
cc=${1:?usage: run.sh PATH/TO/warpath-cc}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cc" -O2 "$here/bench.cu" -o "$folder/plain"
"$cc" -O2 --check "$here/bench.cu" -o "$folder/check"
for turn in 1 2 3 4 5; do
  "$folder/plain" >> "$folder/plain.txt"
  "$folder/check" >> "$folder/check.txt"
  SIMT_CHECK=race "$folder/check" >> "$folder/race.txt"
done
for run in plain check race; do
  awk '!($1 in least) { least[$1] = $2; names[++count] = $1 }
       $2 < least[$1] { least[$1] = $2 }
       END { for (i = 1; i <= count; ++i) print names[i], least[names[i]] }' \
    "$folder/$run.txt" > "$folder/$run.least"
done
printf '%-12s %10s %10s %7s %10s %7s\n' kernel 'plain ms' '--check' ratio race ratio
paste -d ' ' "$folder/plain.least" "$folder/check.least" "$folder/race.least" |
  awk '{ printf "%-12s %10.3f %10.3f %6.1fx %10.3f %6.1fx\n", $1, $2, $4, $4 / $2, $6, $6 / $2
         print $4 / $2 > all; print $6 / $2 > race }' all="$folder/all" race="$folder/only"
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.1f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
echo "median: --check $(median "$folder/all")x, race alone $(median "$folder/only")x"
