// Flash attention 1: tiles of scores in registers, 64 rows by 64 keys.
//
// What changed: 256 threads compute a whole tile of q k^T as a matrix product, 4 x 4 scores each: eight reads from shared memory for 16
// FMAs instead of one for each. The softmax of the tile follows in registers: 16 lanes have a row, so its maximum and sum are four
// shuffles. The probabilities go through shared memory to the second product, a tile of 64 rows by all columns of o, which stays in
// registers until the end. A key is read from global memory once for 64 rows.
// Limit: the FMA units. Tensor cores multiply 16-bit numbers sixteen times as fast.
#include "core/host/device.cuh"
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int height = 64, keys = 64, side = 16, threads = side * side;
constexpr int each = height / side;  // rows of a thread, and keys

// Pitches are odd, so that 16 lanes which read down a column use different banks.
template <int D>
struct Memory {
  float q[height][D + 1], kv[keys][D + 1], p[height][keys + 1];
};

template <class T, int D>
__device__ __forceinline__ void fetch(float (&to)[keys][D + 1], const Rows<const T>& from,
                                      int batch, int first, int rows, int head, int dim) {
  for (int i = threadIdx.x; i < keys * D; i += threads) {
    const int r = i / D, d = i % D;
    to[r][d] = r < rows && d < dim ? to_float(from.at(batch, first + r, head)[d]) : 0.0f;
  }
}

template <class T, int D>
__global__ void __launch_bounds__(threads)
    tiles(const __grid_constant__ Problem<T> p, int per_head) {
  extern __shared__ float dynamic[];
  Memory<D>& memory = *reinterpret_cast<Memory<D>*>(dynamic);
  const Tile tile = tile_of<height>(p, int(blockIdx.x), per_head);
  const Sequence& at = tile.s;
  if (tile.row >= at.queries) return;
  const Visible visible = p.visible(at);
  const Keys all = visible.of_rows(tile.row, min(tile.row + height, at.queries));
  const int x = threadIdx.x % side, y = threadIdx.x / side, kv_head = tile.head / p.group;
  const float factor = p.exponent_factor();

  fetch<T, D>(memory.q, p.q, at.batch, at.first_query + tile.row, at.queries - tile.row, tile.head,
              p.dim);
  float o[each][D / side] = {};
  softmax::Stat stat[each];
#pragma unroll
  for (int r = 0; r < each; ++r) stat[r] = softmax::nothing();

  for (int j0 = all.first; j0 < all.last; j0 += keys) {
    __syncthreads();  // the last values are no longer needed
    fetch<T, D>(memory.kv, p.k, at.batch, at.first_key + j0, at.keys - j0, kv_head, p.dim);
    __syncthreads();
    float s[each][each] = {};  // rows y + 16 r, keys x + 16 c
    for (int d = 0; d < D; ++d) {
      float k[each];
#pragma unroll
      for (int c = 0; c < each; ++c) k[c] = memory.kv[x + side * c][d];
#pragma unroll
      for (int r = 0; r < each; ++r)
#pragma unroll
        for (int c = 0; c < each; ++c) s[r][c] += memory.q[y + side * r][d] * k[c];
    }
#pragma unroll
    for (int r = 0; r < each; ++r) {
      const int query = tile.row + y + side * r;
      const Keys seen = visible.of(query);
      float max = stat[r].max;
#pragma unroll
      for (int c = 0; c < each; ++c) {
        const int j = j0 + x + side * c;
        s[r][c] = seen.first <= j && j < seen.last ? p.for_exponent(s[r][c]) : -INFINITY;
        max = fmaxf(max, s[r][c]);
      }
      max = warp_reduce<side>(max, [](float a, float b) { return fmaxf(a, b); });
      const float shift = softmax::shift_of(max, factor);
      const float shrink = softmax::shrink_to(shift, stat[r].max, factor);
      stat[r] = {max, stat[r].sum * shrink};
#pragma unroll
      for (int c = 0; c < each; ++c) {
        const float weight = softmax::exp_scaled(s[r][c], factor, shift);
        stat[r].sum += weight;  // of this lane's keys alone
        memory.p[y + side * r][x + side * c] =
            p.dropout.apply(weight, p.row(at, tile.head, query), j0 + x + side * c);
      }
#pragma unroll
      for (int c = 0; c < D / side; ++c) o[r][c] *= shrink;
    }
    __syncthreads();  // the keys are no longer needed
    fetch<T, D>(memory.kv, p.v, at.batch, at.first_key + j0, at.keys - j0, kv_head, p.value_dim);
    __syncthreads();
    for (int j = 0; j < keys; ++j) {
      float v[D / side];
#pragma unroll
      for (int c = 0; c < D / side; ++c) v[c] = memory.kv[j][x + side * c];
#pragma unroll
      for (int r = 0; r < each; ++r)
#pragma unroll
        for (int c = 0; c < D / side; ++c) o[r][c] += memory.p[y + side * r][j] * v[c];
    }
  }
#pragma unroll
  for (int r = 0; r < each; ++r) {
    const int query = tile.row + y + side * r;
    const float sum = warp_reduce<side>(stat[r].sum, Sum{}),
                inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
    if (query >= at.queries) continue;
    T* const to = p.o.at(at.batch, at.first_query + query, tile.head);
#pragma unroll
    for (int c = 0; c < D / side; ++c)
      if (x + side * c < p.value_dim) to[x + side * c] = from_float<T>(o[r][c] * inverse);
    if (x == 0)
      p.lse[p.row(at, tile.head, query)] =
          softmax::lse_of({stat[r].max * (factor / softmax::log2_e), sum});
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_dim<64, 128, 256>(args, [&](auto dim) {
      const auto kernel = tiles<T, dim.value>;
      const int bytes = allow_shared(kernel, sizeof(Memory<dim.value>));
      kernel<<<tiles_of<height>(args), threads, bytes, stream>>>(problem_of<T>(args),
                                                                 tiles_per_head<height>(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Forward& args) {
  std::string why = up_to_256(args);
  if (why.empty())
    with_dim<64, 128, 256>(
        args, [&](auto dim) { why = enough_shared_memory(sizeof(Memory<dim.value>)); });
  return why;
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::attention
