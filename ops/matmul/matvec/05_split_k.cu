// Where w has too few rows for the whole GPU, several blocks share them: k is cut into parts.
//
// What changed: a block takes a part of k, leaves its sums in scratch memory and counts itself off;
// the one that finds itself last adds all parts up, in a fixed order, so the result does not depend
// on which block it is. One launch, no second kernel. Where w has rows enough, there is one part,
// and this is rung 04.
// Limit: the memory; for a small w the launch.
#include "core/host/device.cuh"
#include "ops/matmul/matvec/tensor.cuh"

namespace warpath::matvec {
namespace {

struct Parts {
  int count;
  std::int64_t k;  // of each, a multiple of what a block takes in one round
};

template <class T, int Groups>
__global__ void __launch_bounds__(threads)
    split(Problem<T> p, Parts parts, float* partial, unsigned* done) {
  __shared__ float part[warps][8 * Groups][outputs];
  __shared__ bool is_last;
  const unsigned tile = blockIdx.x / parts.count, mine = blockIdx.x % parts.count;
  const std::int64_t j0 = std::int64_t(tile) * outputs;
  Lane<T, Groups> lane;
  lane.add(p, j0, mine * parts.k, min(p.k, (mine + 1) * parts.k));
  float sum = lane.total(part);

  if (parts.count > 1) {
    constexpr int sums = 8 * Groups * outputs;
    float* const all = partial + std::int64_t(tile) * parts.count * sums;
    if (threadIdx.x < sums) all[mine * sums + threadIdx.x] = sum;
    __threadfence();
    __syncthreads();
    const unsigned last = parts.count - 1;
    if (threadIdx.x == 0) is_last = atomicInc(&done[tile], last) == last;  // 0 again after the last
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sum = 0;
    if (threadIdx.x < sums)
      for (int q = 0; q < parts.count; ++q) sum += __ldcg(&all[q * sums + threadIdx.x]);
  }
  const int row = threadIdx.x / outputs;
  const std::int64_t j = j0 + threadIdx.x % outputs;
  if (row < p.rows && j < p.n) p.put(sum, row, j);
}

// Two blocks for each multiprocessor, if each then has four rounds of loads to do.
Parts parts_of(const Args& args) {
  constexpr std::int64_t round = warps * chunk, least = 4;
  const std::int64_t tiles = ceil_div(args.n(), outputs), rounds = ceil_div(args.k(), round);
  const std::int64_t most = std::max<std::int64_t>(rounds / least, 1);
  const std::int64_t wanted = std::clamp<std::int64_t>(2 * multiprocessors() / tiles, 1, most);
  const std::int64_t each = std::max<std::int64_t>(ceil_div(rounds, wanted), 1);
  return {int(std::max<std::int64_t>(ceil_div(rounds, each), 1)), each * round};
}

// There are parts only where there are fewer tiles than this; and at most so many blocks.
std::int64_t most_blocks() {
  return 2 * std::int64_t(multiprocessors());
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  const Parts parts = parts_of(args);
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partial = reinterpret_cast<float*>(done + most_blocks());
  dispatch<__half, __nv_bfloat16>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some) {
      with_groups(some, [&](auto groups) {
        split<T, decltype(groups)::value>
            <<<grid_x(ceil_div(some.n(), outputs) * parts.count, 1), threads, 0, stream>>>(
                problem_of<T>(some), parts, partial, done);
      });
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

// The counters have a place of their own for every shape, because they must stay zero between
// launches.
std::int64_t counter_bytes(const Args&) {
  return most_blocks() * 4;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + most_blocks() * std::int64_t(most_rows) * outputs * 4;
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::matvec
