// The last block adds up what the others have written, but nothing makes their writes visible before
// their counts: the counter may say that a partial result is there while the memory does not hold it.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

constexpr int threads = 256;
constexpr std::int64_t elements_a_block = 1 << 17;

template <class T, class Op>
__global__ void no_fence(const T* x, T* y, std::int64_t cols, Accumulator<T>* partial,
                         unsigned* done, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[threads / 32];
  __shared__ bool is_last;
  const std::int64_t row = blockIdx.y, first = blockIdx.x * elements_a_block;
  const std::int64_t end = min(first + elements_a_block, cols);
  A mine = Op::template identity<A>();
  for (std::int64_t c = first + threadIdx.x; c < end; c += threads)
    mine = op(mine, widen(x[row * cols + c]));
  A total = block_reduce<threads>(mine, op, slots);
  if (threadIdx.x == 0) {
    partial[row * gridDim.x + blockIdx.x] = total;
    is_last = atomicAdd(&done[row], 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  total = Op::template identity<A>();
  for (unsigned k = 0; k < gridDim.x; ++k) total = op(total, __ldcg(&partial[row * gridDim.x + k]));
  atomicExch(&done[row], 0u);  // for the next launch
  y[row] = narrow<T>(total);
}

std::int64_t blocks_a_row(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.shape[1], elements_a_block));
}

std::int64_t counter_bytes(const Args& args) {
  return ceil_div(args.x.shape[0], 4) * 16;
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    auto* const partial = reinterpret_cast<Accumulator<T>*>(static_cast<char*>(args.scratch.data) +
                                                            counter_bytes(args));
    const dim3 grid(unsigned(blocks_a_row(args)), unsigned(rows));
    no_fence<<<grid, threads, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols, partial,
                                           done, op);
  });
}

std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + args.x.shape[0] * blocks_a_row(args) * 8;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::reduce
