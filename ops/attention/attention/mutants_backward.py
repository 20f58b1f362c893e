"""What tests/mutants.py breaks: the last rung of the backward pass."""

import runpy
from pathlib import Path

RUNG = "backward_05_wgmma_sm90.cu"
OTHERS = []
HOST = ["inputs.cpp", "reference.cpp"]
CALLS = [r"__syncwarp\(\)", r"release\(.*\)", r"meet\(\d\)"]
UNUSED = [
    "reduce.cuh",
    "softmax_stat.cuh",
    "ring.cuh",
    "mainloop.cuh",
    "staging.cuh",
    "hopper_tile.cuh",
]

EDITS = [
    # One type without soft cap is enough, and compiles soon.
    ("backward_05_wgmma_sm90.cu", r"dispatch<__half, __nv_bfloat16>", "dispatch<__nv_bfloat16>"),
    ("backward_05_wgmma_sm90.cu", r"else if \(is_general(?:.|\n)*?else if", "else if"),
]

PROGRAM = (
    runpy.run_path(str(Path(__file__).with_name("mutants.py")))["TENSORS"]
    + r"""
namespace warpath::attention {
void prepare_backward(const Backward& args);
void backward_reference(const Backward& args, const Backward& scale);
}

int main(int, char** arguments) {
  choose_mutant(arguments[1]);
  using namespace warpath;
  const int dim = std::atoi(arguments[2]), queries = std::atoi(arguments[3]);
  const int keys = std::atoi(arguments[4]);
  const bool packed = std::atoi(arguments[5]) != 0;
  const std::vector<std::int64_t> of_query = {1, queries, 2, dim}, of_key = {1, keys, 1, dim};
  Both d_o = tensor(of_query), q = tensor(of_query), k = tensor(of_key), v = tensor(of_key);
  Both o = tensor(of_query), lse = tensor({1, 2, queries}, DType::f32);
  Both dq = tensor(of_query), dk = tensor(of_key), dv = tensor(of_key);
  for (Both* t : {&d_o, &q, &k, &v}) put_bf16(*t);
  attention::Backward args, host, scale;
  args.causal = host.causal = true;
  args.d_o = d_o.device, args.q = q.device, args.k = k.device, args.v = v.device;
  args.o = o.device, args.lse = lse.device;
  args.dq = dq.device, args.dk = dk.device, args.dv = dv.device;
  host.d_o = d_o.host, host.q = q.host, host.k = k.host, host.v = v.host;
  host.o = o.host, host.lse = lse.host, host.dq = dq.host, host.dk = dk.host, host.dv = dv.host;
  Offsets offsets(queries, keys);
  if (packed) offsets.put(args, host);
  attention::prepare_backward(host);
  offsets.upload();
  put_bf16(o);
  put_f32(lse);
  scale = host;
  scale.dq = dq.scale, scale.dk = dk.scale, scale.dv = dv.scale;
  attention::backward_reference(host, scale);
  const int status = launch_and_compare(args, {&dq, &dk, &dv});
  for (Both* t : {&d_o, &q, &k, &v, &o, &lse, &dq, &dk, &dv}) cudaFree(t->device.data);
  return status;
}
"""
)


def _run(
    dim: int, queries: int, keys: int, packed: bool = False
) -> tuple[dict[str, str], list[str]]:
    return {}, [str(dim), str(queries), str(keys), str(int(packed))]


# All tiles, each with more tiles of queries than stages; the second block of a head has keys that only some queries see.
# Packed sequences end within a tile.
RUNS = [
    _run(128, 150, 140),
    _run(64, 300, 140),
    _run(128, 150, 140, packed=True),
    _run(256, 150, 100),
]
MORE_RUNS = []

KNOWN = [
    # simt gets the left operand in registers by value, and cannot tell when they were written.
    "hopper_backward.cuh: without ptx::fence_products(), second",
    # The registers of these products were last written before the fence above, or are only read in between.
    "hopper_backward.cuh: without ptx::fence_products(), third",
    "hopper_backward.cuh: without ptx::fence_products(), fourth",
    # All lanes take part in the wait for products that follows.
    "hopper_backward.cuh: without __syncwarp(), second",
]
