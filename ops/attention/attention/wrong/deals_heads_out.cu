// Query head h reads key head h % kv_heads: the groups are dealt out like cards, not in blocks.
#include "ops/attention/attention/wrong/by_row.cuh"

namespace warpath::attention {
namespace {

struct Wrong : Right {
  template <class T>
  static __device__ int kv_head(const Problem<T>& p, int head) {
    return head % (p.heads / p.group);
  }
};

WARPATH_RUNG(Forward, launch_by_row<Wrong>, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
