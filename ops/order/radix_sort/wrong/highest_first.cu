// Begins with the highest bit: the lowest, which comes last, then decides.
#include "ops/order/radix_sort/wrong/split_row.cuh"

namespace warpath::radix_sort {
namespace {

template <class U>
__global__ void __launch_bounds__(split_threads) highest_first(Pass<U> pass, int first, int last) {
  pass.bit = first + last - 1 - pass.bit;
  split_row(pass, [&](U key) { return pass.digit(key); });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    for_each_pass<U>(args, 1, args.scratch.data, stream, [&](const Pass<U>& pass, int) {
      highest_first<<<grid_x(args.keys.shape[0], 1), split_threads, 0, stream>>>(
          pass, int(args.begin_bit), args.last_bit());
    });
  });
}

WARPATH_RUNG(Args, launch, .scratch = split_scratch);

}  // namespace
}  // namespace warpath::radix_sort
