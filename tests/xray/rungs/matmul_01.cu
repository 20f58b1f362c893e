#include "ops/matmul/matmul/01_naive.cu"
#include "tests/xray/launches.h"

namespace warpath::matmul {
namespace {
using xray_tests::floats;
const xray_tests::Registered registered("matmul_01", [](float* x, float* y) {
  Args args;
  args.a = floats(x, {1, 128, 128});
  args.b = floats(x + 131072, {1, 128, 128});
  args.d = floats(y, {1, 128, 128});
  launch(args, nullptr);
});
}  // namespace
}  // namespace warpath::matmul
