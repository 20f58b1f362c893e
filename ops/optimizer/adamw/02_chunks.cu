// One launch for up to 64 tensors: a block finds its tensor in a table.
//
// What changed: the tensors are cut into chunks of 2048 weights, one block each, and the table of pointers, sizes and first
// chunks is a kernel parameter. Small tensors run beside large ones instead of one after the other: GPT-2 takes three
// launches. The search in the table is the same for a whole block and takes six steps.
// Limit: one element per load, four loads in flight per thread.
#include "ops/optimizer/adamw/update.cuh"
#include "ops/optimizer/chunks.cuh"

namespace warpath::adamw {
namespace {

constexpr int most = 64, threads = 256, chunk = 2048;
using Table = optimizer::ChunkTable<5, most>;
static_assert(sizeof(Table) + sizeof(Step) <= 4096, "kernel parameters");

template <class T>
__global__ void __launch_bounds__(threads)
    one_chunk(const __grid_constant__ Table table, const Step given) {
  const int t = table.tensor_of(blockIdx.x);
  const std::int64_t first = std::int64_t(blockIdx.x - table.first[t]) * chunk;
  const std::int64_t end = min(first + chunk, table.size[t]);
  const Arrays<T> a{static_cast<T*>(table.at[0][t]), static_cast<const T*>(table.at[1][t]),
                    static_cast<float*>(table.at[2][t]), static_cast<float*>(table.at[3][t]),
                    static_cast<float*>(table.at[4][t])};
  const Step step = given.now();
  const float scale = step.scale(), keep = step.keep(table.index[t]);
  for (std::int64_t i = first + threadIdx.x; i < end; i += threads) a.update(i, step, scale, keep);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.p.count == 0) return;
  const Step step = Step::of(args);
  dispatch_float(args.p[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    optimizer::for_each_table<most>(std::array{&args.p, &args.g, &args.m, &args.v, &args.master},
                                    chunk, [&](const Table& table, unsigned chunks) {
                                      one_chunk<T><<<chunks, threads, 0, stream>>>(table, step);
                                    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
