// All rows of x at once, sixteen bytes of codes per access: w is read once.
//
// What changed: a lane expands sixteen codes and multiplies them with 1 to 16 rows of x (rows_at_once.cuh).
// Limit: the instructions. A byte is taken out of its word, made an integer about zero, then a float, and that
// conversion runs at a quarter of the rate of other instructions.
#include "ops/quant/int8_matvec/rows_at_once.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T, int Rows>
__global__ void __launch_bounds__(32 * warps) vectorised(Problem<T> p) {
  rows_at_once<T, Rows>(p, [](unsigned word, float* w) {
#pragma unroll
    for (int e = 0; e < 4; ++e) w[e] = float(int(word >> 8 * e & 255) - 128);
  });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some, auto rows) {
      vectorised<T, decltype(rows)::value>
          <<<grid_x(some.n(), warps), 32 * warps, 0, stream>>>(problem_of<T>(some));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = in_vectors);

}  // namespace
}  // namespace warpath::int8_matvec
