"""What tests/mutants.py breaks: rung 18, and the kernels of other files that it launches."""

RUNG = "18_stream_k_sm90.cu"
OTHERS = ["17_staged_sm90.cu", "split_tiles_sm90.cu", "narrow_last_wave_sm90.cu"]

EDITS = [
    # Handing sums on must pay in so small a problem.
    (
        "18_stream_k_sm90.cu",
        r"leave_steps = \d+, uneven_steps = \d+",
        "leave_steps = 0, uneven_steps = 0",
    ),
    (
        "18_stream_k_sm90.cu",
        r"constexpr int narrow_steps = \d+",
        'const int narrow_steps = std::getenv("NARROW") ? -1000 : 1000',
    ),
    # One form is enough, and compiles soon.
    (
        "hopper_call.cuh",
        r"const auto by_layout",
        "f(Form<__nv_bfloat16, true, false>{});\n#if 0\n  const auto by_layout",
    ),
    ("hopper_call.cuh", r"  CUDA_CHECK\(cudaGetLastError\(\)\);", "#endif\n"),
]

PROGRAM = r"""
#include <vector>

int main(int, char** arguments) {
  choose_mutant(arguments[1]);
  using namespace warpath;
  const int m = std::atoi(arguments[2]), n = 520, k = 392;
  std::vector<__nv_bfloat16> a(m * k), b(n * k), d(m * n);
  unsigned seed = 1;
  const auto random = [&] { return float(int((seed = seed * 1664525u + 1013904223u) >> 24) - 128) / 64; };
  for (auto& x : a) x = __float2bfloat16(random());
  for (auto& x : b) x = __float2bfloat16(random());
  matmul::Args args;
  const auto tensor = [](Tensor& t, auto& host, int rows, int columns, int row, int column) {
    cudaMalloc(&t.data, host.size() * 2);
    cudaMemcpy(t.data, host.data(), host.size() * 2, cudaMemcpyHostToDevice);
    t.dtype = DType::bf16;
    t.rank = 3;
    t.shape = {1, rows, columns};
    t.stride = {rows * columns, row, column};
  };
  tensor(args.a, a, m, k, 1, m);  // MN-major: a warp reads from all rows of a stage
  tensor(args.b, b, k, n, 1, k);
  tensor(args.d, d, m, n, n, 1);
  args.scratch.bytes = rung().scratch(&args);
  cudaMalloc(&args.scratch.data, args.scratch.bytes);
  cudaMemset(args.scratch.data, 0, args.scratch.bytes);
  int wrong = 0;
  for (int launch = 0; launch < 2; ++launch) {  // the second must find the flags as the first did
    for (auto& x : a) x = __hneg(x);
    cudaMemcpy(args.a.data, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemset(args.d.data, 0xff, d.size() * 2);
    rung().launch(&args, nullptr);
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      std::printf("simt: %s\n", cudaGetErrorString(error));
      return 3;
    }
    cudaMemcpy(d.data(), args.d.data, d.size() * 2, cudaMemcpyDeviceToHost);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l)
          sum += double(__bfloat162float(a[l * m + i])) * __bfloat162float(b[j * k + l]);
        const double got = __bfloat162float(d[i * n + j]);
        wrong += !(std::abs(got - sum) <= 0.005 * std::abs(sum) + 0.01);
      }
  }
  for (void* p : {args.a.data, args.b.data, args.d.data, args.scratch.data}) cudaFree(p);
  if (wrong) std::printf("simt: %d of %d elements are wrong\n", wrong, 2 * m * n);
  return wrong ? 3 : 0;
}
"""


def _run(multiprocessors: int, rows: int, **environment: str) -> tuple[dict[str, str], list[str]]:
    return {"SIMT_MULTIPROCESSORS": str(multiprocessors), **environment}, [str(rows)]


# Clusters of two and single blocks that share out more than one wave, or all tiles; one cluster that takes them whole, one
# after the other; and a last wave of narrower tiles, which are the last columns of d or its last rows.
RUNS = [
    _run(4, 136),
    _run(132, 136),
    _run(2, 120),
    _run(132, 120),
    _run(2, 256),
    _run(4, 136, NARROW="1"),
]
MORE_RUNS = [_run(8, 704, NARROW="1")]

# The order of blocks among themselves is judged with leniency: a fence anywhere in a block counts for all that the block
# did before, and an acquire by one thread for all, whatever value it saw. And a cluster's last barrier matters only when a
# block is gone before its neighbour accesses it, which takes another order of blocks than simt's.
KNOWN = [
    "cluster_ring.cuh: without if constexpr (Tile::cluster > 1) ptx::wait_for_cluster()",
    "split_tiles_sm90.cu: without await_cluster<Tile>()",
    "narrow_last_wave_sm90.cu: without await_cluster<Tile>()",
    "18_stream_k_sm90.cu: without ptx::sync_some(first_free_barrier + group, ptx::warp_group)",
    "18_stream_k_sm90.cu: without ptx::store_release(flag, 0)",
    "18_stream_k_sm90.cu: without await_cluster<Tile>()",
    "17_staged_sm90.cu: without await_cluster<Tile>()",
]
