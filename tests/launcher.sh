#!/usr/bin/env bash
# The launcher as a newcomer meets it. $1: the build folder of this run; $2: `missing`, what it says where parts are missing
# (in build folders of its own), or `built`, where all is there.
cd "$(dirname "$0")/.." || exit 2
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
expect() { # what, condition…
  local what=$1
  shift
  if "$@"; then echo "ok    $what"; else
    echo "FAIL  $what"
    status=1
  fi
}

missing() {
  # A machine that has everything except Ninja: its PATH is a folder of links.
  mkdir "$work/bin"
  ln -sf /usr/bin/* /bin/* "$work/bin/" 2>/dev/null
  rm -f "$work/bin/ninja" "$work/bin/sudo"
  PATH=$work/bin WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath run softmax >"$work/out" 2>"$work/err"
  code=$?
  expect "a missing part ends with 2" [ $code -eq 2 ]
  expect "it is named" grep -q 'missing: Ninja' "$work/err"
  expect "with the command to type" grep -qE 'apt-get install -y ninja-build|dnf install -y|brew install ninja' "$work/err"

  # A machine without OpenBLAS: the compiler does not find its header. Only programs that call cuBLAS need it.
  mkdir "$work/no_blas"
  cat >"$work/no_blas/g++" <<'END'
#!/usr/bin/env bash
[[ "$*" == *-fsyntax-only* ]] || exit 1
! grep -q cblas.h
END
  chmod +x "$work/no_blas/g++"
  printf '#include <cublas_v2.h>\n' >"$work/blas.cu"
  printf '#include "blas.cu"\n' >"$work/by_header.cu"
  for words in "cc $work/blas.cu" "cc $work/by_header.cu" "cc plain.cu -lcublas" "cc plain.cu -l cublasLt" "debug $work/blas.cu" "xray $work/blas.cu"; do
    # shellcheck disable=SC2086
    PATH=$work/no_blas:$PATH WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath $words >"$work/out" 2>"$work/err"
    expect "cuBLAS asks for OpenBLAS: ${words##*/}" grep -q 'missing: OpenBLAS' "$work/err"
  done
  # Ninja is missing too, or this would build the compiler.
  PATH=$work/no_blas:$work/bin WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath cc plain.cu >"$work/out" 2>"$work/err"
  expect "other programs do not" grep -q 'missing: Ninja\.' "$work/err"
  # A machine without CCCL: CCCL_HOME names a folder that has none. What simt has of its own does not need it.
  printf '#include <thrust/sort.h>\n' >"$work/sorts.cu"
  printf '#include "sorts.cu"\n' >"$work/sorts_by_header.cu"
  printf '#  include <cuda/ptx>\n' >"$work/ptx.cu"
  printf '#include <cub/cub.cuh>\n#include <cuda/std/limits>\n#include <cuda/atomic>\n#include "cuda/own.h"\n' >"$work/own_headers.cu"
  for words in "cc $work/sorts.cu" "cc -O2 $work/sorts_by_header.cu" "cc $work/ptx.cu" "debug $work/sorts.cu" "xray $work/sorts.cu"; do
    # shellcheck disable=SC2086
    CCCL_HOME=$work/none WARPATH_BUILD=$work/ready WARPATH_NO_INSTALL=1 ./warpath $words >"$work/out" 2>"$work/err"
    code=$?
    expect "CCCL is asked for: ${words##*/}" grep -q 'CCCL, the headers of Thrust and cuda/ptx: missing' "$work/err"
    expect "and that ends with 2" [ $code -eq 2 ]
    expect "with the command to type" grep -q 'install --no-deps nvidia-cuda-cccl==' "$work/err"
  done
  CCCL_HOME=$work/none PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS='' WARPATH_BUILD=$work/ready ./warpath cc "$work/sorts.cu" \
    >"$work/out" 2>"$work/err"
  expect "without a network it says why" grep -q 'could not be fetched (is there a network?' "$work/err"
  mkdir -p "$work/has/cuda/std/__cccl" "$work/has/thrust"
  touch "$work/has/cuda/std/__cccl/compiler.h" "$work/has/thrust/version.h"
  # Ninja is missing too, or these would build the compiler.
  for words in "$work/none cc $work/own_headers.cu" "$work/has cc $work/sorts.cu"; do
    # shellcheck disable=SC2086
    PATH=$work/bin CCCL_HOME=${words%% *} WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath ${words#* } >"$work/out" 2>"$work/err"
    expect "nobody asks for CCCL: ${words##*/}" bash -c 'grep -q "missing: Ninja" "$1" && ! grep -q CCCL "$1"' - "$work/err"
  done
  # The same for libpng and libjpeg, which only `image` needs.
  mkdir "$work/no_png"
  cat >"$work/no_png/g++" <<'END'
#!/usr/bin/env bash
cat >/dev/null
case "$*" in *-lpng* | *-ljpeg*) exit 1 ;; *) exit 0 ;; esac
END
  chmod +x "$work/no_png/g++"
  PATH=$work/no_png:$PATH WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath image >"$work/out" 2>"$work/err"
  code=$?
  expect "image without its libraries ends with 2" [ $code -eq 2 ]
  expect "they are named" grep -q 'missing: libpng, libjpeg' "$work/err"
  PATH=$work/no_png:$work/bin WARPATH_BUILD=$work/build WARPATH_NO_INSTALL=1 ./warpath run softmax >"$work/out" 2>"$work/err"
  expect "other commands do not need them" grep -q 'missing: Ninja\.' "$work/err"
  rm -rf "$work/build"

  # A build folder of clang's has no checks.
  mkdir "$work/clang"
  touch "$work/clang/build.ninja" "$work/clang/.configured" "$work/clang/.installed"
  printf 'WARPATH_CUDA:BOOL=ON\nWARPATH_CHECKS:INTERNAL=0\n' >"$work/clang/CMakeCache.txt"
  WARPATH_BUILD=$work/clang WARPATH_NO_INSTALL=1 ./warpath check softmax --sanitize >"$work/out" 2>"$work/err"
  code=$?
  expect "--sanitize in a folder of clang's ends with 2" [ $code -eq 2 ]
  expect "one line says that it needs g++" grep -qx 'warpath: --sanitize needs g++, .* ./warpath check softmax --sanitize' "$work/err"
  expect "and no other" [ "$(wc -l <"$work/err")" -eq 1 ]

  # No network: pip finds nothing.
  PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS='' WARPATH_BUILD=$work/build ./warpath python -c 0 >"$work/out" 2>"$work/err"
  code=$?
  expect "Python parts that cannot be fetched end with 2" [ $code -eq 2 ]
  expect "it says why" grep -q 'could not be fetched (is there a network?)' "$work/err"
  expect "with the command to type" grep -q 'install -r .*python/requirements.txt' "$work/err"
}

