#!/bin/sh
# On a machine with a GPU: record.sh FOLDER compiles every program of this folder with nvcc, runs it
# and writes what it prints to FOLDER/NAME.gpu.out. Then, anywhere: record.sh --take FOLDER makes these
# the expected outputs (NAME.out) and shows what changed. not_recorded.txt names the programs whose
# expected output is still simt's own.
set -u
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${NVCC:-nvcc}
arch=${ARCH:-sm_90a}

take() {
  for output in "$1"/*.gpu.out; do
    name=$(basename "$output" .gpu.out)
    diff -u "$here/$name.out" "$output" && echo "$name: as expected"
    cp "$output" "$here/$name.out"
    sed -i "/^$name\$/d" "$here/not_recorded.txt"
  done
}

# One program, in a process of its own: its name, the folder.
one() {
  name=$1 folder=$2
  program=$(mktemp)
  if ! "$nvcc" -std=c++17 -gencode "arch=compute_${arch#sm_},code=$arch" "$here/$name.cu" -o "$program" 2> "$folder/$name.err"; then
    echo "$name: nvcc failed"; grep error "$folder/$name.err" | head -5
    rm -f "$program"
    return 1
  fi
  # Named only when it is whole: a program that hangs or crashes leaves no record.
  if timeout -k 5 120 "$program" > "$folder/$name.part" 2> "$folder/$name.err"; then
    mv "$folder/$name.part" "$folder/$name.gpu.out"
    rm -f "$folder/$name.err"
  else
    echo "$name: exit status $?, no record"; head -5 "$folder/$name.err"
  fi
  rm -f "$program"
}

case ${1:-} in
  --one) one "$2" "$3" ;;
  --take) take "$2" ;;
  "" | -*) sed -n '2,5s/^# //p' "$0"; exit 2 ;;
  *)
    mkdir -p "$1"
    ls "$here"/*.cu | sed 's#.*/##; s/\.cu$//' |
      xargs -P "$(nproc)" -I{} "$0" --one {} "$1"
    ls "$1"/*.gpu.out | wc -l
    ;;
esac
