#include "ops/softmax/softmax/03_warp.cu"
#include "tests/xray/launches.h"

namespace warpath::softmax {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("softmax_03", [](float* x, float* y) {
  Forward args;
  args.x = floats(x, {256, 512});
  args.y = floats(y, {256, 512});
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::softmax
