// A product without tiles, one thread per element, for the wrong rungs: each says what it changes.
#pragma once
#include "ops/softmax/linear_cross_entropy/chunks.cuh"

namespace warpath::linear_cross_entropy {

template <class T>
static __global__ void naive_product(Product<T> p) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t i = at / p.n, j = at % p.n;
  if (i >= p.m) return;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.a[i * p.a_row + l * p.a_k]) * to_float(p.b[l * p.b_k + j * p.b_col]);
  if (!p.to_float)
    static_cast<T*>(p.d)[i * p.d_row + j] = from_float<T>(sum);
  else if (float* const d = static_cast<float*>(p.d) + i * p.d_row + j; p.add)
    *d += sum;
  else
    *d = sum;
}

// change(product) makes the mistake.
template <class Change>
void launch_changed(const Args& args, cudaStream_t stream, Change change) {
  dispatch_float(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_chunks<T, false>(args, stream, [&](Product<T> p) {
      change(p);
      if (p.m * p.n > 0) naive_product<<<grid_x(p.m * p.n, 256), 256, 0, stream>>>(p);
    });
  });
}

}  // namespace warpath::linear_cross_entropy
