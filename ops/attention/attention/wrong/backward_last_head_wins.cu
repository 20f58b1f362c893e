// Each query head of a group stores its dk and dv where it must add them: right until heads share their keys.
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

struct EachHead : RightPair {
  static constexpr bool stores_each_head = true;
};

void launch(const Backward& args, cudaStream_t stream) {
  launch_rows<EachHead>(args, stream);
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
