// The causal mask j <= i: right as long as there are as many queries as keys.
//
// With a cache there are more keys than queries, and the last query is the one that stands at the last key.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  template <class T>
  static __device__ Keys keys(const Problem<T>& p, const Query& at) {
    Keys seen = p.visible(at.s).of(at.query);
    if (p.causal) seen.last = min(at.query + 1, at.s.keys);
    return seen;
  }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
