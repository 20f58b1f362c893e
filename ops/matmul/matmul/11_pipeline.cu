// Tiles arrive while others are multiplied: three stages of shared memory, filled by cp.async.
//
// What changed: the copy of a tile takes no registers and no waiting (pipeline.cuh). It is started
// two steps before the tile is needed, and the fragments of the next 32 bytes of k are loaded while
// those of this one are multiplied, so the tensor cores always have work. A warp makes 64x64
// elements of d, 32 multiplications for eight loads of fragments, a block 256x128. A block without
// edges has a loop without bounds checks. Blocks that run side by side share tiles in the L2
// cache. Four lanes exchange what they have of a row before they write it, 16 bytes each.
// Limit: mma.sync itself. The operands of every multiplication pass through registers, each by a
// load of its own.
#include "ops/matmul/matmul/grouped.cuh"
#include "ops/matmul/matmul/pipeline.cuh"

namespace warpath::matmul {
namespace {

template <class T, bool AK, bool BK>
using Main = Pipeline<T, AK, BK, 256>;

template <class T, bool AK, bool BK>
__global__ void __launch_bounds__(Main<T, AK, BK>::threads, Main<T, AK, BK>::blocks_an_sm)
    pipelined(Problem<T> p, Vectors vectors) {
  using Loop = Main<T, AK, BK>;
  extern __shared__ __align__(128) unsigned char memory[];
  const Place tile = grouped_place<Loop::down, Loop::right>(blockIdx.x, p.m, p.n);
  typename Loop::Sum sum;
  Loop::run(sum, reinterpret_cast<typename Loop::Stage*>(memory),
            operand_a<AK>(p, vectors, tile.batch), operand_b<BK>(p, vectors, tile.batch), tile, 0);
  sum.put(p.out, tile.batch, tile.row + Loop::i0(), tile.col + Loop::j0());
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_form(args, [&](auto a, auto b) {
      using Loop = Main<T, a.value, b.value>;
      const auto kernel = pipelined<T, a.value, b.value>;
      allow_shared(kernel, Loop::shared_bytes);
      kernel<<<tiles_of(args, Loop::down, Loop::right), Loop::threads, Loop::shared_bytes,
               stream>>>(problem_of<T>(args), vectors_of(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (std::string why = tensor_cores(args); !why.empty()) return why;
  return enough_shared_memory(Main<__half, true, true>::shared_bytes);
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::matmul
