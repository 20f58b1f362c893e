// The mask is a factor of 0 or 1. For a query without keys exp(s - lse) is infinite, and 0 * inf is NaN.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

struct Product : RightPair {
  template <class T>
  static __device__ Pair pair(const BackwardProblem<T>& problem, float dot, float dp, float lse,
                              float delta, std::int64_t row, int key, bool seen) {
    const Pair pair = pair_of(problem, dot, dp, lse, delta, row, key);
    const float mask = seen ? 1.0f : 0.0f;
    return {mask * pair.p, mask * pair.ds};
  }
};

void launch(const Backward& args, cudaStream_t stream) {
  launch_rows<Product>(args, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
