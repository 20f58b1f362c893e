// Several blocks per row, for rows that are long and few.
//
// What changed: with fewer rows than blocks fit on the GPU, most of it was idle. Each row is cut into parts, a block each, which
// leave their best k in scratch memory and beside them the least one that is among the k. No row can need less than the
// largest of these, so the second launch, one block per row, starts with a good threshold and rejects most of what it reads.
// Limit: the memory; for short parts, the two launches and the selections.
#include "core/block/reduce.cuh"
#include "core/host/device.cuh"
#include "ops/order/top_k/filter.cuh"

namespace warpath::top_k {
namespace {

constexpr std::int64_t shortest = 8192;  // elements of a part

struct Parts {
  std::int64_t length;
  int count;  // per row

  static Parts of(const Forward& args) {
    const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
    const std::int64_t wanted =
        std::clamp<std::int64_t>(3 * multiprocessors() / std::max<std::int64_t>(rows, 1), 1, 1024);
    const std::int64_t length = ceil_div(ceil_div(cols, wanted), shortest) * shortest;
    return {length, int(std::max<std::int64_t>(ceil_div(cols, length), 1))};
  }
};

// best: (rows, parts, k), least: (rows, parts)
template <class T, int N>
__global__ void __launch_bounds__(threads, 3)
    filter_parts(Call<T> call, Parts parts, Candidate* best, Candidate* least) {
  __shared__ __align__(16) FilterSlots slots;
  const std::int64_t row = blockIdx.x / parts.count, part = blockIdx.x % parts.count;
  const std::int64_t begin = part * parts.length;
  const std::int64_t end = begin + parts.length < call.cols ? begin + parts.length : call.cols;
  Filter filter(slots, int(call.k), call.flip);
  filter.template read<N>(call.x + row * call.cols, unsigned(begin), unsigned(end));
  const Candidate reached = filter.shrink();
  if (threadIdx.x == 0) least[blockIdx.x] = reached;
  for (int j = threadIdx.x; j < int(call.k); j += threads)
    best[blockIdx.x * call.k + j] = j < filter.count() ? slots.held[j] : 0;
}

template <class T>
__global__ void __launch_bounds__(threads)
    join_parts(Call<T> call, int parts, const Candidate* best, const Candidate* least) {
  __shared__ __align__(16) FilterSlots slots;
  __shared__ Candidate largest[warps];
  const std::int64_t row = blockIdx.x;
  Candidate reached = 0;
  for (int p = threadIdx.x; p < parts; p += threads)
    reached = Better{}(reached, least[row * parts + p]);
  reached = block_reduce<threads>(reached, Better{}, largest);
  Filter filter(slots, int(call.k), call.flip);
  filter.read(best + row * parts * call.k, parts * int(call.k), reached);
  if (filter.count() > 512) filter.shrink();
  write_best(call, row, slots.held, filter.count());
}

std::int64_t scratch_bytes(const Forward& args) {
  const std::int64_t blocks = args.x.shape[0] * Parts::of(args).count;
  return std::int64_t(sizeof(Candidate)) * blocks * (args.k + 1);
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  const Parts parts = Parts::of(args);
  const std::int64_t rows = args.x.shape[0], blocks = rows * parts.count;
  Candidate* const best = static_cast<Candidate*>(args.scratch.data);
  Candidate* const least = best + blocks * args.k;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    const Call<T> call = Call<T>::of(args);
    if (args.x.is_aligned(16) && args.x.shape[1] % N == 0)
      filter_parts<T, N><<<grid_x(blocks, 1), threads, 0, stream>>>(call, parts, best, least);
    else
      filter_parts<T, 1><<<grid_x(blocks, 1), threads, 0, stream>>>(call, parts, best, least);
    join_parts<T><<<grid_x(rows, 1), threads, 0, stream>>>(call, parts.count, best, least);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string preferred(const Forward& args) {
  return Parts::of(args).count > 1 ? "" : "enough rows for a block each, or rows of one part";
}

WARPATH_RUNG(Forward, launch, .supports = few_enough, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::top_k
