// A row without keys has the sum 0, and 0 / 0 is NaN.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  static __device__ float inverse(float sum) { return 1.0f / sum; }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
