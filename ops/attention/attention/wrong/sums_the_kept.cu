// Dropout before the sum: the probabilities that are kept add up to 1 again, and are scaled up by 1 / (1 - dropout) besides.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  static __device__ softmax::Stat include(softmax::Stat stat, float s, bool kept) {
    return kept ? softmax::include(stat, s) : stat;
  }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
