// Ids are read as 32-bit numbers, whatever their type: of 64-bit ids, every second token gets the upper half of the one
// before, which is zero.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

template <class T>
__global__ void narrow_ids(Call<T> call) {
  const std::int64_t t = blockIdx.x;
  call.ids.wide = call.positions.wide = false;
  for (std::int64_t c = threadIdx.x; c < call.width; c += 128) {
    const T value = call.table[call.ids[t] * call.width + c];
    call.y[t * call.width + c] =
        call.position_table
            ? from_float<T>(to_float(value) +
                            to_float(call.position_table[call.position(t) * call.width + c]))
            : value;
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_ids<T><<<grid_x(args.ids.size(), 1), 128, 0, stream>>>(Call<T>::of(args));
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::embedding
