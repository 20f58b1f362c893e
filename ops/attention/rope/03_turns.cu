// Angles in turns: pow moves to the host, and sincos in double becomes sincospi in float.
//
// What changed: the frequencies do not depend on the token. The host makes a table of them, in turns
// per position, and passes it as a kernel parameter. To take whole turns off is then one rint and one
// subtraction in double, both exact where it counts, and what is left fits a float.
// Limit: a thread loads two elements at a time, one head after the other.
#include "ops/attention/rope/call.cuh"
#include "ops/attention/turns.cuh"

namespace warpath::rope {
namespace {

template <class T>
__global__ void turns(Data<T> data, Sizes sizes, const __grid_constant__ Table table, float sign) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t token = at / sizes.units();
  if (token >= sizes.tokens) return;
  const int unit = int(at % sizes.units());
  Turn t{1, 0};
  if (unit < sizes.pairs) t = turn_at(position_of(data, sizes, token), table.turns[unit]);
  for (int head = 0; head < sizes.all_heads(); ++head)
    Head<T>(data, sizes, token, head).turn(sizes, unit, t.c, sign * t.s);
}

void launch(const Forward& args, cudaStream_t stream) {
  const Call call = call_of(args);
  const Sizes& sizes = call.sizes;
  if (sizes.tokens * sizes.all_heads() * sizes.units() == 0) return;
  const Table table = table_of(call.scaling, sizes.pairs);
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 128;
    turns<T><<<grid_x(sizes.tokens * sizes.units(), threads), threads, 0, stream>>>(
        call.data<T>(), sizes, table, call.sign);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Forward& args) {
  return few_pairs(call_of(args).sizes.pairs);
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::rope
