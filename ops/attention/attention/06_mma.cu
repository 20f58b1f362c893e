// Flash attention 2: the rows split over warps, products by the tensor cores.
//
// What changed: a warp has 32 rows (16 where heads are wider than 128) and all keys of a tile, so the maximum and the sum
// of a row stay inside four lanes, and warps share nothing but the tiles. Products are mma.sync. The scores of a
// product lie in registers just as the next product wants its left operand, so p goes from one to the other without memory.
// Keys come by cp.async while the values are multiplied, values while the keys are. Tiles that all rows see whole skip the mask,
// tiles that a warp does not see are skipped. The exponentials of 16 keys are computed while the products of the 16 before run.
// Limit: between its two products a warp looks for the maximum; the tensor cores are busy then only if another warp has a
// product. And mma.sync itself: on Hopper it gets about 0.6 of what wgmma can do.
#include "core/host/device.cuh"
#include "ops/attention/attention/problem.cuh"
#include "ops/attention/attention/warp_rows.cuh"

namespace warpath::attention {
namespace {

// D and V: dim and value_dim, rounded up. General: with a soft cap, dropout or a negative scale, which take instructions and
// registers for every score.
template <class T, int D, int V, bool General>
struct Shape {
  static constexpr int rows = 128, keys = 64;
  static constexpr int warps = D > 128 || General ? 8 : 4, threads = 32 * warps;
  static constexpr int blocks = 8 / warps;     // per multiprocessor
  static constexpr int M = rows / warps / 16;  // fragments of 16 rows per warp
  static constexpr bool keep_q = D <= 64;      // in registers
  using Queries = SharedTile<T, rows, D>;
  using KeyTile = SharedTile<T, keys, D>;
  using ValueTile = SharedTile<T, keys, V>;
  static constexpr int bytes = Queries::bytes + KeyTile::bytes + ValueTile::bytes;
};

template <class T, int D, int V, bool General>
__global__ void __launch_bounds__(Shape<T, D, V, General>::threads, Shape<T, D, V, General>::blocks)
    flash(const __grid_constant__ Problem<T> p, int per_head, Vectors vectors) {
  using S = Shape<T, D, V, General>;
  extern __shared__ __align__(128) unsigned char memory[];
  const Tile tile = tile_of<S::rows>(p, int(blockIdx.x), per_head);
  const Sequence& at = tile.s;
  if (tile.row >= at.queries) return;
  const Visible visible = p.visible(at);
  const Keys seen = visible.of_rows(tile.row, min(tile.row + S::rows, at.queries));
  const int warp = threadIdx.x / 32 * 16 * S::M, first = tile.row + warp;  // this warp's rows
  const int mine = visible.of_rows(first, first + 16 * S::M).last;

  const int kv_head = tile.head / p.group;
  const HeadRows<T> q{p.q.at(at.batch, at.first_query + tile.row, tile.head), p.q.token, p.dim,
                      vectors.q};
  const HeadRows<T> k{p.k.at(at.batch, at.first_key, kv_head), p.k.token, p.dim, vectors.k};
  const HeadRows<T> v{p.v.at(at.batch, at.first_key, kv_head), p.v.token, p.value_dim, vectors.v};
  const std::uint32_t q_at = ptx::shared_address(memory), k_at = q_at + S::Queries::bytes,
                      v_at = k_at + S::KeyTile::bytes;
  const auto q_lane = S::Queries::lane_down(q_at, warp);
  const auto k_lane = S::KeyTile::lane_along(k_at, 0);
  const auto v_lane = S::ValueTile::lane_down(v_at, 0);
  const auto fetch_keys = [&](int j) {
    S::KeyTile::template fetch<S::threads>(k_at, k.from(j), at.keys - j);
    ptx::copy_async_commit();
  };

  const float factor = p.exponent_factor();
  WarpRows<T, S, D, V> rows;
  const int begin = seen.first / S::keys * S::keys;
  S::Queries::template fetch<S::threads>(q_at, q, at.queries - tile.row);
  fetch_keys(begin);
  for (int j = begin; j < seen.last; j += S::keys) {
    const bool busy = j < mine;
    ptx::copy_async_wait<0>();
    __syncthreads();  // the keys are here, the last values are no longer needed
    S::ValueTile::template fetch<S::threads>(v_at, v.from(j), at.keys - j);
    ptx::copy_async_commit();
    if constexpr (S::keep_q)
      if (j == begin)
#pragma unroll
        for (int step = 0; step < D / 16; ++step) rows.load_q(q_lane, step);
    if (busy) rows.multiply_keys(q_lane, k_lane);
    ptx::copy_async_wait<0>();
    __syncthreads();  // the values are here, the keys are no longer needed
    if (j + S::keys < seen.last) fetch_keys(j + S::keys);
    if (!busy) continue;
    if constexpr (General)
      rows.for_each_pair([&](float& a, float& b, int, int) {
        a = p.for_exponent(a);
        b = p.for_exponent(b);
      });
    if (!visible.whole(first, first + 16 * S::M, j, j + S::keys))
      rows.for_each_pair([&](float& a, float& b, int r, int c) {
        const Keys keys = visible.of(first + r);
        if (j + c < keys.first || j + c >= keys.last) a = -INFINITY;
        if (j + c + 1 < keys.first || j + c + 1 >= keys.last) b = -INFINITY;
      });
    rows.follow_maximum(factor);
    rows.multiply_values(v_lane, [&](int step) {
      rows.exponentiate(step, factor);
      if constexpr (General)
        if (p.dropout.on)
          rows.for_each_pair(step, [&](float& a, float& b, int r, int c) {
            const PhiloxWords words = p.dropout.words(p.row(at, tile.head, first + r), (j + c) / 4);
            a = p.dropout.apply(a, words.at[c % 4]);  // c is even: both have words of the same call
            b = p.dropout.apply(b, words.at[c % 4 + 1]);
          });
    });
  }
  rows.store(p, tile, first, factor / softmax::log2_e, vectors.o);
}

// The first of these sizes that both dims fit into. General kernels are rarer, so there are fewer of them.
template <class T, class F>
void with_shape(const Forward& args, F&& f) {
  const bool general = args.softcap != 0 || args.dropout != 0 || args.scale < 0;
  const std::int64_t d = args.q.shape[3], v = args.v.shape[3];
  const auto attempt = [&]<int D, int V, bool General>() {
    if (d > D || v > V || general != General) return false;
    f(flash<T, D, V, General>, Shape<T, D, V, General>{});
    return true;
  };
  general ? attempt.template operator()<64, 64, true>() ||
                attempt.template operator()<128, 128, true>() ||
                attempt.template operator()<256, 256, true>()
          : attempt.template operator()<32, 32, false>() ||
                attempt.template operator()<64, 64, false>() ||
                attempt.template operator()<96, 96, false>() ||
                attempt.template operator()<128, 128, false>() ||
                attempt.template operator()<192, 128, false>() ||
                attempt.template operator()<256, 256, false>();
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> problem = problem_of<T>(args);
    with_shape<T>(args, [&](auto kernel, auto shape) {
      using S = decltype(shape);
      allow_shared(kernel, S::bytes);
      kernel<<<tiles_of<S::rows>(args), S::threads, S::bytes, stream>>>(
          problem, tiles_per_head<S::rows>(args), vectors_of(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Forward& args) {
  if (args.q.dtype == DType::f32) return "tensor cores multiply 16-bit numbers";
  if (std::string why = up_to_256(args); !why.empty()) return why;
  std::string why;
  with_shape<__nv_bfloat16>(
      args, [&](auto, auto shape) { why = enough_shared_memory(decltype(shape)::bytes); });
  return why;
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::attention
