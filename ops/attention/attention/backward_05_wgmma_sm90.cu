// Hopper: products by wgmma from what TMA brings, dq added by TMA.
//
// What changed: operands go from shared memory to the tensor cores without passing through registers, and one warp group
// keeps several products in flight: those of dk run while the next tile's scores are issued. A producer warp
// keeps two tiles of queries and gradients on their way. dq leaves in pieces of 4 KiB that TMA adds in L2.
// A soft cap and dropout have a kernel of their own, which leaves the plain one as it is. So do heads of more than 128: there
// both groups have the same 64 keys and split the columns.
// Limit: the tensor cores wait while both groups exchange ds, and dq's sums make a round trip through L2 and memory.
#include "core/hopper/tensor_map.h"
#include "ops/attention/attention/hopper_backward.cuh"

namespace warpath::attention::hopper {
namespace {

struct Order {
  int padded;    // rows per head
  int tiles;     // of keys per head
  int together;  // heads of keys whose queries and gradients share L2
};

template <class Tile>
__device__ __forceinline__ KeyWork work_of(const BackwardProblem<typename Tile::T>& p,
                                           const Order& order) {
  const int number = int(blockIdx.x), all = int(gridDim.x) / order.tiles;
  const int part = number / (order.tiles * order.together);
  const int in_part = number - part * order.tiles * order.together;
  const int heads = min(order.together, all - part * order.together);
  const int tile = in_part / heads, head = part * order.together + in_part - tile * heads;
  const KeyTile at = key_tile_at<Tile::keys>(p, head, tile);
  KeyWork w;
  w.s = at.s;
  w.kv_head = at.head;
  w.key = at.first;
  w.heads = p.group;
  w.row = first_padded(p, at.sequence);
  w.strip = DqSums::first_strip(p, at.sequence);
  const Visible visible = p.visible(w.s);
  const Keys span = w.key < w.s.keys
                        ? visible.queries_of(w.key, min(w.key + Tile::keys, visible.keys))
                        : Keys{0, 0};
  w.first = span.first / Tile::queries;
  w.tiles = span.last > span.first ? (span.last + Tile::queries - 1) / Tile::queries - w.first : 0;
  return w;
}

template <class Tile, bool General>
__global__ void __launch_bounds__(Tile::threads, 1)
    keys_outside(const __grid_constant__ BackwardMaps maps,
                 const __grid_constant__ BackwardProblem<typename Tile::T> problem, Order order,
                 const float2* rows, DqSums dq_sums) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& at = storage_in<BackwardStorage<Tile>>(shared);
  if (threadIdx.x == 0) at.init();
  __syncthreads();
  const KeyWork w = work_of<Tile>(problem, order);
  if (is_producer()) {
    ptx::give_registers<Tile::producer_registers>();
    if (threadIdx.x == 0 && w.tiles > 0)
      produce<Tile>(at, maps, w, rows, problem.heads, order.padded);
  } else {
    ptx::take_registers<Tile::consumer_registers>();
    BackwardConsumer<Tile, General>{at, problem, dq_sums, consumer_group()}.keys(w);
  }
}

bool is_general(const Backward& args) {
  return args.softcap != 0 || args.dropout != 0;
}
bool is_wide(const Backward& args) {
  return args.q.shape[3] > 128 || args.v.shape[3] > 128;
}

std::string supports(const Backward& args) {
  if (args.q.dtype == DType::f32) return "multiplies 16-bit types";
  if (args.q.size() == 0 || args.k.size() == 0) return "needs a query and a key";
  const std::int64_t dim = args.q.shape[3], value_dim = args.v.shape[3];
  if (is_wide(args)) {
    if (dim > 256 || value_dim > 256) return "takes heads of at most 256";
    if (is_general(args)) return "has a soft cap and dropout for heads of at most 128";
  } else if ((dim > 64) != (value_dim > 64)) {
    return "pads keys and values to the same width";
  }
  for (const Tensor* t : {&args.o, &args.dq, &args.dk, &args.dv})
    if (!in_vectors(*t)) return "moves 16 bytes at a time: needs aligned rows of a multiple of 8";
  for (const Tensor* t : {&args.q, &args.k, &args.v, &args.d_o})
    if (!fits_head_map(*t) || t->shape[3] % 8 != 0)
      return "copies boxes: needs dim contiguous, and rows at multiples of 16 bytes";
  return {};
}

int padded_of(const Backward& args) {
  return tiles_per_head<padded_tile>(forward_of(args)) * padded_tile;
}
std::int64_t row_bytes(const Backward& args) {
  return args.q.shape[0] * args.q.shape[2] * padded_of(args) * std::int64_t(sizeof(float2));
}
std::int64_t scratch_bytes(const Backward& args) {
  return row_bytes(args) + dq_sum_bytes(args);
}

template <class Tile, bool General = false>
void launch_tile(const Backward& args, cudaStream_t stream) {
  using T = typename Tile::T;
  const auto problem = problem_of<T>(args);
  auto* const rows = static_cast<float2*>(args.scratch.data);
  const DqSums sums = dq_sums_of(args, static_cast<char*>(args.scratch.data) + row_bytes(args));
  const int padded = padded_of(args);
  const std::int64_t count = args.q.shape[0] * args.q.shape[2] * padded;
  constexpr int lanes = Tile::dim / 8;
  prepare_rows<T, lanes>
      <<<grid_x(count, 256 / lanes), 256, 0, stream>>>(problem, padded, rows, count);
  CUDA_CHECK(cudaMemsetAsync(sums.data, 0, std::size_t(dq_sum_bytes(args)), stream));
  const BackwardMaps maps{head_map(args.q, Tile::queries), head_map(args.k, Tile::keys),
                          head_map(args.v, Tile::keys), head_map(args.d_o, Tile::queries)};
  const int tiles = key_tiles_per_head<Tile::keys>(args);
  const std::int64_t heads = args.k.shape[0] * args.k.shape[2];
  // The blocks that run at the same time belong to a few sequences.
  const double sequences = args.q_offsets.data ? problem.sequences.count : 1;
  const double bytes = 4.0 * double(args.q.shape[1]) / sequences * Tile::dim * problem.group;
  const int together = std::max(1, std::min(int(heads), int(24e6 / bytes)));
  const auto kernel = keys_outside<Tile, General>;
  const int shared = allow_shared(kernel, sizeof(BackwardStorage<Tile>));
  kernel<<<unsigned(tiles * heads), Tile::threads, shared, stream>>>(
      maps, problem, Order{padded, tiles, together}, rows, sums);
  round_sums(args, problem, sums, stream);
}

void launch(const Backward& args, cudaStream_t stream) {
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&]<class T>(Tag<T>) {
    if (is_wide(args))
      launch_tile<BackwardTile<T, 256>>(args, stream);
    else if (is_general(args))  // rarer: one size for all heads
      launch_tile<BackwardTile<T, 128>, true>(args, stream);
    else if (args.q.shape[3] <= 64)
      launch_tile<BackwardTile<T, 64>>(args, stream);
    else
      launch_tile<BackwardTile<T, 128>>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = supports, .scratch = scratch_bytes,
             .deterministic = false);

}  // namespace
}  // namespace warpath::attention::hopper
