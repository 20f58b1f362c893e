// A copy of the totals per block in shared memory, for few segments.
//
// What changed: the atomics of both passes go to the SM's own memory, and a block adds its copy to the global one at the end:
// as many global atomics as totals, not as elements. Few segments is where 02 is slowest, because all elements want the same
// addresses. Fixed point makes it possible at all: the copies may be added in any order.
// Limit: the shared memory's atomics; those of 64 bits are loops of compare and swap.
#include "core/host/device.cuh"
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 512;

template <class T>
__global__ void __launch_bounds__(threads)
    find_tops(const T* x, Ids ids, std::int64_t n, int cols, int size, Parts parts, Kind kind) {
  extern __shared__ unsigned tops[];       // (segments, cols)
  unsigned* const specials = tops + size;  // (segments, cols)
  unsigned* const rows = specials + size;  // (segments)
  const int segments = size / cols;
  for (int k = threadIdx.x; k < 2 * size + segments; k += threads) tops[k] = 0;
  __syncthreads();
  const std::int64_t step = std::int64_t(gridDim.x) * threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
    const int s = int(ids.of(i / cols)), c = int(i % cols);
    if (s < 0) continue;
    const float value = to_float(x[i]);
    const unsigned special = special_of(value);
    if (kind == Kind::max)
      atomicMax(&tops[s * cols + c], key_of(value));
    else if (special != no_special)
      atomicOr(&specials[s * cols + c], special);
    else
      atomicMax(&tops[s * cols + c], FixedPoint::exponent(value));
    if (c == 0 && kind == Kind::mean) atomicAdd(&rows[s], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < size; k += threads) {
    if (tops[k] != 0) atomicMax(&parts.tops[k], tops[k]);
    if (specials[k] != 0) atomicOr(&parts.specials[k], specials[k]);
  }
  for (int s = threadIdx.x; s < segments; s += threads)
    if (rows[s] != 0) atomicAdd(&parts.rows[s], rows[s]);
}

template <class T>
__global__ void __launch_bounds__(threads)
    add(const T* x, Ids ids, std::int64_t n, int cols, int size, Parts parts, FixedPoint fixed) {
  extern __shared__ unsigned long long sums[];                      // (segments, cols)
  unsigned* const tops = reinterpret_cast<unsigned*>(sums + size);  // (segments, cols)
  for (int k = threadIdx.x; k < size; k += threads) {
    sums[k] = 0;
    tops[k] = parts.tops[k];
  }
  __syncthreads();
  const std::int64_t step = std::int64_t(gridDim.x) * threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
    const int s = int(ids.of(i / cols)), k = s * cols + int(i % cols);
    if (s < 0) continue;
    const float value = to_float(x[i]);
    if (value == 0 || special_of(value) != no_special) continue;
    atomicAdd(&sums[k], (unsigned long long)(fixed.of(value, tops[k])));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < size; k += threads)
    if (sums[k] != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&parts.sums[k]), sums[k]);
}

std::size_t shared_bytes(const ById& args) {
  return std::size_t(12 * args.y.size());  // of both kernels: rows are no more than totals
}

void launch(const ById& args, cudaStream_t stream) {
  const std::int64_t segments = args.y.shape[0];
  const int size = int(args.y.size()), cols = int(args.y.shape[1]);
  if (size == 0) return;
  const Parts parts = Parts::of(args);
  const FixedPoint fixed = FixedPoint::of(args.x.shape[0]);
  const Ids ids = Ids::of(args.ids, segments);
  const std::int64_t words = Parts::bytes(args) / 4;
  clear_words<<<grid_x(words, threads), threads, 0, stream>>>(
      static_cast<unsigned*>(args.scratch.data), words);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = args.x.size();
    const T* const x = args.x.as<const T>();
    const unsigned blocks = std::min(grid_x(n, threads * 16), multiprocessors() * 4);
    const int bytes = allow_shared(find_tops<T>, shared_bytes(args));
    allow_shared(add<T>, shared_bytes(args));
    if (n > 0)
      find_tops<T><<<blocks, threads, bytes, stream>>>(x, ids, n, cols, size, parts, args.kind);
    if (n > 0 && args.kind != Kind::max)
      add<T><<<blocks, threads, bytes, stream>>>(x, ids, n, cols, size, parts, fixed);
    finish_parts<<<grid_x(size, threads), threads, 0, stream>>>(
        parts, args.y.as<T>(), std::int64_t(size), std::int64_t(cols), args.kind, fixed);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const ById& args) {
  if (args.y.size() > 1 << 20) return "takes at most as many totals as fit into shared memory";
  return enough_shared_memory(shared_bytes(args));
}
// Clearing and adding a copy must cost less than the elements of a block.
std::string few_segments(const ById& args) {
  return args.x.size() >= 64 * args.y.size() ? "" : "there are too few elements per segment";
}

WARPATH_RUNG(ById, launch, .supports = supports, .preferred = few_segments,
             .scratch = Parts::bytes);

}  // namespace
}  // namespace warpath::segment_sum
