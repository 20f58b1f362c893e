// Each tile waits for the one before it, whose value and flag are two words: nothing makes the value visible before the
// flag, so a tile may see the flag and read an old value.
#include "ops/order/scan/walk.cuh"

namespace warpath::scan {
namespace {

constexpr std::int64_t tile = 4 * threads;

template <class T, class Op>
__global__ void flag_first(Rows<T> rows, std::int64_t tiles, Value<T>* sums, unsigned* flags,
                           Op op) {
  using A = Value<T>;
  __shared__ A start;
  const std::int64_t row = blockIdx.x / tiles, part = blockIdx.x % tiles, first = part * tile;
  if (threadIdx.x == 0) {
    start = Op::template identity<A>();
    if (part > 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0u) == 0) {
      }
      start = __ldcg(&sums[blockIdx.x - 1]);
      atomicExch(&flags[blockIdx.x - 1], 0u);  // for the next launch
    }
  }
  __syncthreads();
  const A end = walk(
      min(tile, rows.cols - first), start, op,
      [&](std::int64_t j) { return widen(rows.x[rows.at(row, first + j)]); },
      [&](std::int64_t j, A before, A value) {
        rows.y[rows.at(row, first + j)] = narrow<T>(rows.exclusive ? before : op(before, value));
      });
  if (threadIdx.x == 0 && part + 1 < tiles) {
    sums[blockIdx.x] = end;
    atomicExch(&flags[blockIdx.x], 1u);  // missing before it: __threadfence()
  }
}

std::int64_t tiles_of(const Args& args) {
  return ceil_div(args.x.shape[1], tile);
}

std::int64_t flag_bytes(const Args& args) {
  return ceil_div(args.x.shape[0] * tiles_of(args), 4) * 16;
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args);
    auto* const flags = static_cast<unsigned*>(args.scratch.data);
    auto* const sums = reinterpret_cast<Value<T>*>(flags + flag_bytes(args) / 4);
    flag_first<<<grid_x(args.x.shape[0] * tiles, 1), threads, 0, stream>>>(Rows<T>(args), tiles,
                                                                           sums, flags, op);
  });
}

std::int64_t scratch_bytes(const Args& args) {
  return 3 * flag_bytes(args);
}

WARPATH_RUNG(Args, launch, .supports = no_segments, .scratch = scratch_bytes, .zeroed = flag_bytes,
             .race = true, .weak_memory = true);

}  // namespace
}  // namespace warpath::scan
