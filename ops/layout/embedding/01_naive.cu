// One thread, one element.
//
// Each thread finds its token and its column by a division, reads the token's id, and copies one element of that row.
// Neighbouring threads read neighbouring elements, so every access is coalesced.
// Limit: a 64-bit division per element, and one small load in flight per thread after another that must come first: the
// id.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

template <class T>
__global__ void naive(Call<T> call) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= call.tokens * call.width) return;
  const std::int64_t t = i / call.width, c = i % call.width;
  T value = call.table[call.ids[t] * call.width + c];
  if (call.position_table) {
    const T extra = call.position_table[call.position(t) * call.width + c];
    value = from_float<T>(to_float(value) + to_float(extra));
  }
  call.y[i] = value;
}

void launch(const Forward& args, cudaStream_t stream) {
  check_positions(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(args.y.size(), threads), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::embedding
