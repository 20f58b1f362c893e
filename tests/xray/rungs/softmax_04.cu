#include "ops/softmax/softmax/04_online.cu"
#include "tests/xray/launches.h"

namespace warpath::softmax {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("softmax_04", [](float* x, float* y) {
  Forward args;
  args.x = floats(x, {256, 512});
  args.y = floats(y, {256, 512});
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::softmax
