#!/usr/bin/env bash
# Everything that needs a GPU, in one go: build, check every rung, reject every wrong kernel, look for bad accesses and
# races with compute-sanitizer, time and save the results. What CI cannot do; run it before a release.
#   tests/gpu.sh [build|simt|check|wrong|sanitize|models|bench|missing|python]…     all but `missing` by default
#                                                        simt: the CPU backend and its tests, by this machine's compiler
#   OPS="softmax reduce" tests/gpu.sh bench              some ops only
#   JOBS=12 tests/gpu.sh check sanitize                  so many ops at a time; 8 by default
#   TOOLS="memcheck racecheck" LIMIT=200 SANITIZE_ARGS=--brief tests/gpu.sh sanitize         some tools, seconds per op
#   SECONDS_LEFT=1200 tests/gpu.sh missing               what the result files lack, until so many seconds are over
#   JOBS=4 BENCH_ARGS="--python python3" tests/gpu.sh bench          so many benches at a time, with these arguments
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 2
build=${WARPATH_BUILD:-$PWD/build}
lab=$build/bin/warpath
ops=${OPS:-all}
steps=${*:-build simt check wrong sanitize models bench python}
status=0
note() { printf '\n=== %s (%ss)\n' "$*" "$SECONDS"; }

# The folders that $OPS names, one per line.
folders() {
  if [ "$ops" != all ]; then
    printf '%s\n' $ops
    return
  fi
  local header folder
  for header in ops/*/*/*.h; do
    folder=$(basename "$(dirname "$header")")
    [ "$(basename "$header" .h)" = "$folder" ] && echo "$folder"
  done
}

# side_by_side NAME COMMAND…: for each op `COMMAND… OP …`, where OP takes its place at {}; a line when it ends, its log in $build/log.
# While one op's references are computed, another's kernels run.
side_by_side() {
  local name=$1
  shift
  mkdir -p "$build/log"
  folders | LOG=$build/log/$name xargs -P "${JOBS:-8}" -I{} bash -c '
    log=$LOG-$1.log
    shift
    begin=$SECONDS
    "$@" >"$log" 2>&1
    code=$?
    printf "%-24s %4ss  %s\n" "$(basename "$log" .log)" "$((SECONDS - begin))" "$(grep -E "checks passed" "$log" | tail -n 1)"
    [ $code = 0 ] && exit
    if [ $code = 124 ]; then
      echo "  not finished in its time"
    else
      grep -E "failed|hazard|ERROR SUMMARY" "$log" | head -n 12 | grep . || tail -n 2 "$log"
    fi
    exit 1' _ {} "$@"
}

for step in $steps; do
  note "$step"
  case $step in
    build)
      # For this machine's GPU alone.
      arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
      [ "$arch" = 90 ] && arch=90a
      cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CUDA_ARCHITECTURES=$arch-real" >"$build.log" 2>&1 &&
        ninja -C "$build" lab backends_cuda >>"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }
      grep -E '^-- peers' "$build.log"
      ;;
    simt)
      ninja -C "$build" all backends_simt backends_checked >>"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }
      # shellcheck disable=SC2086
      "$lab" check $ops --backend simt || status=1
      ctest --test-dir "$build" -j "$(nproc)" -L '^cpu$' -LE '^all$' --output-on-failure || status=1
      ;;
    check) side_by_side check "$lab" check {} --backend cuda --peers || status=1 ;;
    wrong) side_by_side wrong "$lab" check {} --backend cuda --wrong || status=1 ;;
    sanitize)
      # A kernel with a race first: a tool that does not see it would not see others either. Any op that ships one.
      control=$(printf '%s\n' ops/*/*/wrong/missing_barrier.cu | head -n 1)
      control_op=$(basename "$(dirname "$(dirname "$control")")")
      sanitizer="compute-sanitizer --target-processes all --error-exitcode 9 --print-limit 5"
      if $sanitizer --tool racecheck "$lab" check "$control_op" --backend cuda --wrong --rung wrong/missing_barrier >"$build/control.log" 2>&1; then
        tail -n 20 "$build/control.log"
        echo "racecheck did not see the race in $control"
        status=1
      fi
      for tool in ${TOOLS:-memcheck racecheck initcheck synccheck}; do
        note "compute-sanitizer $tool"
        # shellcheck disable=SC2086
        side_by_side "$tool" timeout "${LIMIT:-1200}" $sanitizer --tool $tool "$lab" check {} --backend cuda --timeout 300 ${SANITIZE_ARGS:-} ||
          status=1
      done
      ;;
    models)
      # The tests of training, generating and `warpath image`, which run on a CPU elsewhere. Nothing is installed: a file
      # whose Python packages are not here fails and names them.
      image=warpath-image  # only where libpng and libjpeg are
      ninja -C "$build" -t query $image >/dev/null 2>&1 || image=''
      # shellcheck disable=SC2086
      ninja -C "$build" hosts warpath-models $image >>"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }
      test_file() {
        local log
        log=$build/test-$(basename "$1" .py).log
        WARPATH_PROGRAM=$lab WARPATH_BACKEND=cuda "${WARPATH_PYTHON:-python3}" -B -m pytest -q -p no:cacheprovider "$1" >"$log" 2>&1
        local code=$?
        printf '%-24s %s\n' "$(basename "$1" .py)" "$(tail -n 1 "$log" | tr -d =)"
        [ $code = 0 ] && return
        grep -E '^(E  |FAILED|ERROR)|No module' "$log" | head -n 20
        return 1
      }
      export build lab
      export -f test_file
      printf '%s\n' tests/models/test_*.py ${image:+tests/image/test_*.py} |
        xargs -P "${JOBS:-4}" -I{} bash -c 'test_file {}' || status=1
      ;;
    bench)
      # Several side by side: each takes its turn at the GPU, and computes references while others have theirs.
      # shellcheck disable=SC2086
      folders | xargs -P "${JOBS:-4}" -I{} "$lab" bench {} --backend cuda --save ${BENCH_ARGS:-} || status=1
      "$lab" tables || status=1
      ;;
    missing)
      end=$(($(date +%s) + ${SECONDS_LEFT:-1000000}))
      measure() {
        local left=$((end - $(date +%s)))
        # shellcheck disable=SC2086
        [ "$left" -le 0 ] || "$lab" bench "$1" --backend cuda --missing --within "$left" ${BENCH_ARGS:-}
      }
      export end lab
      export -f measure
      # Op by op, the one with the most urgent case first.
      # shellcheck disable=SC2086
      "$lab" bench $ops --missing --list --json |
        python3 -c 'import json, sys; print(*dict.fromkeys(m["folder"] for m in json.load(sys.stdin)["missing"]), sep="\n")' |
        xargs -r -P "${JOBS:-4}" -I{} bash -c 'measure {}' || status=1
      "$lab" tables || status=1
      ;;
    python) tests/gpu_python.sh || status=1 ;;  # with the python3 that is here, or WARPATH_PYTHON
    *) echo "unknown step '$step'"; exit 2 ;;
  esac
done
exit $status
