// x waits in shared memory, the next piece of w is on its way while this one is multiplied.
//
// What changed: a lane of 04 reads 32 neighbours of x, so the lanes' loads lie 64 or 128 bytes apart and touch twice the sectors that
// their bytes need. Here a block copies x once, its vectors swapped so that eight lanes never meet in a bank, and takes many
// rows of w. And in 04 a warp asked for a piece of w and waited for it, then for its factor, with one piece in flight; here
// both are asked for one piece ahead. The rows of the table are 128 bytes apart, so a byte's address is a shift and one LOP3
// that puts the lane's copy in. Four sums run side by side: no addition waits for the last one.
// Limit: the instructions, about six per weight; x must fit beside the table.
#include "core/block/reduce.cuh"
#include "core/host/device.cuh"
#include "core/thread/floats.cuh"
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

constexpr int warps = 8;
constexpr int copies = 16;
constexpr int each = 32;  // weights of a lane per piece: half a block
constexpr int rows_taken = 4;

// What a lane reads of w at once.
struct Piece {
  Vector<std::uint32_t, 4> codes;
  unsigned char absmax;
  float scale;

  template <class T>
  static __device__ __forceinline__ Piece of(const Problem<T>& p, std::int64_t at) {
    return {load_once<4>(reinterpret_cast<const std::uint32_t*>(p.codes + at * 16)),
            p.absmax[at / 2], p.scales[at / 2 / nf4::group]};
  }
};

// The two weights of byte `i` of a word.
__device__ __forceinline__ float2 pair_of(const char* table, unsigned word, int i, unsigned copy) {
  constexpr unsigned row = sizeof(float2) * copies;
  static_assert(row == 128, "a byte's row is its value, seven bits up");
  const unsigned shifted = i == 0 ? word << 7 : word >> (8 * i - 7);
  return *reinterpret_cast<const float2*>(table + ((shifted & 0xFFu * row) | copy));
}

// Where vector v of a piece lies: eight lanes with neighbouring pieces find eight different groups of banks.
template <int Vectors>
__device__ __forceinline__ int place_of(std::int64_t half, int v) {
  return int(half) * Vectors + (v ^ int(half * Vectors / 8 % Vectors));
}

template <class T, int Rows>
__global__ void __launch_bounds__(32 * warps) ahead(const Problem<T> p) {
  extern __shared__ __align__(16) unsigned char storage[];
  __shared__ float2 table[256][copies];
  __shared__ float map[256];
  constexpr int N = lanes_of_16<T>, vectors = each / N;
  auto* const shared_x = reinterpret_cast<Vector<T, N>*>(storage);
  const int a_row = int(p.k / N);  // vectors of a row of x
  for (int r = 0; r < Rows && r < p.rows; ++r)
    for (int i = threadIdx.x; i < a_row; i += 32 * warps)
      shared_x[r * a_row + place_of<vectors>(i / vectors, i % vectors)] =
          load<N>(p.x + r * p.k + i * N);
  for (int i = threadIdx.x; i < 256; i += 32 * warps) map[i] = p.map.at[i];
  for (int i = threadIdx.x; i < 256 * copies; i += 32 * warps) {
    const int byte = i / copies;
    table[byte][i % copies] = make_float2(p.values.at[byte >> 4], p.values.at[byte & 15]);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const unsigned copy = lane % copies * unsigned(sizeof(float2));
  const float offset = *p.offset;
  for (std::int64_t j = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; j < p.n;
       j += std::int64_t(gridDim.x) * warps) {
    float sum[Rows] = {};
    const std::int64_t first = 2 * j * p.blocks;
    Piece next{};
    if (lane < 2 * p.blocks) next = Piece::of(p, first + lane);
    for (std::int64_t half = lane; half < 2 * p.blocks; half += 32) {
      const Piece piece = next;
      if (half + 32 < 2 * p.blocks) next = Piece::of(p, first + half + 32);
      float2 w[each / 2];
#pragma unroll
      for (int e = 0; e < each / 2; ++e)
        w[e] = pair_of(reinterpret_cast<const char*>(table), piece.codes.at[e / 4], e % 4, copy);
      const float factor = fmaf(map[piece.absmax], piece.scale, offset);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (r >= p.rows) break;
        float part[4] = {};
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          float xs[N];
          to_floats(load<N>(shared_x[r * a_row + place_of<vectors>(half, v)].at), xs);
#pragma unroll
          for (int e = 0; e < N; e += 2) {
            const int at = (v * N + e) / 2;
            part[at % 2] = fmaf(xs[e], w[at].x, part[at % 2]);
            part[2 + at % 2] = fmaf(xs[e + 1], w[at].y, part[2 + at % 2]);
          }
        }
        sum[r] = fmaf((part[0] + part[1]) + (part[2] + part[3]), factor, sum[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r >= p.rows) break;
      sum[r] = warp_reduce(sum[r], Sum{});
      if (lane == 0) p.put(sum[r], r, j);
    }
  }
}

std::size_t shared_bytes(const Args& args) {
  return static_cast<std::size_t>(args.x.bytes());
}

template <class T, int Rows>
void run(const Args& args, cudaStream_t stream) {
  constexpr int table_bytes = 33 << 10;
  const int bytes = allow_shared(ahead<T, Rows>, shared_bytes(args));
  const auto fit = static_cast<unsigned>(std::max(1, (224 << 10) / (table_bytes + bytes)));
  const unsigned grid =
      std::min(grid_x(args.n(), warps), std::min(fit, 5u) * unsigned(multiprocessors()));
  ahead<T, Rows><<<grid, 32 * warps, bytes, stream>>>(problem_of<T>(args));
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.rows() == 1)
      run<T, 1>(args, stream);
    else
      run<T, rows_taken>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string few_rows(const Args& args) {
  if (args.rows() > rows_taken) return "takes up to 4 rows of x";
  if (const std::string no = enough_shared_memory(shared_bytes(args) + (34 << 10)); !no.empty())
    return no;
  return in_vectors(args);
}
std::string one_row(const Args& args) {
  if (args.rows() > 1) return "timed with one row of x; 05 takes several";
  return args.k() >= 4096 ? "" : "short rows do not pay for the copy of x: 04 is as fast at 768";
}

WARPATH_RUNG(Args, launch, .supports = few_rows, .preferred = one_row);

}  // namespace
}  // namespace warpath::nf4_matmul
