// Tensor cores: five products by mma.sync, one barrier per tile of queries, dq by vector reductions.
//
// What changed: a block has 128 keys and visits 64 queries at a time, which arrive by cp.async one tile
// ahead. The scores are computed transposed, keys down: so p and ds lie in a warp's registers just as
// the products p^T do and ds^T q want their first operand. Two warps share 32 keys, each with half of
// the queries and half of the columns of dk and dv, or the sums of a head of 128 would not fit into
// registers; each hands the other its half of p and ds through shared memory, at a barrier of
// these two warps. All warps need ds for ds k: that product is made one tile later, behind the one
// barrier that the tile has anyway. dq is added as the accumulators lie, 16 bytes per lane since Hopper,
// and put in order by the kernel that rounds it.
// Limit: fragments. Every operand goes from shared memory through registers, and that takes about as
// long as the products.
#include "ops/attention/attention/backward_dq.cuh"
#include "ops/attention/attention/backward_mma.cuh"

namespace warpath::attention {
namespace {

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    keys_outside(const __grid_constant__ BackwardProblem<T> problem, const float2* rows,
                 DqSums dq_sums) {
  extern __shared__ __align__(128) unsigned char bytes[];
  auto& memory = *reinterpret_cast<typename Shape::Memory*>(bytes);
  constexpr int threads = Shape::threads;
  const SequenceTile at = problem.find(blockIdx.x, Shape::keys, false);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  const int j0 = at.first, end = min(j0 + Shape::keys, s.visible.keys), kv_head = blockIdx.y;
  const Keys seen_by = s.visible.queries_of(j0, end);
  const int begin = seen_by.first / Shape::queries * Shape::queries;
  const int tiles = seen_by.last > seen_by.first
                        ? (seen_by.last - begin + Shape::queries - 1) / Shape::queries
                        : 0;
  // Blocks of a head run at the same time: they begin with different queries, to add to different dq.
  const int start = problem.causal || tiles == 0 ? 0 : j0 / Shape::queries % tiles;
  struct Turn {
    int head, i0;
  };
  const auto turn = [&](int n) {
    const int tile = (n % tiles + start) % tiles;
    return Turn{kv_head * problem.group() + n / tiles, begin + tile * Shape::queries};
  };
  const auto fetch = [&](Turn t, typename Shape::Stage& to) {
    const int left = s.visible.queries - t.i0;
    const auto rows_at = [&](const Rows<const T>& x) { return x.at(s.batch, s.q0 + t.i0, t.head); };
    to.q.template fetch_async<threads>(rows_at(problem.q), problem.q.step, left, problem.dim);
    to.d_o.template fetch_async<threads>(rows_at(problem.d_o), problem.d_o.step, left,
                                         problem.value_dim);
    if (const int r = threadIdx.x; r < Shape::queries) {
      const float2* const from = rows + problem.row(s, t.head, t.i0);
      ptx::copy_async<8>(ptx::shared_address(&to.row[r]), r < left ? from + r : from, r < left);
    }
  };

  BackwardWarp<T, Shape> warp{problem};
  const int number = threadIdx.x / 32;
  // dq of a tile whose ds are in shared memory.
  const auto add_dq = [&](Turn t, const auto& ds) {
    constexpr int I = Shape::dq_tiles, J = Shape::dq_columns / 8;
    const int row = number % Shape::dq_down * 16 * I, column = number / Shape::dq_down * 8 * J;
    float dq[I][J][4] = {};
    const auto a = ds.right(0, row);
    const auto b = memory.k.down(0, column);
    multiply<T, Shape::keys / 16>(
        dq,
        [&](auto& f, int step) {
#pragma unroll
          for (int i = 0; i < I; ++i) a.transposed(f[i], 16 * step, 16 * i);
        },
        [&](auto& f, int j, int step) { b.transposed(f, 16 * step, 16 * j); });
#pragma unroll
    for (int i = 0; i < I; ++i) {
      const int first = t.i0 + row + 16 * i;
      if (first >= s.visible.queries) break;
      float* const to = dq_sums.strip(problem, s, at.sequence, t.head, first);
#pragma unroll
      for (int j = 0; j < J; ++j)
        if (column / 8 + j < dq_sums.columns)
          FragmentSum::add(to + (column / 8 + j) * FragmentSum::floats, dq[i][j]);
    }
  };

  const int turns = tiles * problem.group();
  const int keys = s.visible.keys - j0;
  memory.k.template fetch_async<threads>(problem.k.at(s.batch, s.k0 + j0, kv_head), problem.k.step,
                                         keys, problem.dim);
  memory.v.template fetch_async<threads>(problem.v.at(s.batch, s.k0 + j0, kv_head), problem.v.step,
                                         keys, problem.value_dim);
  if (turns > 0) fetch(turn(0), memory.stage[0]);
  ptx::copy_async_commit();
  for (int n = 0; n <= turns; ++n) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // this tile is here, and the ds of the last; nobody reads the last tile any more
    if (n + 1 < turns) fetch(turn(n + 1), memory.stage[(n + 1) % 2]);
    ptx::copy_async_commit();
    if (n > 0) add_dq(turn(n - 1), memory.ds[(n - 1) % 2]);
    if (n == turns) break;
    const Turn now = turn(n);
    auto& stage = memory.stage[n % 2];
    auto& ds = memory.ds[n % 2];
    const bool plain = problem.softcap == 0 && !problem.dropout &&
                       s.visible.whole(now.i0, min(now.i0 + Shape::queries, s.visible.queries), j0,
                                       j0 + Shape::keys);
#pragma unroll 1
    for (int first = 0; first < Shape::queries; first += Shape::share * Shape::warp_queries) {
      const int mine = first + warp.part() * Shape::warp_queries;
      typename BackwardWarp<T, Shape>::Scores scores = {}, dp = {};
      typename BackwardWarp<T, Shape>::Words p_words, ds_words;
      warp.template dots<Shape::dim>(scores, memory.k, stage.q, mine);
      warp.template dots<Shape::value_dim>(dp, memory.v, stage.d_o, mine);
      warp.pairs(p_words, ds_words, scores, dp, stage.row + mine, plain, s, now.head, now.i0 + mine,
                 j0);
      if constexpr (Shape::share == 1) {
        warp.add(warp.dv, p_words, stage.d_o, mine);
        warp.put(ds, ds_words, mine);
        warp.add(warp.dk, ds_words, stage.q, mine);
      } else {
        // The tile of ds carries p first.
        const int other = first + (1 - warp.part()) * Shape::warp_queries;
        const auto meet = [&] { ptx::sync_some(1 + warp.group(), 64); };
        warp.put(ds, p_words, mine);
        warp.add(warp.dv, p_words, stage.d_o, mine);
        meet();
        warp.add(warp.dv, ds, stage.d_o, other);
        meet();
        warp.put(ds, ds_words, mine);
        warp.add(warp.dk, ds_words, stage.q, mine);
        meet();
        warp.add(warp.dk, ds, stage.q, other);
      }
    }
  }
  warp.store(s, j0, kv_head);
}

// Empty where cp.async can fetch the rows, 16 bytes at a time.
std::string fits(const Backward& args) {
  if (std::string why = rows_are_whole(args); !why.empty()) return why;
  if (args.q.dtype == DType::f32) return "f16 and bf16 only";
  if (args.q.shape[3] % 8 != 0 || args.v.shape[3] % 8 != 0) return "heads must be multiples of 8";
  for (const Tensor* x : {&args.d_o, &args.q, &args.k, &args.v, &args.dq, &args.dk, &args.dv}) {
    const bool aligned = x->stride[0] % 8 == 0 && x->stride[1] % 8 == 0 && x->stride[2] % 8 == 0;
    if (!aligned || !x->is_aligned(16)) return "rows must begin at multiples of 16 bytes";
  }
  std::string why;
  with_shape(args, [&](auto shape) {
    why = enough_shared_memory(sizeof(typename decltype(shape)::Memory));
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
  clear_outside(args, stream);
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    auto* const rows = static_cast<float2*>(args.scratch.data);
    const DqSums sums = dq_sums_of(args, static_cast<char*>(args.scratch.data) + row_bytes(args));
    const bool any = args.lse.size() > 0;
    if (any) {
      rows_first<<<grid_x(args.lse.size(), delta_threads / 32), delta_threads, 0, stream>>>(
          problem, args.lse.size(), rows);
      CUDA_CHECK(cudaMemsetAsync(sums.data, 0, std::size_t(dq_sum_bytes(args)), stream));
    }
    if (args.dk.size() + args.dv.size() > 0)
      with_shape(args, [&](auto shape) {
        using Shape = decltype(shape);
        const auto kernel = keys_outside<T, Shape>;
        const dim3 grid(grid_x(most_tiles(args, problem.keys, Shape::keys), 1), problem.kv_heads);
        const int bytes = allow_shared(kernel, sizeof(typename Shape::Memory));
        kernel<<<grid, Shape::threads, bytes, stream>>>(problem, rows, sums);
      });
    if (any) round_sums(args, problem, sums, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = fits, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::attention
