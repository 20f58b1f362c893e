#!/usr/bin/env bash
# Everything that needs a GPU, in one go: build, check every rung, reject every wrong kernel, look for bad accesses and
# races with compute-sanitizer, time and save the results. What CI cannot do; run it before a release.
#   tests/gpu.sh [build|simt|check|wrong|sanitize|models|bench|missing|python]…     all but `missing` by default
#                                                        simt: the CPU backend and its tests, by this machine's compiler
#   OPS="softmax reduce" tests/gpu.sh bench              some ops only
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

for step in $steps; do
  note "$step"
  case $step in
    build)
      cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$build.log" 2>&1 &&
        ninja -C "$build" lab backends_cuda >>"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }
      grep -E '^-- peers' "$build.log"
      ;;
    simt)
      ninja -C "$build" all backends_simt backends_checked >>"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }
      # shellcheck disable=SC2086
      "$lab" check $ops --backend simt || status=1
      ctest --test-dir "$build" -j "$(nproc)" -L '^cpu$' -LE '^all$' --output-on-failure || status=1
      ;;
    # shellcheck disable=SC2086
    check) "$lab" check $ops --backend cuda --peers || status=1 ;;
    wrong) "$lab" check $ops --backend cuda --wrong || status=1 ;;
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
      for tool in memcheck racecheck initcheck synccheck; do
        note "compute-sanitizer $tool"
        # shellcheck disable=SC2086
        $sanitizer --tool $tool "$lab" check $ops --backend cuda --timeout 300 ${SANITIZE_ARGS:-} || status=1
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
      names=$ops
      [ "$ops" != all ] || names=$(for header in ops/*/*/*.h; do
        [ "$(basename "$header" .h)" = "$(basename "$(dirname "$header")")" ] && basename "$header" .h
      done)
      # shellcheck disable=SC2086
      printf '%s\n' $names | xargs -P "${JOBS:-4}" -I{} "$lab" bench {} --backend cuda --save ${BENCH_ARGS:-} || status=1
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
