// A float is put together from its bits: no conversion.
//
// What changed: a byte b under the bits of 2^23 is the float 2^23 + b, because its last bit counts one. So a byte is one
// __byte_perm that puts it there, and one subtraction of 2^23 + 128, which is exact: both at full rate.
// Limit: with one row of x the memory, nearly; with more the products.
#include "ops/quant/int8_matvec/rows_at_once.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T, int Rows>
__global__ void __launch_bounds__(32 * warps) magic(Problem<T> p) {
  constexpr unsigned high = 0x4b000000;        // 2^23
  constexpr float zero = 8388608.0f + 128.0f;  // the code of zero
  rows_at_once<T, Rows>(p, [](unsigned word, float* w) {
#pragma unroll
    for (int e = 0; e < 4; ++e)  // bytes 4 to 7 are those of `high`
      w[e] = __uint_as_float(__byte_perm(word, high, 0x7440 + e)) - zero;
  });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some, auto rows) {
      magic<T, decltype(rows)::value>
          <<<grid_x(some.n(), warps), 32 * warps, 0, stream>>>(problem_of<T>(some));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = in_vectors);

}  // namespace
}  // namespace warpath::int8_matvec