built() {
  # A rung in gdb is not taken for a program.
  WARPATH_BUILD=$build ./warpath debug vector_add >"$work/out" 2>"$work/err"
  expect "debug of an op asks for the rung" grep -q 'which rung of vector_add' "$work/err"
  WARPATH_BUILD=$build ./warpath debug ./no-such-program >"$work/out" 2>"$work/err"
  expect "debug of no program says so" grep -q 'no such file' "$work/err"

  # Help needs the program and none of the kernels. Ninja is a script that notes what it is asked for.
  mkdir "$work/ninja"
  printf '#!/usr/bin/env bash\necho "$*" >>%q\n' "$work/asked" >"$work/ninja/ninja"
  chmod +x "$work/ninja/ninja"
  for words in 'check --help' 'run -h' 'ops --help' 'help check' 'train --help' 'image --help' 'cc --help' 'help' \
    'help python' 'python -h' 'test --help' 'format --help'; do
    : >"$work/asked"
    # shellcheck disable=SC2086
    PATH=$work/ninja:$PATH WARPATH_BUILD=$build ./warpath $words >"$work/out" 2>"$work/err"
    code=$?
    expect "$words builds no kernels" bash -c '! grep -qE "backends_|hosts|_simt|_host|simt_" "$1"' - "$work/asked"
    expect "$words ends with 0" [ $code -eq 0 ]
    expect "$words helps" grep -qi 'usage' "$work/out"
  done

  # Triton kernels of a script have a driver only where a GPU is.
  if [ -x "$build/venv/bin/python" ] && ! { [ -e /dev/nvidia0 ] && command -v nvcc >/dev/null; }; then
    for set in '' 0; do
      env ${set:+TRITON_INTERPRET=$set} PATH="$work/ninja:$PATH" WARPATH_BUILD="$build" ./warpath python -c \
        'import os; print(os.environ["TRITON_INTERPRET"])' >"$work/out" 2>"$work/err"
      expect "python without a GPU interprets Triton: ${set:-1}" grep -qx "${set:-1}" "$work/out"
    done
  fi

  # What is wrong with the words is said before the kernels are built; so are times where no GPU is.
  for words in 'check softmax no-such-file.cu' 'run softmax --nosuch' 'check softmax --seed x' 'train --dtype f65' \
    'train --data ./no-such-text' 'train --resume --out ./no-such-run' 'generate --model ./no-such-model'; do
    rm -f "$work/asked"
    # shellcheck disable=SC2086
    PATH=$work/ninja:$PATH WARPATH_BUILD=$build ./warpath $words >"$work/out" 2>"$work/err"
    code=$?
    expect "$words ends with 2" [ $code -eq 2 ]
    expect "$words is told in one line" [ "$(wc -l <"$work/err")" -eq 1 ]
    expect "$words builds no kernels" bash -c '! grep -qE "_simt|_host|_parts" "$1"' - "$work/asked"
  done
  rm -f "$work/asked"
  PATH=$work/ninja:$PATH WARPATH_BUILD=$build ./warpath check softmax --rung 01 --case one --brief >"$work/out" 2>"$work/err"
  expect "what is right has its kernels built" grep -q 'softmax_simt' "$work/asked"
  if ! { [ -e /dev/nvidia0 ] && command -v nvcc >/dev/null; }; then
    rm -f "$work/asked"
    PATH=$work/ninja:$PATH WARPATH_BUILD=$build ./warpath bench all >"$work/out" 2>"$work/err"
    code=$?
    expect "bench without a GPU ends with 2" [ $code -eq 2 ]
    expect "it says why" grep -q 'times need an NVIDIA GPU' "$work/err"
    expect "bench without a GPU builds no kernels" bash -c '! grep -qE "backends_|_simt|_host" "$1"' - "$work/asked"
  fi

  # Nothing to build: the launcher adds little. Measured 0.08 s on two idle cores; other tests may run at the same time.
  WARPATH_BUILD=$build ./warpath --version >/dev/null 2>&1
  start=$(date +%s%N)
  WARPATH_BUILD=$build ./warpath --version >"$work/out" 2>"$work/err"
  took=$((($(date +%s%N) - start) / 1000000))
  expect "a start with nothing to build takes under a second ($took ms)" [ $took -lt 1000 ]
  expect "and says nothing of its own" [ ! -s "$work/err" ]
}

case $2 in
  missing | built) "$2" ;;
  *) exit 2 ;;
esac
exit $status
