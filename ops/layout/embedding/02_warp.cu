// One warp, one token.
//
// What changed: the id and the position are read once per row instead of once per element, and no thread divides (except
// once per token for its place in the sequence). Eight tokens share a block.
// Limit: a lane loads one element at a time, 64 or 128 bytes per warp and instruction.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256, warps = threads / 32;

template <class T>
__global__ void __launch_bounds__(threads) warp_a_token(Call<T> call) {
  const std::int64_t t = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (t >= call.tokens) return;
  const T* const row = call.table + call.ids[t] * call.width;
  const T* const extra =
      call.position_table ? call.position_table + call.position(t) * call.width : nullptr;
  T* const y = call.y + t * call.width;
  for (std::int64_t c = threadIdx.x % 32; c < call.width; c += 32)
    y[c] = extra ? from_float<T>(to_float(row[c]) + to_float(extra[c])) : row[c];
}

void launch(const Forward& args, cudaStream_t stream) {
  check_positions(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_a_token<T><<<grid_x(args.ids.size(), warps), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::embedding
