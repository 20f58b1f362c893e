#include "ops/elementwise/vector_add/01_naive.cu"
#include "tests/xray/launches.h"

namespace warpath::vector_add {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("vector_add_01", [](float* x, float* y) {
  Args args;
  args.a = floats(x, {100003});
  args.b = floats(x + 131072, {100003});
  args.c = floats(y, {100003});
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::vector_add
