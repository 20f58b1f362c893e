// Tensor cores: five products by mma.sync, one barrier per tile of queries, dq by vector reductions.
//
// What changed: a block has 128 keys and visits 64 queries at a time, which arrive by cp.async one tile
// ahead. The scores are computed transposed, keys down: so p and ds lie in a warp's registers just as
// the products p^T do and ds^T q want their first operand. Two warps share 32 keys, each with half of
// the queries and half of the columns of dk and dv, or the sums of a head of 128 would not fit into
// registers; each hands the other its half of p and ds through shared memory, at a barrier of
// these two warps. All warps need ds for ds k: that product is made one tile later, behind the one
// barrier that the tile has anyway. dq is added as the accumulators lie, 16 bytes per lane since Hopper,
// and put in order by the kernel that rounds it. Half of the warps make dq before the scores, half after p and ds: the
// tensor cores then have products while a half computes exponentials.
// Limit: fragments. With heads of 128 a warp loads 136 of them, 512 bytes each, for 320 products: eight
// warps keep shared memory busy for 4352 cycles per tile, an A100's tensor cores for 5120.
#include "ops/attention/attention/backward_dq.cuh"
#include "ops/attention/attention/backward_mma.cuh"

namespace warpath::attention {
namespace {

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    keys_outside(const __grid_constant__ BackwardProblem<T> problem, int per_head,
                 BackwardVectors vectors, const float2* rows, DqSums dq_sums) {
  extern __shared__ __align__(128) unsigned char bytes[];
  const std::uint32_t memory = ptx::shared_address(bytes);
  const std::uint32_t k_at = memory, v_at = memory + Shape::KeyRows::bytes;
  constexpr int threads = Shape::threads;
  __shared__ QueryWalk walk;  // registers are short
  if (threadIdx.x == 0) {
    walk = QueryWalk::of<Shape>(problem, int(blockIdx.x), per_head);
    walk.strip = DqSums::first_strip(problem, walk.tile.sequence);
  }
  __syncthreads();
  const KeyTile& tile = walk.tile;
  const Sequence& s = tile.s;
  if (tile.first >= s.keys) return;
  const auto fetch = [&](Turn t, int n) {
    const typename Shape::Stage to = Shape::stage(memory, n);
    const int left = s.queries - t.i0, token = s.first_query + t.i0;
    Shape::QueryTile::template fetch<threads>(
        to.q, {problem.q.at(s.batch, token, t.head), problem.q.token, problem.dim, vectors.q},
        left);
    Shape::GradientTile::template fetch<threads>(
        to.d_o,
        {problem.d_o.at(s.batch, token, t.head), problem.d_o.token, problem.value_dim, vectors.d_o},
        left);
    if (const int r = threadIdx.x; r < Shape::queries)
      ptx::copy_async<8>(to.row + r * 8, rows + problem.row(s, t.head, t.i0) + r, r < left);
  };

  BackwardWarp<T, Shape> warp{problem};
  // dq of a tile whose ds lie in shared memory.
  const auto add_dq = [&](Turn t, std::uint32_t ds) {
    constexpr int I = Shape::dq_tiles, J = Shape::dq_columns / 8;
    const int number = threadIdx.x / 32;
    const int row = number % Shape::dq_down * 16 * I, column = number / Shape::dq_down * J;
    float dq[I][J][4] = {};
    const auto a = Shape::PairTile::reader_along(ds, 0, row);
    const auto b = Shape::KeyRows::reader_down(k_at, 0, 8 * column);
    multiply<T, Shape::keys / 16>(
        dq,
        [&](auto& f, int step) {
#pragma unroll
          for (int i = 0; i < I; ++i) ptx::load_matrices_transposed(f[i], a.address(16 * step, i));
        },
        [&](auto& f, int j, int step) {
          ptx::load_matrices_transposed(f, b.address(16 * step, j));
        });
    const int strip = walk.strip + (t.i0 + row) / 16;
    float* const to = dq_sums.strip(std::int64_t(s.batch) * problem.heads + t.head, strip) +
                      column * FragmentSum::floats;
    const int rows_left = s.queries - t.i0 - row, columns_left = dq_sums.columns - column;
    const bool whole = columns_left >= J && rows_left >= 16 * I;
    const auto add = [&](auto all) {
#pragma unroll
      for (int i = 0; i < I; ++i)
#pragma unroll
        for (int j = 0; j < J; ++j)
          if (all.value || (16 * i < rows_left && j < columns_left))
            FragmentSum::add(to + (i * dq_sums.columns + j) * FragmentSum::floats, dq[i][j]);
    };
    whole ? add(std::true_type{}) : add(std::false_type{});
  };

  Shape::KeyRows::template fetch<threads>(
      k_at,
      {problem.k.at(s.batch, s.first_key + tile.first, tile.head), problem.k.token, problem.dim,
       vectors.k},
      s.keys - tile.first);
  Shape::ValueRows::template fetch<threads>(
      v_at,
      {problem.v.at(s.batch, s.first_key + tile.first, tile.head), problem.v.token,
       problem.value_dim, vectors.v},
      s.keys - tile.first);
  Turn now{tile.head * problem.group, walk.start};
  if (walk.turns > 0) fetch(now, 0);
  ptx::copy_async_commit();
  for (int n = 0; n <= walk.turns; ++n, now = walk.after<Shape>(now)) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // this tile is here, and the ds of the last; nobody reads the last tile any more
    if (n + 1 < walk.turns) fetch(walk.after<Shape>(now), n + 1);
    ptx::copy_async_commit();
    // Half of the warps make dq first, the others later: so the tensor cores have work while one half computes p and ds.
    const bool later = Shape::share > 1 && warp.group() >= Shape::groups / 2 && n < walk.turns;
    if (n > 0 && !later) add_dq(walk.before<Shape>(now), Shape::pairs(memory, n - 1));
    if (n == walk.turns) break;
    const typename Shape::Stage at = Shape::stage(memory, n);
    const std::uint32_t pairs = Shape::pairs(memory, n);
    const int last = min(now.i0 + Shape::queries, s.queries);
    const bool whole = problem.visible(s).whole(now.i0, last, tile.first, tile.first + Shape::keys);
#pragma unroll 1
    for (int first = 0; first < Shape::queries; first += Shape::share * Shape::warp_queries) {
      using Gradients = typename Shape::GradientTile;
      using Queries = typename Shape::QueryTile;
      const int mine = first + warp.part() * Shape::warp_queries;
      typename BackwardWarp<T, Shape>::Scores scores = {}, dp = {};
      typename BackwardWarp<T, Shape>::Words p, ds;
      warp.template dots<typename Shape::KeyRows, Queries>(scores, k_at, at.q, mine);
      warp.template dots<typename Shape::ValueRows, Gradients>(dp, v_at, at.d_o, mine);
      warp.pairs(p, ds, scores, dp, at.row + mine * 8, whole, s, now.head, now.i0 + mine,
                 tile.first);
      if constexpr (Shape::share == 1) {
        warp.template add<Gradients>(warp.dv, p, at.d_o, mine);
        warp.put(pairs, ds, mine);
        warp.template add<Queries>(warp.dk, ds, at.q, mine);
      } else {
        const int other = first + (1 - warp.part()) * Shape::warp_queries;
        const auto meet = [&] { ptx::sync_some(1 + warp.group(), 64); };
        static_assert(Shape::queries == Shape::share * Shape::warp_queries, "once per tile");
        if (n > 0 && later) add_dq(walk.before<Shape>(now), Shape::pairs(memory, n - 1));
        warp.put(pairs, p, mine);  // then ds in the same place
        warp.template add<Gradients>(warp.dv, p, at.d_o, mine);
        meet();
        warp.template add<Gradients>(warp.dv, pairs, at.d_o, other);
        meet();
        warp.put(pairs, ds, mine);
        warp.template add<Queries>(warp.dk, ds, at.q, mine);
        meet();
        warp.template add<Queries>(warp.dk, pairs, at.q, other);
      }
    }
  }
  warp.store(s, tile.first, tile.head, vectors);
}

std::string fits(const Backward& args) {
  if (args.q.dtype == DType::f32) return "tensor cores multiply 16-bit numbers";
  if (std::string why = up_to_256(args); !why.empty()) return why;
  std::string why;
  with_shape<__nv_bfloat16>(args, [&](auto shape) {
    why = enough_shared_memory(decltype(shape)::bytes + sizeof(QueryWalk));
  });
  return why;
}

std::int64_t row_bytes(const Backward& args) {
  return ceil_div(args.lse.size(), 16) * 16 * std::int64_t(sizeof(float2));
}
std::int64_t scratch_bytes(const Backward& args) {
  return row_bytes(args) + dq_sum_bytes(args);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t queries = args.lse.size(), keys = args.dk.size() + args.dv.size();
  if (queries + keys == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    auto* const rows = static_cast<float2*>(args.scratch.data);
    const DqSums sums = dq_sums_of(args, static_cast<char*>(args.scratch.data) + row_bytes(args));
    if (queries > 0) {
      const bool vectors = in_vectors(args.o) && in_vectors(args.d_o);
      rows_first<<<grid_x(queries, delta_threads / (vectors ? 16 : 32)), delta_threads, 0,
                   stream>>>(problem, queries, rows, vectors);
      CUDA_CHECK(cudaMemsetAsync(sums.data, 0, std::size_t(dq_sum_bytes(args)), stream));
    }
    if (keys > 0)
      with_shape<T>(args, [&](auto shape) {
        using Shape = decltype(shape);
        const auto kernel = keys_outside<T, Shape>;
        allow_shared(kernel, Shape::bytes);
        kernel<<<grid_x(key_tiles_of<Shape::keys>(args), 1), Shape::threads, Shape::bytes,
                 stream>>>(problem, key_tiles_per_head<Shape::keys>(args), vectors_of(args), rows,
                           sums);
      });
    if (queries > 0) round_sums(args, problem, sums, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = fits, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::attention
