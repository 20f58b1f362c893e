// A causal mask that is off by one: a query does not see the key at its own position.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  template <class T>
  static __device__ Keys keys(const Problem<T>& p, const Query& at) {
    Keys seen = p.visible(at.s).of(at.query);
    if (p.causal && seen.last > seen.first) --seen.last;
    return seen;
  }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
