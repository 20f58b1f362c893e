#!/bin/sh
# Builds and runs simt's speed benchmark: run.sh PATH/TO/warpath-cc [--json]
set -e
cc=${1:?usage: run.sh PATH/TO/warpath-cc [--json]}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cc" -O2 "$here/bench.cu" -o "$folder/bench"
"$folder/bench" ${2:+"$2"}
