// q was scaled when it was loaded, and the scores are scaled again.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  template <class T>
  static __device__ float logit(const Problem<T>& p, float product) {
    return p.logit(product * p.scale);
  }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
