// Sixteen bytes per access; a block has one token, and computes its angles while the loads are in flight.
//
// What changed: a thread takes two vectors of a head, which pair up element by element or hold neighbours, and loads those of
// up to three heads before anything else. The cosines and sines are the same for all heads of a token: the block computes
// each once, in float from whole turns taken off in double (ops/attention/turns.cuh), and leaves them in shared memory. Where the
// token goes is looked up once per thread, also while the loads are in flight. Heads of a length or at an address that 16
// bytes do not divide take single elements. With few tokens the launch overlaps the kernel before it.
// Limit: one new token per sequence is a few hundred kilobytes, and the launch takes longer than they do; with many it is the
// memory.
#include "core/host/dependent_launch.cuh"
#include "core/ptx/grid_order.cuh"
#include "ops/attention/cache_write/call.cuh"
#include "ops/attention/turn_vectors.cuh"
#include "ops/attention/turns.cuh"

namespace warpath::cache_write {
namespace {

constexpr int threads = 128, heads_per_thread = 3;

// A head is cut into units of two vectors of N elements: N pairs, or what passes unchanged.
struct Units {
  int count, turned;
  Divisor by_count;
};

// The first of a unit's two vectors, and how far behind it the second is.
struct Vectors {
  int first, step;

  __device__ __forceinline__ Vectors(const Sizes& s, const Units& u, bool turned, int unit, int n) {
    const bool is_pair = turned && unit < u.turned;
    const bool apart = is_pair && !s.neighbours;
    first = apart ? n * unit : 2 * n * unit;
    step = apart ? s.pairs : n;
  }
};

template <class T, int N>
__global__ void __launch_bounds__(threads)
    vectorised(const Data<T> data, const Sizes sizes, const Units units,
               const __grid_constant__ rope::Table table) {
  using Whole = rope::Whole<T, N>;
  extern __shared__ __align__(16) float cosines[];  // (pairs), and as many sines
  float* const sines = cosines + sizes.pairs;
  ptx::let_next_grid_start();
  ptx::wait_for_grids_before();
  const std::int64_t token = blockIdx.x;
  const int all = sizes.all_heads() * units.count;
  Token where{};
  std::int64_t row = 0;
  for (int begin = 0; begin < all; begin += threads * heads_per_thread) {
    Whole a[heads_per_thread], b[heads_per_thread];
    const auto item = [&](int m) { return begin + m * threads + int(threadIdx.x); };
    const auto number = [&](int m) { return units.by_count.quotient(item(m)); };
    const auto unit = [&](int m) { return item(m) - number(m) * units.count; };
#pragma unroll
    for (int m = 0; m < heads_per_thread; ++m) {
      const bool is_mine = item(m) < all;
      const Head<T> head = data.head(sizes, token, 0, is_mine ? number(m) : 0);
      const Vectors at(sizes, units, head.turned, unit(m), N);
      a[m] = rope::load_whole<N>(head.in.first + at.first, is_mine);
      b[m] = rope::load_whole<N>(head.in.first + at.first + at.step,
                                 is_mine && at.first + at.step < sizes.dim);
    }
    if (begin == 0) {
      where = data.token(sizes, token);
      row = data.row(where);
      for (int p = threadIdx.x; p < sizes.pairs; p += threads) {
        const rope::Turn t = rope::turn_at(where.position, table.turns[p]);
        cosines[p] = t.c;
        sines[p] = t.s;
      }
      __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < heads_per_thread; ++m) {
      if (item(m) >= all) continue;
      const Head<T> head = data.head(sizes, token, row, number(m));
      if (!head.out) continue;
      const Vectors at(sizes, units, head.turned, unit(m), N);
      if (head.turned && unit(m) < units.turned) {
        const int pair = unit(m) * N;
        if (sizes.neighbours)
          rope::turn_vectors<T, N, true>(a[m], b[m], cosines + pair, sines + pair);
        else
          rope::turn_vectors<T, N, false>(a[m], b[m], cosines + pair, sines + pair);
      }
      *reinterpret_cast<Whole*>(head.out + at.first) = a[m];
      if (at.first + at.step < sizes.dim)
        *reinterpret_cast<Whole*>(head.out + at.first + at.step) = b[m];
    }
  }
}

bool takes_vectors(const Args& args, const Sizes& sizes, int n) {
  for (const Tensor* t : {&args.q, &args.k, &args.v})
    for (int axis = 0; t->data && axis < 3; ++axis)
      if (t->shape[axis] > 1 && t->stride[axis] % n != 0) return false;
  return sizes.dim % n == 0 && sizes.pairs % n == 0 && args.k.is_aligned(16) &&
         args.v.is_aligned(16) && args.q.is_aligned(16) && args.q_out.is_aligned(16) &&
         args.cache_k.is_aligned(16) && args.cache_v.is_aligned(16);
}

void launch(const Args& args, cudaStream_t stream) {
  const Sizes sizes = sizes_of(args);
  if (sizes.tokens * sizes.all_heads() * sizes.dim == 0) return;
  const rope::Table table = rope::table_of(scaling_of(args), sizes.pairs);
  dispatch_float(args.k.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto run = [&](auto width) {
      constexpr int N = decltype(width)::value;
      const int count = ceil_div(sizes.dim, 2 * N);
      const Units units{count, sizes.pairs / N, Divisor::of(count)};
      const unsigned blocks = grid_x(sizes.tokens, 1);
      const std::size_t shared = 2 * sizeof(float) * sizes.pairs;
      const DependentLaunch launch{blocks, threads, shared, stream, DependentLaunch::pays(blocks)};
      launch(vectorised<T, N>, data_of<T>(args), sizes, units, table);
    };
    if (takes_vectors(args, sizes, lanes_of_16<T>))
      run(std::integral_constant<int, lanes_of_16<T>>{});
    else
      run(std::integral_constant<int, 1>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  for (const Tensor* t : {&args.q, &args.k, &args.v})
    if (t->data && t->shape[3] > 1 && t->stride[3] != 1)
      return "the elements of a head must be contiguous";
  return rope::few_pairs(sizes_of(args).pairs);
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::cache_write
