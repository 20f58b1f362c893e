// The tensor cores of 05, fed without a wait: the next blocks of w are on their way while these are looked up.
//
// What changed: a warp of 05 asked for the codes of one block, waited, looked them up, and waited for the block's factor. Here
// every lane has four blocks of two rows in its registers or on their way to them, with what makes their factors: as soon as two of them have
// been looked up, the two that come four later are asked for, those of the next rows of w too. The first ones are asked for
// before the table is made. x lies in shared memory, its rows 64 bytes further apart than they are long, so that lanes with
// different rows have different banks; where x has one row, four lanes read it.
// The 16 warps of an SM share one table and the rows of w at hand, so all SMs end at nearly the same time.
// Limit: L1 and shared memory. 16 lanes per cycle look up 32 weights, and a load of codes or factors touches 8 lines.
#include "core/host/device.cuh"
#include "core/ptx/mma.cuh"
#include "core/warp/reduce.cuh"
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

constexpr int warps = 16;  // of a block of threads; they share k
constexpr int threads = 32 * warps;
constexpr int outputs = 16;  // rows of w per block of threads
constexpr int copies = 16;
constexpr int together = 2;  // neighbouring blocks of 64 weights
constexpr int ahead = 2;     // so many times two blocks are in a lane's hands
constexpr int round = warps * together;
constexpr int most_rows_of_x = 8;

struct Shared {
  uint2 table[256][copies];  // x: a byte's two weights; y: what their rounding has lost
  float map[256];
  float part[2][warps][most_rows_of_x][outputs];  // in turns
};

// What a lane has of two neighbouring blocks: a quarter of each in two rows of w, and what makes their factors.
struct Piece {
  Vector<std::uint32_t, 2> codes[2][together];
  unsigned short absmax[2];
  float scale[2];

  // `block` of each row is the first of the two, counted through all of w.
  template <class T>
  __device__ __forceinline__ void fetch(const Problem<T>& p, const unsigned (&block)[2]) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int i = 0; i < together; ++i)
        codes[row][i] = load_once<2>(reinterpret_cast<const std::uint32_t*>(p.codes) +
                                     std::size_t(block[row] + i) * 8 + threadIdx.x % 4 * 2);
      absmax[row] = *reinterpret_cast<const unsigned short*>(p.absmax + block[row]);
      scale[row] = p.scales[block[row] / nf4::group];
    }
  }
};

// The entries of two bytes of a word, as the tensor cores take them: of each a pair of weights for row g of the instruction,
// and what their rounding has lost for row g + 8.
__device__ __forceinline__ void look_up(std::uint32_t (&a)[4], const char* of_copy, unsigned word,
                                        int byte) {
  constexpr unsigned row = sizeof(uint2) * copies;
  const auto entry = [&](int i) {
    return *reinterpret_cast<const uint2*>(of_copy + __byte_perm(word, 0, 0x4440 + i) * row);
  };
  const uint2 first = entry(byte), second = entry(byte + 1);
  a[0] = first.x, a[1] = first.y, a[2] = second.x, a[3] = second.y;
}

// Two threads per byte; neighbouring bytes begin with different copies, that is, banks.
template <class T>
__device__ void fill(Shared& s, T* x, int pitch, const Problem<T>& p) {
  const int byte = threadIdx.x / 2, half = threadIdx.x % 2 * (copies / 2);
  const uint2 entry = entry_of<T>(p.values.at[byte >> 4], p.values.at[byte & 15]);
#pragma unroll
  for (int c = 0; c < copies / 2; ++c) s.table[byte][half + (byte + c) % (copies / 2)] = entry;
  if (half == 0) s.map[byte] = p.map.at[byte];
  for (int r = 0; r < p.rows; ++r)
#pragma unroll 4
    for (int i = threadIdx.x * 8; i < p.k; i += threads * 8)
      store<8>(x + r * pitch + i, load<8>(p.x + r * p.k + i));
  __syncthreads();
}

// Where a warp's pieces are: first those of its own blocks in 16 rows of w, then the same of the next rows.
struct Place {
  int j0, b;

  __device__ __forceinline__ void advance(int blocks, int begin, int step) {
    b += ahead * round;
    if (b >= blocks) b = begin, j0 += step;
  }
  template <class T>
  __device__ __forceinline__ void fetch(const Problem<T>& p, Piece& piece) const {
    const int n = int(p.n), blocks = int(p.blocks), g = threadIdx.x % 32 / 4;
    if (j0 >= n || b >= blocks) return;
    piece.fetch(p, {unsigned(min(j0 + g, n - 1) * blocks + b),  // rows behind the last: not written
                    unsigned(min(j0 + g + 8, n - 1) * blocks + b)});
  }
};

