// The plane stays in registers, wherever it starts: x and dy are read once.
//
// What changed: as in forward 05. A plane gets as many threads as four vectors of x and four of dy each
// need, cut at the 16-byte boundaries (group_registers.cuh). The two sums of the plane are one reduction; dx
// follows from the same registers. What dweight and dbias need of a plane is left for the kernel that adds up
// over the images, in a fixed order. 02 had four kernels and read x and dy twice, planes of 55 x 55 one
// element at a time.
// Limit: the memory, up to planes of 32 KiB; longer ones are left to 02 and 03, NHWC to 02.
#include "core/host/dispatch.cuh"
#include "ops/norm/group_registers.cuh"
#include "ops/norm/instance_norm/problem.cuh"
#include "ops/norm/partial_sums.cuh"

namespace warpath::instance_norm {
namespace {

using norm::GroupBackward, norm::GroupPart, norm::row_sums, norm::RowSlots;

constexpr int most_threads = 512;

// sums: [image][dz * n, dz][channel].
template <class T, int Most>
__global__ void __launch_bounds__(Most, 768 / Most)
    registers(const GroupBackward<T> p, float* const plane_sums) {
  constexpr int N = lanes_of_16<T>;
  __shared__ RowSlots slots[2];
  const int plane = int(blockIdx.x * blockDim.y + threadIdx.y), channels = int(p.shape.groups);
  if (plane >= p.shape.all_groups()) return;  // a plane of one warp: no barrier is left out
  const std::int64_t start = plane * p.shape.inner;
  const int size = int(p.shape.inner), image = plane / channels, channel = plane - image * channels;
  const Cut<N> cut(p.x + start, size);
  GroupPart<T> x, dy;
  x.load(p.x + start, cut);
  dy.load(p.dy + start, cut);
  const float rstd = p.rstds[plane], weight = weight_of(p.weight, channel);
  const norm::Affine z{p.means[plane], rstd * weight, bias_of(p.bias, channel)};
  with_activation(p.activation, [&](auto activation) {
    float sums[2] = {0, 0};
    for_each(x, dy, cut, [&]<int M>(const float(&a)[M], const float(&d)[M], int) {
#pragma unroll
      for (int n = 0; n < M; ++n) {
        const float dz = activation.gradient(d[n], z(a[n]));
        sums[0] += dz * (a[n] - z.mean);
        sums[1] += dz;
      }
    });
    row_sums(sums, slots);
    sums[0] *= rstd;
    if (threadIdx.x == 0) {
      float* const to = plane_sums + std::int64_t(image) * 2 * channels + channel;
      to[0] = sums[0];
      to[channels] = sums[1];
    }
    const float each = weight / float(size);
    const auto dx = norm::InputGradient::of(z, rstd, {sums[1] * each, sums[0] * each});
    for_each(x, dy, cut, [&]<int M>(float(&a)[M], const float(&d)[M], int column) {
#pragma unroll
      for (int n = 0; n < M; ++n) a[n] = dx(a[n], d[n], activation);
      norm::store_floats(p.dx + start + column, a);
    });
  });
}

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto p = problem<T>(args);
    auto* const sums = static_cast<float*>(args.scratch.data);
    if (p.shape.size() > 0) {
      const dim3 block = norm::group_block(p.shape.inner, lanes_of_16<T>);
      const unsigned blocks = grid_x(p.shape.all_groups(), block.y);
      if (block.x * block.y <= 128)
        registers<T, 128><<<blocks, block, 0, stream>>>(p, sums);
      else
        registers<T, most_threads><<<blocks, block, 0, stream>>>(p, sums);
    }
    norm::launch_add_partials(sums, unsigned(p.shape.batch), 2, p.dweight, p.dbias,
                              p.shape.all_channels(), stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::partial_bytes(args.shape().batch, 2, args.shape().all_channels());
}
std::string supports(const Backward& args) {
  return norm::registers_take(args.shape(), size_of(args.x.dtype), most_threads, args.x.as<char>(),
                              args.dy.as<char>(), args.dx.as<char>());
}
std::string odd_planes(const Backward& args) {
  return norm::odd_groups(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = odd_planes,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::instance_norm
