// A weight or a bias as floats, where there is one.
#pragma once
#include "core/thread/floats.cuh"

namespace warpath::norm {

using warpath::from_floats, warpath::to_floats;

// N elements of a weight or a bias; `otherwise` where the caller gave none.
template <class T, int N>
__device__ __forceinline__ void load_floats(const T* p, int column, float otherwise,
                                            float (&out)[N]) {
  if (p) {
    to_floats(load<N>(p + column), out);
  } else {
#pragma unroll
    for (int n = 0; n < N; ++n) out[n] = otherwise;
  }
}

}  // namespace warpath::norm
