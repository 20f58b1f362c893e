#include "ops/layout/transpose/02_shared.cu"
#include "tests/xray/launches.h"

namespace warpath::transpose {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("transpose_02", [](float* x, float* y) {
  Args args;
  args.x = floats(x, {256, 512});
  args.y = floats(y, {512, 256});
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::transpose