template <class T>
__global__ void __launch_bounds__(threads, 1) pipelined(const Problem<T> p, int pitch) {
  extern __shared__ __align__(16) unsigned char storage[];
  Shared& s = *reinterpret_cast<Shared*>(storage);
  T* const x = reinterpret_cast<T*>(storage + sizeof(Shared));
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int n = int(p.n), blocks = int(p.blocks), step = int(gridDim.x) * outputs;
  int j0 = int(blockIdx.x) * outputs;
  Piece pieces[ahead]{};
  Place next[ahead];
#pragma unroll
  for (int h = 0; h < ahead; ++h) {
    next[h] = {j0, warp * together + h * round};
    next[h].fetch(p, pieces[h]);
  }
  fill(s, x, pitch, p);
  // Asked of the lane itself: a compiler that knew these bits would OR them into every address, an instruction more each.
  const int copy = __shfl_sync(full_mask, int(threadIdx.x % copies), int(threadIdx.x % 32));
  const auto* const of_copy = reinterpret_cast<const char*>(s.table[0]) + copy * sizeof(uint2);
  const float offset = *p.offset;
  const T* const of_lane = x + g * pitch + t * 16;
  const bool has_row = g < p.rows;
  for (int turn = 0; j0 < n; j0 += step, turn ^= 1) {
    float sum[2][2] = {};  // of rows g and g + 8 of w, of two rows of x
    for (int first = warp * together; first < blocks; first += ahead * round)
#pragma unroll
      for (int h = 0; h < ahead; ++h) {
        const int b = first + h * round;
        if (b >= blocks) break;
        Piece& piece = pieces[h];
#pragma unroll
        for (int i = 0; i < together; ++i) {
          Vector<std::uint32_t, 4> xs[2] = {};  // sixteen neighbours, as the codes are
          if (has_row)
#pragma unroll
            for (int v = 0; v < 2; ++v)
              xs[v] = load<4>(
                  reinterpret_cast<const std::uint32_t*>(of_lane + (b + i) * nf4::block + v * 8));
#pragma unroll
          for (int row = 0; row < 2; ++row) {
            float of_block[4] = {};
#pragma unroll
            for (int e = 0; e < 8; e += 2) {  // 16 of k: two bytes of each of the four lanes
              std::uint32_t a[4];
              look_up(a, of_copy, piece.codes[row][i].at[e / 4], e % 4);
              ptx::mma<T>(of_block, a, xs[e / 4].at[e % 4], xs[e / 4].at[e % 4 + 1]);
            }
            const float factor =
                fmaf(s.map[piece.absmax[row] >> 8 * i & 255], piece.scale[row], offset);
#pragma unroll
            for (int c = 0; c < 2; ++c)
              sum[row][c] = fmaf(of_block[c] + of_block[c + 2], factor, sum[row][c]);
          }
        }
        next[h].advance(blocks, warp * together + h * round, step);
        next[h].fetch(p, piece);  // in the registers that have just become free
      }
#pragma unroll
    for (int e = 0; e < 4; ++e)
      s.part[turn][warp][2 * t + e % 2][g + e / 2 * 8] = sum[e / 2][e % 2];
    __syncthreads();  // the parts of two turns ago have been read by all who have come here
    for (int o = threadIdx.x / warps; o < p.rows * outputs; o += threads / warps) {
      const int row = o / outputs, column = o % outputs;
      const float all = warp_reduce<warps>(s.part[turn][threadIdx.x % warps][row][column], Sum{});
      if (threadIdx.x % warps == 0 && j0 + column < n) p.put(all, row, j0 + column);
    }
  }
}

int pitch_of(const Args& args) {
  return static_cast<int>(args.k()) + 32;
}
std::size_t shared_bytes(const Args& args) {
  return sizeof(Shared) + 2 * static_cast<std::size_t>(args.rows() * pitch_of(args));
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = allow_shared(pipelined<T>, shared_bytes(args));
    const unsigned grid = std::min(grid_x(args.n(), outputs), multiprocessors());
    pipelined<T><<<grid, threads, bytes, stream>>>(problem_of<T>(args), pitch_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string few_rows(const Args& args) {
  if (args.x.dtype == DType::f32) return "tensor cores would round f32 to tf32";
  if (args.rows() > most_rows_of_x) return "takes up to 8 rows of x";
  if (args.blocks() % together != 0) return "k must be a multiple of 128";
  if (args.n() * args.blocks() >= std::int64_t(1) << 31) return "takes fewer than 2^37 weights";
  if (!args.absmax.is_aligned(2)) return "absmax must start at a multiple of 2 bytes";
  if (const std::string no = enough_shared_memory(shared_bytes(args)); !no.empty()) return no;
  return in_vectors(args);
}
std::string long_rows(const Args& args) {
  return args.rows() == 1 || args.k() >= 4096 ? ""
                                              : "several short rows of x do not pay for the table: "
                                                "05 is 29% faster at 8 rows of 768";
}

WARPATH_RUNG(Args, launch, .supports = few_rows, .preferred = long_rows);

}  // namespace
}  // namespace warpath::nf4_matmul
