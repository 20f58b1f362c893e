// Sorts the bits as they are: right for unsigned keys. Negative ones come last.
#include "ops/order/radix_sort/wrong/split_row.cuh"

namespace warpath::radix_sort {
namespace {

template <class U>
__global__ void __launch_bounds__(split_threads) as_unsigned(Pass<U> pass) {
  split_row(pass, [&](U key) { return unsigned((key ^ pass.order.descending) >> pass.bit) & 1; });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    for_each_pass<U>(args, 1, args.scratch.data, stream, [&](const Pass<U>& pass, int) {
      as_unsigned<<<grid_x(args.keys.shape[0], 1), split_threads, 0, stream>>>(pass);
    });
  });
}

WARPATH_RUNG(Args, launch, .scratch = split_scratch);

}  // namespace
}  // namespace warpath::radix_sort
