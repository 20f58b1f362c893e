#!/bin/sh
# Builds and runs simt's speed benchmarks: run.sh PATH/TO/warpath-cc [--json]
set -e
cc=${1:?usage: run.sh PATH/TO/warpath-cc [--json]}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in bench shapes; do
  "$cc" -O2 "$here/$name.cu" -o "$folder/$name"
  "$folder/$name" ${2:+"$2"}
done
