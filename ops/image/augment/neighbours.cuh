// How the rungs that make several neighbouring pixels per thread are launched.
#pragma once
#include <algorithm>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/divisor.cuh"
#include "ops/image/augment/pixel.cuh"

namespace warpath::augment {

// kernel_of(tag of the result's type) gives the kernel; a block of `threads` makes `pixels` of an image, N neighbours at a time.
template <int N, class KernelOf>
void launch_neighbours(const Args& args, int threads, int pixels, cudaStream_t stream,
                       KernelOf kernel_of) {
  const Ranges ranges = Ranges::of(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 grid(grid_x(std::int64_t(ranges.height) * ranges.width, pixels),
                    static_cast<unsigned>(std::min<std::int64_t>(args.x.shape[0], 65535)));
    kernel_of(tag)<<<grid, threads, 0, stream>>>(
        args.x.as<unsigned char>(), args.y.as<T>(), args.mean.as<float>(), args.std.as<float>(),
        ranges, Divisor::of(ranges.width / N), int(args.x.shape[1]), int(args.x.shape[2]),
        args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

template <int N>
std::string takes_neighbours(const Args& args) {
  if (args.like.shape[1] % N != 0)
    return "the width of the result must be a multiple of " + std::to_string(N);
  const bool aligned = args.y.is_aligned(N * size_of(args.y.dtype));
  return aligned ? "" : "the result must start at a multiple of " + std::to_string(N) + " elements";
}

}  // namespace warpath::augment
