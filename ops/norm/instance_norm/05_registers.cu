// The plane stays in registers, wherever it starts: one kernel, x is read once.
//
// What changed: 03 reads x twice and 04 stages it in shared memory, and both want planes that are whole
// vectors; 55 x 55 elements are not, and 03 took those one by one. Here a plane gets as many threads as four
// vectors each need, and is cut at the 16-byte boundaries (group_registers.cuh). Blocks of 96 or 128
// threads and no shared memory: more than a dozen planes on an SM, so that barriers of one overlap with
// loads and stores of the others. Sum, then squared distances from the true mean: two short
// reductions over registers, and no division per thread.
// Limit: the memory, up to planes of 64 KiB; longer ones are 04's. NHWC is 03's.
#include "core/host/dispatch.cuh"
#include "ops/norm/group_registers.cuh"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
namespace {

using norm::GroupForward, norm::GroupPart, norm::row_sum, norm::RowSlots;

template <class T, int Most>
__global__ void __launch_bounds__(Most, 1280 / Most) registers(const GroupForward<T> p) {
  constexpr int N = lanes_of_16<T>;
  __shared__ RowSlots slots[2];
  const int plane = int(blockIdx.x * blockDim.y + threadIdx.y);
  if (plane >= p.shape.all_groups()) return;  // a plane of one warp: no barrier is left out
  const std::int64_t start = plane * p.shape.inner;
  const int size = int(p.shape.inner), channel = plane % int(p.shape.groups);
  const float weight = weight_of(p.weight, channel), bias = bias_of(p.bias, channel);
  const Cut<N> cut(p.x + start, size);
  GroupPart<T> part;
  part.load(p.x + start, cut);

  float sum = 0, squares = 0;
  for_each(part, cut, [&]<int M>(const float(&a)[M], int) {
#pragma unroll
    for (int n = 0; n < M; ++n) sum += a[n];
  });
  const float mean = row_sum(sum, slots[0]) / float(size);
  for_each(part, cut, [&]<int M>(const float(&a)[M], int) {
#pragma unroll
    for (int n = 0; n < M; ++n) squares += (a[n] - mean) * (a[n] - mean);
  });
  squares = row_sum(squares, slots[1]);
  const norm::Affine affine{mean, rsqrtf(squares / float(size) + p.eps) * weight, bias};
  with_activation(p.activation, [&](auto activation) {
    for_each(part, cut, [&]<int M>(float(&a)[M], int column) {
#pragma unroll
      for (int n = 0; n < M; ++n) a[n] = activation.value(affine(a[n]));
      norm::store_floats(p.y + start + column, a);
    });
  });
  if (threadIdx.x == 0) p.keep(plane, mean, squares);
}

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto p = problem<T>(args);
    if (p.shape.size() == 0) return;
    const dim3 block = norm::group_block(p.shape.inner, lanes_of_16<T>);
    const unsigned blocks = grid_x(p.shape.all_groups(), block.y);
    if (block.x * block.y <= 256)
      registers<T, 256><<<blocks, block, 0, stream>>>(p);
    else
      registers<T, 1024><<<blocks, block, 0, stream>>>(p);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::registers_take(args.shape(), size_of(args.x.dtype), norm::most_threads,
                              args.x.as<char>(), args.y.as<char>());
}
std::string odd_planes(const Forward& args) {
  return norm::odd_groups(args.shape(), size_of(args.x.dtype));
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = odd_planes);

}  // namespace
}  // namespace warpath::instance_norm
