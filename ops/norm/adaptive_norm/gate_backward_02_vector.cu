// A thread stays in its columns: dx and the sum for dgate in one walk over the tokens.
//
// What changed: dy is read once, 16 bytes per access. The gate and the sums are registers (slab.cuh); rows of threads that
// share columns add up their sums in shared memory, and blocks that share an image leave them in scratch memory, for a
// second kernel to add up in a fixed order (parts.cuh).
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/parts.cuh"
#include "ops/norm/adaptive_norm/slab.cuh"

namespace warpath::adaptive_norm {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(slab_threads)
    slab_walk(const T* dy, const T* x, PerImage<const T> gate, T* dx, PerImage<T> dgate,
              float* sums, std::int64_t parts, int slabs, std::int64_t tokens, std::int64_t cols) {
  __shared__ float all[slab_threads * N];
  const SlabPlace place(parts, slabs, N);
  const bool there = place.column < cols;  // no early return: a barrier follows
  float g[N], own[N] = {};
  if (there) {
    norm::to_floats(load<N>(gate.data + place.image * gate.row + place.column), g);
#pragma unroll 4
    for (std::int64_t token = place.part * blockDim.y + threadIdx.y; token < tokens;
         token += parts * blockDim.y) {
      const std::int64_t at = (place.image * tokens + token) * cols + place.column;
      float a[N], b[N];
      norm::to_floats(load<N>(dy + at), a);
      norm::to_floats(load<N>(x + at), b);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        own[n] += a[n] * b[n];
        a[n] *= g[n];
      }
      store<N>(dx + at, norm::from_floats<T>(a));
    }
  }
  const int width =
      int(blockDim.x);  // element n of thread t is at n * width + t: no bank conflicts
#pragma unroll
  for (int n = 0; n < N; ++n) all[(threadIdx.y * N + n) * width + threadIdx.x] = own[n];
  __syncthreads();
  if (!there || threadIdx.y > 0) return;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    float sum = own[n];
    for (unsigned y = 1; y < blockDim.y; ++y) sum += all[(y * N + n) * width + threadIdx.x];
    if (parts == 1)
      dgate.at(place.image, place.column + n) = from_float<T>(sum);
    else
      sums[(place.image * parts + place.part) * cols + place.column + n] = sum;
  }
}

std::int64_t parts_of_call(const GateBackward& args, int N) {
  const Slab slab(args.x.shape[2], N);
  return parts_of(args.x.shape[0], args.x.shape[1], slab.block, slab.slabs);
}

void launch(const GateBackward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], tokens = args.x.shape[1], cols = args.x.shape[2];
  if (images * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const PerImage<T> dgate(args.dgate);
    auto* const sums = static_cast<float*>(args.scratch.data);
    const auto with = [&](auto width) {
      constexpr int N = decltype(width)::value;
      const Slab slab(cols, N);
      const std::int64_t parts = parts_of_call(args, N);
      slab_walk<T, N><<<grid_x(images * parts * slab.slabs, 1), slab.block, 0, stream>>>(
          args.dy.as<T>(), args.x.as<T>(), PerImage<const T>(args.gate), args.dx.as<T>(), dgate,
          sums, parts, int(slab.slabs), tokens, cols);
      if (parts > 1) launch_add_parts<1>(sums, images, parts, dgate, dgate, cols, stream);
    };
    with_width<T>(cols, rows_aligned<T>(args.gate), with, args.dy.as<T>(), args.x.as<T>(),
                  args.dx.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

// Enough for either width, because where the tensors lie is not known yet.
std::int64_t scratch_bytes(const GateBackward& args) {
  const auto bytes = [&](int N) {
    const std::int64_t parts = parts_of_call(args, N);
    return parts > 1 ? parts_bytes(args.x.shape[0], parts, 1, args.x.shape[2]) : 0;
  };
  return std::max({bytes(1), bytes(4), bytes(8)});
}

std::string supports(const GateBackward& args) {
  return side_by_side(args.gate) ? "" : needs_side_by_side();
}

WARPATH_RUNG(GateBackward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::adaptive_norm
