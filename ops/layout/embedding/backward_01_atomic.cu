// One atomic addition per element of dy.
//
// Right, but different from run to run: the hardware decides in which order the tokens of a row are added. The sums are
// kept in f32 and rounded at the end, because 16-bit atomics would round after every addition.
// Limit: three passes over the table's gradient, and tokens with the same id wait for each other.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256;

__global__ void clear(float* sums, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < n) sums[i] = 0;
}

template <class T>
__global__ void add_all(const T* dy, Ids ids, float* sums, std::int64_t n, std::int64_t width,
                        std::int64_t padding) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const std::int64_t t = i / width, row = ids[t];
  if (row != padding) atomicAdd(&sums[row * width + i % width], to_float(dy[i]));
}

template <class T>
__global__ void finish(const float* sums, T* dtable, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < n) dtable[i] = from_float<T>(sums[i]);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dtable.size();
  if (n == 0) return;
  auto* const sums = static_cast<float*>(args.scratch.data);
  clear<<<grid_x(n, threads), threads, 0, stream>>>(sums, n);
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.dy.size() > 0)
      add_all<T><<<grid_x(args.dy.size(), threads), threads, 0, stream>>>(
          args.dy.as<T>(), Ids::of(args.ids), sums, args.dy.size(), args.dtable.shape[1],
          args.padding_idx);
    finish<T><<<grid_x(n, threads), threads, 0, stream>>>(sums, args.dtable.as<T>(), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return args.dtable.size() * 4;
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::embedding
