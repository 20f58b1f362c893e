// Where d has fewer tiles than the GPU has multiprocessors, several blocks share the sums of a
// tile.
//
// What changed: k is cut into parts, one per block. A part's sums go to scratch memory as floats; a
// second kernel adds them up, always in the same order, and applies the epilogue. Blocks make
// 128x128 of d, two at a time on a multiprocessor: smaller than those of rung 11, so there are more
// of them. Where there are enough tiles, there is one part.
// Limit: the sums of all parts are written and read once more, and the second kernel starts when
// the last block of the first has ended.
#include "ops/matmul/matmul/grouped.cuh"
#include "ops/matmul/matmul/pipeline.cuh"

namespace warpath::matmul {
namespace {

struct Parts {
  int count;
  std::int64_t k;  // of each; a multiple of a tile's depth
};

template <class T, bool AK, bool BK>
using Main = Pipeline<T, AK, BK, 128>;

template <class T, bool AK, bool BK>
__global__ void __launch_bounds__(Main<T, AK, BK>::threads, Main<T, AK, BK>::blocks_an_sm)
    split(Problem<T> p, Vectors vectors, Parts parts, float* partial) {
  using Loop = Main<T, AK, BK>;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned part = blockIdx.x % parts.count;  // blocks of one tile run side by side
  const Place tile = grouped_place<Loop::down, Loop::right>(blockIdx.x / parts.count, p.m, p.n);
  auto a = operand_a<AK>(p, vectors, tile.batch);
  auto b = operand_b<BK>(p, vectors, tile.batch);
  a.k = b.k = min(p.k, (part + 1) * parts.k);
  typename Loop::Sum sum;
  Loop::run(sum, reinterpret_cast<typename Loop::Stage*>(memory), a, b, tile, part * parts.k);
  const std::int64_t row = tile.row + Loop::i0(), col = tile.col + Loop::j0();
  if (parts.count == 1) {
    sum.put(p.out, tile.batch, row, col);
    return;
  }
  const std::int64_t i0 = row + sum.row(), j0 = col + sum.col();
  float* const to = partial + ((part * p.batch + tile.batch) * p.m + i0) * p.n + j0;
  sum.for_each_pair([&](float x, float y, int i, int j) {
    if (i0 + i >= p.m) return;
    if (j0 + j < p.n) to[i * p.n + j] = x;
    if (j0 + j + 1 < p.n) to[i * p.n + j + 1] = y;
  });
}

template <class T>
__global__ void add_parts(Problem<T> p, int parts, const float* partial) {
  const std::int64_t size = p.batch * p.m * p.n;
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0;
#pragma unroll 4
  for (int part = 0; part < parts; ++part) sum += partial[part * size + i];
  p.out.put(sum, i / (p.m * p.n), i / p.n % p.m, i % p.n);
}

// As many as give every multiprocessor a block, but at least four steps each: less work than that
// does not pay for the sums that are written and read again.
template <class T>
Parts parts_of(const Args& args) {
  using Loop = Main<T, true, true>;
  const std::int64_t tiles = tiles_of(args, Loop::down, Loop::right);
  const std::int64_t steps = ceil_div(args.k(), Loop::depth);
  const std::int64_t wanted = std::min<std::int64_t>(multiprocessors() / tiles, steps / 4);
  const std::int64_t each = ceil_div(steps, std::max<std::int64_t>(wanted, 1));
  return {int(std::max<std::int64_t>(ceil_div(steps, std::max<std::int64_t>(each, 1)), 1)),
          each * Loop::depth};
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    const Parts parts = parts_of<T>(args);
    auto* const partial = static_cast<float*>(args.scratch.data);
    with_form(args, [&](auto a, auto b) {
      using Loop = Main<T, a.value, b.value>;
      const auto kernel = split<T, a.value, b.value>;
      allow_shared(kernel, Loop::shared_bytes);
      kernel<<<tiles_of(args, Loop::down, Loop::right) * parts.count, Loop::threads,
               Loop::shared_bytes, stream>>>(p, vectors_of(args), parts, partial);
    });
    CUDA_CHECK(cudaGetLastError());
    if (parts.count > 1)
      add_parts<T><<<grid_x(args.d.size(), 256), 256, 0, stream>>>(p, parts.count, partial);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  if (args.d.size() == 0) return 0;
  const int parts =
      args.a.dtype == DType::f32 ? parts_of<float>(args).count : parts_of<__half>(args).count;
  return parts > 1 ? parts * args.d.size() * 4 : 0;
}

std::string fits(const Args& args) {
  if (std::string why = tensor_cores(args); !why.empty()) return why;
  return enough_shared_memory(Main<__half, true, true>::shared_bytes);
}

WARPATH_RUNG(Args, launch, .supports = fits, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::matmul
