#include "ops/reduce/reduce/04_warp_shuffle.cu"
#include "tests/xray/launches.h"

namespace warpath::reduce {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("reduce_04", [](float* x, float* y) {
  Args args;
  args.x = floats(x, {64, 2048});
  args.y = floats(y, {64});
  args.scratch = {y + 65536, 262144};
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::reduce
