// A thread stays in its columns: the gate once, then 16 bytes per access.
//
// What changed: a block works inside one image, and its threads have the same columns in each token that they take
// (slab.cuh). The gate is in registers, four tokens are in flight, and the divisions are by block numbers, which the
// whole block shares.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/slab.cuh"

namespace warpath::adaptive_norm {
namespace {

// residual and y may be the same memory: each element is read by the thread that writes it.
template <class T, int N>
__global__ void __launch_bounds__(slab_threads)
    slab_add(const T* residual, const T* x, PerImage<const T> gate, T* y, std::int64_t parts,
             int slabs, std::int64_t tokens, std::int64_t cols) {
  const SlabPlace place(parts, slabs, N);
  if (place.column >= cols) return;
  float g[N];
  norm::to_floats(load<N>(gate.data + place.image * gate.row + place.column), g);
  const std::int64_t first = place.part * slab_unroll * blockDim.y + threadIdx.y;
  const std::int64_t start = (place.image * tokens + first) * cols + place.column;
  Vector<T, N> left[slab_unroll], right[slab_unroll];
#pragma unroll
  for (int i = 0; i < slab_unroll; ++i) {
    const bool there = first + i * blockDim.y < tokens;
    left[i] = load_kept<N>(residual + start + i * blockDim.y * cols, there);
    right[i] = load_kept<N>(x + start + i * blockDim.y * cols, there);
  }
#pragma unroll
  for (int i = 0; i < slab_unroll; ++i) {
    if (first + i * blockDim.y >= tokens) continue;
    float a[N], b[N];
    norm::to_floats(left[i], a);
    norm::to_floats(right[i], b);
#pragma unroll
    for (int n = 0; n < N; ++n) a[n] += g[n] * b[n];
    store<N>(y + start + i * blockDim.y * cols, norm::from_floats<T>(a));
  }
}

void launch(const Gate& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], tokens = args.x.shape[1], cols = args.x.shape[2];
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto with = [&](auto width) {
      constexpr int N = decltype(width)::value;
      const Slab slab(cols, N);
      const std::int64_t parts = ceil_div(tokens, slab_unroll * slab.block.y);
      slab_add<T, N><<<grid_x(images * parts * slab.slabs, 1), slab.block, 0, stream>>>(
          args.residual.as<T>(), args.x.as<T>(), PerImage<const T>(args.gate), args.y.as<T>(),
          parts, int(slab.slabs), tokens, cols);
    };
    with_width<T>(cols, rows_aligned<T>(args.gate), with, args.residual.as<T>(), args.x.as<T>(),
                  args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Gate& args) {
  return side_by_side(args.gate) ? "" : needs_side_by_side();
}

WARPATH_RUNG(Gate, launch, .supports = supports);

}  // namespace
}  // namespace warpath::adaptive_norm
