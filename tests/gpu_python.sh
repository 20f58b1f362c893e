#!/usr/bin/env bash
# The Python package on a GPU, with the installed Python. Installs nothing; reports what is missing and leaves it out.
# `tests/gpu.sh python` calls it. Results go to BUILD/python-gpu: one log per test file, compare-OP.json, overhead.json.
#   tests/gpu_python.sh [build|test|overhead|compare]…     all of them by default
#   WARPATH_PYTHON=/opt/venv/bin/python tests/gpu_python.sh          another Python than python3; it must have torch
#   PYTHONPATH=folder tests/gpu_python.sh                            packages that it lacks, as pytest and pandas
#   TESTS=python/tests/test_cuda.py tests/gpu_python.sh test         some test files; OPS="softmax reduce" compares some ops
#   WARPATH_SECONDS=240 tests/gpu_python.sh                          tests and comparisons begun by then, no more after
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 2
build=${WARPATH_BUILD:-$PWD/build}
python=${WARPATH_PYTHON:-python3}
out=$build/python-gpu
steps=${*:-build test overhead compare}
limit=${WARPATH_SECONDS:-240}
jobs=$(nproc 2>/dev/null || echo 2)
status=0
note() { printf '\n=== python: %s (%ss)\n' "$*" "$SECONDS"; }
has() { "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)"; }

has torch || { echo "$python has no torch: name a Python that has it in WARPATH_PYTHON"; exit 2; }
mkdir -p "$out"
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# For Torch's extension builder: only the GPU of this machine, not all architectures.
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-${arch:-9.0}}

configure() {
  local torch
  torch=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWARPATH_TESTS=OFF -DWARPATH_TORCH="$torch" \
    -DWARPATH_PYTHON="$(command -v "$python")" "$@" >"$out/build.log" 2>&1
}

# One test file, or one test, in a process of its own: a fault on the GPU ends everything else in its process.
run_one() {
  local log
  log=$out/test-$(basename "$1" | tr -c 'a-zA-Z0-9_\n' -).log
  timeout "$test_limit" "$python" -m pytest -q -rs -p no:cacheprovider "$1" >"$log" 2>&1
  local code=$?
  printf '%-52s %s\n' "$(basename "$1")" "$(tail -n 1 "$log" | tr -d =)$([ $code = 124 ] && echo ' (stopped)')"
  [ $code = 0 ] || [ $code = 5 ]  # 5: nothing to run
}
export -f run_one
export python out
export test_limit=$((limit / 2))

for step in $steps; do
  note "$step"
  case $step in
    build)
      # The lab needs more libraries than the package does.
      configure || configure -DWARPATH_LAB=OFF || { tail -n 30 "$out/build.log"; exit 1; }
      ninja -C "$build" warpath_python warpath_python_cuda >>"$out/build.log" 2>&1 || { grep -A20 -m1 FAILED "$out/build.log"; exit 1; }
      "$python" - <<'PYTHON' || exit 1
import importlib.util, torch, warpath
print("torch", torch.__version__, torch.cuda.get_device_name() if torch.cuda.is_available() else "without a GPU")
for name in ("triton", "numpy", "pandas", "matplotlib", "onnx", "onnxruntime", "wgpu", "tensorrt", "pytest"):
    print(f"  {name}:", "there" if importlib.util.find_spec(name) else "missing")
print({op: len(warpath.rungs(op, "cuda")) for op in warpath.ops()}, "rungs for CUDA")
PYTHON
      ;;
    test)
      if ! has pytest; then
        echo "skipped: $python has no pytest; a folder with it in PYTHONPATH will do"
        continue
      fi
      # Triton compiles for each case, and nvcc takes long for each extension: these run one by one.
      { for file in ${TESTS:-python/tests/test_*.py}; do
          case $file in
            */test_twins.py | */test_extension.py)
              "$python" -m pytest -q -p no:cacheprovider --collect-only "$file" 2>/dev/null | grep '::'
              ;;
            *) echo "$file" ;;
          esac
        done; } |
        xargs -P "$jobs" -I{} bash -c 'run_one "$1"' _ {} || status=1
      grep -hE '^(FAILED|ERROR|SKIPPED)' "$out"/test-*.log | sort | uniq -c | sort -rn | cut -c1-220 | head -n 60
      ;;
    overhead)
      "$python" -m warpath overhead --json >"$out/overhead.json" && "$python" -m warpath overhead || status=1
      ;;
    compare)
      # One at a time, because the GPU is being measured.
      for op in ${OPS:-$("$python" -c 'import warpath; print(*warpath.ops())')}; do
        left=$((limit - SECONDS))
        [ $left -gt 5 ] || { echo "compare $op: skipped, the ${limit} s are over (WARPATH_SECONDS)"; continue; }
        timeout $left "$python" -m warpath compare "$op" --output "$out/compare-$op.json" 2>"$out/compare-$op.log"
        code=$?
        [ $code = 0 ] || { status=1; tail -n 3 "$out/compare-$op.log"; echo "compare $op ended with $code"; }
      done
      ;;
    *) echo "unknown step '$step'"; exit 2 ;;
  esac
done
note "done"
exit $status
