// The last block joins what the others have written, but nothing makes their writes visible before their counts: a count may
// be there while the memory does not hold the part yet.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

constexpr int threads = 256;
constexpr std::int64_t elements_a_block = 1024;

template <class T>
__global__ void no_fence(View<T> in, std::int64_t* y, std::int64_t cols,
                         Best<reduce::Accumulator<T>>* partials, unsigned* done) {
  using B = Best<reduce::Accumulator<T>>;
  __shared__ B slots[threads / 32];
  const std::int64_t row = blockIdx.y, first = blockIdx.x * elements_a_block;
  const std::int64_t end = min(first + elements_a_block, cols);
  B best = nothing<reduce::Accumulator<T>>();
  for (std::int64_t i = first + threadIdx.x; i < end; i += threads)
    best = Better{}(best, B{in.value(row, i), i});
  best = block_reduce<threads>(best, Better{}, slots);
  if (threadIdx.x != 0) return;
  partials[row * gridDim.x + blockIdx.x] = best;
  // Missing here: __threadfence();
  if (atomicAdd(&done[row], 1u) != gridDim.x - 1) return;
  atomicExch(&done[row], 0u);  // for the next launch
  best = nothing<reduce::Accumulator<T>>();
  for (unsigned k = 0; k < gridDim.x; ++k) {
    const B* const part = &partials[row * gridDim.x + k];
    best = Better{}(best, B{__ldcg(&part->value), __ldcg(&part->at)});
  }
  put(&y[row], best);
}

std::int64_t blocks_a_row(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.shape[1], elements_a_block));
}
std::int64_t counter_bytes(const Args& args) {
  return ceil_div(args.x.shape[0], 4) * 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + args.x.shape[0] * blocks_a_row(args) * 16;
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0];
  if (rows == 0) return;
  const dim3 grid(unsigned(blocks_a_row(args)), unsigned(rows));
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using B = Best<reduce::Accumulator<T>>;
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    auto* const partials =
        reinterpret_cast<B*>(static_cast<char*>(args.scratch.data) + counter_bytes(args));
    no_fence<<<grid, threads, 0, stream>>>(View<T>::of(args), args.y.as<std::int64_t>(),
                                           args.x.shape[1], partials, done);
  });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::argmax
