// The last block joins what the others have written, but nothing makes their writes visible before their counts: a count may
// be there while the memory does not hold the part yet.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

constexpr int threads = 256;
constexpr std::int64_t pairs_a_block = 4096;

template <class T>
__global__ void no_fence(const T* x, const T* y, T* z, std::int64_t cols, float* partials,
                         unsigned* done) {
  __shared__ float slots[threads / 32];
  const std::int64_t row = blockIdx.y, first = blockIdx.x * pairs_a_block;
  const std::int64_t end = min(first + pairs_a_block, cols);
  float mine = 0.0f;
  for (std::int64_t c = first + threadIdx.x; c < end; c += threads)
    mine += to_float(x[row * cols + c]) * to_float(y[row * cols + c]);
  float sum = block_reduce<threads>(mine, Sum{}, slots);
  if (threadIdx.x != 0) return;
  partials[row * gridDim.x + blockIdx.x] = sum;
  // Missing here: __threadfence();
  if (atomicAdd(&done[row], 1u) != gridDim.x - 1) return;
  atomicExch(&done[row], 0u);  // for the next launch
  sum = 0.0f;
  for (unsigned k = 0; k < gridDim.x; ++k) sum += __ldcg(&partials[row * gridDim.x + k]);
  reduce::put(&z[row], sum);
}

std::int64_t blocks_a_row(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.shape[1], pairs_a_block));
}
std::int64_t counter_bytes(const Args& args) {
  return ceil_div(args.x.shape[0], 4) * 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + args.x.shape[0] * blocks_a_row(args) * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partials = static_cast<float*>(args.scratch.data) + counter_bytes(args) / 4;
  const dim3 grid(unsigned(blocks_a_row(args)), unsigned(rows));
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_fence<<<grid, threads, 0, stream>>>(args.x.as<const T>(), args.y.as<const T>(),
                                           args.z.as<T>(), args.x.shape[1], partials, done);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes, .zeroed = counter_bytes,
             .race = true, .weak_memory = true);

}  // namespace
}  // namespace warpath::dot
