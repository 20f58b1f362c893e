// The soft cap is in the scores but not in their gradient: it lacks the factor 1 - tanh^2.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

struct NoSlope : RightPair {
  template <class T>
  static __device__ Pair pair(const BackwardProblem<T>& problem, float dot, float dp, float lse,
                              float delta, std::int64_t row, int key, bool seen) {
    if (!seen) return {0, 0};
    const float p = expf(problem.logit(dot) - lse), keep = problem.dropout.apply(1, row, key);
    return {keep * p, p * (keep * dp - delta)};
  }
};

void launch(const Backward& args, cudaStream_t stream) {
  launch_rows<NoSlope>(args, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
