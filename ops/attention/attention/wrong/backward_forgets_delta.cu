// ds = p dp: the derivative of exp, not of softmax, whose sum is 1 whatever the scores are.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

struct NoDelta : RightPair {
  template <class T>
  static __device__ Pair pair(const BackwardProblem<T>& problem, float dot, float dp, float lse,
                              float, std::int64_t row, int key, bool seen) {
    return seen ? pair_of(problem, dot, dp, lse, 0, row, key) : Pair{0, 0};
  }
};

void launch(const Backward& args, cudaStream_t stream) {
  launch_rows<NoDelta>(args, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
