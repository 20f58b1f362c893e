// The last block of a segment joins what the others have written, but nothing makes their writes visible before their counts:
// a count may be there while the memory does not hold the part yet.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 128, parts = 4;

template <class T, class Op>
__global__ void no_fence(const T* x, T* y, Segments segments, float* partials, unsigned* done,
                         Op op) {
  __shared__ float slots[threads / 32];
  const std::int64_t s = blockIdx.x / parts, part = blockIdx.x % parts;
  const std::int64_t first = segments.start(s), last = segments.start(s + 1);
  float mine = Op::template identity<float>();
  for (std::int64_t r = first + part * threads + threadIdx.x; r < last; r += parts * threads)
    mine = op(mine, to_float(x[r]));
  float total = block_reduce<threads>(mine, op, slots);
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = total;
  // Missing here: __threadfence();
  if (atomicAdd(&done[s], 1u) != parts - 1) return;
  atomicExch(&done[s], 0u);  // for the next launch
  total = Op::template identity<float>();
  for (int k = 0; k < parts; ++k) total = op(total, __ldcg(&partials[s * parts + k]));
  y[s] = from_float<T>(segments.finish(total, last - first));
}

std::int64_t counter_bytes(const Args& args) {
  return ceil_div(args.y.shape[0], 4) * 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + args.y.shape[0] * parts * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partials = static_cast<float*>(args.scratch.data) + counter_bytes(args) / 4;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    no_fence<<<grid_x(args.y.shape[0] * parts, 1), threads, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), Segments::of(args), partials, done, op);
  });
}

WARPATH_RUNG(Args, launch, .supports = flat, .scratch = scratch_bytes, .zeroed = counter_bytes,
             .race = true, .weak_memory = true);

}  // namespace
}  // namespace warpath::segment_sum
