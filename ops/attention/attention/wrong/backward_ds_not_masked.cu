// The mask is put on p alone: dv is right, but keys that a query does not see still get a ds.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

struct MaskedP : RightPair {
  template <class T>
  static __device__ Pair pair(const BackwardProblem<T>& problem, float dot, float dp, float lse,
                              float delta, std::int64_t row, int key, bool seen) {
    if (lse == -INFINITY) return {0, 0};
    const Pair pair = pair_of(problem, dot, dp, lse, delta, row, key);
    return {seen ? pair.p : 0, pair.ds};
  }
};

void launch(const Backward& args, cudaStream_t stream) {
  launch_rows<MaskedP>(args, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
