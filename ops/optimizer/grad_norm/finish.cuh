// What the rungs of grad_norm share: from the sum of squares to the norm and the factor.
#pragma once
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/optimizer/grad_norm/grad_norm.h"

namespace warpath::grad_norm {

struct Results {
  float *norm, *factor;
  float max_norm;

  static Results of(const Args& a) {
    return {a.norm.as<float>(), a.factor.as<float>(), float(a.max_norm)};
  }
  __device__ __forceinline__ void write(float sum) const {
    const float root = sqrtf(sum), clip = max_norm / (root + 1e-6f);
    *norm = root;
    *factor = clip > 1 ? 1 : clip;  // NaN stays
  }
};

// One block adds the partial sums, always in the same order.
template <int Threads>
__device__ __forceinline__ void add_partials(const float* partials, std::int64_t n,
                                             float (&slots)[Threads / 32], const Results& results) {
  float sum = 0;
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < n; i += Threads) sum += __ldcg(&partials[i]);
  sum = block_reduce<Threads>(sum, Sum{}, slots);
  if (threadIdx.x == 0) results.write(sum);
}

}  // namespace warpath::grad_norm
